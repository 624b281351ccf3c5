"""The report of chapter 3: its tables and figures from results, beside the thesis's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from binyan.evaluation import (
    Chart,
    Column,
    Evaluation,
    HeldOutText,
    Table,
    breakdown,
    change,
    largest_differences,
    trace,
)
from binyan.evaluation.breakdown import by_compound, by_hit_length, by_parts, cross
from binyan.evaluation.perplexity import curve, signature_of
from binyan.evaluation.table import Cell
from binyan.experiments.europarl import TEXTS, segmentation_path, stored_held_out_text
from binyan.experiments.results import Result, Results
from binyan.experiments.study import Experiment, Section
from binyan.language_model import Scores
from binyan.segmentation import SegmentationTable
from binyan.signature import Signature

# How the report calls (model, variant), and what tables.toml calls the same.
ROWS = {
    ("mkn", "plain"): ("MKN", "MKN"),
    ("hpylm", "one sample"): ("HPYLM", "HPYLM"),
    ("hpylm", "averaged"): ("HPYLM averaged", None),
    ("hpylm+c-right", "one sample"): ("HPYLM+c", "HPYLM+c ling"),
    ("hpylm+c-right", "one sample renormalised"): ("HPYLM+c renormalised", "HPYLM+c ling renormalised"),
    ("hpylm+c-right", "averaged renormalised"): ("HPYLM+c averaged renormalised", None),
    ("hpylm+c-left", "one sample"): ("HPYLM+c left-headed", "HPYLM+c inv"),
    ("hpylm+c-left", "one sample renormalised"): ("HPYLM+c left-headed renormalised", None),
    ("hpylm+g", "one sample renormalised"): ("hpylm+g renormalised", None),
    ("hpylm+g", "averaged renormalised"): ("hpylm+g averaged renormalised", None),
}
# Those that subsets and lists are shown of.
COMPOUND_MODELS = ("HPYLM+c", "HPYLM+c renormalised", "hpylm+g renormalised")


@dataclass(frozen=True)
class Stored:
    """An evaluation taken from a result, and where it belongs."""

    size: str
    order: int
    model: str
    evaluation: Evaluation
    result: Result


class Shelf:
    """All evaluations there are results of, and what they share."""

    def __init__(self, results: Results, experiments: Sequence[Experiment]) -> None:
        self.results = results
        self.runs = [r for e in experiments if (r := results.get(e)) is not None]
        self.missing = [e.name for e in experiments if results.get(e) is None]

    @cached_property
    def text(self) -> HeldOutText | None:
        """The held-out text, from the prepared texts."""
        return stored_held_out_text(self.results.folder / "prepared")

    @cached_property
    def stored(self) -> list[Stored]:
        """Every variant of every run that scored the held-out text."""
        return [s for r in self.runs if r.experiment.measure == "perplexity" for s in self._of(r)] if self.text else []

    def _of(self, result: Result) -> Iterator[Stored]:
        _, _, size, order, model = result.experiment.name.split("/")
        arrays = result.arrays()
        assert self.text is not None
        lengths = [len(s) + 1 for s in self.text.sentences]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64)
        for (kind, variant), (name, _) in ROWS.items():
            if kind == model and variant in result.figures["variants"]:
                figures = result.figures["variants"][variant]
                scores = Scores(arrays[f"log_prob.{variant}"], arrays["matched"], arrays["unknown"], offsets)
                signature = Written(figures["signature"])
                vocabulary, vocabulary_size = result.figures["vocabulary"], result.figures["vocabulary_size"]
                number = int(order.removeprefix("order-"))
                made = Evaluation(name, self.text, scores, number, vocabulary, vocabulary_size, signature)
                yield Stored(size, number, model, made, result)

    def find(self, size: str, order: int, name: str) -> Evaluation | None:
        """The evaluation the report calls `name`."""
        return next(
            (s.evaluation for s in self.stored if (s.size, s.order, s.evaluation.name) == (size, order, name)), None
        )

    def segmentation(self, evaluation: Evaluation | None) -> SegmentationTable | None:
        """How the words of an evaluation's vocabulary were split, if an experiment needed to know."""
        if evaluation is None:
            return None
        path = segmentation_path(self.results.folder / "prepared", evaluation.vocabulary)
        return SegmentationTable.read(path) if path.exists() else None


