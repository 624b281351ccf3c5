"""Sampler traces: has a chain left its starting point, and do several chains agree?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from binyan.evaluation.table import Cell, Chart, Column, Table
from binyan.language_model import LanguageModel
from binyan.sampling.convergence import r_hat


def trace(
    chains: Mapping[str, Sequence[float]],
    signature: str,
    burn_in: int = 0,
    figure: str = "log-likelihood",
    every: int = 1,
) -> Table:
    """The figure after each sweep, one column per chain; the note says R-hat after `burn_in` and what it means."""
    length = max(map(len, chains.values()), default=0)
    rows: list[list[Cell]] = [
        [sweep + 1, *(values[sweep] if sweep < len(values) else None for values in chains.values())]
        for sweep in range(0, length, every)
    ]
    agreement = r_hat([values[burn_in:] for values in chains.values()])
    columns = [Column("sweep", "d"), *(Column(name, ",.1f") for name in chains)]
    marks = {"end of burn-in": float(burn_in)} if 0 < burn_in < length else {}
    chart = Chart("lines", "sweep", list(chains), y_title=figure, marks=marks)
    return Table(f"Sampler trace: {figure}", columns, rows, signature, verdict(agreement), chart)


def trace_of(model: LanguageModel) -> Table:
    """The log-likelihood of a sampled model after each sweep of each chain; SettingsError for one that was not sampled."""
    columns = {f"chain {i}": [float(x) for x in chain[:, 0]] for i, chain in enumerate(model.trace, 1)}
    return trace(columns, str(model.signature()), burn_in=len(next(iter(columns.values()))) // 2)


def verdict(agreement: float) -> str:
    """R-hat in a sentence."""
    if math.isnan(agreement):
        return "R-hat: too few sweeps after burn-in to tell."
    sentence = "the chains agree" if agreement < 1.05 else "not yet mixed: run more sweeps, or start later"
    return f"R-hat {agreement:.3f}: {sentence}."
