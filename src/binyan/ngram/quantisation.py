"""Probabilities and back-off weights in few bits: each is the number of one of 2^bits values, by length of n-gram.

Values are sorted into bins of equal size, as KenLM does, and each bin stands for its mean. Zero probability and the back-off weight 1, which very many
contexts have, stay exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.errors import SettingsError
from binyan.model_file import ModelFile, Section

FEWEST, MOST = 2, 16
NAMES = ("log_prob", "log_backoff")
Coded = tuple[NDArray[Any], NDArray[np.float32], NDArray[np.uint32], list[int]]
"""Codes, the values of all tables, how many each table has, and where its codes end."""


def check_bits(bits: int) -> int:
    """The number itself. Raises SettingsError where values cannot be stored in that number of bits."""
    if not FEWEST <= bits <= MOST:
        raise SettingsError(f"probabilities have {FEWEST} to {MOST} bits, not {bits}")
    return bits


def codebook(values: NDArray[np.float32], bits: int) -> NDArray[np.float32]:
    """At most 2^bits values, sorted, that stand for all of `values`; the values themselves where they are no more."""
    distinct = np.unique(values)
    if len(distinct) <= 1 << bits:
        return distinct
    exact = distinct[(distinct == 0) | np.isinf(distinct)]
    others = np.sort(values[(values != 0) & np.isfinite(values)])
    bounds = np.linspace(0, len(others), (1 << bits) - len(exact) + 1).astype(np.int64)
    sums = np.concatenate([[0.0], np.cumsum(others, dtype=np.float64)])
    means = np.diff(sums[bounds]) / np.diff(bounds)
    return np.unique(np.concatenate([exact, means.astype(np.float32)]))


def encoded(values: NDArray[np.float32], table: NDArray[np.float32]) -> NDArray[np.int64]:
    """The number in `table` of the value nearest to each of `values`; 0 and -infinity only stand for themselves."""
    exact = np.minimum(np.searchsorted(table, values), len(table) - 1)
    others = np.flatnonzero((table != 0) & np.isfinite(table))
    if not len(others):
        return exact
    middles = (table[others][1:].astype(np.float64) + table[others][:-1]) / 2
    return np.where(table[exact] == values, exact, others[np.searchsorted(middles, values)])


def coded(arrays: Mapping[str, NDArray[Any]], rows: Mapping[str, list[int]], bits: int) -> dict[str, Coded]:
    """Probabilities and back-off weights in codes; `rows[name]` has where the values of each length of n-gram end."""
    result = {}
    kind = np.uint8 if bits <= 8 else np.uint16
    for name in NAMES:
        tables, codes = [], []
        for values in np.split(arrays[name], rows[name][:-1]):
            tables.append(codebook(values, bits) if len(values) else np.zeros(0, np.float32))
            codes.append(encoded(values, tables[-1]).astype(kind) if len(values) else np.zeros(0, kind))
        sizes = np.array([len(t) for t in tables], np.uint32)
        result[name] = np.concatenate(codes), np.concatenate(tables), sizes, rows[name]
    return result


def sections_of(values: Mapping[str, Coded]) -> dict[str, Section]:
    """The sections that hold what `coded` gives."""
    sections: dict[str, Section] = {}
    for name, (codes, table, sizes, _) in values.items():
        sections |= {f"quantised/{name}": codes, f"quantised/{name}.values": table, f"quantised/{name}.sizes": sizes}
    return sections


def coded_in(file: ModelFile, rows: Mapping[str, list[int]]) -> dict[str, Coded]:
    """The inverse of `sections_of`; the codes of a large file stay in it."""
    return {
        name: (
            file.mapped(f"quantised/{name}"),
            file.array(f"quantised/{name}.values"),
            file.array(f"quantised/{name}.sizes"),
            rows[name],
        )
        for name in NAMES
    }
