"""The results of chapter 5, looked up by word list, size and method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from binyan.evaluation.table import Cell, Column, Table
from binyan.experiments.adaptor.methods import AnalysisMethod
from binyan.experiments.adaptor.runs import AdaptorExperiment
from binyan.experiments.results import Result, Results

_TITLES = {"BW'": "BW' (vocalised)", "QU'": "QU' (vocalised)"}


def dataset_title(dataset: str) -> str:
    """A word list as the titles of tables name it."""
    return _TITLES.get(dataset, dataset)


class StoredAnalyses:
    """The experiments that have a result."""

    def __init__(self, results: Results, experiments: Sequence[AdaptorExperiment]) -> None:
        self.results: dict[tuple[str, str, str], Result] = {}  # by word list, size and label
        self.experiments: list[AdaptorExperiment] = []
        for experiment in experiments:
            if (result := results.get(experiment)) is not None:
                self.results[experiment.dataset, experiment.size, experiment.label] = result
                self.experiments.append(experiment)
        self.missing = len(experiments) - len(self.experiments)

    def methods(self, *, learnt: bool = False) -> list[AnalysisMethod]:
        """All methods that segment words; with `learnt` only grammars."""
        methods = dict.fromkeys(e.method for e in self.experiments)
        return [m for m in methods if m.measure == "adaptor" or (not learnt and m.measure == "morfessor")]

    def datasets(self, size: str) -> list[str]:
        """The word lists with results of a size, in their order."""
        return list(dict.fromkeys(e.dataset for e in self.experiments if e.size == size))

    def figure(self, dataset: str, size: str, label: str, *path: str) -> Any:
        """A figure of a result, by its keys; None where there is none."""
        result = self.results.get((dataset, size, label))
        value: Any = result.figures if result else None
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def any_figure(self, dataset: str, size: str, key: str) -> Any:
        """A figure of the word list itself, which each of its results has."""
        label = next((e.label for e in self.experiments if (e.dataset, e.size) == (dataset, size)), "")
        return self.figure(dataset, size, label, key)

    def signature(self, size: str, labels: Sequence[str] = (), dataset: str | None = None) -> str:
        """The signatures of the results of a size (and of some methods, or of one word list), one per line."""
        return "\n".join(
            f"{of}/{label} {result.signature}"
            for (of, of_size, label), result in self.results.items()
            if of_size == size and (not labels or label in labels) and dataset in (None, of)
        )


class GridRow(NamedTuple):
    """A row of a grid: its label, the label of the method, the keys of the figure, and the thesis's row."""

    title: str
    label: str
    path: tuple[str, ...]
    thesis: str | None = None


def grid(
    stored: StoredAnalyses,
    size: str,
    title: str,
    rows: Sequence[GridRow],
    thesis: Mapping[str, Any],
    datasets: Sequence[str] | None = None,
) -> Table:
    """A table with two columns (ours, the thesis's) per word list; rows and columns without a figure are left out."""
    datasets = stored.datasets(size) if datasets is None else datasets
    cells: list[list[Cell]] = []
    for row in rows:
        theirs = thesis.get(row.thesis) if row.thesis is not None else None
        line: list[Cell] = [row.title]
        for dataset in datasets:
            ours = stored.figure(dataset, size, row.label, *row.path)
            line += [ours, theirs.get(dataset) if isinstance(theirs, Mapping) else None]
        if any(cell is not None for cell in line[1:]):
            cells.append(line)
    columns = [Column("model")]
    for dataset in datasets:
        columns += [Column(dataset, ".1f"), Column(f"{dataset} thesis", ".1f")]
    kept = [0, *(i for i in range(1, len(columns)) if any(line[i] is not None for line in cells))]
    return Table(title, [columns[i] for i in kept], [[line[i] for i in kept] for line in cells], stored.signature(size))
