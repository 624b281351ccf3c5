"""The probabilities of a trained recurrent network.

A state is the words since the start of the sentence, so that it can be hashed and dropped. What the network has made of them is kept
within a bound of memory; where it was dropped, it is computed again from the longest beginning of the sentence that is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from binyan.log_bilinear.predictions import Prediction
from binyan.log_bilinear.scorer import Scorer, ScoringBatch
from binyan.log_bilinear.training import SCORED_AT_ONCE
from binyan.recurrent.batches import Sentences
from binyan.recurrent.network import Hidden, RecurrentNetwork
from binyan.scores import State
from binyan.text.vocabulary import BEGIN_ID

STEPS_AT_ONCE = 200
"""Words of each sentence that go through the network together."""


@dataclass
class RecurrentPrediction(Prediction):
    """What the beginning of a sentence gives every word, and the hidden state after it."""

    hidden: Hidden = ()

    @property
    def bytes(self) -> int:
        """The memory it takes."""
        return super().bytes + sum(h.nbytes for h in self.hidden)


class RecurrentScorer(Scorer):
    """Scores words after states, which are tuples of word ids; a word outside the vocabulary that is composed stands for itself."""

    network: RecurrentNetwork

    def _predict(self, state: State) -> RecurrentPrediction:
        words: tuple[int | str, ...] = (BEGIN_ID, *state)  # type: ignore[misc]
        hidden: Hidden | None = None
        first = 0
        for known in range(len(words) - 1, 0, -1):
            earlier = self.cache.get(words[1:known])
            if isinstance(earlier, RecurrentPrediction):
                first, hidden = known, earlier.hidden
                break
        vectors = torch.stack([self._context_vector(w) for w in words[first:]])[:, None]
        p, hidden = self.network.predict(vectors, hidden)
        return RecurrentPrediction(p[-1, 0].numpy(), self._by_class(p[-1]), hidden=hidden)

    def _prediction_vectors(self, states: Sequence[State]) -> Tensor:
        lengths = torch.tensor([len(state) for state in states])  # type: ignore[arg-type]
        vectors = self.context_vectors.new_zeros(int(lengths.max()) + 1, len(states), self.network.shape.dim)
        for i, state in enumerate(states):
            vectors[: lengths[i] + 1, i] = torch.stack([self._context_vector(w) for w in (BEGIN_ID, *state)])  # type: ignore[misc]
        return self.network.predict(vectors)[0][lengths, torch.arange(len(states))]

    def _events(
        self, ids: NDArray[np.int32], offsets: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        sentences = Sentences.of_ids(ids.astype(np.int64), offsets.astype(np.int64), len(self.context_vectors))
        return sentences.inputs.astype(np.int32), sentences.events.astype(np.int32)

    def _predicted(self, batch: ScoringBatch, size: int) -> Iterator[tuple[NDArray[np.int64], Tensor]]:
        sentences = Sentences(
            batch.contexts.astype(np.int64), batch.words.astype(np.int64), batch.offsets.astype(np.int64)
        )
        yield from predictions(self.network, sentences, batch.context_vectors, size)


@torch.no_grad()
def predictions(
    network: RecurrentNetwork, sentences: Sentences, vectors: Tensor, size: int
) -> Iterator[tuple[NDArray[np.int64], Tensor]]:
    """The vectors p of all events, about `size` at a time, and their places; `vectors` are those of input words, by id."""
    for chosen in sentences.batches(size):
        hidden = None
        for inputs, events, places in sentences.stretches(chosen, STEPS_AT_ONCE):
            p, hidden = network.predict(vectors[torch.from_numpy(inputs).to(vectors.device)], hidden)
            yield places, p.flatten(0, 1)[torch.from_numpy(events).to(vectors.device)]


@torch.no_grad()
def score_sentences(network: RecurrentNetwork, sentences: Sentences) -> NDArray[np.float64]:
    """The natural log-probability of every event."""
    context_vectors, target_vectors = network.compiled()
    rows = torch.from_numpy(network.targets.row_of[sentences.events]).to(context_vectors.device)
    out = np.zeros(len(sentences.events))
    for places, p in predictions(network, sentences, context_vectors, SCORED_AT_ONCE):
        out[places] = network.log_prob(p, rows[torch.from_numpy(places)], target_vectors).double().cpu().numpy()
    return out
