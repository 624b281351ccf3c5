"""The thesis's experiments in four calls: `listing`, `status`, `run` and `report`, as the commands of `binyan reproduce`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from binyan import __version__
from binyan.errors import BinyanError
from binyan.experiments.data_files import changed_files
from binyan.experiments.experiment import Experiment, Workspace, data_folder
from binyan.experiments.front_page import Report, study_report
from binyan.experiments.results import Result, Results, version_in
from binyan.experiments.runner import ResultCallback, run_missing
from binyan.experiments.studies import STUDIES, select
from binyan.experiments.thesis import thesis_figures
from binyan.experiments.thesis_items import ItemStatus, item_statuses
from binyan.memory import memory_size
from binyan.progress import ProgressOption

Folder = str | os.PathLike[str]

RESULTS = "results"


def results_folder(given: Folder | None = None) -> Path:
    """The folder of results: the one that is `given`, `results` in the current folder, or else those of the checkout that runs."""
    if given is not None:
        return Path(given)
    here, committed = Path(RESULTS), Path(__file__).resolve().parents[3] / RESULTS
    return committed if not here.is_dir() and committed.is_dir() else here


@dataclass(frozen=True)
class ListedExperiment:
    """An experiment and its result, if there is one."""

    experiment: Experiment
    result: Result | None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        done = self.result is not None
        return {"name": self.experiment.name, "done": done, "signature": str(self.experiment.signature)}

    def __str__(self) -> str:
        return f"{'done   ' if self.result else 'missing'}  {self.experiment.name}"


@dataclass(frozen=True)
class ExperimentStatus:
    """Whether an experiment has a result, the version that made it, and the minutes of CPU time that took.

    A result is stale if it was made with other settings, or from data files with another content; `why` says which.
    """

    name: str
    state: Literal["done", "stale", "missing"]
    version: str | None = None
    minutes: float | None = None
    why: str = ""

    @property
    def is_of_this_version(self) -> bool:
        """Whether the version that is running made the result."""
        return self.version == __version__

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def __str__(self) -> str:
        notes = [f"binyan {self.version}"] if self.version else []
        notes += [f"{self.minutes:.1f} minutes"] if self.minutes is not None else []
        notes += [self.why] if self.why else []
        return f"{self.state:7}  {self.name}" + (f"  ({', '.join(notes)})" if notes else "")


@dataclass(frozen=True)
class RunSummary:
    """What `run` did: the chosen experiments, the results there are by name, and the errors of those that failed."""

    experiments: Sequence[Experiment]
    results: dict[str, Result]
    failures: dict[str, BinyanError]

    def check(self) -> None:
        """Raise an error that names the experiments that failed, if there are any."""
        if self.failures:
            names = " ".join(self.failures)
            raise BinyanError(f"{len(self.failures)} of {len(self.experiments)} experiments failed: {names}")


def listing(studies: Sequence[str] = (), only: Sequence[str] = (), results: Folder = RESULTS) -> list[ListedExperiment]:
    """The experiments of the named studies (by default all) whose names match one of the patterns `only`, with results.

    >>> [str(row) for row in listing(["adaptor"], ["HEB/all/tpl"], results="nowhere")]
    ['missing  adaptor/HEB/all/tpl']
    """
    stored = Results(Path(results))
    return [ListedExperiment(e, stored.get(e)) for e in select(studies, only)]


def status(
    studies: Sequence[str] = (),
    only: Sequence[str] = (),
    results: Folder | None = None,
    data: Folder | None = None,
) -> list[ExperimentStatus]:
    """What has been run of the chosen experiments, by which version, and what is stale.

    `results`: the folder of results, by default as `results_folder` finds it. With the folder of the experiment `data`, results of
    files with another content are stale too.

    >>> [str(row) for row in status(["adaptor"], ["HEB/all/tpl"], results="nowhere")]
    ['missing  adaptor/HEB/all/tpl']
    """
    stored = Results(results_folder(results))
    folder = None if data is None else Path(data)
    return [_status(experiment, stored, folder) for experiment in select(studies, only)]


def tables(results: Folder | None = None, thesis: str | os.PathLike[str] | None = None) -> list[ItemStatus]:
    """Every table and figure of the thesis: which experiments show it, how far they are run, and whether ours agrees.

    `results` and `thesis` as for `report`.
    """
    return item_statuses(Results(results_folder(results)), thesis_figures(thesis))


def _status(experiment: Experiment, stored: Results, data: Path | None) -> ExperimentStatus:
    if (result := stored.get(experiment)) is None:
        if not (old := stored.stale(experiment)):
            return ExperimentStatus(experiment.name, "missing")
        return ExperimentStatus(experiment.name, "stale", version_in(old[-1]), why="other settings")
    changed = changed_files(result, data) if data is not None else []
    why = f"other content: {' '.join(changed)}" if changed else ""
    minutes = (result.seconds if result.cpu_seconds is None else result.cpu_seconds) / 60
    return ExperimentStatus(experiment.name, "stale" if changed else "done", result.version, minutes, why)


def run(
    studies: Sequence[str] = (),
    only: Sequence[str] = (),
    *,
    data: Folder | None = None,
    results: Folder = RESULTS,
    jobs: int = 1,
    memory: int | str | None = None,
    scheduler: str | None = None,
    again: bool = False,
    progress: ProgressOption = None,
    on_result: ResultCallback | None = None,
) -> RunSummary:
    """Run the chosen experiments that have no result yet, `jobs` at a time or on the workers of a Dask `scheduler`.

    An experiment whose result is of data files with another content is run too, and with `again` every chosen one. With `memory`
    ("16G"), which is that of all `jobs` together, an experiment that needs more than its share fails before it trains, and the others go on.

    `data`: the folder of the experiment data, by default the value of BINYAN_DATA. `on_result` is called with an experiment
    and its result or error, as they arrive. An experiment that another process is running is left to it, and is in neither
    part of the summary.
    """
    chosen = select(studies, only)
    share = None if memory is None else memory_size(memory) // jobs
    workspace = Workspace(data_folder(data), Path(results), progress, share)
    failures = run_missing(chosen, workspace, jobs, on_result, scheduler, again)
    stored = Results(workspace.results)
    return RunSummary(chosen, {e.name: r for e in chosen if (r := stored.get(e)) is not None}, failures)


def report(
    studies: Sequence[str] = (), *, results: Folder | None = None, thesis: str | os.PathLike[str] | None = None
) -> Report:
    """The results of the named studies (by default all) beside the thesis's figures; `write` makes pages of it.

    It needs no data. `results`: the folder of results, by default as `results_folder` finds it.

    `thesis`: a file of figures to show instead of those shipped with Binyan; by default the value of BINYAN_THESIS_TABLES.
    """
    figures, stored = thesis_figures(thesis), Results(results_folder(results))
    items = [] if studies else item_statuses(stored, figures)
    return Report([study_report(name, stored, figures) for name in studies or STUDIES], items)
