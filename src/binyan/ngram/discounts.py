"""Kneser-Ney discounts fitted to development text, as Chen and Goodman (1998) fitted theirs.

The closed form of the discounts asks how often n-grams of the training text would be met in more text like it. Text from
elsewhere, as another novel, holds fewer of the long ones: then larger discounts are better.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from binyan import _core
from binyan.progress import Progress, ProgressOption
from binyan.text import Corpus
from binyan.text.vocabulary import BEGIN_ID, END_ID

_LEAST = 0.01  # a discount of 0 would leave nothing for words not seen after a context
_NONE = np.iinfo(np.uint32).max


@dataclass(frozen=True)
class _Level:
    """What one level of context lengths knows of each event of the development text."""

    reached: NDArray[np.bool_]  # whether the context of this length was seen
    count: NDArray[np.int64]  # the adjusted count of the n-gram, 0 where it was not seen or is pruned
    total: NDArray[np.int64]  # of all adjusted counts after the context
    kinds: NDArray[np.int64]  # (events, 3): the words seen after the context with adjusted count 1, 2, 3 or more
    pruned: NDArray[np.int64]  # the adjusted counts of the others


def fit_discounts(
    tree: _core.ContextTree,
    development: Corpus,
    start: NDArray[np.float64],  # (order, 3)
    thresholds: Sequence[int],
    progress: ProgressOption = False,
) -> NDArray[np.float64]:
    """The discounts that make the events of `development` most probable, from `start`.

    `thresholds` are those of pruning, one an order.
    """
    levels = _levels(tree, development, thresholds)
    uniform = 1 / (tree.vocabulary_size - 1)  # <s> is no event

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        p, gradient = probabilities(levels, flat.reshape(start.shape), uniform)
        value = float(-np.log(p).mean())
        bar.advance(perplexity=math.exp(value))
        return value, -(gradient / p).mean(2).ravel()

    bounds = [(_LEAST, float(j)) for _ in levels for j in (1, 2, 3)]
    with Progress("discounts fitted, steps", show=progress) as bar:
        optimum = minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(optimum.x.reshape(start.shape))


def probabilities(
    levels: Sequence[_Level], discounts: NDArray[np.float64], uniform: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # (events,), (order, 3, events)
    """The probability of each event, and its derivatives with respect to the discounts (thesis, equation 2.5, section 2.2.2.1)."""
    events = len(levels[0].count)
    p = np.full(events, uniform)
    gradient = np.zeros((len(levels), 3, events))
    for k, (level, d) in enumerate(zip(levels, discounts, strict=True)):
        kind = np.minimum(level.count, 3)
        freed = (level.kinds @ d + level.pruned) / level.total
        seen = (level.count - np.append(0.0, d)[kind]) / level.total
        gradient[:k] *= np.where(level.reached, freed, 1.0)
        here = level.kinds.T * p
        here[kind[kind > 0] - 1, np.flatnonzero(kind)] -= 1.0
        gradient[k] = np.where(level.reached, here / level.total, 0.0)
        p = np.where(level.reached, seen + freed * p, p)
    return p, gradient


def _levels(tree: _core.ContextTree, corpus: Corpus, thresholds: Sequence[int]) -> list[_Level]:
    places = np.array(list(_places(tree, corpus)), np.int64).reshape(-1, tree.order, 2)
    stored = [tree.level(k) for k in range(tree.order)]
    levels = []
    for k, (level, threshold) in enumerate(zip(stored, thresholds, strict=True)):
        adjusted = level["count"].astype(np.int64)
        if k + 1 < tree.order:
            adjusted = np.bincount(stored[k + 1]["parent"], minlength=len(adjusted))
            if k > 0:  # to the left of <s> is nothing
                adjusted = np.where(level["left_word"][level["context"]] == BEGIN_ID, level["count"], adjusted)
        kept = level["count"] > threshold
        first = level["first_entry"][:-1].astype(np.int64)

        def summed(values: NDArray[np.generic], first: NDArray[np.int64] = first) -> NDArray[np.int64]:
            return np.asarray(np.add.reduceat(values, first, dtype=np.int64))

        kind = np.where(kept, np.minimum(adjusted, 3), 0)
        kinds = np.stack([summed(kind == j) for j in (1, 2, 3)], axis=1)
        contexts, entries = places[:, k].T
        reached = contexts >= 0
        of = np.maximum(contexts, 0)
        levels.append(
            _Level(
                reached,
                np.where(entries >= 0, np.where(kept, adjusted, 0)[entries], 0),
                np.where(reached, summed(adjusted)[of], 1),
                np.where(reached[:, None], kinds[of], 0),
                np.where(reached, summed(np.where(kept, 0, adjusted))[of], 0),
            )
        )
    return levels


def _places(tree: _core.ContextTree, corpus: Corpus) -> Iterator[list[tuple[int, int]]]:
    """For each event its context and entry on each level, -1 where the tree has none."""
    for start, end in zip(corpus.offsets[:-1].tolist(), corpus.offsets[1:].tolist(), strict=True):
        words = [BEGIN_ID, *corpus.words[start:end].tolist(), END_ID]
        for i in range(1, len(words)):
            row, context = [], 0
            for k in range(min(tree.order, i + 1)):
                if k > 0 and (context := tree.find_child(k - 1, context, words[i - k])) == _NONE:
                    break
                entry = tree.find_entry(k, context, words[i])
                row.append((context, -1 if entry == _NONE else entry))
            yield row + [(-1, -1)] * (tree.order - len(row))
