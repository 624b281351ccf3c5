"""An experiment, what comes out of it, and where it works."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError, SettingsError
from binyan.progress import ProgressOption
from binyan.signature import Signature, digest

SettingValues = Mapping[str, Any]

DATA_VARIABLE = "BINYAN_DATA"
CACHE = "prepared"  # the folder among the results for files that several experiments share


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A measure of a model on data. Everything the result depends on is in `data`, `model` and `measure`, as plain values.

    The other fields say where the experiment belongs: the study it is part of, the data set, and a label for the model.
    Studies add fields of their own in a subclass. The name is derived from the fields and is never read back.

    >>> Experiment(study="toy", dataset="words", label="concat", data={}, model={}, measure="f1").name
    'toy/words/concat'
    """

    study: str
    dataset: str
    label: str
    data: SettingValues
    model: SettingValues
    measure: str

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps of the name after the study."""
        return self.dataset, self.label

    @property
    def path(self) -> str:
        """The name within the study."""
        return "/".join(self.steps)

    @property
    def name(self) -> str:
        """The name that is listed and matched by patterns, such as `hpylm/europarl-de/10m/order-4/mkn`."""
        return f"{self.study}/{self.path}"

    @property
    def source(self) -> str:
        """Where the data come from, for a column of a table."""
        return ", ".join(f"{key} {value}" for key, value in self.data.items())

    @property
    def is_analysis(self) -> bool:
        """Whether it works on what other experiments stored, and so comes after them."""
        return False

    @property
    def signature(self) -> Signature:
        """Stands for the settings and the version that is running."""
        return Signature({"measure": self.measure, **_flat("data", self.data), **_flat("model", self.model)})

    @property
    def settings_digest(self) -> str:
        """Stands for the settings alone: a result of another digest is not a result of this experiment."""
        return digest("|".join(f"{k}:{v}" for k, v in self.signature.fields.items()).encode())


@dataclass(frozen=True)
class Outcome:
    """What a measure returns: figures (plain values), the signature under them, and arrays for later tables."""

    figures: dict[str, Any]
    signature: str
    arrays: dict[str, NDArray[np.generic]] = field(default_factory=dict)


@dataclass(frozen=True)
class Workspace:
    """The folder of the data an experiment reads, and the folder where results and intermediate files are kept.

    `memory`: bytes that an experiment may take.
    """

    data: Path
    results: Path
    progress: ProgressOption = None
    memory: int | None = None
    opened: set[str] = field(default_factory=set, compare=False)  # the data files that were asked for, below `data`

    @property
    def cache(self) -> Path:
        """Prepared text, segmentations and models that several experiments share."""
        return self.results / CACHE

    def source(self, path: str) -> Path:
        """A file of the data folder."""
        file = self.data / path
        if not file.exists():
            raise InputError(
                f"{file}: not found; give the folder of the experiment data with --data or {DATA_VARIABLE}"
            )
        self.opened.add(path)
        return file

    def checkpoint(self, experiment: Experiment) -> Path:
        """Where a long experiment keeps the model it is training; removed when the result is there."""
        folder = self.results / "checkpoints"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{experiment.name.replace('/', '.')}.{experiment.signature.digest}.model"


# A study's measures take the study's own subclass of Experiment.
Measure = Callable[[Any, Workspace], Outcome]


def data_folder(path: str | os.PathLike[str] | None = None) -> Path:
    """The folder of the experiment data: `path`, or the value of the environment variable BINYAN_DATA."""
    folder = path or os.environ.get(DATA_VARIABLE)
    if not folder:
        raise SettingsError(
            f"no folder of experiment data; give it with --data FOLDER or in the environment variable {DATA_VARIABLE}"
        )
    return Path(folder)


def _flat(prefix: str, settings: SettingValues) -> dict[str, Any]:
    return {f"{prefix}.{key}": value for key, value in sorted(settings.items())}
