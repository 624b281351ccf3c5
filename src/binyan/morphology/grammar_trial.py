"""A trial of a grammar: learnt from some words, asked about words that were held back."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from binyan.grammar.rules import Grammar
from binyan.morphology.adaptor import AdaptorSampler
from binyan.morphology.posterior import Posterior
from binyan.morphology.settings import MorphologySettings
from binyan.morphology.word_list import WordList

_HELD_BACK = 0.2
_UNDERIVED_BITS_PER_LETTER = 20.0  # of a word that a grammar cannot derive: more than any letter of an alphabet costs
_SNAPSHOTS = 4


@dataclass(frozen=True)
class Split:
    """Words to learn from, and words held back."""

    learnt: WordList
    held: tuple[str, ...]

    @property
    def letters(self) -> NDArray[np.float64]:
        """The atoms of each word held back, its end counted as one."""
        return np.array([len(self.learnt.atoms(word)) + 1.0 for word in self.held])


def splits_of(words: WordList, most: int, count: int, seed: int) -> list[Split]:
    """`count` splits of the same `most` words, whose held-back words do not overlap."""
    order = list(words.words)
    random.Random(seed).shuffle(order)
    order = order[:most]
    size = max(1, int(len(order) * _HELD_BACK))
    return [
        Split(_listed(order[: i * size] + order[(i + 1) * size :], words), tuple(order[i * size : (i + 1) * size]))
        for i in range(count)
    ]


def _listed(words: Sequence[str], like: WordList) -> WordList:
    return WordList(tuple(words), (1,) * len(words), like.preparation, like.unit)


def learn_briefly(grammar: Grammar, words: WordList, sweeps: int, seed: int, memory_mb: int) -> Posterior:
    """What one chain of a few sweeps has learnt."""
    settings = MorphologySettings(
        sweeps=sweeps,
        burn_in=sweeps * 2 // 3,
        chains=1,
        seed=seed,
        snapshots=_SNAPSHOTS,
        memory_mb=memory_mb,
    )
    sampler = AdaptorSampler(grammar, words, settings)
    sampler.run(progress=False, threads=1)
    return Posterior.of(sampler)


def bits_of(posterior: Posterior, split: Split) -> NDArray[np.float64]:
    """Minus log2 P(word) of each word held back. A word that cannot be derived costs more than any that can."""
    logs = np.array([posterior.log_probability(word) for word in split.held])
    return np.where(np.isfinite(logs), -logs / math.log(2.0), split.letters * _UNDERIVED_BITS_PER_LETTER)
