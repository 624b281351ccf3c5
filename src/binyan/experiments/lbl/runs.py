"""The experiments of chapter 4, and how they are measured."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import binyan
from binyan.evaluation import Evaluation, HeldOutText, evaluate
from binyan.evaluation.breakdown import Grouping, grouping
from binyan.experiments.experiment import Experiment, Measure, Outcome, SettingValues, Workspace
from binyan.experiments.lbl import eltec, mixtures, models, similarity
from binyan.experiments.lbl.models import KINDS, TRAINING
from binyan.experiments.lbl.perplexity_experiment import (
    BASELINE,
    MAIN_SIZE,
    MIXED_KINDS,
    STORED_PARTS,
    PerplexityExperiment,
)
from binyan.experiments.lbl.stored import StoredRuns
from binyan.experiments.results import Results
from binyan.language_model import LanguageModel
from binyan.segmentation import SegmentationTable
from binyan.text import Corpus

# Further penalties lambda, of which tables take the one with the lowest development perplexity; in German and Czech only,
# since each needs a training run of its own.
OTHER_PENALTIES = {"clbl": (15.0, 60.0), "clbl++": (30.0, 90.0)}
# For the curves over lambda, in German.
MORE_PENALTIES = {"clbl": (7.5, 120.0), "clbl++": (15.0, 240.0)}
OTHER_KAPPAS = (0.05, 1.0)
SEEDS = (2, 3)  # further ones, in German, of what kappa changes
OTHER_SIZES = {"250k": 250_000, "500k": 500_000, "3m": 3_000_000}  # of Czech, which has the most text
SEQUENCES = ("adjective, noun", "adjective, adjective, noun")
SMALLEST = 250_000  # tokens of the text that gives the vocabulary where it does not grow with the text


def experiments() -> list[Experiment]:
    """The table of languages and variants first; then singleton pruning, penalties, sizes, word similarity, Europarl, mixtures."""
    listed: list[Experiment] = []
    for language in eltec.LANGUAGES:
        data = eltec.settings(language)
        listed.append(_experiment(data, BASELINE, models.KNESER_NEY))
        listed.append(_experiment(data, "mkn-tuned", models.KNESER_NEY_TUNED))
        listed.append(_experiment(data, "hpylm", models.HPYLM))
        listed += [_log_bilinear(data, label) for label in KINDS]
    for language in ("de", "cs"):
        for kappa in OTHER_KAPPAS:
            data = eltec.settings(language, kappa=kappa)
            listed += [*_three_models(data), *_closed(data), *(_seeds(data) if language == "de" else ())]
        data = eltec.settings(language)
        listed += [_log_bilinear(data, label, l2=l2) for label, others in OTHER_PENALTIES.items() for l2 in others]
        listed += [
            _experiment(data, label, {**models.settings(kind), "class_method": "frequency"})
            for label, kind in models.BINS.items()
        ]
    data = eltec.settings("de")
    listed += [_log_bilinear(data, label, l2=l2) for label, others in MORE_PENALTIES.items() for l2 in others]
    return [*listed, *_sizes(), *similarity.experiments(), *_europarl(), *map(_mixtures, eltec.LANGUAGES)]


def _closed(data: SettingValues, seed: int = 1) -> Iterator[Experiment]:
    for label, kind in models.CLOSED.items():
        model = {**models.settings(kind), "map_words": "vocabulary", "seed": seed}
        yield _experiment(data, models.seed_label(label, seed), model)


def _seeds(data: SettingValues) -> Iterator[Experiment]:
    for seed in SEEDS:
        for label in ("clbl", "clbl++"):
            yield _experiment(data, models.seed_label(label, seed), {**models.settings(label), "seed": seed})
        yield from _closed(data, seed)


def _sizes() -> Iterator[Experiment]:
    for fixed in (None, SMALLEST):
        for size, tokens in {**OTHER_SIZES, **({MAIN_SIZE: 1_000_000} if fixed else {})}.items():
            batch = TRAINING["batch"] * tokens // 1_000_000  # the same number of steps for every size
            if tokens != fixed:
                data = eltec.settings("cs", tokens=tokens, vocabulary_tokens=fixed)
                yield from _three_models(data, size, batch=batch)


def _europarl() -> Iterator[Experiment]:
    for kappa in OTHER_KAPPAS:
        data = eltec.europarl_settings(kappa)
        yield _experiment(data, BASELINE, models.KNESER_NEY, "33m")
        large = {"clbl": models.LARGE, "clbl++": {**models.LARGE, **models.LARGE_MAP}}
        for kind, changes in large.items():
            yield _log_bilinear(data, kind, "33m", **changes)
        for label, kind in models.WIDE.items() if kappa == min(OTHER_KAPPAS) else ():
            wide = {**models.settings(kind), **large[kind], "dim": models.WIDE_DIM}
            yield _experiment(data, label, wide, "33m")
        for label, kind in models.OWN_MAP.items() if kappa == min(OTHER_KAPPAS) else ():
            yield _experiment(data, label, {**models.own_map_settings(kind), **models.LARGE}, "33m")


def _mixtures(language: str) -> PerplexityExperiment:
    data, model = eltec.settings(language), {"of": f"{'+'.join(mixtures.LABELS)} with clbl++"}
    return replace(_experiment(data, "mixtures", model), measure="mixtures")


def _experiment(data: SettingValues, label: str, model: SettingValues, size: str = MAIN_SIZE) -> PerplexityExperiment:
    dataset = f"{'europarl' if data['text'] == eltec.EUROPARL else 'eltec'}-{data['language']}"
    return PerplexityExperiment(dataset=dataset, size=size, label=label, data=data, model=model)


def _log_bilinear(data: SettingValues, label: str, size: str = MAIN_SIZE, **changes: Any) -> PerplexityExperiment:
    return _experiment(data, label, models.settings(label) | changes, size)


def _three_models(data: SettingValues, size: str = MAIN_SIZE, **changes: Any) -> list[PerplexityExperiment]:
    neural = [_log_bilinear(data, label, size, **changes) for label in ("clbl", "clbl++")]
    return [_experiment(data, BASELINE, models.KNESER_NEY, size), *neural]


def measure_perplexity(experiment: PerplexityExperiment, workspace: Workspace) -> Outcome:
    """Train, stop by the development novels, and score those, the second development text and the test novels.

    Tagged news (PUD) is scored too, for the breakdown by part of speech. Models without classes score the test novels alone, since they
    take tens of times as long.
    """
    started = time.process_time()
    data = experiment.data
    corpus = eltec.training_corpus(data, workspace)
    texts = {part: eltec.held_out(data, part, workspace) for part in ("dev", "second", "test")}
    lm, training = _trained(experiment, workspace, corpus, texts["dev"])
    others = [part for part in ("dev", "second") if texts[part].sentences and experiment.is_fast]
    evaluations = {part: evaluate(lm, texts[part]) for part in others}
    scoring = time.perf_counter()
    evaluations["test"] = evaluate(lm, texts["test"])
    scoring = time.perf_counter() - scoring
    figures = {
        **evaluations["test"].to_dict(),
        **{f"perplexity_{part}": e.perplexity for part, e in evaluations.items()},
        "training_tokens": len(corpus.words),
        "vocabulary_size": len(corpus.vocabulary),
        "scoring_seconds": scoring,
        "by_frequency": _sums(evaluations["test"], grouping("frequency", evaluations["test"], lm)),
        **training,
    }
    if experiment.is_fast and (tagged := eltec.tagged(data, workspace)) is not None:
        news = evaluate(lm, tagged)
        figures["perplexity_news"] = news.perplexity
        figures["by_pos"] = _sums(news, grouping("pos", news))
        figures["by_sequence"] = sequences(news)
    if experiment.has_similarity and isinstance(lm, binyan.LogBilinear):
        figures["similarity"] = similarity.correlations(lm, similarity.pairs_of(data["language"], workspace))
    arrays = _arrays(lm, texts, evaluations, experiment.model["kind"] in MIXED_KINDS)
    figures["cpu_seconds"] = time.process_time() - started
    return Outcome(figures, str(evaluations["test"].signature), arrays)


def measure_mixtures(experiment: PerplexityExperiment, workspace: Workspace) -> Outcome:
    """Mixtures of n-gram models with CLBL++ of the same language, from what their experiments stored."""
    same = [e for e in experiments() if isinstance(e, PerplexityExperiment) and e.language == experiment.language]
    return mixtures.outcome(experiment, StoredRuns(Results(workspace.results), same))


MEASURES: Mapping[str, Measure] = {
    "perplexity": measure_perplexity,
    "similarity": similarity.measure,
    "mixtures": measure_mixtures,
}


def _trained(
    experiment: PerplexityExperiment, workspace: Workspace, corpus: Corpus, development: HeldOutText
) -> tuple[LanguageModel, dict[str, Any]]:
    model = experiment.model
    if model["kind"] not in KINDS:
        return models.train_ngram(model, corpus, development.sentences, workspace), {}
    method, word_map = models.map_settings(model), None
    if method:
        pairs = similarity.pairs_of(experiment.language, workspace) if experiment.has_similarity else {}
        word_map = eltec.word_map(experiment.data, method, workspace, similarity.words_of(pairs))
        if model.get("map_words") == "vocabulary":
            assert isinstance(word_map, SegmentationTable)
            word_map = SegmentationTable(row for word, row in word_map.items() if word in corpus.vocabulary)
    return models.train_log_bilinear(
        model, corpus, development.sentences, word_map, workspace, workspace.checkpoint(experiment)
    )


def _arrays(
    lm: LanguageModel, texts: Mapping[str, HeldOutText], evaluations: Mapping[str, Evaluation], for_mixtures: bool
) -> dict[str, NDArray[np.generic]]:
    arrays: dict[str, NDArray[np.generic]] = {f"log_prob.{part}": e.scores.log_prob for part, e in evaluations.items()}
    if for_mixtures:
        for part, evaluation in evaluations.items():
            arrays[f"is_unknown.{part}"] = evaluation.scores.unknown.astype(bool)
            parts = lm.weigh_sentences(texts[part].sentences)
            arrays |= {f"{name}.{part}": getattr(parts, name).astype(kind) for name, kind in STORED_PARTS.items()}
    return arrays


def sequences(evaluation: Evaluation) -> dict[str, list[float]]:
    """Nouns after adjectives: how many there are and the sum of their log-probability, by the sequence that ends in them."""
    assert evaluation.text.tags is not None
    log_prob, sums = evaluation.scores.log_prob, {name: [0, 0.0] for name in SEQUENCES}
    for tags, first in zip(evaluation.text.tags, evaluation.scores.offsets, strict=False):
        for i, tag in enumerate(tags):
            if tag == "NOUN" and i and tags[i - 1] == "ADJ":
                longer = i > 1 and tags[i - 2] == "ADJ"
                for name in SEQUENCES[: 2 if longer else 1]:
                    sums[name][0] += 1
                    sums[name][1] += float(log_prob[int(first) + i])
    return sums


def _sums(evaluation: Evaluation, groups: Grouping) -> dict[str, list[float]]:
    """For each group of events, how many there are and the sum of their log-probability."""
    log_prob = evaluation.scores.log_prob
    return {label[0]: [int(mask.sum()), float(log_prob[mask].sum())] for label, mask in groups}
