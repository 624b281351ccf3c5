"""The studies: one package per chapter of the thesis, each with its experiments, report and headlines."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Protocol, cast

from binyan.errors import SettingsError
from binyan.experiments.experiment import Experiment, Measure
from binyan.experiments.headline import Headline
from binyan.experiments.report_page import ReportSection
from binyan.experiments.results import Results

# name of a study -> its package
STUDIES: dict[str, str] = {
    "hpylm": "binyan.experiments.hpylm",
    "lbl": "binyan.experiments.lbl",
    "adaptor": "binyan.experiments.adaptor",
    "translation": "binyan.experiments.translation",
}


class StudyPackage(Protocol):
    """What the package of a study offers."""

    TITLE: str
    MEASURES: Mapping[str, Measure]

    def experiments(self) -> Sequence[Experiment]:
        """All experiments, cheap ones first."""

    def sections(
        self, results: Results, thesis: Mapping[str, Any], experiments: Sequence[Any]
    ) -> Sequence[ReportSection]:
        """The report on these experiments, some of which may have no result, beside the thesis's figures."""

    def headlines(self, experiment: Any) -> Sequence[Headline]:
        """The figures of an experiment that the front page shows."""


def load_study(name: str) -> StudyPackage:
    """The study called `name`."""
    if name not in STUDIES:
        raise SettingsError(f"no study {name!r}; there are {', '.join(STUDIES)}")
    return cast(StudyPackage, importlib.import_module(STUDIES[name]))


def measure_of(experiment: Experiment) -> Measure:
    """The function that runs an experiment."""
    return load_study(experiment.study).MEASURES[experiment.measure]


def select(studies: Sequence[str] = (), only: Sequence[str] = ()) -> list[Experiment]:
    """Experiments of the named studies (by default all) whose names match one of the patterns `only` (by default all).

    A pattern matches a whole name or the beginning or end of it, by path steps: `hpylm/*/10m`, `order-4/mkn`.
    """
    listed = [e for name in studies or STUDIES for e in load_study(name).experiments()]
    chosen = [e for e in listed if not only or any(matches(e.name, pattern) for pattern in only)]
    if not chosen:
        raise SettingsError(f"no experiment matches {' '.join(only)}; see 'binyan reproduce list'")
    return chosen


def matches(name: str, pattern: str) -> bool:
    """Whether a name matches a pattern, as a whole or in its beginning or end, by path steps."""
    return any(fnmatchcase(name, p) for p in (pattern, f"{pattern}/*", f"*/{pattern}", f"*/{pattern}/*"))
