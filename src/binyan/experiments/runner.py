"""Run the experiments that have no result yet, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

from binyan.errors import BinyanError
from binyan.experiments.results import Result, Results
from binyan.experiments.study import Experiment, Measure, Workshop, study
from binyan.progress import Progress

# Called with an experiment and its result, or the error that stopped it.
Told = Callable[[Experiment, Result | BinyanError], None]


def run(experiments: Sequence[Experiment], workshop: Workshop, jobs: int = 1, told: Told | None = None) -> list[str]:
    """Run what is missing, `jobs` at a time; returns the names of those that failed, which do not stop the others.

    May be stopped at any moment: finished results stay, and long experiments go on from their last checkpoint. `told` is
    called as results arrive. With one job at a time each experiment shows its own progress, else all of them theirs.
    """
    results = Results(workshop.results)
    missing = [e for e in experiments if results.get(e) is None]
    failed: list[str] = []
    inner = replace(workshop, progress=None if jobs == 1 and not callable(workshop.progress) else False)
    with (
        Progress("experiments", len(missing), workshop.progress if jobs > 1 else False) as shown,
        ThreadPoolExecutor(jobs) as pool,
    ):
        futures = {pool.submit(_in_own_process, e, measure_of(e), inner): e for e in missing}
        try:
            for future in as_completed(futures):
                experiment, came = futures[future], future.result()
                if isinstance(came, BinyanError):
                    failed.append(experiment.name)
                if told is not None and came is not None:
                    told(experiment, came)
                shown.advance()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return failed


def measure_of(experiment: Experiment) -> Measure:
    """The function that runs an experiment, from its study."""
    return study(experiment.name.split("/", 1)[0]).MEASURES[experiment.measure]


def attempt(experiment: Experiment, measure: Measure, workshop: Workshop) -> Result | BinyanError | None:
    """Run one experiment here, unless it is done; None where another process is at work on it."""
    results = Results(workshop.results)
    with results.claim(experiment) as ours:
        if not ours:
            return None
        if (done := results.get(experiment)) is not None:
            return done
        started = time.monotonic()
        try:
            outcome = measure(experiment, workshop)
        except BinyanError as error:
            return error
        result = results.put(experiment, outcome, time.monotonic() - started, peak_memory())
        workshop.checkpoint(experiment).unlink(missing_ok=True)
        return result


def _in_own_process(experiment: Experiment, measure: Measure, workshop: Workshop) -> Result | BinyanError | None:
    """So that memory is measured, and given back, for each experiment alone."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as child:
        try:
            return child.submit(attempt, experiment, measure, workshop).result()
        except BrokenProcessPool:
            return BinyanError("its process was killed, perhaps for want of memory; run again to go on")


def peak_memory() -> int:
    """The most memory this process has held so far, in bytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
