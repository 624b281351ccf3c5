"""What contexts predict, computed once per context and kept within a bound of memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from binyan.scores import State

CACHE_BYTES = 256 * 2**20
"""The memory that the predictions of a model may take, by default."""
_ENTRY_BYTES = 1024  # of a context and its prediction, beside the numbers
_ARRAY_BYTES = 256  # of an array, beside its numbers


@dataclass
class Prediction:
    """What a context gives every word.

    The vector p, log-probabilities of classes and, as they are asked for, of the words within a class.
    """

    p: NDArray[np.float32]
    by_class: NDArray[np.float64]
    within: dict[int, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """The memory it takes."""
        return _ENTRY_BYTES + self.p.nbytes + self.by_class.nbytes + sum(map(_bytes, self.within.values()))


class PredictionCache:
    """The predictions of the contexts that were asked for last, in at most `limit` bytes: the least recently used is dropped.

    May be used from several threads.
    """

    def __init__(self, limit: int = CACHE_BYTES) -> None:
        self.limit = limit
        self._predictions: OrderedDict[State, Prediction] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._predictions)

    @property
    def bytes(self) -> int:
        """The memory that the predictions take."""
        return self._bytes

    def get(self, state: State) -> Prediction | None:
        """The prediction of a context, if it is kept."""
        with self._lock:
            prediction = self._predictions.get(state)
            if prediction is not None:
                self._predictions.move_to_end(state)
            return prediction

    def add(self, state: State, prediction: Prediction) -> None:
        """Keep the prediction of a context."""
        with self._lock:
            before = self._predictions.pop(state, None)
            self._bytes += prediction.bytes - (before.bytes if before is not None else 0)
            self._predictions[state] = prediction
            self._drop()

    def add_class(self, state: State, number: int, log_probs: NDArray[np.float64]) -> None:
        """Keep the log-probabilities within a class of a context, unless the context was dropped."""
        with self._lock:
            prediction = self._predictions.get(state)
            if prediction is not None and number not in prediction.within:
                prediction.within[number] = log_probs
                self._bytes += _bytes(log_probs)
                self._drop()

    def _drop(self) -> None:
        while self._bytes > self.limit and self._predictions:
            _, oldest = self._predictions.popitem(last=False)
            self._bytes -= oldest.bytes


def _bytes(array: NDArray[np.float64]) -> int:
    return _ARRAY_BYTES + array.nbytes


def log_softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Normalised log-probabilities of scores."""
    shifted = scores - scores.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))
