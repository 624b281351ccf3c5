"""Mixtures of an n-gram model and CLBL++, fitted to what their runs stored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.evaluation import Column, Table
from binyan.evaluation.table import Cell
from binyan.experiments.experiment import Outcome
from binyan.experiments.lbl.models import TITLES
from binyan.experiments.lbl.perplexity_experiment import MAIN_SIZE, STORED_PARTS, PerplexityExperiment
from binyan.experiments.lbl.stored import StoredRuns
from binyan.experiments.results import Result
from binyan.language_model import MixtureParts
from binyan.mixture.weights import ContextWeights, fit_weights

LABELS = ("mkn", "hpylm")  # the n-gram models that are mixed with CLBL++


def outcome(experiment: PerplexityExperiment, stored: StoredRuns) -> Outcome:
    """Perplexities of mixtures with fixed weights and with weights by context, in one language."""
    figures: dict[str, Any] = {}
    signatures: dict[str, None] = {}
    neural = stored.runs(MAIN_SIZE, experiment.language, "clbl++")
    for label in LABELS:
        n_gram = stored.best(MAIN_SIZE, experiment.language, label)
        if n_gram is None or not neural:
            raise InputError(
                f"{experiment.name} needs the scores of {label} and clbl++: run the experiments of its language first"
            )
        figures[label], used = _mixture(n_gram.result, [run.result for run in neural])
        signatures |= dict.fromkeys(r.signature for r in used)
    return Outcome(figures, "\n".join(signatures))


def _mixture(n_gram: Result, neural: Sequence[Result]) -> tuple[dict[str, Any], tuple[Result, Result]]:
    # A model with another penalty than is best alone may be best in the mixture.
    candidates = {_fixed_weights(n_gram, other): other for other in neural}
    (_, fixed, weight), mixed = min(candidates.items(), key=lambda item: item[0])
    best_alone = min(neural, key=lambda r: float(r.figures["perplexity_dev"]))
    figures = {
        "fixed": fixed,
        "weight": weight,
        "by_context": _weights_by_context(n_gram, mixed),
        "better_alone": min(r.figures["perplexity"] for r in (n_gram, best_alone)),
    }
    return figures, (n_gram, mixed)


def table(stored: StoredRuns) -> list[Table]:
    """The mixtures of all languages that have results."""
    rows: list[list[Cell]] = []
    for language, result in stored.mixtures.items():
        for label, figures in result.figures.items():
            better, fixed, by_context = (figures[key] for key in ("better_alone", "fixed", "by_context"))
            context_change = None if by_context is None else 100 * (by_context / better - 1)
            title = f"{TITLES[label]} and CLBL++"
            rows.append(
                [language, title, fixed, 100 * (fixed / better - 1), figures["weight"], by_context, context_change]
            )
    columns = [Column("language"), Column("of"), Column("test", ".1f"), Column("against the better, %", "+.1f")]
    columns += [Column("weight of CLBL++", ".2f"), Column("by context", ".1f"), Column("against it, %", "+.1f")]
    signature = "\n".join(result.signature for result in stored.mixtures.values())
    return [Table("Mixtures", columns, rows, signature)] if rows else []


def _fixed_weights(n_gram: Result, neural: Result) -> tuple[float, float, float]:
    """Development and test perplexity of the mixture with fixed weights, and the weight of the second model."""
    arrays = [r.kept_arrays() for r in (n_gram, neural)]
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
    weights = ContextWeights.fit(dev, arrays[0]["is_unknown.dev"])
    return _perplexity(weights.mix(test, arrays[0]["is_unknown.test"])[1].sum(0))


def _perplexity(probabilities: NDArray[np.float64]) -> float:
    return math.exp(-float(np.mean(np.log(probabilities))))
