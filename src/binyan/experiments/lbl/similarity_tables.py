"""The tables of chapter 4 on vectors: word similarity by amount of text, and the map of morphemes."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from binyan.evaluation import Chart, Column, Table
from binyan.evaluation.table import Cell
from binyan.experiments.lbl.models import CHANGED, TRAINING
from binyan.experiments.lbl.similarity import SETS, VECTORS, stands_beside_thesis
from binyan.experiments.lbl.stored import StoredRuns

_COLUMNS = [
    Column("pairs of"),
    Column("vectors"),
    Column("training tokens", ",d"),
    Column("rho", ".1f"),
    Column("pairs", ",d"),
    Column("not covered", ",d"),
    Column("thesis", ".0f"),
]
_WIDTH, _HEIGHT = 900, 620
_DRAWN = 60  # of the affixes on a map, the most used first: those after them are in few words, and hide the others


def similarity(stored: StoredRuns, thesis: Mapping[str, Any]) -> list[Table]:
    """Correlations with human judgements, those from most text beside the thesis's and others'; then by amount of text."""
    theirs, peers = thesis.get("word_similarity", {}), thesis.get("word_similarity_peers", {})
    first_seed = [run for run in stored.similarity if run.experiment.model["seed"] == TRAINING["seed"]]
    rows: list[list[Cell]] = []
    for language, sets in SETS.items():
        runs = [run for run in first_seed if run.experiment.language == language]
        for name, column in sets.items():
            for label, how, row in VECTORS:
                for run in (run for run in runs if run.experiment.model["kind"] == label):
                    figures = run.result.figures
                    vectors = f"{row}, {CHANGED[run.experiment.label]}" if run.experiment.label in CHANGED else row
                    score, tokens = figures["similarity"][how][name], figures["training_tokens"]
                    figure = theirs.get(row, {}).get(column) if stands_beside_thesis(run.experiment, how) else None
                    rows.append([name, vectors, tokens, score["rho"], score["pairs"], score["uncovered_pairs"], figure])
            if runs:
                others = {peer: figures[column] for peer, figures in peers.items() if column in figures}
                rows += [[name, f"{peer} (others)", None, None, None, None, rho] for peer, rho in others.items()]
    if not rows:
        return []
    signature = "\n".join(run.result.signature for run in stored.similarity)
    return [Table("Word similarity", _COLUMNS, rows, signature), *_by_size(rows, signature)]


def _by_size(rows: list[list[Cell]], signature: str) -> list[Table]:
    """A table for each set of pairs with vectors of several amounts of text."""
    columns = [Column("vectors"), Column("training tokens", ",d"), Column("rho", ".1f")]
    chart = Chart("lines", "training tokens", ["rho"], series="vectors", y_title="rho × 100", log_x=True)
    tables = []
    for name in dict.fromkeys(row[0] for row in rows):
        ours = [list(row[1:4]) for row in rows if row[0] == name and row[2] is not None]
        sizes = {vectors: {tokens for v, tokens, _ in ours if v == vectors} for vectors, _, _ in ours}
        points = sorted((row for row in ours if len(sizes[row[0]]) > 1), key=lambda row: (str(row[0]), row[1]))
        title = f"Word similarity by amount of text, {name}"
        tables += [Table(title, columns, points, signature, "", chart)] if points else []
    return tables


def maps(stored: StoredRuns) -> list[str]:
    """The map of the morphemes of the model that has seen most text, as SVG; none without one."""
    mapped = [run.result for run in stored.similarity if run.result.figures.get("map")]
    if not mapped:
        return []
    most = max(mapped, key=lambda result: int(result.figures["training_tokens"]))
    return [map_svg(most.figures["map"][:_DRAWN])]


def map_svg(points: list[list[Any]]) -> str:
    """Names at their places, as an SVG drawing.

    >>> map_svg([["un-", 0.0, 0.0], ["-ing", 1.0, 2.0]]).count("<text")
    2
    """
    spans = [(min(p[axis] for p in points), max(p[axis] for p in points)) for axis in (1, 2)]
    (left, right), (low, high) = spans
    texts = []
    for name, x, y in points:
        across = 40 + (_WIDTH - 80) * (x - left) / ((right - left) or 1)
        down = 20 + (_HEIGHT - 40) * (high - y) / ((high - low) or 1)
        colour = "#0072B2" if name.endswith("-") else "#B04A00" if name.startswith("-") else "#333"
        texts.append(f'<text x="{across:.0f}" y="{down:.0f}" fill="{colour}">{escape(name)}</text>')
    style = 'font-family="sans-serif" font-size="12" text-anchor="middle"'
    box = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    label = 'role="img" aria-label="Map of morphemes"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} {label} {style}>{"".join(texts)}</svg>'
