"""Sentences in minibatches: those of about one length side by side, so that little is padded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from binyan.signature import digest
from binyan.text.corpus import Corpus
from binyan.text.vocabulary import BEGIN_ID, END_ID, UNKNOWN_ID


@dataclass(frozen=True)
class Sentences:
    """The input words and the events of sentences, one after another: sentence i has [offsets[i], offsets[i + 1]) of both.

    `inputs` are word ids, <s> first; those outside the vocabulary that a model composes are numbered after its last. `events` are
    the words that follow them, </s> last, where all words outside are <unk>.
    """

    inputs: NDArray[np.int64]
    events: NDArray[np.int64]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def digest(self) -> str:
        """Digits that stand for all sentences in their order."""
        return digest(self.inputs.tobytes(), self.events.tobytes(), self.offsets.tobytes())

    @classmethod
    def of(cls, corpus: Corpus, outside: Sequence[str] = ()) -> Sentences:
        """All sentences of a corpus; `outside`: the words outside its vocabulary that are composed."""
        ids, size = corpus.words.astype(np.int64), len(corpus.vocabulary)
        if outside and corpus.outside:
            number = {w: size + i for i, w in enumerate(outside)}
            ids[ids == UNKNOWN_ID] = [number.get(w, UNKNOWN_ID) for w in corpus.outside]
        return cls.of_ids(ids, corpus.offsets.astype(np.int64), size)

    @classmethod
    def of_ids(cls, ids: NDArray[np.int64], ends: NDArray[np.int64], size: int) -> Sentences:
        """Sentences without <s> and </s> as ids, of which those from `size` on are outside the vocabulary."""
        sentences = len(ends) - 1
        offsets = ends + np.arange(sentences + 1)
        sentence = np.repeat(np.arange(sentences), np.diff(ends))
        inputs, events = np.full(offsets[-1], BEGIN_ID), np.full(offsets[-1], END_ID)
        places = np.arange(len(ids)) + sentence
        inputs[places + 1], events[places] = ids, np.where(ids < size, ids, UNKNOWN_ID)
        return cls(inputs, events, offsets)

    def counts(self, words: int) -> NDArray[np.int64]:
        """How often each of `words` ids is predicted."""
        return np.bincount(self.events, minlength=words)

    def batches(self, size: int, random: np.random.Generator | None = None) -> list[NDArray[np.int64]]:
        """The numbers of the sentences of each minibatch, of about `size` events.

        In an order that is drawn, also among sentences of one length; without `random`, from the shortest to the longest.
        """
        lengths = np.diff(self.offsets)
        order = np.arange(len(self)) if random is None else random.permutation(len(self))
        order = order[np.argsort(lengths[order], kind="stable")]
        starts, total = [0], 0
        for i, n in enumerate(lengths[order].tolist()):
            if total and total + n > size:
                starts.append(i)
                total = 0
            total += n
        batches = np.split(order, starts[1:])
        return batches if random is None else [batches[i] for i in random.permutation(len(batches))]

    def stretches(
        self, chosen: NDArray[np.int64], steps: int
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """The `chosen` sentences side by side, at most `steps` words of each at a time.

        For each stretch the input words (T, B), padded at the end; where in it, flat, events are; and their places among all.
        """
        starts, lengths = self.offsets[chosen], np.diff(self.offsets)[chosen]
        longest = int(lengths.max())
        for first in range(0, longest, steps):
            time = np.arange(first, min(first + steps, longest))[:, None]
            is_inside = time < lengths
            places = np.where(is_inside, starts + time, starts)
            events = np.flatnonzero(is_inside)
            yield self.inputs[places], events, places.reshape(-1)[events]
