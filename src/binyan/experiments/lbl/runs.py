"""The experiments of chapter 4, and how they are measured."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.evaluation import Evaluation, HeldOutText, evaluate
from binyan.evaluation.breakdown import Grouping, grouping
from binyan.experiments.experiment import Experiment, Measure, Outcome, SettingValues, Workspace
from binyan.experiments.lbl import eltec, models, similarity
from binyan.experiments.lbl.models import KINDS, TRAINING
from binyan.language_model import LanguageModel
from binyan.text import Corpus

MAIN_SIZE = "1m"  # the size of the main tables
# Further penalties lambda, of which tables take the one with the lowest development perplexity; in German and Czech only,
# since each needs a training run of its own.
OTHER_PENALTIES = {"clbl": (15.0, 60.0), "clbl++": (30.0, 90.0)}
OTHER_KAPPAS = (0.05, 1.0)
OTHER_SIZES = {"250k": 250_000, "500k": 500_000, "2m": 2_000_000, "3m": 3_000_000}  # of Czech, which has the most text
BASELINE = "mkn"
# Mixtures are fitted to what these kinds of models give to each word: parts of `LanguageModel.weigh_sentences`, as stored.
MIXED_KINDS = ("mkn", "hpylm", "clbl++")
STORED_PARTS = {"share": np.float32, "mass": np.float32, "unknown": np.float32, "features": np.float16}


@dataclass(frozen=True, kw_only=True)
class PerplexityExperiment(Experiment):
    """The perplexity of a model that is trained on novels of one language."""

    study: str = "lbl"
    size: str
    measure: str = "perplexity"

    @property
    def language(self) -> str:
        """The language of the novels."""
        return str(self.data["language"])

    @property
    def kappa(self) -> float:
        """The share of words seen once that is left out of the vocabulary."""
        return float(self.data["kappa"])

    @property
    def penalty(self) -> float | None:
        """The penalty lambda of a log-bilinear model."""
        return self.model.get("l2")

    @property
    def setting(self) -> str:
        """The size, and kappa where it is not the usual one."""
        return self.size if self.kappa == eltec.KAPPA else f"{self.size}-kappa-{self.kappa:g}"

    @property
    def steps(self) -> tuple[str, ...]:
        """The data set, the setting, the label and the penalty."""
        penalty = () if self.penalty is None else (f"l2-{self.penalty:g}",)
        return self.dataset, self.setting, self.label, *penalty

    @property
    def source(self) -> str:
        """The folder of the novels."""
        return PurePosixPath(self.data["text"]).name

    @property
    def baseline(self) -> str:
        """The name of the Kneser-Ney experiment on the same text."""
        return replace(self, label=BASELINE, model=models.KNESER_NEY).name


def experiments() -> list[Experiment]:
    """The table of languages and variants first; then singleton pruning, models without classes, sizes, word similarity."""
    listed: list[Experiment] = []
    classless = [label for label, kind in KINDS.items() if not kind.has_classes]
    for language in eltec.LANGUAGES:
        data = eltec.settings(language)
        listed.append(_experiment(data, BASELINE, models.KNESER_NEY))
        listed.append(_experiment(data, "mkn-tuned", models.KNESER_NEY_TUNED))
        listed.append(_experiment(data, "hpylm", models.HPYLM))
        listed += [_log_bilinear(data, label) for label, kind in KINDS.items() if kind.has_classes]
    for language in ("de", "cs"):
        for kappa in OTHER_KAPPAS:
            listed += _three_models(eltec.settings(language, kappa=kappa))
        data = eltec.settings(language)
        listed += [_log_bilinear(data, label, l2=l2) for label, others in OTHER_PENALTIES.items() for l2 in others]
        listed += [_log_bilinear(data, label) for label in classless]
    for size, tokens in OTHER_SIZES.items():
        batch = TRAINING["batch"] * tokens // 1_000_000  # the same number of steps for every size
        listed += _three_models(eltec.settings("cs", tokens=tokens), size, batch=batch)
    return listed + similarity.experiments()


def _experiment(data: SettingValues, label: str, model: SettingValues, size: str = MAIN_SIZE) -> PerplexityExperiment:
    return PerplexityExperiment(dataset=f"eltec-{data['language']}", size=size, label=label, data=data, model=model)


def _log_bilinear(data: SettingValues, label: str, size: str = MAIN_SIZE, **changes: Any) -> PerplexityExperiment:
    return _experiment(data, label, models.settings(label) | changes, size)


def _three_models(data: SettingValues, size: str = MAIN_SIZE, **changes: Any) -> list[PerplexityExperiment]:
    neural = [_log_bilinear(data, label, size, **changes) for label in ("clbl", "clbl++")]
    return [_experiment(data, BASELINE, models.KNESER_NEY, size), *neural]


def measure_perplexity(experiment: PerplexityExperiment, workspace: Workspace) -> Outcome:
    """Train, stop by the development novels, and score those, the second development text and the test novels.

    Tagged news (PUD) is scored too, for the breakdown by part of speech.
    """
    started = time.process_time()
    data = experiment.data
    corpus = eltec.training_corpus(data, workspace)
    texts = {part: eltec.held_out(data, part, workspace) for part in ("dev", "second", "test")}
    lm, training = _trained(experiment, workspace, corpus, texts["dev"])
    evaluations = {part: evaluate(lm, text) for part, text in texts.items() if text.sentences}
    figures = {
        **evaluations["test"].to_dict(),
        **{f"perplexity_{part}": e.perplexity for part, e in evaluations.items()},
        "training_tokens": len(corpus.words),
        "vocabulary_size": len(corpus.vocabulary),
        "by_frequency": _sums(evaluations["test"], grouping("frequency", evaluations["test"], lm)),
        **training,
    }
    if (tagged := eltec.tagged(data, workspace)) is not None:
        news = evaluate(lm, tagged)
        figures["by_pos"] = _sums(news, grouping("pos", news))
    arrays = _arrays(lm, texts, evaluations, experiment.model["kind"] in MIXED_KINDS)
    figures["cpu_seconds"] = time.process_time() - started
    return Outcome(figures, str(evaluations["test"].signature), arrays)


MEASURES: Mapping[str, Measure] = {"perplexity": measure_perplexity, "similarity": similarity.measure}


def _trained(
    experiment: PerplexityExperiment, workspace: Workspace, corpus: Corpus, development: HeldOutText
) -> tuple[LanguageModel, dict[str, Any]]:
    model = experiment.model
    if model["kind"] not in KINDS:
        return models.train_ngram(model, corpus, development.sentences, workspace), {}
    method = models.map_settings(model)
    word_map = eltec.word_map(experiment.data, method, workspace) if method else None
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


def _sums(evaluation: Evaluation, groups: Grouping) -> dict[str, list[float]]:
    """For each group of events, how many there are and the sum of their log-probability."""
    log_prob = evaluation.scores.log_prob
    return {label[0]: [int(mask.sum()), float(log_prob[mask].sum())] for label, mask in groups}
