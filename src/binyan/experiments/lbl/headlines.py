"""Which figures of chapter 4's experiments stand beside which figures of the thesis."""

from __future__ import annotations

from dataclasses import replace

from binyan.experiments.experiment import Experiment
from binyan.experiments.headline import Change, Headline
from binyan.experiments.lbl import eltec, mixtures
from binyan.experiments.lbl.models import TITLES
from binyan.experiments.lbl.perplexity_experiment import BASELINE, MAIN_SIZE, PerplexityExperiment
from binyan.experiments.lbl.similarity import SETS, VECTORS, SimilarityExperiment


def headlines(experiment: Experiment) -> list[Headline]:
    """Perplexities, or correlations with human judgements of similarity."""
    if isinstance(experiment, SimilarityExperiment):
        return _similarity(experiment)
    assert isinstance(experiment, PerplexityExperiment)
    if experiment.measure == "mixtures":
        return [
            Headline(f"perplexity, {TITLES[label]} and CLBL++ mixed by context", (label, "by_context"))
            for label in mixtures.LABELS
        ]
    change = None if experiment.label == BASELINE else _change(experiment)
    return [Headline("perplexity", ("perplexity",), change=change)]


def _change(experiment: PerplexityExperiment) -> Change:
    """The thesis's other values of kappa are those of its texts of 17 to 57 million tokens: its changes there are not shown."""
    change = Change(experiment.baseline, ("perplexity",))
    usual = experiment.setting == MAIN_SIZE and experiment.data["text"] == eltec.FOLDER
    if not usual or experiment.label not in TITLES:
        return change
    ours, base = (
        ("lbl", "perplexity_1m", TITLES[label], experiment.language) for label in (experiment.label, BASELINE)
    )
    return replace(change, thesis=(ours, base))


def _similarity(experiment: SimilarityExperiment) -> list[Headline]:
    """The pairs of words are the thesis's own. Its figures stand beside those of vectors from all the text at hand."""
    return [
        Headline(
            f"rho, {pairs}, {how}",
            ("similarity", how, pairs, "rho"),
            ("lbl", "word_similarity", row, column) if experiment.has_all_text else (),
        )
        for label, how, row in VECTORS
        for pairs, column in SETS[experiment.language].items()
        if label == experiment.label
    ]
