"""How long training will take, measured on the beginning of the text; and training that ends when time has run out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from binyan.best_model.candidates import Candidate, TrainingRequest
from binyan.best_model.stopwatch import Stopwatch

_SMALL, _LARGE = 64, 16  # the shares of the text that are timed: a 64th and a 16th
_LEAST, _MOST = 500, 100_000  # tokens of the larger slice
_STEEPEST = 1.5  # power of the size by which the time of what is shared may grow
_SHALLOWEST = 0.3  # of what it would take if all of the time of a slice grew with the size


class OutOfTimeError(Exception):
    """Training took longer than there was time for."""


@dataclass
class Budget:
    """A progress option that raises OutOfTimeError once the stopwatch is past `limit` seconds."""

    watch: Stopwatch
    limit: float

    @property
    def left(self) -> float:
        """Seconds left."""
        return self.limit - self.watch.seconds

    def by_clock(self, seconds: float) -> float:
        """How long `seconds` that count will take by the clock, if the machine stays as busy as it was."""
        return seconds * max(1.0, self.watch.clock / max(self.watch.seconds, 1e-3))

    def __call__(self, done: int, total: int | None, figures: dict[str, float]) -> None:
        """Called after each step of training."""
        if self.left < 0:
            raise OutOfTimeError


def estimate_seconds(candidate: Candidate, request: TrainingRequest, budget: Budget) -> float:
    """How long the candidate will take, from the times of two slices of the text; infinite where even these take too long.

    What it shares with other candidates, such as the word map, counts where it is not there yet.
    """
    tokens = len(request.corpus.words)
    large = min(max(tokens // _LARGE, _LEAST), _MOST, tokens)
    sizes = (max(1, large * _LARGE // _SMALL), large)
    parts = [request.first(size) for size in sizes]
    try:
        if candidate.needs:  # what is done on first use only is not timed
            candidate.train(replace(parts[0], progress=budget))
        own = [_own_seconds(candidate, replace(part, progress=budget)) for part in parts]
    except OutOfTimeError:
        return math.inf
    missing = [name for name in candidate.shares if name not in request.shared.values]
    shared = [[part.shared.seconds.get(name, 0.0) for part in parts] for name in missing]
    each = [(own, candidate.steepest), *((times, _STEEPEST) for times in shared)]
    return sum(_extrapolated(sizes, [max(1e-3, t) for t in times], tokens, steepest) for times, steepest in each)


def _own_seconds(candidate: Candidate, part: TrainingRequest) -> float:
    """How long training takes, without what is shared."""
    watch, before = Stopwatch(), part.shared.spent
    candidate.train(part)
    return watch.seconds - (part.shared.spent - before)


def _extrapolated(sizes: Sequence[int], times: Sequence[float], tokens: int, steepest: float) -> float:
    """The time of the whole: growing as a power of the size, at most `steepest`, or with a part that does not grow where that explains the two times."""
    (small, large), (quick, slow) = sizes, times
    linear = slow * tokens / large
    if small == large:
        return linear
    growth = math.log(slow / quick) / math.log(large / small)
    if growth >= 1:
        return float(slow * (tokens / large) ** min(growth, steepest))
    per_token = max(0.0, slow - quick) / (large - small)
    return max(slow + per_token * (tokens - large), _SHALLOWEST * linear)
