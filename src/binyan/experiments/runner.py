"""Run the experiments that have no result yet, each in a process of its own or on a cluster."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from binyan.errors import BinyanError
from binyan.experiments.data_files import changed_files, digests
from binyan.experiments.experiment import Experiment, Measure, Workspace
from binyan.experiments.results import Result, ResultFiles, Results
from binyan.experiments.studies import measure_of
from binyan.memory import allowed_memory
from binyan.parallel import run_each

# Called with an experiment and its result, or the error that stopped it.
ResultCallback = Callable[[Experiment, Result | BinyanError], None]
# An experiment, its measure, where it works, and whether it is run though it has a result.
Job = tuple[Experiment, Measure, Workspace, bool]


def run_missing(
    experiments: Sequence[Experiment],
    workspace: Workspace,
    jobs: int = 1,
    on_result: ResultCallback | None = None,
    scheduler: str | None = None,
    again: bool = False,
) -> dict[str, BinyanError]:
    """Run the experiments without a result, `jobs` at a time. A failure does not stop the others; returns failures by name.

    An experiment whose result is of data files with another content is run too, and with `again` every experiment. Analyses of
    what other experiments stored come last.

    May be stopped at any moment: finished results stay, and long experiments resume from their last checkpoint.
    `on_result` is called as results arrive. With one job at a time each experiment shows its own progress; with several
    there is one progress bar over all experiments.

    With the address of a Dask `scheduler` its workers run them. They need the data and the results folder under the same
    paths. Each machine may have its own results folder, since results are sent back here.
    """
    results = Results(workspace.results)
    results.bind_to(workspace.data)
    missing = [e for e in experiments if again or not _is_done(results.get(e), workspace)]
    one_at_a_time = jobs == 1 and scheduler is None
    inner = replace(
        workspace,
        data=workspace.data.absolute(),
        results=workspace.results.absolute(),
        opened=set(),
        progress=None if one_at_a_time and not callable(workspace.progress) else False,
    )
    failures: dict[str, BinyanError] = {}
    outcome: Result | ResultFiles | BinyanError | None
    for chosen in ([e for e in missing if not e.is_analysis], [e for e in missing if e.is_analysis]):
        work: list[Job] = [(e, measure_of(e), inner, again) for e in chosen]
        for place, outcome in run_each(
            _run_here if scheduler is None else _run_on_worker,
            work,
            scheduler=scheduler,
            workers=jobs,
            progress=False if one_at_a_time else workspace.progress,
            what="experiments",
        ):
            experiment = chosen[place]
            if isinstance(outcome, ResultFiles):
                outcome = results.receive(experiment, outcome)
            if isinstance(outcome, BinyanError):
                failures[experiment.name] = outcome
            if on_result is not None and outcome is not None:
                on_result(experiment, outcome)
    return failures


def run_one(
    experiment: Experiment, measure: Measure, workspace: Workspace, again: bool = False, wait: bool = False
) -> Result | None:
    """Run one experiment in this process, unless it has a result of the data at hand; with `again` in any case.

    While another process is running it, the answer is None, or with `wait` the result of that process.
    """
    results = Results(workspace.results)
    with results.claim(experiment, wait) as claimed:
        if not claimed:
            return None
        finished = results.get(experiment)
        if finished is not None and not again and _is_done(finished, workspace):
            return finished
        started, before = time.monotonic(), sum(os.times()[:4])
        own = replace(workspace, opened=set())
        with allowed_memory(workspace.memory):
            outcome = measure(experiment, own)
        files = digests(workspace.data, own.opened)
        seconds, used = time.monotonic() - started, sum(os.times()[:4]) - before
        result = results.put(experiment, outcome, seconds, peak_memory(), files, used)
        workspace.checkpoint(experiment).unlink(missing_ok=True)
        return result


def _is_done(result: Result | None, workspace: Workspace) -> bool:
    return result is not None and not changed_files(result, workspace.data)


def _run_here(job: Job) -> Result | None:
    return run_one(*job)


def _run_on_worker(job: Job) -> ResultFiles:
    # Another worker that has lost the scheduler may still be running the experiment.
    result = run_one(*job, wait=True)
    assert result is not None
    return result.files()


def peak_memory() -> int:
    """The most memory this process has held so far, in bytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
