"""A model as it takes part in a mixture: over the mixture's vocabulary, which may have words that the model has not.

The <unk> of such a model stands for these words too. Of its probability P(<unk> | h), `rest` is kept for words that no model of the mixture
knows, and the words that only others know divide what is left equally: with `rest` 1 they get nothing, as with SRILM. So every model,
and with them the mixture, sums to one over the union of the vocabularies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.language_model import LanguageModel, MixtureParts, State, WordScore
from binyan.mixture.source import CoreSource
from binyan.text.vocabulary import UNKNOWN_ID, Vocabulary

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


class Member:
    """A model among others. `whole`: weighed as one part without features, whatever it knows of contexts."""

    def __init__(self, model: LanguageModel, vocabulary: Vocabulary, rest: float = 1.0, whole: bool = False) -> None:
        self.model, self.vocabulary, self.whole = model, vocabulary, whole
        self.is_widened = model.vocabulary != vocabulary
        has_fewer = len(model.vocabulary) < len(vocabulary)
        self.rest = rest if has_fewer else 1.0

    @cached_property
    def own_ids(self) -> Ids:
        """The model's id of each word of the mixture."""
        index = self.model.vocabulary.index
        words = self.vocabulary.words
        return np.fromiter((index.get(w, UNKNOWN_ID) for w in words), np.int64, len(words))

    @cached_property
    def unknown_share(self) -> Floats:
        """What each word of the mixture has of the model's <unk>; for the model's own words nothing is said."""
        foreign = self.own_ids == UNKNOWN_ID
        share = np.full(len(foreign), (1.0 - self.rest) / max(int(foreign.sum()) - 1, 1))
        share[UNKNOWN_ID] = self.rest
        return share

    def score_word(self, state: State, word: str) -> WordScore:
        """Score one word after a state of the model."""
        scored = self.model.score_word(state, word)
        if not self.is_widened:
            return scored
        number = self.vocabulary[word]
        log_prob = scored.log_prob
        if self.model.vocabulary[word] == UNKNOWN_ID:
            with np.errstate(divide="ignore"):
                log_prob += float(np.log(self.unknown_share[number]))
        return replace(scored, log_prob=log_prob, unknown=number == UNKNOWN_ID)

    def score_sentences(self, sentences: list[list[str]], words: Ids) -> tuple[Floats, NDArray[np.uint8]]:
        """Natural log-probability and matched length of every event; `words` are their ids."""
        scores = self.model.score_sentences(sentences)
        log_prob = scores.log_prob
        if self.is_widened:
            with np.errstate(divide="ignore"):
                log_prob = log_prob + np.where(
                    self.own_ids[words] == UNKNOWN_ID, np.log(self.unknown_share[words]), 0.0
                )
        return log_prob, scores.matched

    def distributions(self, states: Sequence[State]) -> NDArray[np.floating]:  # (states, vocabulary)
        """The probability of every word of the mixture after several states."""
        chances = self.model.distributions(states)
        return self._spread(chances, chances[:, UNKNOWN_ID]) if self.is_widened else chances

    def weigh(self, state: State, word: str | None = None) -> MixtureParts:
        """What the mixture weighs the model by, for one word or for every word of the mixture."""
        weigh = LanguageModel.weigh if self.whole else type(self.model).weigh
        parts = weigh(self.model, state, word)
        if not self.is_widened:
            return parts
        return self._all(parts) if word is None else self._each(parts, np.array([self.vocabulary[word]]))

    def weigh_each(self, states: Sequence[State]) -> list[MixtureParts]:
        """`weigh` of several states for every word of the mixture."""
        if self.whole:
            return [self.weigh(state) for state in states]
        parts = self.model.weigh_each(states)
        return [self._all(p) for p in parts] if self.is_widened else parts

    def weigh_sentences(self, sentences: Iterable[Sequence[str]], words: Ids) -> MixtureParts:
        """What the mixture weighs the model by, for every event; `words` are their ids."""
        weigh_sentences = LanguageModel.weigh_sentences if self.whole else type(self.model).weigh_sentences
        parts = weigh_sentences(self.model, sentences)
        return self._each(parts, words) if self.is_widened else parts

    def core_source(self) -> tuple[CoreSource, _core.Widening] | None:
        """The model and how it is widened, in the core; None where only Python has the model."""
        source = None if self.whole else self.model.mixture_source(self.vocabulary.words)
        if source is None:
            return None
        own = (self.own_ids != UNKNOWN_ID).astype(np.uint8) if self.is_widened else np.zeros(0, np.uint8)
        each = float(self.unknown_share[self.own_ids == UNKNOWN_ID][-1]) if self.is_widened else 0.0
        return source, _core.Widening(own, each, self.rest)

    def _each(self, parts: MixtureParts, words: Ids) -> MixtureParts:
        share = np.where(self.own_ids[words] == UNKNOWN_ID, parts.unknown * self.unknown_share[words], parts.share)
        return replace(parts, share=share, unknown=parts.unknown * self.rest)

    def _all(self, parts: MixtureParts) -> MixtureParts:
        share = self._spread(parts.share, parts.unknown[:, 0])
        return replace(parts, share=share, unknown=parts.unknown * self.rest)

    def _spread(
        self, rows: NDArray[np.floating], unknown: NDArray[np.floating]
    ) -> NDArray[np.floating]:  # (rows, own words), (rows,) -> (rows, words)
        return np.where(self.own_ids == UNKNOWN_ID, unknown[:, None] * self.unknown_share, rows[:, self.own_ids])


def union(models: Sequence[LanguageModel]) -> Vocabulary:
    """The words of all models: those of the first, then what each of the others adds."""
    first = models[0].vocabulary
    if all(m.vocabulary == first for m in models[1:]):
        return first
    return Vocabulary(list(dict.fromkeys(word for m in models for word in m.vocabulary.own_words)))


def fitted_rest(model: LanguageModel, vocabulary: Vocabulary, sentences: Iterable[Sequence[str]]) -> float:
    """How much of a model's <unk> belongs to words that no model knows, by a text, with half an occurrence added to both sides."""
    outside, nowhere = 0, 0
    for sentence in sentences:
        for word in sentence:
            if model.vocabulary[word] == UNKNOWN_ID:
                outside += 1
                nowhere += vocabulary[word] == UNKNOWN_ID
    return (nowhere + 0.5) / (outside + 1.0)
