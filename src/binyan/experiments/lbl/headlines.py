"""Which figures of chapter 4's experiments stand beside which figures of the thesis."""

from __future__ import annotations

from dataclasses import replace

from binyan.experiments.experiment import Experiment
from binyan.experiments.headline import Change, Headline
from binyan.experiments.lbl import eltec, mixtures
from binyan.experiments.lbl.models import TITLES, plain_of
from binyan.experiments.lbl.perplexity_experiment import BASELINE, MAIN_SIZE, PerplexityExperiment
from binyan.experiments.lbl.similarity import SETS, VECTORS, SimilarityExperiment, stands_beside_thesis


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
    change = None if experiment.label == BASELINE else _change(experiment, BASELINE)
    plain = plain_of(experiment.label)
    more = (_change(experiment, plain),) if plain else ()
    listed = [Headline("perplexity", ("perplexity",), change=change, more=more)]
    if experiment.data["text"] == eltec.EUROPARL:
        of_news = ("perplexity_news",)
        listed.append(
            Headline(
                "perplexity on news",
                of_news,
                change=change and replace(change, ours=of_news),
                more=tuple(replace(c, ours=of_news) for c in more),
            )
        )
    if experiment.has_similarity:
        listed += _similarity(experiment)
    if experiment.label == "clbl++" and experiment.setting == MAIN_SIZE:
        morphemes = ("lbl", "data", "morphemes_per_type_1m", experiment.language)
        listed.append(Headline("morphemes per word type", ("morphemes_per_type",), morphemes, front=False))
    return listed


def _change(experiment: PerplexityExperiment, base: str) -> Change:
    """Changes of models of a million tokens beside the thesis's, and of German Europarl beside those of its Data-Main."""
    change = Change(experiment.against(base), ("perplexity",))
    if experiment.label not in TITLES:
        return change
    names, language = [TITLES[label] for label in (experiment.label, base)], experiment.language
    if experiment.data["text"] == eltec.EUROPARL:
        ours, theirs = (("lbl", "perplexity_main", f"{name} {experiment.kappa}", language) for name in names)
        return replace(change, thesis=(ours, theirs))
    if experiment.setting != MAIN_SIZE or not experiment.has_usual_penalty:
        return change
    ours, theirs = (("lbl", "perplexity_1m", name, language) for name in names)
    stated = () if base == BASELINE else ("lbl", "perplexity_1m", f"{names[0]} %", language)
    return replace(change, thesis=(ours, theirs), stated=stated)


def _similarity(experiment: SimilarityExperiment | PerplexityExperiment) -> list[Headline]:
    """The pairs of words are the thesis's own."""
    return [
        Headline(
            f"rho, {pairs}, {how}",
            ("similarity", how, pairs, "rho"),
            ("lbl", "word_similarity", row, column) if stands_beside_thesis(experiment, how) else (),
        )
        for label, how, row in VECTORS
        for pairs, column in SETS[experiment.language].items()
        if label == experiment.model["kind"]
    ]
