"""The results of chapter 4, looked up by setting, language and model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from binyan.experiments.experiment import Experiment
from binyan.experiments.lbl.perplexity_experiment import PerplexityExperiment
from binyan.experiments.lbl.similarity import SimilarityExperiment
from binyan.experiments.results import Result, Results


class PerplexityRun(NamedTuple):
    """An experiment and its result."""

    experiment: PerplexityExperiment
    result: Result


class SimilarityRun(NamedTuple):
    """An experiment that measured word similarity, alone or beside perplexity, and its result."""

    experiment: SimilarityExperiment | PerplexityExperiment
    result: Result


class StoredRuns:
    """The experiments that have a result."""

    def __init__(self, results: Results, experiments: Sequence[Experiment]) -> None:
        finished = [(e, r) for e in experiments if (r := results.get(e)) is not None]
        self.missing = len(experiments) - len(finished)
        of_text = [PerplexityRun(e, r) for e, r in finished if isinstance(e, PerplexityExperiment)]
        self.perplexity = [run for run in of_text if run.experiment.measure == "perplexity"]
        self.mixtures = {e.language: r for e, r in of_text if e.measure == "mixtures"}
        both = (SimilarityExperiment, PerplexityExperiment)
        self.similarity = [
            SimilarityRun(e, r) for e, r in finished if "similarity" in r.figures and isinstance(e, both)
        ]

    def settings(self) -> list[str]:
        """Settings with a result: 1m, 1m-kappa-0.05 ..."""
        return list(dict.fromkeys(run.experiment.setting for run in self.perplexity))

    def languages(self, setting: str) -> list[str]:
        """Languages with a result."""
        return list(dict.fromkeys(e.language for e, _ in self.perplexity if e.setting == setting))

    def runs(self, setting: str, language: str, label: str) -> list[PerplexityRun]:
        """All runs of a model, one per penalty."""
        key = setting, language, label
        return [run for run in self.perplexity if (run[0].setting, run[0].language, run[0].label) == key]

    def best(self, setting: str, language: str, label: str) -> PerplexityRun | None:
        """The run with the lowest perplexity on the development novels, where there are several."""
        runs = self.runs(setting, language, label)
        if len(runs) < 2:
            return next(iter(runs), None)
        return min(runs, key=lambda run: float(run.result.figures["perplexity_dev"]))
