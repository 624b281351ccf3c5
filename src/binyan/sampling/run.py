"""How and where a sampler runs."""

from __future__ import annotations

from dataclasses import dataclass

from binyan.files import PathLike
from binyan.progress import ProgressOption


@dataclass(frozen=True)
class Run:
    """How and where training runs; none of it changes the result.

    `checkpoint` names a file that is written every `checkpoint_seconds` and on Ctrl-C; with `resume`, training is resumed from it
    if it exists. Chains run in at most `threads` threads, or on the workers of the Dask `scheduler` at that address.
    """

    checkpoint: PathLike | None = None
    checkpoint_seconds: float = 60.0
    resume: bool = False
    threads: int | None = None
    scheduler: str | None = None
    progress: ProgressOption = None
