"""Synthetic rules, which write words that extracted rules do not, packed together with extracted ones."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.segmentation import Segmentation
from binyan.translation.rule_table import RuleTable

COMPOUND, FORM, RELATED, PARTS, TRANSLITERATION, COPY = (
    "NewCompound",
    "NewForm",
    "NewRelated",
    "NewParts",
    "NewTransliteration",
    "NewCopy",
)
UNSEEN, LOG_PROB = "NewUnseen", "NewLogProb"
NEW_FEATURES = (COMPOUND, FORM, RELATED, PARTS, TRANSLITERATION, COPY, UNSEEN, LOG_PROB)
NEW_START = {
    COMPOUND: 0.0,
    FORM: -1.0,
    RELATED: 0.5,
    PARTS: 0.5,
    TRANSLITERATION: 0.5,
    COPY: -1.0,
    UNSEEN: 0.0,
    LOG_PROB: 0.2,
}
# Features of extracted rules that are sums over the parts of a synthetic rule. All others, which count, are 0.
_ADDED = ("TargetGivenSource", "SourceGivenTarget", "LexTargetGivenSource", "LexSourceGivenTarget")


@dataclass(frozen=True)
class NewRule:
    """A synthetic rule without gaps.

    `kinds`: features of value 1. `log_prob`: of how its words were made. `features`: those of the extracted rules it is made of, in
    their order. `parts`: of a compound, for models that look inside words.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    kinds: tuple[str, ...]
    log_prob: float
    features: NDArray[np.float32]
    parts: Segmentation | None = None


def added_features(names: Sequence[str], rules: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """The features of a synthetic rule that is made of extracted ones."""
    total: NDArray[np.float32] = np.zeros(len(names), np.float32)
    for values in rules:
        total += values
    return np.where([name in _ADDED for name in names], total, np.float32(0)).astype(np.float32)


def packed_with(
    table: RuleTable, new: Sequence[NewRule], source: Mapping[str, int], target: Mapping[str, int]
) -> _core.TranslationGrammar:
    """The rules of a table and new ones, packed; ids of words that new rules have are those of `source` and `target`."""
    old_features = table.native.arrays["features"].reshape(len(table), len(table.features))
    values = np.zeros((len(table) + len(new), len(table.features) + len(NEW_FEATURES)), np.float32)
    values[: len(table), : len(table.features)] = old_features
    for row, rule in enumerate(new, len(table)):
        values[row, : len(table.features)] = rule.features
        for kind in rule.kinds:
            values[row, len(table.features) + NEW_FEATURES.index(kind)] = 1.0
        values[row, -1] = rule.log_prob
    sides = _packed(table, new, source, target)
    return _core.TranslationGrammar.pack(*sides, values.reshape(-1), values.shape[1])


def _packed(
    table: RuleTable, new: Sequence[NewRule], source: Mapping[str, int], target: Mapping[str, int]
) -> tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint64]]:
    """Symbols and offsets of the source sides of all rules, then of their target sides."""
    arrays = table.native.arrays
    symbols, offsets = table.native.sources()
    node_of_rule = np.repeat(np.arange(table.native.nodes), np.diff(arrays["first_rule"].astype(np.int64)))
    old_sources = _rows(symbols, offsets.astype(np.int64), node_of_rule)
    old_targets = _rows(arrays["target_symbols"], arrays["target_offset"].astype(np.int64), arrays["target"])
    left = _with_more(*old_sources, [[source[w] for w in rule.source] for rule in new])
    right = _with_more(*old_targets, [[target[w] for w in rule.target] for rule in new])
    return *left, *right


def _rows(
    symbols: NDArray[np.uint32], offsets: NDArray[np.int64], rows: NDArray[np.integer]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The sequences numbered `rows`, one after the other, and where each begins and ends."""
    lengths = np.diff(offsets)[rows]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(ends[-1]) + np.repeat(offsets[:-1][rows] - ends[:-1], lengths)
    return symbols[places], ends


def _with_more(
    symbols: NDArray[np.uint32], offsets: NDArray[np.int64], more: Sequence[Sequence[int]]
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    added = array("I", [s for row in more for s in row])
    ends = offsets[-1] + np.cumsum([len(row) for row in more], dtype=np.int64)
    return (
        np.concatenate([symbols, np.frombuffer(added.tobytes(), np.uint32)]).astype(np.uint32),
        np.concatenate([offsets, ends]).astype(np.uint64),
    )
