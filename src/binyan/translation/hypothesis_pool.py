"""Hypotheses to choose weights on: their features and BLEU statistics, gathered over the rounds of a tuning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.signature import digest
from binyan.translation.decoder import HypothesisLists

Features = NDArray[np.float64]
_GOLDEN = 0.6180339887498949  # its multiples are spread evenly modulo 1
_SAME, _OFTEN = 1e-6, 0.02  # variance that is none; share of sentences a feature varies in to be tuned


@dataclass
class HypothesisPool:
    """Hypotheses of all rounds, without repetition: their features and BLEU statistics, by sentence."""

    features: list[Features]
    statistics: list[NDArray[np.int64]]
    seen: list[set[str]] = field(default_factory=list)

    @classmethod
    def empty(cls, sentences: int, width: int) -> HypothesisPool:
        """A pool with no hypotheses."""
        return cls(
            [np.zeros((0, width)) for _ in range(sentences)],
            [np.zeros((0, _core.BLEU_WIDTH), np.int64) for _ in range(sentences)],
            [set() for _ in range(sentences)],
        )

    def add(self, lists: HypothesisLists, statistics: NDArray[np.int64]) -> int:
        """Add hypotheses and return how many are new. Two with the same features and statistics are one."""
        added = 0
        bounds = np.searchsorted(lists.sentence, np.arange(len(self.features) + 1))
        for i, (first, last) in enumerate(pairwise(bounds)):
            new = []
            for h in range(first, last):
                key = hypothesis_key(lists.features[h], statistics[h])
                if key not in self.seen[i]:
                    self.seen[i].add(key)
                    new.append(h)
            if new:
                self.features[i] = np.concatenate([self.features[i], lists.features[new]])
                self.statistics[i] = np.concatenate([self.statistics[i], statistics[new]])
                added += len(new)
        return added

    def restore(self, features: Features, statistics: NDArray[np.int64], offsets: NDArray[np.uint64]) -> None:
        """The inverse of `flat`."""
        rows, counts = features.reshape(-1, self.features[0].shape[1]), statistics.reshape(-1, _core.BLEU_WIDTH)
        for i, (first, last) in enumerate(pairwise(offsets.astype(np.int64))):
            self.features[i], self.statistics[i] = rows[first:last], counts[first:last]
            self.seen[i] = {hypothesis_key(f, s) for f, s in zip(rows[first:last], counts[first:last], strict=True)}

    def reach(self) -> Features:
        """1 / the standard deviation of each feature within a sentence; 0 for features that hardly ever vary.

        A feature that is the same for all hypotheses of nearly every sentence cannot be tuned: its weight would fit the few.
        """
        variances = np.array([f.var(axis=0) for f in self.features if len(f)])
        deviation = np.sqrt(variances.mean(axis=0))
        varies = (variances > _SAME).mean(axis=0) >= _OFTEN
        return np.where(varies, 1 / np.maximum(deviation, _SAME), 0.0)

    def flat(self) -> tuple[Features, NDArray[np.int64], NDArray[np.uint64]]:
        """(features, statistics, offsets by sentence) as the core takes them."""
        offsets = np.concatenate([[0], np.cumsum([len(f) for f in self.features])]).astype(np.uint64)
        return np.concatenate(self.features).reshape(-1), np.concatenate(self.statistics).reshape(-1), offsets


class References:
    """Reference translations as ids, one list of them per sentence."""

    def __init__(self, references: Sequence[Sequence[Sequence[str]]]) -> None:
        self._ids: dict[str, int] = {}
        words: list[int] = []
        offsets, sentences = [0], [0]
        for of_sentence in references:
            for reference in of_sentence:
                words.extend(self._ids.setdefault(w, len(self._ids)) for w in reference)
                offsets.append(len(words))
            sentences.append(len(offsets) - 1)
        self._arrays = np.array(words, np.uint32), np.array(offsets, np.uint64), np.array(sentences, np.uint64)

    def statistics(self, lists: HypothesisLists) -> NDArray[np.int64]:
        """BLEU statistics, one row per hypothesis."""
        other = len(self._ids)  # one id for all words in no reference
        ids = np.fromiter((self._ids.get(w, other) for w in lists.vocabulary), np.uint32, len(lists.vocabulary))
        words = ids[lists.words] if len(lists.words) else lists.words
        return _core.bleu_statistics(words, lists.offsets, lists.sentence, *self._arrays).reshape(-1, _core.BLEU_WIDTH)


def with_reference_lengths(
    statistics: NDArray[np.int64], sentence: NDArray[np.uint32], factor: float
) -> NDArray[np.int64]:
    """BLEU statistics as if references had `factor` times as many words, rounded up or down by sentence so that sums are right."""
    changed = statistics.copy()
    changed[:, 9] = np.floor(statistics[:, 9] * factor + sentence * _GOLDEN % 1)
    return changed


def hypothesis_key(features: Features, statistics: NDArray[np.int64]) -> str:
    """What two hypotheses that are counted as one have in common."""
    return digest(np.round(features, 4).tobytes(), statistics.tobytes())


def bleu_of(statistics: NDArray[Any]) -> float:
    """BLEU (0 to 1) of summed statistics."""
    matches, totals, (length, reference) = statistics[:4], statistics[4:8], statistics[8:10]
    if min(matches) <= 0:
        return 0.0
    return float(np.exp(np.mean(np.log(matches / totals)) + min(0.0, 1 - reference / length)))
