"""The models of chapter 4's experiments: their settings, and how they are trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import binyan
from binyan.experiments.experiment import SettingValues, Workspace
from binyan.morphology.map_sources import OWN, MapLearner
from binyan.sampling import Schedule
from binyan.segmentation import SegmentationTable
from binyan.text import Corpus

if TYPE_CHECKING:
    from binyan.clustering import WordClasses
    from binyan.log_bilinear import LogBilinear


@dataclass(frozen=True)
class LogBilinearKind:
    """A kind of log-bilinear model, its title in tables, and for additive kinds the plain one they are compared with."""

    title: str
    has_classes: bool = True
    plain: str | None = None

    @property
    def is_additive(self) -> bool:
        """Whether word vectors are sums of morpheme vectors."""
        return self.plain is not None


KINDS: Mapping[str, LogBilinearKind] = {
    "clbl": LogBilinearKind("CLBL"),
    "clbl+c": LogBilinearKind("CLBL+c", plain="clbl"),
    "clbl+o": LogBilinearKind("CLBL+o", plain="clbl"),
    "clbl++": LogBilinearKind("CLBL++", plain="clbl"),
    "nclbl": LogBilinearKind("nCLBL"),
    "nclbl+c": LogBilinearKind("nCLBL+c", plain="nclbl"),
    "nclbl+o": LogBilinearKind("nCLBL+o", plain="nclbl"),
    "nclbl++": LogBilinearKind("nCLBL++", plain="nclbl"),
    "lbl": LogBilinearKind("LBL", has_classes=False),
    "lbl+c": LogBilinearKind("LBL+c", has_classes=False, plain="lbl"),
    "lbl+o": LogBilinearKind("LBL+o", has_classes=False, plain="lbl"),
    "lbl++": LogBilinearKind("LBL++", has_classes=False, plain="lbl"),
}
# label -> the kind that is trained with classes of equal frequency in place of Brown classes
BINS = {"clbl-bins": "clbl", "clbl++-bins": "clbl++"}
# label -> title in tables
TITLES = {"mkn": "MKN", "mkn-tuned": "MKN, tuned", "hpylm": "HPYLM", **{k: kind.title for k, kind in KINDS.items()}}
# label -> the kind that is trained with more dimensions, as the thesis suggests for much text
WIDE, WIDE_DIM = {"clbl-wide": "clbl", "clbl++-wide": "clbl++"}, 200
# label -> the kind that is trained with the word map of the commands' defaults, in place of the thesis's
OWN_MAP = {"clbl++-own": "clbl++"}
# label -> the kind that is trained with both
WIDE_OWN_MAP = {"clbl++-own-wide": "clbl++"}
# label -> what a recipe of ours changes in the thesis's model
CHANGED = {
    **dict.fromkeys(WIDE, f"{WIDE_DIM} dimensions"),
    **dict.fromkeys(OWN_MAP, "our word map"),
    **dict.fromkeys(WIDE_OWN_MAP, f"our word map, {WIDE_DIM} dimensions"),
}
TITLES |= {label: f"{KINDS[kind].title}, {CHANGED[label]}" for label, kind in (WIDE | OWN_MAP).items()}

# label -> the kind that is trained with the morphemes of words of the vocabulary alone: words outside it are <unk> in contexts too
CLOSED = {"clbl++-closed": "clbl++"}

MAP_EXAMPLES, LEAST_SHOWN = 8, 3  # words of a word map that are shown, and how many morphemes they have at least

KNESER_NEY = {"kind": "mkn", "order": 4}
KNESER_NEY_TUNED = {**KNESER_NEY, "discounts": "development"}
HPYLM = {"kind": "hpylm", "order": 4, "iterations": 70, "burn_in": 50, "samples": 10, "seed": 1}
# The step size rises over a fifth of an epoch and falls to 0 over three: after three epochs, models of a million tokens
# overfit their novels whatever the penalty.
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
# The step size xi and the penalty lambda, chosen on the development novels of German and French: word vectors that are sums
# move by several steps at once, so their steps are smaller, and they have more parameters to keep small.
PLAIN, ADDITIVE = {"step": 0.2, "l2": 30.0}, {"step": 0.14, "l2": 60.0}
# Models without classes are trained on the likelihood, normalised over this number of words per minibatch: better than the thesis's noise
# contrast. Scoring all words takes long, so the epoch is chosen on a part of the development text.
CLASSLESS = {"softmax_words": 2000, "development_sentences": 1000}
# For German Europarl: larger batches and one pass, in which the development perplexity of plain steps was lower than that of half as large
# ones (3 million tokens); more classes for many more words, and the thesis's threshold of its large texts.
LARGE = {"batch": 20_000, "epochs": 1, "warm_up": 0.1, "classes": 500}
LARGE_MAP = {"map_perplexity_threshold": 400.0, "map_min_count": 5}
# Every type counts once: more morphemes per word (de 2.1; 1.9 with the logarithm of counts), and on German's development
# novels a better CLBL++.
MAP = {
    "method": "flatcat",
    "perplexity_threshold": 50.0,
    "flatcat_epochs": 0,
    "dampening": "types",
    "min_count": 1,
    "seed": 1,
}


def settings(label: str) -> dict[str, Any]:
    """The settings of a log-bilinear model."""
    kind = KINDS[label]
    additive = {f"map_{k}": v for k, v in MAP.items()} if kind.is_additive else {}
    classless = {} if kind.has_classes else CLASSLESS
    return {"kind": label, **(ADDITIVE if kind.is_additive else PLAIN), **TRAINING, **classless, **additive}


def plain_of(label: str) -> str | None:
    """The label of the plain model that an additive one is compared with; None for others.

    >>> plain_of("clbl++"), plain_of("clbl++-own"), plain_of("clbl++-wide"), plain_of("clbl"), plain_of("mkn")
    ('clbl', 'clbl', 'clbl-wide', None, None)
    """
    kind = KINDS.get((WIDE | OWN_MAP).get(label, label))
    plain = kind.plain if kind else None
    return f"{plain}-wide" if plain and label in WIDE else plain


def own_map_settings(label: str) -> dict[str, Any]:
    """The settings of a log-bilinear model with our own word map."""
    return {k: v for k, v in settings(label).items() if not k.startswith("map_")} | {"map_method": OWN}


def seed_label(label: str, seed: int) -> str:
    """The label of a model trained with this seed; that of the first is plain.

    >>> seed_label("clbl", 1), seed_label("clbl", 2)
    ('clbl', 'clbl-seed-2')
    """
    return label if seed == 1 else f"{label}-seed-{seed}"


def map_settings(model: SettingValues) -> dict[str, Any] | None:
    """How the word map of a model is learnt; None for a model without one."""
    return {key: model[f"map_{key}"] for key in MAP if f"map_{key}" in model} or None


def train_ngram(
    model: SettingValues, corpus: Corpus, development: Sequence[Sequence[str]], workspace: Workspace
) -> Any:
    """The n-gram model with these settings."""
    if model["kind"] == "mkn":
        held_out = development if "discounts" in model else None
        return binyan.KneserNey(model["order"]).fit(corpus, held_out, progress=workspace.progress)
    schedule = Schedule.from_dict({k: v for k, v in model.items() if k not in ("kind", "order")})
    return binyan.HPYLM(model["order"], schedule=schedule).fit(corpus, progress=workspace.progress)


def train_log_bilinear(
    model: SettingValues,
    corpus: Corpus,
    development: Sequence[Sequence[str]],
    word_map: SegmentationTable | MapLearner | None,
    workspace: Workspace,
    checkpoint: Path,
) -> tuple[LogBilinear, dict[str, Any]]:
    """The log-bilinear model with these settings, and figures of its training; resumes from `checkpoint` if it exists."""
    keys = ("order", "dim", "step", "l2", "batch", "epochs", "decay", "warm_up", "seed")
    classes = _classes(corpus, model, workspace) if KINDS[model["kind"]].has_classes else None
    training = {key: model[key] for key in (*keys, "softmax_words") if key in model}
    lm = binyan.LogBilinear(model["kind"], word_map=word_map, classes=classes, **training)
    chosen_on = development[: model.get("development_sentences")]
    lm.fit(corpus, chosen_on, checkpoint=checkpoint, progress=workspace.progress)
    assert lm.history is not None
    own = corpus.vocabulary.own_words
    per_type = _of_map(word_map, own) if isinstance(word_map, SegmentationTable) else {}
    return lm, {
        **per_type,
        "loss": lm.history.loss,
        "course": lm.history.perplexity,
        "morphemes": len(lm.factor_map.morphemes),
        "factors_per_word": len(lm.factor_map.factors) / lm.factor_map.words,
    }


def _of_map(word_map: SegmentationTable, words: Sequence[str]) -> dict[str, Any]:
    """Morphemes per word type, and the first words of the vocabulary that have several."""
    several = (word for word in words if len(word_map.of(word)) >= LEAST_SHOWN)
    return {
        "morphemes_per_type": sum(len(word_map.of(word)) for word in words) / len(words),
        "map_examples": [[word, str(word_map[word])] for word in islice(several, MAP_EXAMPLES)],
    }


def _classes(corpus: Corpus, model: SettingValues, workspace: Workspace) -> WordClasses:
    """Classes of words: Brown classes of the text, kept on disk, or bins of equal frequency."""
    from binyan.clustering import WordClasses, brown, frequency_bins

    number = model["classes"]
    if model.get("class_method") == "frequency":
        return frequency_bins(corpus, number)
    path = workspace.cache / f"words.{corpus.digest}.{corpus.vocabulary.digest}.{number}.paths"
    if not path.exists():
        brown(corpus, number, progress=workspace.progress).write(path)
    return WordClasses.read(path)
