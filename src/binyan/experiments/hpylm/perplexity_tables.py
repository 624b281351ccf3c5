"""The tables of perplexities of chapter 3: the main one, by order, and by training size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from binyan.evaluation import Chart, Column, Table
from binyan.evaluation.perplexity import curve
from binyan.evaluation.table import Cell
from binyan.experiments.hpylm.europarl import MAIN_SIZE
from binyan.experiments.hpylm.stored import StoredPerplexity, StoredRuns, signatures
from binyan.experiments.hpylm.variants import MODELS

_COMPARED = (
    ("HPYLM", "MKN"),
    ("HPYLM+c", "HPYLM"),
    ("HPYLM+c renormalised", "HPYLM"),
    ("hpylm+g renormalised", "HPYLM"),
)


def size_title(size: str) -> str:
    """A size as the titles of tables write it."""
    return "all text" if size == MAIN_SIZE else f"{size} tokens"


def main(stored: StoredRuns, size: str, thesis: Mapping[str, Any]) -> Table:
    """Perplexities of 4-gram models trained on a text of this size; for the largest, changes beside the thesis's."""
    columns = [
        Column("model"),
        Column("perplexity", ".2f"),
        Column("against MKN %", "+.2f"),
        Column("against HPYLM %", "+.2f"),
        Column("thesis against MKN %", "+.2f"),
        Column("difference of changes", "+.2f"),
    ]
    theirs = thesis.get("perplexity", {}) if size == MAIN_SIZE else {}
    mkn, hpylm = stored.find(size, 4, "MKN"), stored.find(size, 4, "HPYLM")
    rows: list[list[Cell]] = []
    perplexities = []
    for model in MODELS:
        if (e := stored.find(size, 4, model.title)) is None:
            continue
        perplexities.append(e)
        our_change = _change(e, mkn)
        their_figure = theirs.get(model.thesis)
        their_change = _percent(their_figure, theirs["MKN"]) if their_figure and model.thesis != "MKN" else None
        apart = our_change - their_change if our_change is not None and their_change is not None else None
        rows.append([model.title, e.perplexity, our_change, _change(e, hpylm), their_change, apart])
    chart = Chart("bars", "model", ["against MKN %"], y_title="change in perplexity against MKN, %")
    title = f"Perplexity, Europarl German, {size_title(size)}, n = 4"
    return Table(title, columns, rows, signatures(perplexities), chart=chart if len(rows) > 1 else None)


def by_order(stored: StoredRuns, size: str, thesis: Mapping[str, Any]) -> Iterator[Table]:
    """Perplexities and their changes by the order of the models, where there are several orders."""
    runs = [s for s in stored.perplexities if s.size == size]
    if len({s.order for s in runs}) < 2:
        return
    theirs = thesis.get("perplexity_by_order", {}) if size == MAIN_SIZE else {}
    signature = signatures(runs)
    points = [(s.name, s.order, s.perplexity) for s in runs]
    yield replace(
        curve(f"Perplexity by order, {size_title(size)}", "order", "perplexity", points, signature), chart=None
    )
    changes = [(s.name, s.order, _change(s, stored.find(size, s.order, "MKN"))) for s in runs]
    changes += [
        (f"{name} (thesis)", int(order), _percent(figure, theirs["MKN"][order]))
        for name, orders in theirs.items()
        for order, figure in orders.items()
        if name != "MKN"
    ]
    title = f"Perplexity against MKN, by order, {size_title(size)}"
    drawn = [(name, order, change) for name, order, change in changes if change is not None]
    yield curve(title, "order", "change in perplexity, %", drawn, signature)
    rows: list[list[Cell]] = []
    for order, (name, base) in product((2, 3, 4), _COMPARED):
        e = stored.find(size, order, name)
        ours = None if e is None else _change(e, stored.find(size, order, base))
        there = _percent(theirs[name][str(order)], theirs[base][str(order)]) if name in theirs else None
        if ours is not None:
            rows.append([order, f"{name} against {base}", ours, there, None if there is None else ours - there])
    columns = [Column("order", "d"), Column("models"), Column("ours %", "+.2f"), Column("thesis %", "+.2f")]
    title = f"Change of perplexity beside the thesis's, {size_title(size)}"
    yield Table(title, [*columns, Column("difference", "+.2f")], rows, signature)


def by_size(stored: StoredRuns) -> Iterator[Table]:
    """Changes of perplexity by the size of the training text, against Kneser-Ney and against the HPYLM."""
    runs = [s for s in stored.perplexities if s.size != MAIN_SIZE and s.order == 4]
    for base in ("MKN", "HPYLM"):
        points, perplexities = [], []
        for s in runs:
            change = _change(s, stored.find(s.size, 4, base))
            if change is not None and not (base == "HPYLM" and s.name == "MKN"):
                points.append((s.name, int(s.result.figures["training_tokens"]), change))
                perplexities.append(s)
        if len({x for _, x, _ in points}) > 1:
            title, signature = f"Perplexity against {base}, by training size", signatures(perplexities)
            yield curve(title, "training tokens", "change in perplexity, %", points, signature, log_x=True)


def by_text(stored: StoredRuns, thesis: Mapping[str, Any]) -> Iterator[Table]:
    """Changes against Kneser-Ney on the test text and on text that is further from training, as the thesis's was."""
    theirs = thesis.get("perplexity_by_order", {})
    rows: list[list[Cell]] = []
    shown = [s for s in stored.perplexities if s.news is not None]
    for s in shown:
        mkn = stored.find(s.size, s.order, "MKN")
        if s.news is not None and mkn is not None and mkn.news is not None and s.name != mkn.name:
            order, is_main = str(s.order), s.size == MAIN_SIZE and s.name in theirs
            there = _percent(theirs[s.name][order], theirs["MKN"][order]) if is_main else None
            changes = [_change(s, mkn), s.news, _percent(s.news, mkn.news), there]
            rows.append([size_title(s.size), s.order, s.name, *changes])
    columns = [Column("training text"), Column("order", "d"), Column("model"), Column("test, against MKN %", "+.2f")]
    columns += [Column("news, perplexity", ".1f"), Column("news, against MKN %", "+.2f")]
    columns.append(Column("thesis, news, against MKN %", "+.2f"))
    if rows:
        yield Table("Parliament and news", columns, rows, signatures(shown))


def _change(e: StoredPerplexity, baseline: StoredPerplexity | None) -> float | None:
    return None if baseline is None or baseline.name == e.name else _percent(e.perplexity, baseline.perplexity)


def _percent(figure: float, baseline: float) -> float:
    return 100 * (figure / baseline - 1)
