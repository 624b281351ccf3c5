"""The loop of all samplers: chains sweep in threads, with progress and checkpoints, and Ctrl-C loses nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from binyan.progress import Progress, ProgressOption


def sweep_chains(
    sweep: Callable[[int], object],
    traces: Sequence[Sequence[Sequence[float]]],
    total: int,
    figure: str,
    progress: ProgressOption = None,
    threads: int | None = None,
    checkpoint: Callable[[], None] | None = None,
    seconds: float = 60.0,
) -> None:
    """Call `sweep(i)`, which lengthens `traces[i]` by one, until every trace has `total` entries.

    Each chain runs in a thread. Progress shows the mean of the first column under the name `figure`. `checkpoint` is called
    every `seconds`, at the end, and on Ctrl-C.
    """

    def done() -> int:
        return min(map(len, traces))

    saved = time.monotonic()
    with (
        Progress("sweeps", total, progress) as shown,
        ThreadPoolExecutor(min(threads or len(traces), len(traces))) as pool,
    ):
        shown.done = done()
        try:
            while done() < total:
                # Sweeps run in worker threads only: Ctrl-C cannot come between a sweep and its record.
                list(pool.map(sweep, [i for i, trace in enumerate(traces) if len(trace) == done()]))
                shown.advance(1, **{figure: float(np.mean([trace[-1][0] for trace in traces]))})
                if checkpoint is not None and (time.monotonic() - saved >= seconds or done() == total):
                    checkpoint()
                    saved = time.monotonic()
        except KeyboardInterrupt:
            pool.shutdown(wait=True, cancel_futures=True)
            if checkpoint is not None and done() > 0:
                checkpoint()
            raise
