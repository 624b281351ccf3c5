"""How often unknown words come, and P(<unk>) made to agree with it.

A model sees hardly any unknown word in training, so that it expects too few. Its odds of <unk> are multiplied by a factor, one for each
length of the context that it has seen: log odds'(h) = log odds(h) + offset(|h|). Known words share the rest as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.text import Corpus
from binyan.text.vocabulary import UNKNOWN_ID

Floats = NDArray[np.float64]
BLOCKS = 3  # parts of the training text, each of which is left out once
_PRECISION = 10.0  # of the prior of each offset around their common value
_LEAST_LOG = -600.0  # of a probability of <unk>, so that odds stay finite
_STEPS = 60


def unknown_rate(corpus: Corpus, blocks: int = BLOCKS) -> float:
    """The share of unknown words among events, expected in further text of the same kind.

    Each block of the text is left out once: what occurs in no other block would have been unknown there, and what is outside the
    vocabulary is unknown anyway.
    """
    events, words = corpus.events, corpus.words.astype(np.int64)
    if not len(words):
        return 1.0 / (events + 2)
    blocks = max(min(blocks, len(words)), 1)
    block = np.arange(len(words), dtype=np.int64) * blocks // len(words)
    kinds = np.unique(words * blocks + block)
    in_blocks = np.bincount(kinds // blocks, minlength=len(corpus.vocabulary))
    unknown = (in_blocks[words] == 1) | (words == UNKNOWN_ID)
    return (float(unknown.sum()) + 0.5) / (events + 1)


@dataclass(frozen=True)
class Calibration:
    """What is added to the log odds of <unk>, by how many words of the context the model has seen; the last holds for longer ones."""

    offsets: tuple[float, ...] = (0.0,)

    def __post_init__(self) -> None:
        if not self.offsets or not np.isfinite(self.offsets).all():
            raise InputError("the calibration of unknown words is a list of finite numbers, one or more")

    @property
    def is_none(self) -> bool:
        """Whether probabilities stay as they are."""
        return not any(self.offsets)

    def apply(self, log_unknown: Floats, lengths: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """The new log P(<unk> | h), and what is to be added to the log-probability of every other word."""
        z = _log_odds(log_unknown)
        new = z + np.array(self.offsets)[np.minimum(lengths, len(self.offsets) - 1)]
        return -np.logaddexp(0.0, -new), np.logaddexp(0.0, z) - np.logaddexp(0.0, new)

    @classmethod
    def to_rate(cls, log_unknown: Floats, rate: float) -> Calibration:
        """The one offset with which the mean of P(<unk> | h) is `rate`."""
        z = _log_odds(log_unknown)
        low, high = -2.0 * abs(_LEAST_LOG), 2.0 * abs(_LEAST_LOG)
        for _ in range(_STEPS):
            middle = (low + high) / 2
            if float(_logistic(z + middle).mean()) < rate:
                low = middle
            else:
                high = middle
        return cls(((low + high) / 2,))

    def fitted(self, log_unknown: Floats, lengths: NDArray[np.int64], unknown: NDArray[np.bool_]) -> Calibration:
        """The most probable offsets given which words of a text were unknown.

        A common one first, which has a normal prior around the present one, then one for each length, around the common one.
        """
        z = _log_odds(log_unknown)
        common = _most_probable(z, unknown, float(np.mean(self.offsets)), 1.0)
        every = [
            _most_probable(z[lengths == k], unknown[lengths == k], common, _PRECISION)
            for k in range(int(lengths.max(initial=0)) + 1)
        ]
        return Calibration(tuple(every))

    @classmethod
    def from_list(cls, offsets: Sequence[float]) -> Calibration:
        """Offsets from a model file."""
        return cls(tuple(float(x) for x in offsets))


def _most_probable(z: Floats, unknown: NDArray[np.bool_], prior: float, precision: float) -> float:
    """The offset of log odds `z` that makes `unknown` most probable, under a normal prior; the gradient falls with the offset."""
    low, high = prior - 2.0 * abs(_LEAST_LOG), prior + 2.0 * abs(_LEAST_LOG)
    count = float(unknown.sum())
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if count - float(_logistic(z + middle).sum()) > precision * (middle - prior):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _log_odds(log_prob: Floats) -> Floats:
    log_prob = np.clip(log_prob, _LEAST_LOG, -1e-12)
    return np.asarray(log_prob - np.log(-np.expm1(log_prob)))


def _logistic(z: Floats) -> Floats:
    return np.asarray(np.exp(-np.logaddexp(0.0, -z)))
