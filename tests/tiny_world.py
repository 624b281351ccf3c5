"""A corpus so small that every seating arrangement of its HPYLM can be enumerated."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from binyan._core import ContextTree
from reference.restaurant import Hierarchy

BEGIN, END = 1, 2


def tree_of(sentences: Sequence[Sequence[int]], order: int, vocabulary_size: int) -> ContextTree:
    words = np.array([w for s in sentences for w in s], dtype=np.uint32)
    offsets = np.cumsum([0] + [len(s) for s in sentences]).astype(np.uint64)
    return ContextTree.build(words, offsets, order, vocabulary_size)


def events_of(sentences: Sequence[Sequence[int]], order: int) -> list[tuple[tuple[int, ...], int]]:
    result = []
    for sentence in sentences:
        text = [BEGIN, *sentence, END]
        result += [(tuple(text[max(0, i - order + 1) : i]), text[i]) for i in range(1, len(text))]
    return result


def contexts_of(tree: ContextTree) -> list[list[tuple[int, ...]]]:
    """The words of every context of every level, in the order of the text."""
    result: list[list[tuple[int, ...]]] = [[()]]
    for k in range(1, tree.order):
        level = tree.level(k)
        pairs = zip(level["left_word"], level["context_parent"], strict=True)
        result.append([(int(w), *result[k - 1][int(p)]) for w, p in pairs])
    return result


def seating_of(model: Any, tree: ContextTree, contexts: list[list[tuple[int, ...]]]) -> Hierarchy:
    """The core's seating in the reference's restaurants."""
    hierarchy = Hierarchy(model.hyperparameters, 1.0 / (tree.vocabulary_size - 1))
    for k in range(tree.order):
        level = tree.level(k)
        for e in range(tree.entries(k)):
            restaurant = hierarchy.at(contexts[k][int(level["context"][e])])
            sizes = [s for s, n in model.table_sizes(k, e) for _ in range(n)]
            restaurant.sizes[int(level["word"][e])] = sizes
    return hierarchy


def enumerate_seatings(hierarchy: Any, events: Sequence[tuple[Any, Any]]) -> Iterator[float]:
    """Put all events into the hierarchy in every way; yields the joint probability while the hierarchy holds the seating."""
    if not events:
        yield 1.0
        return
    for p in hierarchy.seatings(*events[0]):
        for q in enumerate_seatings(hierarchy, events[1:]):
            yield p * q


def exact_posterior(
    hierarchy: Any, events: Sequence[tuple[Any, Any]], weigh: Callable[[], float] | None = None
) -> dict[Any, float]:
    """Posterior of each seating. `weigh()` replaces the joint probability (hyperparameters integrated out)."""
    weights: dict[Any, float] = defaultdict(float)
    for p in enumerate_seatings(hierarchy, events):
        weights[hierarchy.state()] += p if weigh is None else weigh()
    total = math.fsum(weights.values())
    return {state: w / total for state, w in weights.items()}


def standard_error(values: np.ndarray, batches: int = 40) -> float:
    """Of the mean of correlated draws, from means of batches."""
    means = values[: len(values) // batches * batches].reshape(batches, -1).mean(axis=1)
    return float(means.std(ddof=1) / math.sqrt(batches))
