"""The loop of all samplers: chains sweep in threads of this machine or on the workers of a cluster, with progress and checkpoints.

Chains have random streams of their own, so the result is the same bit for bit wherever they run. Ctrl-C loses nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np

from binyan.errors import BinyanError
from binyan.parallel import run_each
from binyan.progress import Progress, ProgressOption


class ChainSampler(Protocol):
    """What the loop needs of a sampler. Chains are counted from 0 in the order of `traces`."""

    @property
    def traces(self) -> Sequence[Sequence[Sequence[float]]]:
        """The figures after each sweep of each chain; a sweep lengthens the trace of its chain by one."""

    @property
    def total_sweeps(self) -> int:
        """Sweeps of each chain when sampling is done."""

    def round_done(self) -> None:
        """Called before the first and after every round of sweeps of all chains; `total_sweeps` may be smaller afterwards."""

    @property
    def figure(self) -> str:
        """The name of the first figure of a trace, which progress shows."""

    def advance(self, chain: int) -> None:
        """One sweep of a chain, initialised first where it has not begun; called from a thread."""

    def chain_to_bytes(self, chain: int) -> bytes:
        """All that sampling a chain elsewhere needs, for `sample_chain`."""

    def take_chain(self, chain: int, data: bytes) -> None:
        """Take up a chain that `sample_chain` has brought to the end of its schedule."""

    @property
    def sample_chain(self) -> Callable[[bytes], bytes]:
        """A function that brings the chain of `chain_to_bytes` to the end of its schedule; it runs on a worker of a cluster."""


def run_chains(
    sampler: ChainSampler,
    *,
    progress: ProgressOption = None,
    threads: int | None = None,
    checkpoint: Callable[[], None] | None = None,
    seconds: float = 60.0,
    scheduler: str | None = None,
) -> None:
    """Bring every chain to the end of its schedule.

    Each chain runs in a thread, at most `threads` at a time; or, with the address of a Dask `scheduler`, on one of its workers.
    `checkpoint` is called every `seconds`, at the end, and on Ctrl-C; on a cluster, whenever a chain is done.
    """
    if scheduler is None:
        _run_here(sampler, progress, threads, checkpoint, seconds)
    else:
        _run_on_cluster(sampler, progress, checkpoint, scheduler)


def _run_here(
    sampler: ChainSampler,
    progress: ProgressOption,
    threads: int | None,
    checkpoint: Callable[[], None] | None,
    seconds: float,
) -> None:
    traces = sampler.traces

    def done() -> int:
        return min(map(len, traces))

    saved = time.monotonic()
    with (
        Progress("sweeps", sampler.total_sweeps, progress) as bar,
        ThreadPoolExecutor(min(threads or len(traces), len(traces))) as pool,
    ):
        bar.done = done()
        try:
            sampler.round_done()
            while done() < (total := sampler.total_sweeps):
                bar.total = total
                # Sweeps run in worker threads only: Ctrl-C cannot come between a sweep and its record.
                list(pool.map(sampler.advance, [i for i, trace in enumerate(traces) if len(trace) == done()]))
                bar.advance(1, **{sampler.figure: float(np.mean([trace[-1][0] for trace in traces]))})
                if checkpoint is not None and (time.monotonic() - saved >= seconds or done() == total):
                    checkpoint()
                    saved = time.monotonic()
                sampler.round_done()
        except KeyboardInterrupt:
            pool.shutdown(wait=True, cancel_futures=True)
            if checkpoint is not None and done() > 0:
                checkpoint()
            raise


def _run_on_cluster(
    sampler: ChainSampler, progress: ProgressOption, checkpoint: Callable[[], None] | None, scheduler: str
) -> None:
    unfinished = [i for i, trace in enumerate(sampler.traces) if len(trace) < sampler.total_sweeps]
    jobs = [sampler.chain_to_bytes(i) for i in unfinished]
    failure: BinyanError | None = None
    for place, result in run_each(sampler.sample_chain, jobs, scheduler=scheduler, progress=progress, what="chains"):
        if isinstance(result, BinyanError):
            failure = result
            continue
        sampler.take_chain(unfinished[place], result)
        if checkpoint is not None:
            checkpoint()
    if failure is not None:
        raise failure
