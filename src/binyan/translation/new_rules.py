"""Synthetic rules, which write words that extracted rules do not, and how the core takes them."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.segmentation import Segmentation

COMPOUND, FORM, RELATED, PARTS, TRANSLITERATION, COPY = (
    "NewCompound",
    "NewForm",
    "NewRelated",
    "NewParts",
    "NewTransliteration",
    "NewCopy",
)
UNSEEN, LOG_PROB = "NewUnseen", "NewLogProb"
NEW_FEATURES = (COMPOUND, FORM, RELATED, PARTS, TRANSLITERATION, COPY, UNSEEN, LOG_PROB)
NEW_START = {
    COMPOUND: 0.0,
    FORM: -1.0,
    RELATED: 0.5,
    PARTS: 0.5,
    TRANSLITERATION: 0.5,
    COPY: -1.0,
    UNSEEN: 0.0,
    LOG_PROB: 0.2,
}
# Features of extracted rules that are sums over the parts of a synthetic rule. All others, which count, are 0.
_ADDED = ("TargetGivenSource", "SourceGivenTarget", "LexTargetGivenSource", "LexSourceGivenTarget")


@dataclass(frozen=True)
class NewRule:
    """A synthetic rule without gaps.

    `kinds`: features of value 1. `log_prob`: of how its words were made. `features`: those of the extracted rules it is made of, in
    their order. `parts`: of a compound, for models that look inside words.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    kinds: tuple[str, ...]
    log_prob: float
    features: NDArray[np.float32]
    parts: Segmentation | None = None


def added_features(names: Sequence[str], rules: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """The features of a synthetic rule that is made of extracted ones."""
    total: NDArray[np.float32] = np.zeros(len(names), np.float32)
    for values in rules:
        total += values
    return np.where([name in _ADDED for name in names], total, np.float32(0)).astype(np.float32)


@dataclass(frozen=True)
class PlacedRules:
    """The synthetic rules of a span of a sentence: of its words from `first` to before `last`."""

    sentence: int
    first: int
    last: int
    rules: tuple[NewRule, ...]


def packed(placed: Sequence[PlacedRules], features: int, sentences: int, target: Mapping[str, int]) -> _core.SpanRules:
    """Rules as the core takes them; `features` is how many extracted rules have, `target` has the ids of words."""
    numbers: dict[int, int] = {}  # by identity: what was made for a span is made once
    rules = list[NewRule]()
    places, ends = array("I"), np.zeros(sentences + 1, np.uint64)
    for spot in placed:
        ends[spot.sentence + 1] += np.uint64(len(spot.rules))
        for rule in spot.rules:
            number = numbers.setdefault(id(rule), len(rules))
            if number == len(rules):
                rules.append(rule)
            places.extend((spot.first, spot.last, number))
    words = array("I", [target[word] for rule in rules for word in rule.target])
    return _core.SpanRules(
        np.frombuffer(words.tobytes(), np.uint32),
        np.cumsum([0, *(len(rule.target) for rule in rules)], dtype=np.uint64),
        _values(rules, features).reshape(-1),
        features + len(NEW_FEATURES),
        np.frombuffer(places.tobytes(), np.uint32),
        np.cumsum(ends, dtype=np.uint64),
    )


def _values(rules: Sequence[NewRule], features: int) -> NDArray[np.float32]:
    """The features of each rule: those of extracted ones, then its own."""
    values = np.zeros((len(rules), features + len(NEW_FEATURES)), np.float32)
    for row, rule in enumerate(rules):
        values[row, :features] = rule.features
        for kind in rule.kinds:
            values[row, features + NEW_FEATURES.index(kind)] = 1.0
        values[row, -1] = rule.log_prob
    return values
