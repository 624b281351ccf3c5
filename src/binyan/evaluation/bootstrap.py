"""Confidence intervals by the bootstrap: words are drawn with replacement, and the figure is computed again each time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Interval:
    """Where a figure lies with the stated confidence."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"[{self.low:.1f}, {self.high:.1f}]"


def known(figure: float) -> float | None:
    """The figure for JSON: null where it is not a number."""
    return None if math.isnan(figure) else figure


def bootstrap(
    counts: NDArray[np.float64],
    figure: Callable[[NDArray[np.float64]], float],
    samples: int = 1000,
    confidence: float = 0.95,
    seed: int = 1,
) -> Interval:
    """The percentile interval of a figure of summed counts.

    `counts` has one row per word; `figure` maps the sums of its columns to the figure (an F-score, an accuracy).
    """
    counts = np.asarray(counts, dtype=np.float64)
    if not len(counts):
        return Interval(float("nan"), float("nan"))
    random = np.random.default_rng(seed)
    figures = np.empty(samples)
    for i in range(samples):
        weights = np.bincount(random.integers(len(counts), size=len(counts)), minlength=len(counts))
        figures[i] = figure(weights @ counts)
    tail = (1 - confidence) / 2
    low, high = np.quantile(figures, [tail, 1 - tail])
    return Interval(float(low), float(high))