class Written(Signature):
    """A signature that was read back from a result."""

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "fields", {"text": text})

    def __str__(self) -> str:
        return str(self.fields["text"])


def sections(results: Results, thesis: Mapping[str, Any], experiments: Sequence[Experiment]) -> list[Section]:
    """The report."""
    shelf = Shelf(results, experiments)
    figures = thesis.get("hpylm", {})
    sizes = list(dict.fromkeys(s.size for s in shelf.stored))
    large = [size for size in sizes if size in TEXTS] or sizes[-1:]
    made = [
        Section("Perplexity", _PERPLEXITY, [_perplexity(shelf, size, figures) for size in large]),
        Section("Order", "", [t for size in large for t in _by_order(shelf, size, figures)]),
        Section("Subsets of the test text", _SUBSETS, [t for size in large for t in _subsets(shelf, size, figures)]),
        Section("Training size", _SIZES, list(_by_size(shelf))),
        Section("Linking elements", "", list(_components(shelf, figures))),
        Section("Where compounds win and lose", "", [t for size in large for t in _qualitative(shelf, size)]),
        Section("Burn-in", "", [t for size in large for t in _traces(shelf, size)]),
        Section("Cost", "", [_cost(shelf)] if shelf.runs else []),
    ]
    missing = (
        f"{len(shelf.missing)} experiments have no result yet: {', '.join(shelf.missing)}." if shelf.missing else ""
    )
    return [*(s for s in made if s.tables), *([Section("Missing", missing)] if missing else [])]


_PERPLEXITY = (
    "Test perplexities of 4-gram models; changes are in per cent. The first shard has 10m tokens, all four have 33m. Rare "
    "words are kept in the vocabulary, as in the thesis's main experiment: all but a twentieth of the types seen once, from "
    "which <unk> is learnt. The thesis trained on 59m tokens of WMT11 news and Europarl and tested on news, so its "
    "perplexities are beside ours for their relations, not their size."
)
_SUBSETS = (
    "Hit length: the length of the longest n-gram of the training text that ends in the word. Unknown words and sentence "
    "ends count as not compound, as in the thesis."
)
_SIZES = (
    "Each size has its own vocabulary, without words seen once, as in the thesis; so only changes within a size are "
    "comparable."
)


def _perplexity(shelf: Shelf, size: str, thesis: Mapping[str, Any]) -> Table:
    columns = [
        Column("model"),
        Column("perplexity", ".2f"),
        Column("against MKN %", "+.2f"),
        Column("against HPYLM %", "+.2f"),
    ]
    columns += [
        Column("thesis", ".2f"),
        Column("thesis against MKN %", "+.2f"),
        Column("difference of changes", "+.2f"),
    ]
    told = thesis.get("perplexity", {})
    mkn, hpylm = shelf.find(size, 4, "MKN"), shelf.find(size, 4, "HPYLM")
    rows, used = [], []
    for name, theirs in ROWS.values():
        if (e := shelf.find(size, 4, name)) is None:
            continue
        used.append(e)
        ours = _change(e, mkn)
        there = told.get(theirs)
        there_change = _percent(there, told["MKN"]) if there and theirs != "MKN" else None
        apart = ours - there_change if ours is not None and there_change is not None else None
        rows.append([name, e.perplexity, ours, _change(e, hpylm), there, there_change, apart])
    chart = Chart("bars", "model", ["against MKN %"], y_title="change in perplexity against MKN, %")
    title = f"Perplexity, Europarl German, {_called(size)}, n = 4"
    return Table(title, columns, rows, signature_of(used), chart=chart if len(rows) > 1 else None)


