"""Mixtures of an n-gram model and CLBL++, fitted to what their runs stored."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from binyan.evaluation import Column, Table
from binyan.evaluation.table import Cell
from binyan.experiments.lbl.models import TITLES
from binyan.experiments.lbl.runs import MAIN_SIZE, STORED_PARTS
from binyan.experiments.lbl.stored import StoredRuns
from binyan.experiments.results import Result
from binyan.language_model import MixtureParts
from binyan.mixture.weights import Gates, fit_weights
from binyan.progress import track


def mixtures(stored: StoredRuns) -> list[Table]:
    """Perplexities of mixtures with fixed weights and with weights by context, for each language."""
    rows: list[list[Cell]] = []
    signatures = []
    pairs = [
        (language, label, run.result, neural.result)
        for language in stored.languages(MAIN_SIZE)
        for label in ("mkn", "hpylm")
        if (run := stored.best(MAIN_SIZE, language, label)) and (neural := stored.best(MAIN_SIZE, language, "clbl++"))
    ]
    for language, label, n_gram, best_alone in track(pairs, "mixtures fitted", len(pairs)):
        better = min(r.figures["perplexity"] for r in (n_gram, best_alone))
        # A model with another penalty than is best alone may be best in the mixture.
        candidates = {
            _fixed_weights(n_gram, other.result): other.result for other in stored.runs(MAIN_SIZE, language, "clbl++")
        }
        (_, fixed, weight), mixed = min(candidates.items(), key=lambda item: item[0])
        by_context = _weights_by_context(n_gram, mixed)
        context_change = None if by_context is None else 100 * (by_context / better - 1)
        title = f"{TITLES[label]} and CLBL++"
        rows.append([language, title, fixed, 100 * (fixed / better - 1), weight, by_context, context_change])
        signatures += [r.signature for r in (n_gram, mixed)]
    columns = [Column("language"), Column("of"), Column("test", ".1f"), Column("against the better, %", "+.1f")]
    columns += [Column("weight of CLBL++", ".2f"), Column("by context", ".1f"), Column("against it, %", "+.1f")]
    return [Table("Mixtures", columns, rows, "\n".join(signatures))] if rows else []


def _fixed_weights(n_gram: Result, neural: Result) -> tuple[float, float, float]:
    """Development and test perplexity of the mixture with fixed weights, and the weight of the second model."""
    arrays = [r.arrays() for r in (n_gram, neural)]
    dev, test = (np.exp([a[f"log_prob.{part}"] for a in arrays]) for part in ("dev", "test"))
    weights = fit_weights(np.log(dev))
    return _perplexity(weights @ dev), _perplexity(weights @ test), float(weights[1])


def _weights_by_context(n_gram: Result, neural: Result) -> float | None:
    """Test perplexity with weights by context; None where a result of an earlier version has not stored the parts."""
    arrays = [r.arrays() for r in (n_gram, neural)]
    if not all("share.dev" in a for a in arrays):
        return None
    dev, test = (
        [MixtureParts(**{name: a[f"{name}.{part}"] for name in STORED_PARTS}) for a in arrays]
        for part in ("dev", "test")
    )
    gates = Gates.fit(dev, arrays[0]["is_unknown.dev"])
    return _perplexity(gates.mix(test, arrays[0]["is_unknown.test"])[1].sum(0))


def _perplexity(probabilities: NDArray[np.float64]) -> float:
    return math.exp(-float(np.mean(np.log(probabilities))))
