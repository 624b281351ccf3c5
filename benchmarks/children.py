"""Programs run as children, with what they cost."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock, seconds of processor time, and the most memory held, in MB."""

    wall: float
    cpu: float
    megabytes: float

    def __str__(self) -> str:
        return f"{self.wall:7.2f} s  {self.cpu:7.2f} s of processor time  {self.megabytes:6.0f} MB"


def run(command: Sequence[str], stdin: Path | None = None, stdout: Path | None = None) -> Cost:
    """Run a program to its end. Raises CalledProcessError where it fails."""
    with open(stdin or os.devnull, "rb") as source, open(stdout or os.devnull, "wb") as sink:
        start = time.monotonic()
        child = subprocess.Popen(command, stdin=source, stdout=sink, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def least(costs: Sequence[Cost]) -> Cost:
    """The least of each over several rounds: what the machine's other work disturbs least."""
    return Cost(min(c.wall for c in costs), min(c.cpu for c in costs), min(c.megabytes for c in costs))