def _change(e: Evaluation, baseline: Evaluation | None) -> float | None:
    return None if baseline is None or baseline.name == e.name else _percent(e.perplexity, baseline.perplexity)


def _percent(figure: float, baseline: float) -> float:
    return 100 * (figure / baseline - 1)


def _by_order(shelf: Shelf, size: str, thesis: Mapping[str, Any]) -> Iterator[Table]:
    own = [s for s in shelf.stored if s.size == size]
    if len({s.order for s in own}) < 2:
        return
    signature = signature_of([s.evaluation for s in own])
    points = [(s.evaluation.name, s.order, s.evaluation.perplexity) for s in own]
    yield replace(curve(f"Perplexity by order, {_called(size)}", "order", "perplexity", points, signature), chart=None)
    told = thesis.get("perplexity_by_order", {})
    moved = [(s.evaluation.name, s.order, _change(s.evaluation, shelf.find(size, s.order, "MKN"))) for s in own]
    moved += [
        (f"{name} (thesis)", int(order), _percent(figure, told["MKN"][order]))
        for name, orders in told.items()
        for order, figure in orders.items()
        if name != "MKN"
    ]
    title = f"Perplexity against MKN, by order, {_called(size)}"
    yield curve(title, "order", "change in perplexity, %", [(n, o, c) for n, o, c in moved if c is not None], signature)
    rows: list[list[Cell]] = []
    pairs = (
        ("HPYLM", "MKN"),
        ("HPYLM+c", "HPYLM"),
        ("HPYLM+c renormalised", "HPYLM"),
        ("hpylm+g renormalised", "HPYLM"),
    )
    for order, (name, base) in product((2, 3, 4), pairs):
        e = shelf.find(size, order, name)
        ours = None if e is None else _change(e, shelf.find(size, order, base))
        there = _percent(told[name][str(order)], told[base][str(order)]) if name in told else None
        if ours is not None:
            rows.append([order, f"{name} against {base}", ours, there, None if there is None else ours - there])
    columns = [Column("order", "d"), Column("models"), Column("ours %", "+.2f"), Column("thesis %", "+.2f")]
    title = f"Change of perplexity beside the thesis's, {_called(size)}"
    yield Table(title, [*columns, Column("difference", "+.2f")], rows, signature)


def _subsets(shelf: Shelf, size: str, thesis: Mapping[str, Any]) -> Iterator[Table]:
    mkn, hpylm = shelf.find(size, 4, "MKN"), shelf.find(size, 4, "HPYLM")
    if mkn is None or hpylm is None:
        return
    lengths = by_hit_length(hpylm)
    yield _sized(change(mkn, hpylm, lengths), size)
    if (segmentation := shelf.segmentation(hpylm)) is None:
        return

    def parts_of(word: str) -> int:
        return len(segmentation.of(word))

    told = thesis.get("cross_entropy_change_at_hit_length_1", {})
    theirs = {("1", "compound"): told.get("compounds"), ("1", "other"): told.get("non_compounds")}
    compounds = [e for name in COMPOUND_MODELS if (e := shelf.find(size, 4, name)) is not None]
    for e in compounds:
        table = _sized(change(hpylm, e, cross(lengths, by_compound(hpylm, parts_of))), size)
        if e.name == "HPYLM+c":
            rows = [[*row, theirs.get((str(row[0]), str(row[1])))] for row in table.rows]
            table = replace(table, columns=[*table.columns, Column("thesis %", "+.1f")], rows=rows)
        yield table
    yield _sized(breakdown([mkn, hpylm, *compounds], by_parts(hpylm, parts_of)), size)


def _called(size: str) -> str:
    return size.replace("-", " ") if size in TEXTS else f"{size} tokens"


def _sized(table: Table, size: str) -> Table:
    return replace(table, title=f"{table.title}, {_called(size)}")


