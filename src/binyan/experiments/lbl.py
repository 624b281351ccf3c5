"""Chapter 4: log-bilinear models with morpheme vectors, on the first million tokens of six languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.evaluation import HeldOutText, evaluate
from binyan.experiments import eltec, lbl_report
from binyan.experiments.results import Results
from binyan.experiments.study import Experiment, Measure, Outcome, Section, Workshop
from binyan.language_model import LanguageModel
from binyan.text import Corpus

TITLE = "Chapter 4: rich morphology in distributed language models"

TRAINING = {"step": 0.06, "batch": 2000, "epochs": 6, "seed": 1, "order": 4, "dim": 100, "classes": 200}
MAP = {"method": "flatcat", "perplexity_threshold": 50.0, "flatcat_epochs": 0, "seed": 1}
# The penalties each model is trained with; tables take the one with the lowest development perplexity.
PENALTIES = (8.0, 25.0, 60.0)
CLASSED = ("clbl", "clbl+c", "clbl+o", "clbl++", "nclbl", "nclbl++")
CLASSLESS = ("lbl", "lbl+c", "lbl+o", "lbl++")


def experiments() -> list[Experiment]:
    """The table of languages and variants first; then singleton pruning, then the models without classes."""
    listed = []
    for language in eltec.LANGUAGES:
        data, where = eltec.settings(language), f"lbl/eltec-{language}/1m"
        listed.append(Experiment(f"{where}/mkn", data, {"kind": "mkn", "order": 4}, "perplexity"))
        listed += [
            Experiment(f"{where}/{name}/l2-{l2:g}", data, _model(name, l2), "perplexity")
            for name in CLASSED
            for l2 in PENALTIES
        ]
    for language in ("de", "cs"):
        for kappa in (0.05, 1.0):
            data, where = eltec.settings(language, kappa=kappa), f"lbl/eltec-{language}/1m-kappa-{kappa:g}"
            listed.append(Experiment(f"{where}/mkn", data, {"kind": "mkn", "order": 4}, "perplexity"))
            listed += [
                Experiment(f"{where}/{name}/l2-25", data, _model(name, 25.0), "perplexity")
                for name in ("clbl", "clbl++")
            ]
        data, where = eltec.settings(language), f"lbl/eltec-{language}/1m"
        listed += [Experiment(f"{where}/{name}/l2-25", data, _model(name, 25.0), "perplexity") for name in CLASSLESS]
    return listed


def sections(results: Results, thesis: Mapping[str, Any]) -> list[Section]:
    """The report."""
    return lbl_report.sections(results, thesis, experiments())


def measure_perplexity(experiment: Experiment, workshop: Workshop) -> Outcome:
    """Train, stop by the development novels, and score those, the second development text and the test novels."""
    data = experiment.data
    corpus = eltec.training_corpus(data, workshop)
    texts = {part: eltec.held_out(data, part, workshop) for part in ("dev", "second", "test")}
    model, figures = _trained(experiment, workshop, corpus, texts["dev"])
    evaluations = {part: evaluate(model, text) for part, text in texts.items() if text.sentences}
    arrays: dict[str, NDArray[np.generic]] = {f"log_prob.{part}": e.scores.log_prob for part, e in evaluations.items()}
    counts = model.training_counts()
    assert counts is not None
    words = texts["test"].words
    frequency = [int(counts[corpus.vocabulary[w]]) if w in corpus.vocabulary else 0 for w in words]
    figures = {
        **evaluations["test"].to_dict(),
        **{f"perplexity_{part}": e.perplexity for part, e in evaluations.items()},
        "training_tokens": len(corpus.words),
        "vocabulary_size": len(corpus.vocabulary),
        "frequency_bins": _bins(frequency, evaluations["test"].scores.log_prob.tolist()),
        **figures,
    }
    return Outcome(figures, str(evaluations["test"].signature), arrays)


MEASURES: Mapping[str, Measure] = {"perplexity": measure_perplexity}


def _model(name: str, l2: float) -> dict[str, Any]:
    additive = {f"map_{k}": v for k, v in MAP.items()} if "+" in name else {}
    return {"kind": name, "l2": l2, **TRAINING, **additive}


def _trained(
    experiment: Experiment, workshop: Workshop, corpus: Corpus, development: HeldOutText
) -> tuple[LanguageModel, dict[str, Any]]:
    wanted, data = experiment.model, experiment.data
    if wanted["kind"] == "mkn":
        from binyan.ngram.kneser_ney import KneserNey

        return KneserNey.train(corpus, wanted["order"], progress=workshop.progress), {}
    from binyan.clustering import brown
    from binyan.log_bilinear.estimation import train
    from binyan.log_bilinear.training import TrainingSettings

    table = None
    if "+" in wanted["kind"]:
        method = {k.removeprefix("map_"): v for k, v in wanted.items() if k.startswith("map_")}
        table = eltec.word_map(data, method, workshop)
    model = train(
        corpus,
        development.sentences,
        wanted["kind"],
        order=wanted["order"],
        dim=wanted["dim"],
        classes=brown(corpus, wanted["classes"], progress=workshop.progress) if "clbl" in wanted["kind"] else None,
        segmentations=table,
        settings=TrainingSettings(
            step=wanted["step"], l2=wanted["l2"], batch=wanted["batch"], epochs=wanted["epochs"], seed=wanted["seed"]
        ),
        checkpoint=workshop.checkpoint(experiment),
        progress=workshop.progress,
    )
    course = model.course
    assert course is not None
    figures = {"loss": course.loss, "course": course.perplexity, "morphemes": len(model.word_map.morphemes)}
    return model, figures


def _bins(frequency: list[int], log_prob: list[float]) -> dict[str, list[float]]:
    """By power of ten of a word's training count (unseen words: "unseen"): events, and the sum of their log-probability."""
    bins: dict[str, list[float]] = {}
    for n, p in zip(frequency, log_prob, strict=True):
        entry = bins.setdefault("unseen" if n == 0 else str(len(str(n)) - 1), [0, 0.0])
        entry[0] += 1
        entry[1] += p
    return dict(sorted(bins.items()))
