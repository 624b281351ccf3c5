"""Run the experiments that have no result yet, each in a process of its own or on a cluster."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from binyan.errors import BinyanError
from binyan.experiments.results import Packed, Result, Results
from binyan.experiments.study import Experiment, Measure, Workshop, study
from binyan.parallel import run_each

# Called with an experiment and its result, or the error that stopped it.
Told = Callable[[Experiment, Result | BinyanError], None]
Job = tuple[Experiment, Measure, Workshop]


def run(
    experiments: Sequence[Experiment],
    workshop: Workshop,
    jobs: int = 1,
    told: Told | None = None,
    scheduler: str | None = None,
) -> list[str]:
    """Run what is missing, `jobs` at a time; returns the names of those that failed, which do not stop the others.

    May be stopped at any moment: finished results stay, and long experiments go on from their last checkpoint. `told` is
    called as results arrive. With one job at a time each experiment shows its own progress, else all of them theirs.

    With the address of a Dask `scheduler` its workers run them. They need the data and the results folder under the same
    paths; the folder may be shared or each machine's own, for results come back here either way.
    """
    results = Results(workshop.results)
    results.belong_to(workshop.data)
    missing = [e for e in experiments if results.get(e) is None]
    failed: list[str] = []
    alone = jobs == 1 and scheduler is None
    inner = replace(
        workshop,
        data=workshop.data.absolute(),
        results=workshop.results.absolute(),
        progress=None if alone and not callable(workshop.progress) else False,
    )
    work: list[Job] = [(e, measure_of(e), inner) for e in missing]
    shown = False if alone else workshop.progress
    came: Result | Packed | BinyanError | None
    for place, came in run_each(
        _here if scheduler is None else _elsewhere,
        work,
        scheduler=scheduler,
        workers=jobs,
        progress=shown,
        what="experiments",
    ):
        experiment = missing[place]
        if isinstance(came, Packed):
            came = results.keep(experiment, came)
        if isinstance(came, BinyanError):
            failed.append(experiment.name)
        if told is not None and came is not None:
            told(experiment, came)
    return failed


def measure_of(experiment: Experiment) -> Measure:
    """The function that runs an experiment, from its study."""
    return study(experiment.name.split("/", 1)[0]).MEASURES[experiment.measure]


def attempt(experiment: Experiment, measure: Measure, workshop: Workshop, wait: bool = False) -> Result | None:
    """Run one experiment here, unless it is done. Where another process is at work on it: None, or `wait` for it."""
    results = Results(workshop.results)
    with results.claim(experiment, wait) as ours:
        if not ours:
            return None
        if (done := results.get(experiment)) is not None:
            return done
        started = time.monotonic()
        outcome = measure(experiment, workshop)
        result = results.put(experiment, outcome, time.monotonic() - started, peak_memory())
        workshop.checkpoint(experiment).unlink(missing_ok=True)
        return result


def _here(job: Job) -> Result | None:
    return attempt(*job)


def _elsewhere(job: Job) -> Packed:
    # A worker that lost its scheduler may still be at work on what we are asked to run again.
    result = attempt(*job, wait=True)
    assert result is not None
    return result.packed()


def peak_memory() -> int:
    """The most memory this process has held so far, in bytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
