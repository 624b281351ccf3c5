"""Chapter 3: Kneser-Ney, the HPYLM and its compound variants on German Europarl."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from binyan.evaluation import Evaluation, HeldOutText, evaluate
from binyan.experiments import ngram_report
from binyan.experiments.prepared import prepared_text
from binyan.experiments.results import Results
from binyan.experiments.study import Experiment, Measure, Outcome, Section, Workshop
from binyan.ngram.chains import Schedule
from binyan.progress import Progress
from binyan.text import Corpus, Preparation, VocabularyPolicy, read_sentences

TITLE = "Chapter 3: language models of compounding"

FOLDER = "text/europarl_de"
PREPARATION = Preparation(tokenise="de", lowercase=True)
# size -> shards, and the number of tokens taken from them (None: all)
SIZES: Mapping[str, tuple[int, int | None]] = {
    "100k": (1, 100_000),
    "300k": (1, 300_000),
    "1m": (1, 1_000_000),
    "3m": (1, 3_000_000),
    "10m": (1, None),
    "33m": (4, None),
}
# Sweeps before samples are collected, and after all of them; the thesis had 300 and one sample.
SAMPLING = {"burn_in": 100, "iterations": 120, "samples": 10, "seed": 1, "initialisation": "sequential"}
MODELS: Mapping[str, Mapping[str, Any]] = {
    "mkn": {"kind": "mkn"},
    "hpylm": {"kind": "hpylm", **SAMPLING},
}


def experiments() -> list[Experiment]:
    """Small texts first; orders 2 and 3 only where the thesis has them."""
    return [
        Experiment(
            f"hpylm/europarl-de/{size}/order-{order}/{name}", _data(size), {**model, "order": order}, "perplexity"
        )
        for size in SIZES
        for order in ((2, 3, 4) if size in ("10m", "33m") else (4,))
        for name, model in MODELS.items()
    ]


def sections(results: Results, thesis: Mapping[str, Any]) -> list[Section]:
    """The report."""
    return ngram_report.sections(results, thesis, experiments())


def _data(size: str) -> dict[str, Any]:
    shards, tokens = SIZES[size]
    return {"text": FOLDER, "shards": shards, "tokens": tokens, "preparation": str(PREPARATION), "min_count": 2}


def measure_perplexity(experiment: Experiment, workshop: Workshop) -> Outcome:
    """Train, then score the test text. All scores are kept, so that breakdowns and comparisons need no new run."""
    corpus, text = training_corpus(experiment.data, workshop), test_text(workshop)
    train = _kneser_ney if experiment.model["kind"] == "mkn" else _bayesian
    variants, figures = train(experiment, workshop, corpus, text)
    main = next(iter(variants.values()))
    figures = {
        **main.to_dict(),
        "training_tokens": len(corpus.words),
        "vocabulary": corpus.vocabulary.digest,
        "vocabulary_size": len(corpus.vocabulary),
        **figures,
        "variants": {name: e.to_dict() for name, e in variants.items()},
    }
    arrays = {f"log_prob.{name}": e.scores.log_prob for name, e in variants.items()}
    return Outcome(
        figures, str(main.signature), {"matched": main.scores.matched, "unknown": main.scores.unknown, **arrays}
    )


MEASURES: Mapping[str, Measure] = {"perplexity": measure_perplexity}

Trained = tuple[dict[str, Evaluation], dict[str, Any]]


def _kneser_ney(experiment: Experiment, workshop: Workshop, corpus: Corpus, text: HeldOutText) -> Trained:
    from binyan.ngram.kneser_ney import KneserNey

    model = KneserNey.train(corpus, experiment.model["order"], preparation=PREPARATION, progress=workshop.progress)
    return {"plain": evaluate(model, text)}, {}


def _bayesian(experiment: Experiment, workshop: Workshop, corpus: Corpus, text: HeldOutText) -> Trained:
    """The last sample alone, and all samples averaged."""
    from binyan.ngram.hpylm import HPYLM

    wanted = experiment.model
    schedule = Schedule(**{name: wanted[name] for name in SAMPLING})
    ticks: list[float] = []
    with Progress("sweeps", schedule.iterations, workshop.progress) as shown:

        def swept(done: int, total: int | None, figures: dict[str, float]) -> None:
            ticks.append(time.process_time())
            shown.advance(1, **figures)

        model = HPYLM.train(
            corpus,
            wanted["order"],
            schedule,
            preparation=PREPARATION,
            checkpoint=workshop.checkpoint(experiment),
            checkpoint_seconds=600.0,
            resume=True,
            progress=swept,
        )
    averaged = evaluate(model, text)
    one = evaluate(model.one_sample(), text)
    sweeps = [after - before for before, after in pairwise(ticks)]
    figures = {
        "perplexity_averaged": averaged.perplexity,
        "sweeps": schedule.iterations,
        "seconds_per_sweep": statistics.median(sweeps) if sweeps else None,
        "hyperparameters": model.hyperparameters,
        "trace": [chain[:, 0].tolist() for chain in model.trace],
    }
    return {"one sample": one, "averaged": averaged}, figures


def training_corpus(settings: Mapping[str, Any], workshop: Workshop) -> Corpus:
    """The training text of an experiment, prepared once for all of them."""
    names = [f"{FOLDER}/de_mono.train{n}.txt.xz" for n in range(1, settings["shards"] + 1)]
    files = [_prepared(name, workshop) for name in names]
    policy = VocabularyPolicy(min_count=settings["min_count"])
    return Corpus.read(_first(files, settings["tokens"]), policy=policy, progress=workshop.progress)


def test_text(workshop: Workshop) -> HeldOutText:
    """The held-out text, prepared."""
    return HeldOutText.read(_prepared(f"{FOLDER}/de_mono.test.txt.xz", workshop))


def _prepared(name: str, workshop: Workshop) -> Path:
    return prepared_text(workshop.source(name), PREPARATION, workshop.prepared, progress=workshop.progress)


def _first(files: Sequence[Path], tokens: int | None) -> Iterator[list[str]]:
    """Whole sentences until `tokens` words are reached."""
    taken = 0
    for path in files:
        for sentence in read_sentences(path):
            if tokens is not None and taken >= tokens:
                return
            taken += len(sentence)
            yield sentence
