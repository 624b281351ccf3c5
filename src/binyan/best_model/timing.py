"""How long training will take, measured on the beginning of the text; and training that ends when time has run out."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

from binyan.best_model.candidates import Candidate, TrainingRequest

_SMALL, _LARGE = 64, 16  # the shares of the text that are timed: a 64th and a 16th
_LEAST, _MOST = 500, 100_000  # tokens of the larger slice
_GROWTH = 1.0, 1.5  # bounds of the power of the size by which time grows


class OutOfTimeError(Exception):
    """Training took longer than there was time for."""


@dataclass
class Clock:
    """A progress option that raises OutOfTimeError after `deadline`, a reading of `time.monotonic`."""

    deadline: float

    @property
    def left(self) -> float:
        """Seconds left."""
        return self.deadline - time.monotonic()

    def __call__(self, done: int, total: int | None, figures: dict[str, float]) -> None:
        """Called after each step of training."""
        if self.left < 0:
            raise OutOfTimeError


def estimate_seconds(candidate: Candidate, request: TrainingRequest, clock: Clock) -> float:
    """How long the candidate will take, from the times of two slices of the text; infinite where even these take too long."""
    tokens = len(request.corpus.words)
    large = min(max(tokens // _LARGE, _LEAST), _MOST, tokens)
    sizes = (max(1, large * _LARGE // _SMALL), large)
    times = []
    for size in sizes:
        started = time.monotonic()
        try:
            candidate.train(replace(request.first(size), progress=clock))
        except OutOfTimeError:
            return math.inf
        times.append(max(1e-3, time.monotonic() - started))
    growth = math.log(times[1] / times[0]) / math.log(sizes[1] / sizes[0]) if sizes[1] > sizes[0] else 1.0
    return float(times[1] * (tokens / large) ** min(max(growth, _GROWTH[0]), _GROWTH[1]))
