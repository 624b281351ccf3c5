"""Time that training took: of the processor where the machine is busy with other work, by the clock where several cores work at once."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Stopwatch:
    """Time since it was made: by the `clock`, of the `processor`, and the smaller of both, which is what `seconds` counts."""

    started: tuple[float, float] = field(default_factory=lambda: _now())

    @property
    def clock(self) -> float:
        """Seconds by the clock."""
        return _now()[0] - self.started[0]

    @property
    def processor(self) -> float:
        """Seconds of all cores, child processes that have ended included."""
        return _now()[1] - self.started[1]

    @property
    def seconds(self) -> float:
        """Seconds that count."""
        return min(self.clock, self.processor)


def _now() -> tuple[float, float]:
    ended = os.times()
    return time.monotonic(), time.process_time() + ended.children_user + ended.children_system