def _by_size(shelf: Shelf) -> Iterator[Table]:
    for base in ("MKN", "HPYLM"):
        points, used = [], []
        for s in shelf.stored:
            baseline = shelf.find(s.size, 4, base)
            moved = _change(s.evaluation, baseline)
            if (
                s.size not in TEXTS
                and s.order == 4
                and moved is not None
                and not (base == "HPYLM" and s.evaluation.name == "MKN")
            ):
                points.append((s.evaluation.name, int(s.result.figures["training_tokens"]), moved))
                used.append(s.evaluation)
        if len({x for _, x, _ in points}) > 1:
            title = f"Perplexity against {base}, by training size"
            yield curve(title, "training tokens", "change in perplexity, %", points, signature_of(used), log_x=True)


def _components(shelf: Shelf, thesis: Mapping[str, Any]) -> Iterator[Table]:
    told = thesis.get("data", {})
    columns = [
        Column("set"),
        Column("ours", ",d"),
        Column("ours, of compounds only", ",d"),
        Column("of word types", ".1%"),
    ]
    columns += [Column("thesis", ",d"), Column("thesis, of word types", ".1%")]
    for run in shelf.runs:
        if run.experiment.measure != "components":
            continue
        figures, types = run.figures, told.get("word_types")
        sets = {"word types": (figures["words"], figures["compounds"], types)}
        for linking, theirs in (("delete", "delete"), ("left", "merge_left"), ("right", "merge_right")):
            counts = figures["components"][linking]
            name = f"components, linking elements {'deleted' if linking == 'delete' else f'merged {linking}'}"
            sets[name] = (counts["all"], counts["compounds"], told.get("components", {}).get(theirs))
        rows = [
            [name, ours, of_compounds, ours / figures["words"], there, there / types if there and types else None]
            for name, (ours, of_compounds, there) in sets.items()
        ]
        parts = ", ".join(f"{n} parts: {c:,}" for n, c in figures["compounds_by_parts"].items())
        size = run.experiment.name.split("/")[2]
        yield Table(f"Words and components, {_called(size)}", columns, rows, run.signature, f"Compounds of {parts}.")


def _qualitative(shelf: Shelf, size: str) -> Iterator[Table]:
    mkn = shelf.find(size, 4, "MKN")
    segmentation = shelf.segmentation(mkn)
    for name in COMPOUND_MODELS:
        e = shelf.find(size, 4, name)
        if segmentation is None or mkn is None or e is None:
            continue
        compounds = by_compound(mkn, lambda word: len(segmentation.of(word))).group == 0
        yield _sized(
            largest_differences(e, mkn, 10, only=compounds, show=lambda w: "+".join(segmentation.components(w))), size
        )


def _traces(shelf: Shelf, size: str) -> Iterator[Table]:
    for run in shelf.runs:
        name = run.experiment.name
        if f"/{size}/order-4/" in name and "trace" in run.figures:
            chains = {f"chain {n}": values for n, values in enumerate(run.figures["trace"], 1)}
            every = max(1, max(map(len, chains.values())) // 25)
            table = trace(chains, run.signature, run.experiment.model["burn_in"], every=every)
            yield replace(table, title=f"{table.title}, {name.removeprefix('hpylm/')}")


def _cost(shelf: Shelf) -> Table:
    columns = [
        Column("experiment"),
        Column("seconds", ",.0f"),
        Column("sweeps", "d"),
        Column("CPU seconds a sweep", ".2f"),
    ]
    columns += [Column("peak memory, GiB", ".2f")]
    rows: list[list[Cell]] = []
    for run in shelf.runs:
        per_sweep = run.figures.get("seconds_per_sweep")
        memory = run.peak_memory / 2**30
        rows.append([run.experiment.name, run.seconds, run.figures.get("sweeps"), per_sweep, memory])
    signature = "\n".join(f"{run.experiment.name}: {run.signature}" for run in shelf.runs)
    return Table("What each experiment took", columns, rows, signature)
