"""The state of one chain: all that its next sweep depends on, and what it has collected. It is what a checkpoint holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError
from binyan.model_file import ModelFile, Section
from binyan.morphology.history import AnalysisHistory


@dataclass(frozen=True)
class SweepFigures:
    """What a sweep did. `log_joint` is log P(trees, seats | a, b) + log P(a, b); rates are of word proposals."""

    sweep: int
    log_joint: float
    acceptance: float
    changed: float
    tables: dict[str, int]

    COLUMNS = ("log_joint", "acceptance", "changed")


@dataclass(frozen=True)
class Snapshot:
    """The state of a grammar after one sweep: rule counts, a and b, and the cached trees as rules in preorder."""

    rule_counts: NDArray[np.uint64]
    adaptors: NDArray[np.float64]
    trees: Mapping[str, NDArray[Any]]

    ARRAYS = ("rules", "ends", "adapted", "customers", "tables")
    TYPES = ("uint32", "uint64", "uint32", "uint32", "uint32")

    def check(self, rules: int, adapted: int) -> None:
        """Raises InputError unless the arrays fit each other and a grammar with these numbers of rules and adapted symbols."""
        if self.rule_counts.shape != (rules,) or self.adaptors.shape != (adapted, 2):
            raise InputError("the state is of another grammar")
        if sorted(self.trees) != sorted(self.ARRAYS):
            raise InputError(f"a state has the arrays {', '.join(self.ARRAYS)}, not {', '.join(sorted(self.trees))}")
        types = tuple(self.trees[name].dtype.name for name in self.ARRAYS)
        flat = all(self.trees[name].ndim == 1 for name in self.ARRAYS)
        if types != self.TYPES or not flat or self.rule_counts.dtype.kind != "u" or self.adaptors.dtype.kind != "f":
            raise InputError("the arrays of a state are of other types")
        used = self.trees["rules"]
        if used.size and int(used.max()) >= rules:
            raise InputError("the array 'rules' holds a rule that the grammar does not have")
        sizes = {len(self.trees[name]) for name in self.ARRAYS[1:]}
        if len(sizes) != 1:
            raise InputError("the arrays of the cached trees differ in length")

    @classmethod
    def of(cls, chain: _core.Chain) -> Snapshot:
        """The present state of a chain."""
        trees = chain.cached_trees()
        adaptors = np.array([[a, b] for a, b, _, _ in chain.adaptors], np.float64).reshape(-1, 2)
        return cls(chain.rule_counts, adaptors, {name: trees[name] for name in cls.ARRAYS})


@dataclass
class ChainState:
    """All that the next sweep of a chain depends on, and what it has collected."""

    number: int
    core: _core.Chain
    samples: _core.Samples
    snapshots: list[Snapshot] = field(default_factory=list)
    history: AnalysisHistory = field(default_factory=lambda: AnalysisHistory(()))
    trace: list[list[float]] = field(default_factory=list)
    """After each sweep: log joint, acceptance, changed, then a, b, customers and tables of each adapted symbol."""

    begun: bool = False
    """Whether its words have trees before the first sweep, those of another chain."""

    @property
    def sweeps(self) -> int:
        """Sweeps done."""
        return len(self.trace)

    @property
    def trace_table(self) -> NDArray[np.float64]:
        """The trace as an array, one row per sweep."""
        return np.array(self.trace, np.float64).reshape(self.sweeps, -1 if self.trace else 0)

    def sections(self) -> dict[str, Section]:
        """As sections of a model file."""
        own: dict[str, Section] = {"trace": self.trace_table}
        if self.sweeps:
            own |= {"state": self.core.state(), "samples": self.samples.state(), **self.history.sections()}
        own |= snapshot_sections(self.snapshots)
        return {f"chain.{self.number}.{name}": section for name, section in own.items()}

    def restore(
        self, file: ModelFile, grammar: _core.CompiledGrammar, collected: bool = True, rules: int = 1 << 32
    ) -> None:
        """The inverse of `sections`, for an empty state over `grammar`, which has `rules`; what was `collected` may be left out."""
        prefix = f"chain.{self.number}."
        self.trace = file.array(f"{prefix}trace").tolist()
        if self.sweeps:
            self.core.restore(file.array(f"{prefix}state"))
            self.history.restore(file, prefix, rules)
        if self.sweeps and collected:
            self.samples.restore(file.array(f"{prefix}samples"), grammar)
            self.snapshots = snapshots_of(file.sections, prefix)


def snapshot_sections(snapshots: list[Snapshot]) -> dict[str, Section]:
    """Snapshots as sections of a model file."""
    sections: dict[str, Section] = {}
    for i, snapshot in enumerate(snapshots):
        arrays = {"rule_counts": snapshot.rule_counts, "adaptors": snapshot.adaptors, **snapshot.trees}
        sections |= {f"snapshot.{i}.{name}": array for name, array in arrays.items()}
    return sections


def snapshots_of(sections: Mapping[str, Any], prefix: str = "") -> list[Snapshot]:
    """The inverse of `snapshot_sections`, among the sections whose names begin with `prefix`."""
    prefix += "snapshot."
    arrays: dict[int, dict[str, Any]] = {}
    for name, section in sections.items():
        if name.startswith(prefix):
            number, _, array = name.removeprefix(prefix).partition(".")
            arrays.setdefault(int(number), {})[array] = section
    return [Snapshot(arrays[i].pop("rule_counts"), arrays[i].pop("adaptors"), arrays[i]) for i in sorted(arrays)]
