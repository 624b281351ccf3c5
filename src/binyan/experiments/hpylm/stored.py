"""The perplexities and tables of chapter 3, read back from results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from binyan.evaluation.table import Table
from binyan.experiments.hpylm.ngram_experiment import NGramExperiment
from binyan.experiments.hpylm.variants import MODELS
from binyan.experiments.results import Result, Results


class StoredPerplexity(NamedTuple):
    """The perplexity of a variant of a model of some order, trained on a text of some size; `news`: on text further from training."""

    size: str
    order: int
    name: str
    perplexity: float
    signature: str
    result: Result
    news: float | None = None


class StoredRuns:
    """The experiments that have a result, and their figures."""

    def __init__(self, results: Results, experiments: Sequence[NGramExperiment]) -> None:
        self.runs = [(e, r) for e in experiments if (r := results.get(e)) is not None]
        self.missing = [e for e in experiments if results.get(e) is None]

    @cached_property
    def perplexities(self) -> list[StoredPerplexity]:
        """Every variant of every model that scored the held-out text."""
        return [
            StoredPerplexity(
                e.size,
                e.order,
                model.title,
                variants[model.variant]["perplexity"],
                variants[model.variant]["signature"],
                r,
                r.figures.get("news", {}).get(model.variant, {}).get("perplexity"),
            )
            for e, r in self.runs
            if e.measure == "perplexity" and e.order is not None and (variants := r.figures["variants"])
            for model in MODELS
            if model.label == e.label and model.variant in variants
        ]

    def find(self, size: str, order: int, title: str) -> StoredPerplexity | None:
        """The perplexity of the model with this title."""
        return next((p for p in self.perplexities if (p.size, p.order, p.name) == (size, order, title)), None)

    def tables(self, size: str, figure: str) -> list[Table]:
        """The tables of an analysis of the test text at this size: `subsets` or `differences`."""
        return [
            Table.from_dict(table)
            for e, r in self.runs
            if e.measure == "subsets" and e.size == size
            for table in r.figures[figure]
        ]


def signatures(perplexities: Sequence[StoredPerplexity]) -> str:
    """The signatures of several figures, one per line, after the names of the models."""
    return "\n".join(dict.fromkeys(f"{p.name}: {p.signature}" for p in perplexities))
