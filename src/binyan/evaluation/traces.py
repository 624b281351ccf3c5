"""Sampler traces: has a chain left its starting point, and do several chains agree?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from binyan.errors import SettingsError
from binyan.evaluation.table import Cell, Chart, Column, Table
from binyan.language_model import LanguageModel
from binyan.morphology.convergence import Agreement
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


def agreement_table(points: Sequence[Agreement], signature: str) -> Table:
    """How far chains agreed on words and lexicon entries as they ran, and how far words kept their analyses."""
    if not points:
        raise SettingsError("the model was saved without the agreement of its chains")
    names = {"words": "words", "entries": "lexicon entries", "steady": "words as at half time"}
    rows: list[list[Cell]] = [[p.sweep, *(100 * getattr(p, name) for name in names)] for p in points]
    columns = [Column("sweep", "d"), *(Column(title, ".1f") for title in names.values())]
    chart = Chart("lines", "sweep", list(names.values()), y_title="per cent")
    return Table("Agreement of chains, per cent", columns, rows, signature, "", chart)


def trace_of(model: LanguageModel) -> Table:
    """The log-likelihood of a sampled model after each sweep of each chain; SettingsError for one that was not sampled."""
    columns = {f"chain {i}": [float(x) for x in chain[:, 0]] for i, chain in enumerate(model.trace, 1)}
    return trace(columns, str(model.signature()), burn_in=len(next(iter(columns.values()))) // 2)


def verdict(agreement: float) -> str:
    """R-hat in a sentence."""
    if math.isnan(agreement):
        return "R-hat: too few sweeps after burn-in to tell."
    sentence = "the chains agree" if agreement < 1.05 else "the chains differ by more than each varies"
    return f"R-hat {agreement:.3f}: {sentence}."
