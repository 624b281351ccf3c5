"""The experiments of chapter 5, and how they are measured."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from binyan.evaluation.gold import GoldWord
from binyan.evaluation.lexicon import gold_lexicon, roc_curve, thinned
from binyan.evaluation.morphology import BestAnalyses
from binyan.evaluation.roots import GUESSERS, guesser_accuracy, partial_matches, strong_roots
from binyan.evaluation.segmentation import score_segmentation
from binyan.experiments.adaptor.learning import learn
from binyan.experiments.adaptor.methods import (
    MORFESSOR,
    RANDOM_GUESSERS,
    STEMMERS,
    SUBSETS,
    SWEEPS,
    AnalysisMethod,
    methods_for,
)
from binyan.experiments.adaptor.sample_scores import SampledAnalyses, root_examples, score_template_lexicon, trees
from binyan.experiments.adaptor.stemmers import measure_stemmers
from binyan.experiments.adaptor.subsets import SETTINGS as SUBSET_SETTINGS
from binyan.experiments.adaptor.subsets import measure_subsets
from binyan.experiments.adaptor.sweeps import SETTINGS as SWEEP_SETTINGS
from binyan.experiments.adaptor.sweeps import measure_sweeps
from binyan.experiments.adaptor.word_lists import (
    OTHER_LISTS,
    WORD_LISTS,
    gold_digest,
    gold_words,
    settings,
    statistics,
    unseen,
)
from binyan.experiments.experiment import Experiment, Measure, Outcome, Workspace

WHOLE_LIST = "all"
SHORTEST_LIST = "HEB"
_SETTINGS = {SWEEPS: SWEEP_SETTINGS, SUBSETS: SUBSET_SETTINGS}  # of several runs each, on the shortest list
KEPT_POINTS = 100  # of an ROC curve
AFFIXES = ("Pre", "Suf")  # the symbols of prefixes and suffixes
# size -> words (None: all), sweeps and burn-in; the thesis had all words, 1000 and 900
PROTOCOLS: Mapping[str, tuple[int | None, int, int]] = {"5k": (5_000, 200, 150), WHOLE_LIST: (None, 1_000, 900)}
LISTS: Mapping[str, Sequence[str]] = {"5k": ("BW",), WHOLE_LIST: (*WORD_LISTS, *OTHER_LISTS)}


@dataclass(frozen=True, kw_only=True)
class AdaptorExperiment(Experiment):
    """A method of analysis on a word list of some size."""

    study: str = "adaptor"
    size: str
    method: AnalysisMethod

    @property
    def steps(self) -> tuple[str, ...]:
        """The word list, the size and the label."""
        return self.dataset, self.size, self.label

    @property
    def source(self) -> str:
        """The name of the file, without endings."""
        return PurePosixPath(self.data["gold"]).name.partition(".")[0]


def experiments() -> list[AdaptorExperiment]:
    """A sample of one list for a first look, then all lists, whole, with the thesis's protocol."""
    listed = [
        _experiment(dataset, size, method)
        for size in PROTOCOLS
        for dataset in LISTS[size]
        for method in (MORFESSOR, *_without_learning(dataset), *methods_for(dataset, size == WHOLE_LIST))
    ]
    return [*listed, *(_experiment(SHORTEST_LIST, WHOLE_LIST, method) for method in _SETTINGS)]


def _without_learning(dataset: str) -> tuple[AnalysisMethod, ...]:
    """Root extractors: random guessers, and for unvocalised Arabic those that people use."""
    if dataset in OTHER_LISTS:
        return ()
    return (RANDOM_GUESSERS, STEMMERS) if dataset == "BW" else (RANDOM_GUESSERS,)


def _experiment(dataset: str, size: str, method: AnalysisMethod) -> AdaptorExperiment:
    words, sweeps, burn_in = PROTOCOLS[size]
    model: dict[str, Any] = {"kind": method.measure}
    if method.measure == "morfessor":
        model["seed"] = 1
    elif method in _SETTINGS:
        model |= _SETTINGS[method]
    elif method.measure == "adaptor":
        model |= {"sweeps": sweeps, "burn_in": burn_in, "seed": 1, "initialisation": "batch", "grammar": method.grammar}
        model |= {"relabel": -1} if method.resamples_trees else {}
        model |= {"unadapted": " ".join(AFFIXES)} if method.unadapted else {}
    return AdaptorExperiment(
        dataset=dataset,
        size=size,
        method=method,
        label=method.label,
        data=settings(dataset, words),
        model=model,
        measure=method.measure,
    )


