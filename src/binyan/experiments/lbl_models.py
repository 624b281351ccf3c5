"""The models of chapter 4's experiments: their settings, and how they are trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from binyan.experiments.study import Experiment, Workshop
from binyan.segmentation import SegmentationTable
from binyan.text import Corpus

if TYPE_CHECKING:
    from binyan.clustering import WordClasses
    from binyan.log_bilinear import LogBilinear

# The step size rises over a fifth of an epoch and falls to 0 over three: after them, models of a million tokens learn their
# novels by heart whatever the penalty.
TRAINING: dict[str, Any] = {
    "batch": 5000,
    "epochs": 3,
    "decay": True,
    "warm_up": 0.2,
    "seed": 1,
    "order": 4,
    "dim": 100,
    "classes": 200,
}
# The step size xi and the penalty lambda, by the development novels of German and French: word vectors that are sums move by
# several steps at once, so that their steps are smaller, and have more parameters to keep small.
PLAIN, ADDITIVE = {"step": 0.2, "l2": 30.0}, {"step": 0.14, "l2": 60.0}
# By German's: after a fifth of an epoch, steps as large undo a model that is told words from noise.
CLASSLESS = {"warm_up": 0.5}
# Every type counts once: more morphemes a word (de 2.1; 1.9 with the logarithm of counts), and on German's development novels a
# better CLBL++.
MAP = {
    "method": "flatcat",
    "perplexity_threshold": 50.0,
    "flatcat_epochs": 0,
    "dampening": "types",
    "min_count": 1,
    "seed": 1,
}


def model(name: str) -> dict[str, Any]:
    """The settings of the model called `name`, as in an experiment."""
    additive = {f"map_{k}": v for k, v in MAP.items()} if "+" in name else {}
    classless = {} if "clbl" in name else CLASSLESS
    return {"kind": name, **(ADDITIVE if "+" in name else PLAIN), **TRAINING, **classless, **additive}


def map_method(wanted: Mapping[str, Any]) -> dict[str, Any] | None:
    """How the word map of a model with the settings `wanted` is learnt; None for a model without one."""
    return {k.removeprefix("map_"): v for k, v in wanted.items() if k.startswith("map_")} or None


def trained(
    experiment: Experiment,
    workshop: Workshop,
    corpus: Corpus,
    development: Sequence[Sequence[str]],
    word_map: SegmentationTable | None,
) -> tuple[LogBilinear, dict[str, Any]]:
    """The log-bilinear model of an experiment, and the course of its training."""
    from binyan.log_bilinear import LogBilinear

    wanted = experiment.model
    settings = ("order", "dim", "step", "l2", "batch", "epochs", "decay", "warm_up", "seed")
    model = LogBilinear(
        wanted["kind"],
        word_map=word_map,
        classes=_classes(corpus, wanted["classes"], workshop) if "clbl" in wanted["kind"] else None,
        **{name: wanted[name] for name in settings},
    )
    model.fit(corpus, development, checkpoint=workshop.checkpoint(experiment), progress=workshop.progress)
    course = model.history
    assert course is not None
    return model, {
        "loss": course.loss,
        "course": course.perplexity,
        "morphemes": len(model.factor_map.morphemes),
        "factors_per_word": len(model.factor_map.factors) / model.factor_map.words,
    }


def _classes(corpus: Corpus, number: int, workshop: Workshop) -> WordClasses:
    """Brown classes of a text, made once."""
    from binyan.clustering import WordClasses, brown

    path = workshop.prepared / f"words.{corpus.digest}.{corpus.vocabulary.digest}.{number}.paths"
    if not path.exists():
        brown(corpus, number, progress=workshop.progress).write(path)
    return WordClasses.read(path)
