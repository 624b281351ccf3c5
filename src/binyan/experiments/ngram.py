"""Chapter 3: Kneser-Ney, the HPYLM and its compound variants on German Europarl."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise, product
from typing import Any

from binyan.evaluation import Evaluation, HeldOutText, evaluate
from binyan.experiments import europarl, ngram_report
from binyan.experiments.results import Results
from binyan.experiments.study import Experiment, Measure, Outcome, Section, Workshop
from binyan.ngram.chains import Schedule
from binyan.progress import Progress
from binyan.segmentation import Linking
from binyan.text import Corpus

TITLE = "Chapter 3: language models of compounding"

# The thesis had 300 sweeps from a random seating and one sample. A sequential seating is close to where perplexity settles
# after a few tens of sweeps (the report draws the traces).
SAMPLING = {"burn_in": 100, "iterations": 120, "samples": 10, "seed": 1, "initialisation": "sequential"}
FEWER: Mapping[str, Mapping[str, int]] = {  # where a sweep takes long
    "first-shard": {"burn_in": 40, "iterations": 50, "samples": 5},
    "all-shards": {"burn_in": 19, "iterations": 20, "samples": 1},
    "33m": {"burn_in": 19, "iterations": 20, "samples": 1},
}
COMPOUND = {**SAMPLING, "gold": "+".join(europarl.GOLD)}
MODELS: Mapping[str, Mapping[str, Any]] = {
    "mkn": {"kind": "mkn"},
    "hpylm": {"kind": "hpylm", **SAMPLING},
    "hpylm+c-right": {"kind": "hpylm+c", "head": "right", **COMPOUND},
    "hpylm+c-left": {"kind": "hpylm+c", "head": "left", **COMPOUND},
    "hpylm+g": {"kind": "hpylm+g", "head": "right", **COMPOUND},
}
SCALING = ("mkn", "hpylm", "hpylm+c-right", "hpylm+g")  # models of the scaling experiment, of order 4 as in the thesis


def experiments() -> list[Experiment]:
    """The scaling experiment, small texts first, then the main tables."""
    listed = []
    for name in (*europarl.SIZES, *europarl.TEXTS):
        data, where = europarl.settings(name), f"hpylm/europarl-de/{name}"
        listed += [Experiment(f"{where}/components", data, {"gold": "+".join(europarl.GOLD)}, "components")]
        main = name in europarl.TEXTS
        for order, model in product((2, 3, 4) if main else (4,), MODELS if main else SCALING):
            fewer = FEWER.get(name, {}) if model != "mkn" else {}
            made = {**MODELS[model], **fewer, "order": order}
            listed.append(Experiment(f"{where}/order-{order}/{model}", data, made, "perplexity"))
    return listed


def sections(results: Results, thesis: Mapping[str, Any]) -> list[Section]:
    """The report."""
    return ngram_report.sections(results, thesis, experiments())


def measure_perplexity(experiment: Experiment, workshop: Workshop) -> Outcome:
    """Train, then score the test text. All scores are kept, so that breakdowns and comparisons need no new run."""
    corpus, text = europarl.training_corpus(experiment.data, workshop), europarl.held_out_text(workshop)
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


def measure_components(experiment: Experiment, workshop: Workshop) -> Outcome:
    """How many compounds the vocabulary has, and how many components under each handling of linking elements."""
    vocabulary = europarl.training_corpus(experiment.data, workshop).vocabulary
    table = europarl.segmentation(vocabulary, workshop)
    rows = [table.of(word) for word in vocabulary.words[3:]]
    compounds = [row for row in rows if not row.is_simplex]
    handled: tuple[Linking, ...] = ("delete", "left", "right")
    figures = {
        "words": len(rows),
        "compounds": len(compounds),
        "compounds_by_parts": dict(sorted(Counter(len(row) for row in compounds).items())),
        "components": {
            linking: {
                "all": len({part for row in rows for part in row.components(linking)}),
                "compounds": len({part for row in compounds for part in row.components(linking)}),
            }
            for linking in handled
        },
    }
    signature = experiment.signature.extended(vocabulary=vocabulary.digest, segmentation=table.digest)
    return Outcome(figures, str(signature))


MEASURES: Mapping[str, Measure] = {"perplexity": measure_perplexity, "components": measure_components}

Trained = tuple[dict[str, Evaluation], dict[str, Any]]


def _kneser_ney(experiment: Experiment, workshop: Workshop, corpus: Corpus, text: HeldOutText) -> Trained:
    from binyan.ngram.kneser_ney import KneserNey

    model = KneserNey.train(
        corpus, experiment.model["order"], preparation=europarl.PREPARATION, progress=workshop.progress
    )
    return {"plain": evaluate(model, text)}, {}


def _bayesian(experiment: Experiment, workshop: Workshop, corpus: Corpus, text: HeldOutText) -> Trained:
    """The last sample alone and all samples averaged; compound models also given that words are of the vocabulary."""
    wanted = experiment.model
    schedule = Schedule(**{name: wanted[name] for name in SAMPLING})
    train, compound = _trainer(experiment, workshop, corpus)
    ticks: list[float] = []
    with Progress("sweeps", schedule.iterations, workshop.progress) as shown:

        def swept(done: int, total: int | None, figures: dict[str, float]) -> None:
            ticks.append(time.process_time())
            shown.advance(1, **figures)

        model = train(
            corpus,
            wanted["order"],
            schedule,
            preparation=europarl.PREPARATION,
            checkpoint=workshop.checkpoint(experiment),
            checkpoint_seconds=600.0,
            resume=True,
            progress=swept,
        )
    variants = {"one sample": model} if schedule.samples == 1 else {"one sample": model.one_sample(), "averaged": model}
    if compound:
        variants |= {f"{name} renormalised": made.renormalised() for name, made in variants.items()}
    evaluations = {name: evaluate(made, text, closed=True) for name, made in variants.items()}
    sweeps = [after - before for before, after in pairwise(ticks)]
    figures = {
        **{f"perplexity_{name.replace(' ', '_')}": e.perplexity for name, e in evaluations.items()},
        "sweeps": schedule.iterations,
        "seconds_per_sweep": statistics.median(sweeps) if sweeps else None,
        "hyperparameters": model.hyperparameters,
        "trace": [chain[:, 0].tolist() for chain in model.trace],
    }
    if compound:
        figures["shortening"] = model.shortening
    return evaluations, figures


def _trainer(experiment: Experiment, workshop: Workshop, corpus: Corpus) -> tuple[Callable[..., Any], bool]:
    """What trains the model, and whether it knows compounds."""
    kind = experiment.model["kind"]
    if kind == "hpylm":
        from binyan.ngram.hpylm import HPYLM

        return HPYLM.train, False
    from binyan.ngram.compound import BothWaysHPYLM, CompoundHPYLM

    model = CompoundHPYLM if kind == "hpylm+c" else BothWaysHPYLM
    segmentation = europarl.segmentation(corpus.vocabulary, workshop)
    return partial(model.train, segmentation=segmentation, head=experiment.model["head"]), True
