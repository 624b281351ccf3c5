"""What an experiment is, what comes out of it, and how a study (a chapter of the thesis) lists its experiments."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError, SettingsError
from binyan.evaluation.table import Table
from binyan.experiments import STUDIES
from binyan.progress import ProgressOption
from binyan.signature import Signature

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Experiment:
    """A measure of a model on data. All it depends on is in the three settings, which are plain values.

    `name` is a path such as `hpylm/europarl-de/10m/order-4/mkn`; it begins with the name of the study.
    """

    name: str
    data: Settings
    model: Settings
    measure: str

    @property
    def signature(self) -> Signature:
        """Stands for the settings; results are kept under its digest."""
        return Signature({"measure": self.measure, **_flat("data", self.data), **_flat("model", self.model)})


@dataclass(frozen=True)
class Outcome:
    """What came out: figures (plain values), the signature under them, and arrays that later tables are made from."""

    figures: dict[str, Any]
    signature: str
    arrays: dict[str, NDArray[np.generic]] = field(default_factory=dict)


@dataclass(frozen=True)
class Workshop:
    """Where an experiment finds its data and keeps what it makes on the way."""

    data: Path
    results: Path
    progress: ProgressOption = None

    @property
    def prepared(self) -> Path:
        """Prepared text and segmentations, shared by experiments."""
        return self.results / "prepared"

    def source(self, path: str) -> Path:
        """A file of the data folder."""
        found = self.data / path
        if not found.exists():
            raise InputError(f"{found}: not found; say where the experiment data are with --data or BINYAN_DATA")
        return found

    def checkpoint(self, experiment: Experiment) -> Path:
        """Where a long experiment keeps the model it is training; removed when the result is there."""
        folder = self.results / "checkpoints"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{experiment.name.replace('/', '.')}.{experiment.signature.digest}.model"


Measure = Callable[[Experiment, Workshop], Outcome]


@dataclass(frozen=True)
class Section:
    """A part of a report: a title, a paragraph, links (address and text), tables (drawn where they have a chart), and
    drawings of its own (SVG)."""

    title: str
    text: str = ""
    tables: Sequence[Table] = ()
    drawings: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = ()


class Study(Protocol):
    """A module of experiments."""

    TITLE: str
    MEASURES: Mapping[str, Measure]

    def experiments(self) -> Sequence[Experiment]:
        """All experiments, cheap ones first."""

    def sections(self, results: Any, thesis: Mapping[str, Any]) -> Sequence[Section]:
        """The report, from a `results.Results` that may lack some, and the thesis's figures, which may be absent."""


def study(name: str) -> Study:
    """The study called `name`."""
    if name not in STUDIES:
        raise SettingsError(f"no study {name!r}; there are {', '.join(STUDIES)}")
    return cast(Study, importlib.import_module(STUDIES[name]))


def select(names: Sequence[str] = (), only: Sequence[str] = ()) -> list[Experiment]:
    """Experiments of the named studies (all if none is named) whose names match one of the patterns `only` (all if none).

    A pattern matches a whole name or the beginning or end of it, by path steps: `hpylm/*/10m`, `order-4/mkn`.
    """
    found = [e for name in names or STUDIES for e in study(name).experiments()]
    chosen = [e for e in found if not only or any(_matches(e.name, pattern) for pattern in only)]
    if not chosen:
        raise SettingsError(f"no experiment matches {' '.join(only)}; see 'binyan reproduce list'")
    return chosen


def _matches(name: str, pattern: str) -> bool:
    return any(fnmatchcase(name, p) for p in (pattern, f"{pattern}/*", f"*/{pattern}", f"*/{pattern}/*"))


def _flat(prefix: str, settings: Settings) -> dict[str, Any]:
    return {f"{prefix}.{key}": value for key, value in sorted(settings.items())}
