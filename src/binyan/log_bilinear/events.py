"""Training and test events: every word and sentence end with the n - 1 words before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from binyan.signature import digest
from binyan.text.corpus import Corpus
from binyan.text.vocabulary import BEGIN_ID, END_ID, UNKNOWN_ID


@dataclass(frozen=True)
class Events:
    """Word ids: `contexts` (E, n - 1), nearest word last, <s> before the sentence; `words` (E,)."""

    contexts: NDArray[np.int32]
    words: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def digest(self) -> str:
        """Digits that stand for all events in their order."""
        return digest(self.contexts.tobytes(), self.words.tobytes())

    @classmethod
    def of(cls, corpus: Corpus, order: int, outside: Sequence[str] = ()) -> Events:
        """All events of `corpus`, sentence by sentence.

        In contexts the words `outside` the vocabulary have the ids after its last, in their order; all others are <unk>, as every
        one of them is where it is predicted.
        """
        ids, size = corpus.words.astype(np.int32), len(corpus.vocabulary)
        if outside and corpus.outside:
            number = {w: size + i for i, w in enumerate(outside)}
            ids[ids == UNKNOWN_ID] = [number.get(w, UNKNOWN_ID) for w in corpus.outside]
        events = cls.of_ids(ids, corpus.offsets, order)
        return cls(events.contexts, np.where(events.words < size, events.words, np.int32(UNKNOWN_ID)))

    @classmethod
    def of_ids(cls, ids: NDArray[np.int32], offsets: NDArray[np.uint64], order: int) -> Events:
        """The events of sentences given as ids, of any numbering that keeps <s> and </s>."""
        ends = offsets.astype(np.int64)
        lengths: NDArray[np.int64] = ends[1:] - ends[:-1]
        history = order - 1
        sentence = np.repeat(np.arange(len(lengths)), lengths)
        stream = np.full(len(ids) + (history + 1) * len(lengths), BEGIN_ID, np.int32)
        stream[np.arange(len(ids)) + history * (sentence + 1) + sentence] = ids
        starts = np.concatenate([[0], np.cumsum(lengths + history + 1)])
        stream[starts[1:] - 1] = END_ID
        event_sentence = np.repeat(np.arange(len(lengths)), lengths + 1)
        places = np.arange(len(event_sentence)) + history * (event_sentence + 1)
        contexts = np.stack([stream[places - j] for j in range(history, 0, -1)], axis=1)
        return cls(contexts, stream[places])

    def counts(self, words: int) -> NDArray[np.int64]:
        """How often each of `words` ids is predicted."""
        return np.bincount(self.words, minlength=words)

    def context_counts(self, words: int) -> NDArray[np.int64]:
        """How often each of `words` ids stands in a context."""
        return np.bincount(self.contexts.reshape(-1), minlength=words)
