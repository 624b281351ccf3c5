"""The report of chapter 5: its tables and figures from results, beside the thesis's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from binyan.evaluation.lexicon import roc_table
from binyan.evaluation.table import Cell, Chart, Column, Table
from binyan.evaluation.traces import trace
from binyan.experiments.results import Result, Results
from binyan.experiments.study import Experiment, Section

# our names of grammars -> the thesis's
THESIS = {
    "morfessor": "Morfessor",
    "concat": "Concat",
    "tpl": "Tpl",
    "tpl3ch": "Tpl3Ch",
    "tpl+t4": "Tpl+T4",
    "tplr4": "TplR4",
    "mconcat": "MConcat",
    "mtpl": "MTpl",
    "mtpl3ch": "MTpl3Ch",
    "mtpl+t4": "MTpl+T4",
    "mconcat-hier": "MConcat, affix sequences adapted",
}
GUESSERS = {"uniform": "uniform guesser"}
TITLES = {"BW'": "BW' (vocalised)", "QU'": "QU' (vocalised)"}
SIZES = {"all": "All words, the thesis's protocol", "5k": "Samples of 5,000 words"}


def _thesis_name(model: str) -> str:
    base = model.removesuffix("-apart")
    return THESIS.get(base, base) + (", apart" if base != model else "")


class Shelf:
    """The results there are, by list of words, size and model."""

    def __init__(self, results: Results, experiments: Sequence[Experiment]) -> None:
        self.found: dict[tuple[str, str, str], Result] = {}
        self.models: dict[str, None] = {}
        self.missing = 0
        for experiment in experiments:
            _, data, size, model = experiment.name.split("/")
            result = results.get(experiment)
            self.missing += result is None
            if result is not None:
                self.found[data, size, model] = result
                self.models.setdefault(model)

    def figure(self, data: str, size: str, model: str, *path: str) -> Any:
        """A figure of a result, by its keys; None where there is none."""
        result = self.found.get((data, size, model))
        value: Any = result.figures if result else None
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def data(self, size: str) -> list[str]:
        """The word lists with results of a size, in their order."""
        return list(dict.fromkeys(data for data, s, _ in self.found if s == size))

    def signature(self, size: str, models: Sequence[str] = (), only: str = "") -> str:
        """The signatures of the results of a size (and of one list of words), one a line."""
        return "\n".join(
            f"{data}/{model} {result.signature}"
            for (data, s, model), result in self.found.items()
            if s == size and (not models or model in models) and data == (only or data)
        )


def sections(results: Results, thesis: Mapping[str, Any], experiments: Sequence[Experiment]) -> list[Section]:
    """One section a task of the chapter and size of data, as far as there are results."""
    shelf = Shelf(results, experiments)
    told = thesis.get("adaptor", {})
    missing = f"{shelf.missing} of {len(experiments)} experiments have no result yet." if shelf.missing else ""
    found = [Section("Word lists", missing, [_statistics(shelf, told)])] if shelf.found else []
    for size, title in SIZES.items():
        if shelf.data(size):
            found += [
                Section(f"{title}: segmentation", _NOTES["segmentation"], _segmentation(shelf, size, told)),
                Section(f"{title}: roots", _NOTES["roots"], [_roots(shelf, size, told, k) for k in (3, 4)]),
                Section(f"{title}: lexica", _NOTES["lexica"], _lexica(shelf, size, told)),
                Section(f"{title}: sampling", "", _sampling(shelf, size)),
            ]
    return found


_NOTES = {
    "segmentation": "F1 of segment borders; the most frequent sampled tree of each word. Our lists are rebuilt, not the "
    "thesis's own: figures beside each other are of the same kind, not of the same words.",
    "roots": "Exact matches among words with a root that their stem shows.",
    "lexica": "Lexica of the most frequent trees; areas under ROC curves of sampled probabilities.",
}


def _statistics(shelf: Shelf, told: Mapping[str, Any]) -> Table:
    keys = {
        "words": "words",
        "stems": "stems",
        "roots": "roots",
        "mean_morphemes": "morphemes_per_word",
        "mean_characters": "characters_per_word",
    }
    rows: list[list[Cell]] = []
    for data, size in dict.fromkeys((d, s) for d, s, _ in shelf.found):
        model = next(m for d, s, m in shelf.found if (d, s) == (data, size))
        rows.append([data, size, *(shelf.figure(data, size, model, key) for key in keys)])
    theirs = told.get("data", {})
    rows += [
        [data, "thesis", *(theirs.get(k, {}).get(data) for k in keys.values())] for data in theirs.get("words", {})
    ]
    columns = [Column("list"), Column("size")]
    columns += [Column(n.replace("_", " "), ".1f" if n.endswith("_per_word") else ",d") for n in keys.values()]
    return Table(
        "Word lists", columns, rows, shelf.signature("all", ["guessers"]) or shelf.signature("5k", ["guessers"])
    )


def _grid(
    shelf: Shelf, size: str, title: str, rows: Sequence[tuple[str, str, tuple[str, ...]]], theirs: Mapping[str, Any]
) -> Table:
    """A row for each (label, model, path of the figure), a pair of columns (ours, the thesis's) for each list of words, as far as
    they have figures."""
    lists = shelf.data(size)
    cells: list[list[Cell]] = []
    for label, model, path in rows:
        row: list[Cell] = [label]
        told = label.replace("-apart", "").replace(", apart", "")  # two readings of one grammar of the thesis
        for data in lists:
            value = theirs.get(told, theirs.get(THESIS.get(told, told), {}))
            row += [shelf.figure(data, size, model, *path), value.get(data) if isinstance(value, Mapping) else None]
        if any(cell is not None for cell in row[1:]):
            cells.append(row)
    columns = [Column("model")]
    for data in lists:
        columns += [Column(data, ".1f"), Column(f"{data} thesis", ".1f")]
    kept = [0, *(i for i in range(1, len(columns)) if any(row[i] is not None for row in cells))]
    return Table(title, [columns[i] for i in kept], [[row[i] for i in kept] for row in cells], shelf.signature(size))


def _segmentation(shelf: Shelf, size: str, told: Mapping[str, Any]) -> list[Table]:
    models = [m for m in shelf.models if m != "guessers"]
    theirs = told.get("segment_border_f1", {})
    tables = [_grid(shelf, size, "Segment-border F1", [(m, m, ("segmentation", "f1")) for m in models], theirs)]
    for part, path in (
        ("coarse (borders of stems only)", ("segmentation_coarse",)),
        ("words of three and more morphemes", ("segmentation_of_3_or_more",)),
        ("words outside the samples that our grammars were chosen on", ("unseen", "segmentation")),
    ):
        table = _grid(shelf, size, f"Segment-border F1, {part}", [(m, m, (*path, "f1")) for m in models], {})
        tables += [table] if table.rows else []
    return [*tables, *(_morphemes(shelf, size, data) for data in shelf.data(size))]


def _morphemes(shelf: Shelf, size: str, data: str) -> Table:
    counts = {m: shelf.figure(data, size, m, "morphemes_per_word") for m in shelf.models}
    counts = {m: c for m, c in counts.items() if c}
    some = next((m for d, s, m in shelf.found if (d, s) == (data, size)), "")
    shown = {"gold": shelf.figure(data, size, some, "gold_morphemes_per_word") or {}, **counts}
    longest = max(int(n) for c in shown.values() for n in c)
    rows: list[list[Cell]] = [
        [str(n), *(100 * c.get(str(n), 0) / max(sum(c.values()), 1) for c in shown.values())]
        for n in range(1, longest + 1)
    ]
    columns = [Column("morphemes"), *(Column(name, ".1f") for name in shown)]
    chart = Chart("bars", "morphemes", list(shown), y_title="words (per cent)")
    return Table(
        f"Morphemes per word in {TITLES.get(data, data)}, {size}",
        columns,
        rows,
        shelf.signature(size, only=data),
        "",
        chart,
    )


def _roots(shelf: Shelf, size: str, told: Mapping[str, Any], length: int) -> Table:
    word = "triliteral" if length == 3 else "quadriliteral"
    theirs = dict(told.get(f"root_accuracy_{word}", {}))
    rows: list[tuple[str, str, tuple[str, ...]]] = [("evaluated", "guessers", (f"evaluated_{length}",))]
    for name in ("uniform", "stem-constrained", "character-constrained", "doubly constrained"):
        rows.append((GUESSERS.get(name, name), "guessers", ("accuracy", f"{name} {length}")))
    models = [m for m in shelf.models if m not in ("guessers", "morfessor")]
    for method in ("A", "B"):
        for model in models:
            label = f"{method} {_thesis_name(model)}"
            rows.append((label, model, (f"roots_{length}_{method}", "accuracy")))
    if length == 3:
        rows += [(f"A {m}, roots that are stems left out", m, ("roots_3_A_not_stems", "accuracy")) for m in models]
    rows += [
        (f"A {m}, words outside the samples our grammars were chosen on", m, ("unseen", f"roots_{length}", "accuracy"))
        for m in models
    ]
    return _grid(shelf, size, f"Root accuracy, {word} roots", rows, theirs)


def _lexica(shelf: Shelf, size: str, told: Mapping[str, Any]) -> list[Table]:
    models = [m for m in shelf.models if m not in ("guessers", "morfessor")]
    theirs = told.get("lexicon_f1", {})
    split = {
        f"{label} {part}": {data: values[i] for data, values in row.items()}
        for label, row in theirs.items()
        for i, part in enumerate(("pre", "stem", "suf"))
    }
    rows = [
        (f"{_thesis_name(m)} {part}", m, ("lexicon", part, "f1")) for m in models for part in ("pre", "stem", "suf")
    ]
    tables = [_grid(shelf, size, "Lexica of affixes and stems, F1", rows, split)]
    ours = [(f"{m}: {key}", m, ("root_lexicon", key)) for m in models for key in ("precision", "recall", "f1")]
    roots = {
        f"tpl: {key}": {name.split(" ")[0]: values[i] for name, values in told.get("root_lexicon", {}).items()}
        for i, key in enumerate(("precision", "recall", "f1"))
    }
    tables.append(_grid(shelf, size, "Lexicon of triliteral roots", ours, roots))
    for data in shelf.data(size):
        for category, title in (("stem", "stems"), ("root3", "triliteral roots")):
            curves = {}
            for model in models:
                result = shelf.found.get((data, size, model))
                points = result.arrays().get(f"roc.{category}") if result else None
                if points is not None and len(points) > 2:
                    curves[model] = [(float(x), float(y)) for x, y in points]
            if curves:
                tables.append(
                    roc_table(
                        curves,
                        f"ROC of the lexicon of {title}, {TITLES.get(data, data)}, {size}",
                        shelf.signature(size, models, data),
                    )
                )
    return [*tables, *_top_roots(shelf, size)]


def _top_roots(shelf: Shelf, size: str) -> list[Table]:
    tables = []
    for (data, s, model), result in shelf.found.items():
        top = result.figures.get("top_roots")
        if s == size and top:
            rows = [[root, probability, "yes" if true else "no"] for root, probability, true in top]
            columns = [Column("root"), Column("P(root, R3)", ".5f"), Column("in the gold standard")]
            tables.append(
                Table(
                    f"Most probable roots, {TITLES.get(data, data)}, {model}, {size}", columns, rows, result.signature
                )
            )
    return tables


def _sampling(shelf: Shelf, size: str) -> list[Table]:
    rows: list[list[Cell]] = []
    tables: list[Table] = []
    for data in shelf.data(size):
        chains = {}
        burn_in = 0
        for model in shelf.models:
            result = shelf.found.get((data, size, model))
            values = result.arrays().get("log_joint") if result else None
            if result is None or values is None:
                continue
            chains[model] = values.tolist()
            burn_in = result.experiment.model["burn_in"]
            figures = result.figures
            rows.append(
                [
                    data,
                    model,
                    figures["log_joint"],
                    figures["words_per_second"],
                    result.seconds,
                    result.peak_memory / 2**20,
                ]
            )
        if chains:
            shown = trace(
                chains,
                shelf.signature(size, list(chains), data),
                burn_in,
                "log joint probability",
                every=max(1, burn_in // 100),
            )
            tables.append(
                Table(
                    f"{shown.title}, {TITLES.get(data, data)}, {size}",
                    shown.columns,
                    shown.rows,
                    shown.signature,
                    "",
                    shown.chart,
                )
            )
    columns = [
        Column("list"),
        Column("model"),
        Column("log joint", ",.0f"),
        Column("words/s", ",.0f"),
        Column("seconds", ",.0f"),
        Column("peak MB", ",.0f"),
    ]
    return [Table("Sampling", columns, rows, shelf.signature(size)), *tables] if rows else []
