"""Weights that give the fewest word errors on n-best lists: exact line searches (Och 2003), with word error rate in BLEU's place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from binyan.translation.hypothesis_pool import Features

Errors = NDArray[np.int64]
_NARROW = 1e-9  # a stretch between two corners that are one, but for rounding


def word_errors(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    """How many words must be replaced, left out or put in to make one sentence of the other.

    >>> word_errors("das alte haus".split(), "das haus ist alt".split())
    3
    """
    row = list(range(len(reference) + 1))
    for i, word in enumerate(hypothesis, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(reference, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != right))
    return row[-1]


def errors_at(features: Sequence[Features], errors: Sequence[Errors], weights: Features) -> int:
    """The errors of the hypotheses that `weights` choose; the first of equals, as in a sorted list."""
    return sum(int(e[int(np.argmax(f @ weights))]) for f, e in zip(features, errors, strict=True))


def fewest_errors(
    features: Sequence[Features],
    errors: Sequence[Errors],
    start: Features,
    random: np.random.Generator,
    restarts: int = 8,
) -> tuple[Features, int]:
    """Weights with the fewest errors, searched from `start` and from random points near it; and how many remain.

    Features are tried at the scale at which they vary within a list. Of weights that do equally well, `start` is kept.
    """
    spread = np.sqrt(np.mean([f.var(axis=0) for f in features], axis=0))
    reach = np.where(spread > 1e-6, 1 / np.maximum(spread, 1e-6), 0.0)
    size = float(np.abs(start) @ spread) / max(1, int((reach > 0).sum())) or 1.0
    starts = [start, *(start + draw * reach * size for draw in random.uniform(-2, 2, (restarts, len(start))))]
    best, fewest = start, errors_at(features, errors, start)
    for point in starts:
        weights, count = _descend(features, errors, point, reach, random)
        if count < fewest:
            best, fewest = weights, count
    return best, fewest


def _descend(
    features: Sequence[Features],
    errors: Sequence[Errors],
    weights: Features,
    reach: Features,
    random: np.random.Generator,
) -> tuple[Features, int]:
    """Line searches along each feature and along random mixtures, until a whole round of them gains nothing."""
    count, before = errors_at(features, errors, weights), -1
    while count != before:
        before = count
        mixtures = random.standard_normal((1 + len(weights) // 2, len(weights)))
        for direction in np.concatenate([np.eye(len(weights)), mixtures]) * reach:
            if direction.any():
                candidate = weights + _best_step(features, errors, weights, direction) * direction
                reached = errors_at(features, errors, candidate)
                if reached < count:
                    weights, count = candidate, reached
    return weights, count


def _best_step(features: Sequence[Features], errors: Sequence[Errors], weights: Features, direction: Features) -> float:
    """The step along `direction` with the fewest errors: the middle of the widest stretch that has them."""
    places, changes = list[float](), list[int]()
    total = 0
    for f, e in zip(features, errors, strict=True):
        corners, chosen = _envelope(f @ weights, f @ direction)
        total += int(e[chosen[0]])
        places += corners
        changes += [int(e[b] - e[a]) for a, b in pairwise(chosen)]
    if not places:
        return 0.0
    order = np.argsort(places, kind="stable")
    at = np.array(places)[order]
    counts = total + np.concatenate([[0], np.cumsum(np.array(changes)[order])])
    edges = np.concatenate([[at[0] - 2.0], at, [at[-1] + 2.0]])
    widths = np.diff(edges)
    widths[counts > counts[widths > _NARROW].min()] = -1.0
    stretch = int(np.argmax(widths))
    return float((edges[stretch] + edges[stretch + 1]) / 2)


def _envelope(level: Features, slope: Features) -> tuple[list[float], list[int]]:
    """Which hypothesis has the highest level + step x slope, from the lowest step to the highest, and where that changes."""
    corners, chosen = list[float](), list[int]()
    for h in np.lexsort((-np.arange(len(level)), level, slope)).tolist():  # of hypotheses that are alike, the first
        if chosen and slope[h] == slope[chosen[-1]]:
            chosen.pop()  # parallel, and not higher
            del corners[len(chosen) - 1 if chosen else 0 :]
        while chosen:
            crossing = float((level[chosen[-1]] - level[h]) / (slope[h] - slope[chosen[-1]]))
            if not corners or crossing > corners[-1]:
                corners.append(crossing)
                break
            chosen.pop()
            corners.pop()
        chosen.append(h)
    return corners, chosen
