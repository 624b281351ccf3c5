"""Which figures of chapter 4's experiments stand beside which figures of the thesis."""

from __future__ import annotations

from binyan.experiments.experiment import Experiment
from binyan.experiments.headline import Headline
from binyan.experiments.lbl import eltec
from binyan.experiments.lbl.models import TITLES
from binyan.experiments.lbl.runs import BASELINE, MAIN_SIZE, PerplexityExperiment
from binyan.experiments.lbl.similarity import SETS, VECTORS, SimilarityExperiment


def headlines(experiment: Experiment) -> list[Headline]:
    """Perplexities, or correlations with human judgements of similarity."""
    if isinstance(experiment, SimilarityExperiment):
        return _similarity(experiment)
    assert isinstance(experiment, PerplexityExperiment)
    against = "" if experiment.label == BASELINE else experiment.baseline
    return [Headline("perplexity", ("perplexity",), _thesis(experiment), against)]


def _thesis(experiment: PerplexityExperiment) -> tuple[str, ...]:
    row = TITLES[experiment.label]
    if experiment.kappa != eltec.KAPPA:
        return "lbl", "perplexity_main", f"{row} {experiment.kappa}", experiment.language
    return ("lbl", "perplexity_1m", row, experiment.language) if experiment.size == MAIN_SIZE else ()


def _similarity(experiment: SimilarityExperiment) -> list[Headline]:
    return [
        Headline(f"rho, {pairs}, {how}", ("similarity", how, pairs, "rho"), ("lbl", "word_similarity", row, column))
        for label, how, row in VECTORS
        for pairs, column in SETS[experiment.language].items()
        if label == experiment.label
    ]
