"""The thesis's experiments in four calls: `listing`, `status`, `run` and `report`, as the commands of `binyan reproduce`."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from binyan.errors import BinyanError, InputError
from binyan.experiments.experiment import Experiment, Workspace, data_folder
from binyan.experiments.front_page import Report, study_report
from binyan.experiments.results import Result, Results
from binyan.experiments.runner import ResultCallback, run_missing
from binyan.experiments.studies import STUDIES, select
from binyan.experiments.thesis import thesis_figures
from binyan.progress import ProgressOption

Folder = str | os.PathLike[str]

RESULTS = "results"


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
    """Whether an experiment has a result, none, or one of other settings or another version, and the version that made it."""

    name: str
    state: Literal["done", "stale", "missing"]
    version: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"name": self.name, "state": self.state, "version": self.version}

    def __str__(self) -> str:
        return f"{self.state:7}  {self.name}" + (f"  (binyan {self.version})" if self.version else "")


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

    >>> [str(row) for row in listing(["adaptor"], ["HEB/5k/tpl"], results="nowhere")]
    ['missing  adaptor/HEB/5k/tpl']
    """
    stored = Results(Path(results))
    return [ListedExperiment(e, stored.get(e)) for e in select(studies, only)]


def status(studies: Sequence[str] = (), only: Sequence[str] = (), results: Folder = RESULTS) -> list[ExperimentStatus]:
    """What has been run of the chosen experiments, by which version, and what is stale.

    >>> [str(row) for row in status(["adaptor"], ["HEB/5k/tpl"], results="nowhere")]
    ['missing  adaptor/HEB/5k/tpl']
    """
    stored, rows = Results(Path(results)), []
    for experiment in select(studies, only):
        current = stored.path(experiment)
        files = [current] if current.exists() else stored.stale(experiment)
        version = _version(files[-1]) if files else None
        rows.append(ExperimentStatus(experiment.name, _state(bool(files), current.exists()), version))
    return rows


def _state(has_result: bool, is_current: bool) -> Literal["done", "stale", "missing"]:
    return "done" if is_current else "stale" if has_result else "missing"


def _version(path: Path) -> str | None:
    try:
        signature = str(json.loads(path.read_text(encoding="utf-8"))["signature"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a result file ({error}); delete it to run the experiment again") from error
    return signature.rpartition("binyan:")[2] if "binyan:" in signature else None


def run(
    studies: Sequence[str] = (),
    only: Sequence[str] = (),
    *,
    data: Folder | None = None,
    results: Folder = RESULTS,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: ProgressOption = None,
    on_result: ResultCallback | None = None,
) -> RunSummary:
    """Run the chosen experiments that have no result yet, `jobs` at a time or on the workers of a Dask `scheduler`.

    `data`: the folder of the experiment data, by default the value of BINYAN_DATA. `on_result` is called with an experiment
    and its result or error, as they arrive. An experiment that another process is running is left to it, and is in neither
    part of the summary.
    """
    chosen = select(studies, only)
    workspace = Workspace(data_folder(data), Path(results), progress)
    failures = run_missing(chosen, workspace, jobs, on_result, scheduler)
    stored = Results(workspace.results)
    return RunSummary(chosen, {e.name: r for e in chosen if (r := stored.get(e)) is not None}, failures)


def report(
    studies: Sequence[str] = (), *, results: Folder = RESULTS, thesis: str | os.PathLike[str] | None = None
) -> Report:
    """The results of the named studies (by default all) beside the thesis's figures; `write` makes pages of it.

    `thesis`: a file of figures to show instead of those shipped with Binyan; by default the value of BINYAN_THESIS_TABLES.
    """
    figures, stored = thesis_figures(thesis), Results(Path(results))
    return Report([study_report(name, stored, figures) for name in studies or STUDIES])
