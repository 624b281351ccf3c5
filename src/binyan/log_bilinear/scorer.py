"""The probabilities of a trained network, over its vocabulary and what extends it.

Single words are scored after a context, for which predictions are kept; whole texts in batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from binyan.log_bilinear.composer import Composer
from binyan.log_bilinear.events import Events
from binyan.log_bilinear.extension import Extension
from binyan.log_bilinear.predictions import Prediction, PredictionCache, log_softmax
from binyan.log_bilinear.training import events_at_once
from binyan.scores import State, Step
from binyan.text.vocabulary import BEGIN, BEGIN_ID, END_ID, UNKNOWN, UNKNOWN_ID, Vocabulary, refuse_boundaries

_IN_A_CLASS_NAME = 3  # words
_PREDICTED_AT_ONCE = 8192  # events


@dataclass(frozen=True)
class ScoringBatch:
    """The events of sentences; those of sentence i are [offsets[i], offsets[i + 1]).

    Context ids are rows of `context_vectors`, which has words outside the vocabulary too; where these are predicted, they are <unk>.
    """

    context_vectors: Tensor
    contexts: NDArray[np.int32]
    words: NDArray[np.int32]
    offsets: NDArray[np.uint64]


class Scorer:
    """Scores words by their ids: `closed` of the vocabulary of training, then those of the `extension`."""

    def __init__(self, composer: Composer, closed: int, extension: Extension) -> None:
        self.composer, self.network, self.closed, self.extension = composer, composer.network, closed, extension
        self.cache = PredictionCache()
        with torch.no_grad():
            context, self.target_vectors = (v.detach() for v in self.network.compiled())
            new = [composer.context_vector(w) for w in extension.words]
            self.context_vectors = torch.cat([context, *((context[UNKNOWN_ID] if v is None else v)[None] for v in new)])

    # Single words.

    @torch.no_grad()
    def prediction(self, state: State) -> Prediction:
        """What a context predicts, from the cache where it is kept."""
        prediction = self.cache.get(state)
        if prediction is None:
            prediction = self._predict(state)
            self.cache.add(state, prediction)
        return prediction

    def _predict(self, state: State) -> Prediction:
        """What a context predicts."""
        p = self._prediction_vectors([state])
        return Prediction(p[0].numpy(), self._by_class(p))

    def _by_class(self, p: Tensor) -> NDArray[np.float64]:  # (1, d) -> (K,)
        if not self.network.with_classes:
            return np.zeros(1)
        return torch.log_softmax((p @ self.network.S.T + self.network.t).double(), 1)[0].numpy()

    def _prediction_vectors(self, states: Sequence[State]) -> Tensor:  # -> (states, d)
        """The vectors p of several contexts."""
        rows = [torch.stack([self._context_vector(w) for w in state]) for state in states]  # type: ignore[attr-defined]
        p: Tensor = self.network.predict(torch.stack(rows))
        return p

    def _context_vector(self, word: int | str) -> Tensor:
        """The vector of a word of a state; one outside the vocabulary is composed."""
        vector = self.context_vectors[word] if isinstance(word, int) else self.composer.context_vector(word)
        return self.context_vectors[UNKNOWN_ID] if vector is None else vector

    def _within(self, state: State, prediction: Prediction, c: int) -> NDArray[np.float64]:
        """Log-probabilities of the words of class c, given the class."""
        log_probs = prediction.within.get(c)
        if log_probs is None:
            first, last = self.network.first[c], self.network.first[c + 1]
            bias = self.network.b.detach()[first:last].numpy()
            scores = self.target_vectors[first:last].numpy() @ prediction.p + bias
            log_probs = log_softmax(scores.astype(np.float64))
            self.cache.add_class(state, c, log_probs)
        return log_probs

    def _is_outside(self, number: int) -> bool:
        return number == UNKNOWN_ID or number >= self.closed

    def _place(self, number: int) -> int:
        """The place of a word outside the vocabulary of training among the shares of <unk>."""
        return len(self.extension) if number == UNKNOWN_ID else number - self.closed

    def log_prob(self, state: State, number: int) -> float:
        """The natural log-probability of a word after a context."""
        prediction = self.prediction(state)
        row = int(self.network.targets.row_of[UNKNOWN_ID if self._is_outside(number) else number])
        c = int(self.network.targets.class_of_row[row])
        log_prob = prediction.by_class[c] + self._within(state, prediction, c)[row - self.network.first[c]]
        if self.extension and self._is_outside(number):
            log_prob += self.extension.log_shares(prediction.p)[self._place(number)]
        return float(log_prob)

    def distribution(self, state: State) -> NDArray[np.float64]:
        """The probability of every word after a context, by id."""
        prediction, targets = self.prediction(state), self.network.targets
        parts = [prediction.by_class[c] + self._within(state, prediction, c) for c in range(targets.classes)]
        out = np.zeros(self.closed + len(self.extension))
        out[targets.word_of] = np.exp(np.concatenate(parts))
        if self.extension:
            shares = np.exp(self.extension.log_shares(prediction.p))
            out[self.closed :] = out[UNKNOWN_ID] * shares[:-1]
            out[UNKNOWN_ID] *= shares[-1]
        return out

    @torch.no_grad()
    def distributions(self, states: Sequence[State]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The vectors p of several contexts, and the probability of every word after each, by id."""
        if self.extension:
            whole = [self.distribution(state).astype(np.float32) for state in states]
            return np.stack([self.prediction(state).p for state in states]), np.stack(whole)
        p = self._prediction_vectors(states)
        out = np.zeros((len(states), self.closed), np.float32)
        out[:, self.network.targets.word_of] = self.network.distribution(p, self.target_vectors).exp().numpy()
        return p.numpy(), out

    def steps(self, state: State, word: str, vocabulary: Vocabulary, counts: NDArray[np.int64]) -> tuple[Step, ...]:
        """The class, the word within it and, for a word outside the vocabulary, its share of <unk>."""
        number, prediction = vocabulary[word], self.prediction(state)
        outside = self._is_outside(number)
        row = int(self.network.targets.row_of[UNKNOWN_ID if outside else number])
        c = int(self.network.targets.class_of_row[row])
        within = float(np.exp(self._within(state, prediction, c)[row - self.network.first[c]]))
        surface, morphemes = UNKNOWN if outside else word, self.composer.known_morphemes(word)
        detail = f"{surface} = {' + '.join([surface, *morphemes])}" if morphemes and not outside else surface
        if not self.network.with_classes:
            steps = [Step("word", detail, within)]
        else:
            name = self._class_name(c, vocabulary, counts)
            steps = [Step("class", name, float(np.exp(prediction.by_class[c]))), Step("word in class", detail, within)]
        if outside and self.extension:
            share = float(np.exp(self.extension.log_shares(prediction.p)[self._place(number)]))
            steps.append(Step("unknown word", " + ".join(morphemes) or "any other", share))
        return tuple(steps)

    def _class_name(self, c: int, vocabulary: Vocabulary, counts: NDArray[np.int64]) -> str:
        """The number of a class with its most frequent words."""
        words = self.network.targets.word_of[self.network.first[c] : self.network.first[c + 1]]
        frequent = sorted(words.tolist(), key=lambda w: -counts[w])[:_IN_A_CLASS_NAME]
        more = " …" if len(words) > _IN_A_CLASS_NAME else ""
        return f"{c}: {' '.join(vocabulary.words[w] for w in frequent)}{more}"

    # Texts.

    def batch(self, sentences: Iterable[Sequence[str]], vocabulary: Vocabulary) -> ScoringBatch:
        """The events of prepared sentences. Raises InputError where they hold <s> or </s> as words."""
        index, extra = vocabulary.index, dict[str, int]()
        vectors: list[Tensor] = []
        ids: list[int] = []
        offsets = [0]
        for sentence in sentences:
            for word in sentence:
                number = index.get(word) if word not in extra else extra[word]
                if number is None:
                    composed = self.composer.context_vector(word)
                    number = UNKNOWN_ID if composed is None else len(index) + len(vectors)
                    extra[word] = number
                    if composed is not None:
                        vectors.append(composed)
                ids.append(number)
            offsets.append(len(ids))
        if any(i in (BEGIN_ID, END_ID) for i in ids):
            refuse_boundaries((BEGIN,))
        contexts, events = self._events(np.array(ids, np.int32), np.array(offsets, np.uint64))
        context_vectors = torch.cat([self.context_vectors, torch.stack(vectors)]) if vectors else self.context_vectors
        words = np.where(events < len(index), events, np.int32(UNKNOWN_ID))
        ends = np.array([end + i for i, end in enumerate(offsets)], np.uint64)
        return ScoringBatch(context_vectors, contexts, words, ends)

    def _events(
        self, ids: NDArray[np.int32], offsets: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """What predicts each event of sentences, and the events."""
        events = Events.of_ids(ids, offsets, self.network.shape.order)
        return events.contexts, events.words

    @torch.no_grad()
    def log_probs(self, batch: ScoringBatch, words: NDArray[np.int32]) -> NDArray[np.float64]:
        """The natural log-probability of one word per context of a batch."""
        is_known = (words != UNKNOWN_ID) & (words < self.closed)
        rows = torch.from_numpy(self.network.targets.row_of[np.where(is_known, words, UNKNOWN_ID)])
        places = np.where(words == UNKNOWN_ID, len(self.extension), words.astype(np.int64) - self.closed)
        out = np.zeros(len(words))
        size = events_at_once(self.network.with_classes, len(self.target_vectors))
        for here, p in self._predicted(batch, size):
            scores = self.network.log_prob(p, rows[here], self.target_vectors)
            if self.extension:
                outside = torch.from_numpy(np.flatnonzero(~is_known[here]))
                scores[outside] += self.extension.log_shares_of(p[outside], torch.from_numpy(places[here])[outside])
            out[here] = scores.double().numpy()
        return out

    @torch.no_grad()
    def prediction_vectors(self, batch: ScoringBatch) -> NDArray[np.float64]:
        """The vector p of each event."""
        out = np.zeros((len(batch.words), self.network.shape.dim))
        for here, p in self._predicted(batch, _PREDICTED_AT_ONCE):
            out[here] = p.double().numpy()
        return out

    def _predicted(self, batch: ScoringBatch, size: int) -> Iterator[tuple[slice | NDArray[np.int64], Tensor]]:
        """The vectors p of a batch, about `size` events at a time, and which events these are."""
        for start in range(0, len(batch.contexts), size):
            here = slice(start, start + size)
            contexts = torch.from_numpy(batch.contexts[here]).long()
            yield here, self.network.predict(batch.context_vectors[contexts])