def measure_adaptor(experiment: AdaptorExperiment, workspace: Workspace) -> Outcome:
    """Learn, then compare the analyses with the gold standard in every way of the chapter."""
    gold = gold_words(experiment.data, workspace)
    started = time.process_time()
    morphology = learn(experiment.model, [word.word for word in gold], workspace, workspace.checkpoint(experiment))
    seconds = time.process_time() - started
    samples = SampledAnalyses.of(morphology, gold)
    analysed, rankings = samples.best, samples.lexica
    scores = {**all_scores(analysed, rankings), **samples.scores()}
    scores["root_lexicon_t3"] = score_template_lexicon(analysed, samples.templates).to_dict()
    figures = {
        "f1": scores["segmentation"]["f1"],
        "root_accuracy": scores["roots_3_A"]["accuracy"],
        **statistics(gold),
        **scores,
        "unparsable": len(morphology.unparsable),
        "log_joint": morphology.trace[0][-1, 0],
        "words_per_second": len(gold) * experiment.model["sweeps"] / max(seconds, 1e-9),
        "top_roots": _top_roots(rankings["root3"], gold),
        "root_examples": root_examples(analysed, rankings["root3"]),
        "trees": trees(analysed),
    }
    curves = {"stem": rankings["stem"], "root3": rankings["root3"], "template3": samples.templates}
    truths = {c: gold_lexicon(gold, "stem" if c == "stem" else "root3") for c in curves}
    figures["roc"] = {c: _points(roc_curve(ranking, truths[c])) for c, ranking in curves.items()}
    figures["trace"] = [round(float(value), 1) for value in morphology.trace[0][:, 0]]
    return Outcome(figures, str(morphology.signature().extended(gold=gold_digest(gold))))


def all_scores(analysed: BestAnalyses, rankings: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """All scores, and those of the words that no grammar was chosen on."""
    scores: dict[str, Any] = {
        "segmentation": analysed.segmentation().to_dict(),
        "segmentation_coarse": analysed.segmentation("coarse").to_dict(),
        "segmentation_of_3_or_more": analysed.segmentation(least_morphemes=3).to_dict(),
        "morphemes_per_word": dict(Counter(str(len(pieces)) for pieces in analysed.pieces.values())),
        "lexicon": {c: analysed.lexicon_score(c).to_dict() for c in ("pre", "stem", "suf")},
        "root_lexicon": analysed.lexicon_score("root3", rankings["root3"]).to_dict(),
        "partial_roots_4": partial_matches(analysed.root_candidates(4, "A"), analysed.gold, 4),
        "stem_auc": analysed.lexicon_score("stem", rankings["stem"]).to_dict()["auc"],
    }
    for length in (3, 4):
        for method in ("A", "B"):
            scores[f"roots_{length}_{method}"] = analysed.roots(length, method).to_dict()
    scores["roots_3_A_not_stems"] = analysed.roots(3, "A", roots_that_are_stems=False).to_dict()
    if others := unseen(analysed.gold):
        part = BestAnalyses(others, analysed.best)
        scores["unseen"] = {
            "segmentation": part.segmentation().to_dict(),
            **{f"roots_{k}": part.roots(k).to_dict() for k in (3, 4)},
        }
    return scores


def measure_morfessor(experiment: AdaptorExperiment, workspace: Workspace) -> Outcome:
    """Morfessor on the same words."""
    from binyan.evaluation.morfessor_baseline import morfessor_segmentations

    gold = gold_words(experiment.data, workspace)
    segmentations = morfessor_segmentations((word.word for word in gold), experiment.model["seed"])
    score = score_segmentation(segmentations, gold)
    figures = {
        "f1": score.f1,
        **statistics(gold),
        "segmentation": score.to_dict(),
        "morphemes_per_word": dict(Counter(str(len(pieces)) for pieces in segmentations.values())),
    }
    if others := unseen(gold):
        figures["unseen"] = {"segmentation": score_segmentation(segmentations, others).to_dict()}
    return Outcome(figures, str(experiment.signature.extended(gold=gold_digest(gold))))


def measure_guessers(experiment: AdaptorExperiment, workspace: Workspace) -> Outcome:
    """The random guessers of roots, and the statistics of the data."""
    gold = gold_words(experiment.data, workspace)
    accuracies = {
        f"{name} {length}": guesser_accuracy(gold, length, name)
        for length in (3, 4)
        for name in GUESSERS
        if any(strong_roots(word, length) for word in gold)
    }
    figures = {**statistics(gold), "accuracy": accuracies}
    return Outcome(figures, str(experiment.signature.extended(gold=gold_digest(gold))))


MEASURES: Mapping[str, Measure] = {
    "adaptor": measure_adaptor,
    "morfessor": measure_morfessor,
    "guessers": measure_guessers,
    "stemmers": measure_stemmers,
    "sweeps": measure_sweeps,
    "subsets": measure_subsets,
}


def _points(curve: Sequence[tuple[float, float]]) -> list[list[float]]:
    """The points of a curve that are kept, to four digits."""
    return [[round(x, 4), round(y, 4)] for x, y in thinned(curve, KEPT_POINTS)]


def _top_roots(ranking: Mapping[str, float], gold: Sequence[GoldWord], most: int = 10) -> list[list[Any]]:
    truth = gold_lexicon(gold, "root3")
    ranked = sorted(ranking.items(), key=lambda item: (-item[1], item[0]))[:most]
    return [[root, probability, root in truth] for root, probability in ranked]
