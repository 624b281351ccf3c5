"""Comparisons of chapter 4 that need several experiments: averages over languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from binyan.experiments.experiment import Experiment
from binyan.experiments.headline import Comparison
from binyan.experiments.lbl.selection_tables import averages
from binyan.experiments.lbl.stored import StoredRuns
from binyan.experiments.results import Results


def comparisons(results: Results, thesis: Mapping[str, Any], experiments: Sequence[Experiment]) -> Iterator[Comparison]:
    """The changes of averages over six languages."""
    for table in averages(StoredRuns(results, experiments), thesis.get("lbl", {})):
        for name, change, stated in zip(
            table.column("model"), table.column("change, %"), table.column("thesis, change, %"), strict=True
        ):
            if change is not None and stated is not None:
                keys = ("lbl", "perplexity_1m_average", name)
                yield Comparison("lbl/eltec-*/1m/*", f"average perplexity of {name}, change, %", keys, change, stated)
