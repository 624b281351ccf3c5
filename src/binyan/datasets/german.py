"""German-like text with productive compounds, from a small probabilistic grammar, with the segmentation of every compound.

What the text is like: the verb chooses the kind of noun it governs, articles and adjectives agree with the head of a
compound, and modifiers depend on the head. So a compound that was never seen is still foreseen by its context.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from binyan.datasets.german_words import (
    ADVERBS,
    AGENTS,
    CONJUNCTIONS,
    FIELDS,
    PLACES,
    PREPOSITIONS,
    PRONOUNS,
    Field,
    Noun,
)
from binyan.segmentation import Part, Segmentation, SegmentationTable

Item = TypeVar("Item")
_GRAMMAR_SEED = 12  # the tastes of heads and verbs are part of the grammar, not of the sample
_COMPOUND, _LONGER, _PLURAL, _ADJECTIVE = 0.5, 0.12, 0.25, 0.35

# Articles by case and gender (m, f, n) or plural (p); adjective endings after them.
_DEFINITE = {"nom": dict(m="der", f="die", n="das", p="die"), "acc": dict(m="den", f="die", n="das", p="die")}
_DEFINITE["dat"] = dict(m="dem", f="der", n="dem", p="den")
_INDEFINITE = {"nom": dict(m="ein", f="eine", n="ein"), "acc": dict(m="einen", f="eine", n="ein")}
_INDEFINITE["dat"] = dict(m="einem", f="einer", n="einem")
_AFTER_DEFINITE = {"nom": dict(m="e", f="e", n="e", p="en"), "acc": dict(m="en", f="e", n="e", p="en")}
_AFTER_INDEFINITE = {"nom": dict(m="er", f="e", n="es"), "acc": dict(m="en", f="e", n="es")}


@dataclass(frozen=True)
class GermanText:
    """Sentences of lowercase words, and the segmentations of all compounds in them."""

    train: list[list[str]]
    test: list[list[str]]
    segmentations: SegmentationTable

    @property
    def unseen_compounds(self) -> list[str]:
        """Compounds of the test part that the training part lacks."""
        seen = {word for sentence in self.train for word in sentence}
        words = dict.fromkeys(word for sentence in self.test for word in sentence)
        return [word for word in words if word not in seen and word in self.segmentations]


def german_text(train: int = 4000, test: int = 400, seed: int = 1) -> GermanText:
    """A text of `train` and `test` sentences. The same seed gives the same text.

    >>> text = german_text(50, 10, seed=3)
    >>> len(text.train), len(text.test), text == german_text(50, 10, seed=3)
    (50, 10, True)
    """
    writer = _Writer(seed)
    sentences = [writer.sentence() for _ in range(train + test)]
    return GermanText(sentences[:train], sentences[train:], writer.segmentations)


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.segmentations = SegmentationTable()
        tastes = Random(_GRAMMAR_SEED)
        # Of each noun: weights of the modifiers of its field, few of them common (Zipf), in an order of its own.
        self.modifier_weights = {
            noun: _shuffled_zipf(len(field.modifiers), tastes) for field in FIELDS for noun in field.nouns
        }
        # Of each verb: weights of the nouns of its field.
        self.noun_weights = {verb: _shuffled_zipf(len(field.nouns), tastes) for field in FIELDS for verb in field.verbs}

    def sentence(self) -> list[str]:
        words = self._clause()
        if self._happens(0.2):
            words += [",", self._one(CONJUNCTIONS), *self._clause()]
        return [*words, "."]

    def _clause(self) -> list[str]:
        field = self._one(FIELDS, _zipf(len(FIELDS), 0.5))
        verb = self._one(field.verbs, _zipf(len(field.verbs)))
        subject, plural = self._subject()
        object_ = self._phrase("acc", field, self.noun_weights[verb])[0]
        form = verb[1] if plural else verb[0]
        adverb_first = self._happens(0.3)
        words = [self._one(ADVERBS), form, *subject] if adverb_first else [*subject, form]
        words += object_
        if self._happens(0.35):
            words += [self._one(PREPOSITIONS), *self._phrase("dat", self._one(PLACES))[0]]
        return words

    def _subject(self) -> tuple[list[str], bool]:
        if self._happens(0.4):
            pronoun, plural = self._one(PRONOUNS)
            return [pronoun], plural
        return self._phrase("nom", self._one(AGENTS))

    def _phrase(self, case: str, field: Field, weights: Sequence[float] | None = None) -> tuple[list[str], bool]:
        """A noun phrase, and whether it is plural."""
        noun = self._one(field.nouns, weights)
        plural = self._happens(_PLURAL)
        form = "p" if plural else noun.gender
        definite = plural or self._happens(0.7)
        words = [(_DEFINITE if definite else _INDEFINITE)[case][form]]
        if self._happens(_ADJECTIVE):
            ending = "en" if case == "dat" else (_AFTER_DEFINITE if definite else _AFTER_INDEFINITE)[case][form]
            words.append(_inflected(self._one(field.adjectives), ending))
        return [*words, self._noun(noun, field, plural, case)], plural

    def _noun(self, noun: Noun, field: Field, plural: bool, case: str) -> str:
        head = noun.plural if plural else noun.singular
        if plural and case == "dat" and head[-1] not in "ns":
            head += "n"
        if not self._happens(_COMPOUND):
            return head
        chosen = [self._one(field.modifiers, self.modifier_weights[noun])]
        if self._happens(_LONGER):
            second = self._one(field.modifiers, self.modifier_weights[noun])
            chosen += [second] if second not in chosen else []
        parts: list[Part] = []
        for stem, link in chosen:
            parts += [Part(stem), *([Part(link, linking=True)] if link else [])]
        parts.append(Part(head))
        word = "".join(part.text for part in parts)
        if word not in self.segmentations:
            self.segmentations.add(Segmentation(word, tuple(parts)))
        return word

    def _happens(self, probability: float) -> bool:
        return self.random.random() < probability

    def _one(self, choices: Sequence[Item], weights: Sequence[float] | None = None) -> Item:
        return self.random.choices(choices, weights)[0]


def _zipf(number: int, exponent: float = 1.0) -> list[float]:
    return [1.0 / rank**exponent for rank in range(1, number + 1)]


def _shuffled_zipf(number: int, random: Random) -> list[float]:
    weights = _zipf(number)
    random.shuffle(weights)
    return weights


def _inflected(adjective: str, ending: str) -> str:
    """The adjective with its ending; some stems change."""
    return {"teuer": "teur", "hoch": "hoh", "müde": "müd"}.get(adjective, adjective) + ending
