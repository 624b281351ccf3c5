"""The tables of chapter 5 on what samples say beyond the best trees, and examples: roots with words, trees."""

from __future__ import annotations

from html import escape

from binyan.evaluation.table import Cell, Column, Table
from binyan.experiments.adaptor.stored import GridRow, StoredAnalyses, dataset_title, grid
from binyan.grammar.tree import parse_tree

_PARTS = ("pre", "stem", "suf", "root3")


def list_words(stored: StoredAnalyses) -> list[Table]:
    """Some words of each list, with their segments and roots."""
    lists = dict.fromkeys(e.dataset for e in stored.experiments)
    rows: list[list[Cell]] = [
        [dataset, *example]
        for dataset in lists
        for example in stored.any_figure(dataset, "all", "examples")
        or stored.any_figure(dataset, "5k", "examples")
        or ()
    ]
    columns = [Column(name) for name in ("list", "word", "segments", "root")]
    signature = stored.signature("all", ["guessers"]) or stored.signature("5k", ["guessers"])
    return [Table("Words of the lists", columns, rows, signature)] if rows else []


def sampled_lexica(stored: StoredAnalyses, size: str) -> Table:
    """Precision, recall, F1 and area of lexica of all that the samples have."""
    rows = [
        GridRow(f"{m.label} {part}: {score}", m.label, ("sampled_lexicon", part, score))
        for m in stored.methods(learnt=True)
        for part in _PARTS
        for score in ("precision", "recall", "f1", "auc")
    ]
    table = grid(stored, size, "Lexica of all samples", rows, {})
    shown = [
        [100 * v if isinstance(v, float) and str(row[0]).endswith("auc") else v for v in row] for row in table.rows
    ]
    return Table(table.title, table.columns, shown, table.signature, "Areas under ROC curves are multiplied by 100.")


def marginal(stored: StoredAnalyses, size: str) -> Table:
    """Segment borders of the best tree and of the best sum over trees."""
    rows = [
        GridRow(f"{m.label}, {what}", m.label, (figure, "f1"))
        for m in stored.methods(learnt=True)
        for figure, what in (("segmentation", "best tree"), ("segmentation_marginal", "sum over trees"))
    ]
    return grid(stored, size, "Best trees and maximum marginal decoding, F1 of segment borders", rows, {})


def partial_roots(stored: StoredAnalyses, size: str) -> Table:
    """Roots of four: words with a candidate, with the root, and with all but one of its letters."""
    rows = [
        GridRow(f"{m.label}: {what}", m.label, ("partial_roots_4", key))
        for m in stored.methods(learnt=True)
        if "r4" in m.label or "root-template" in m.label
        for key, what in (
            ("evaluated", "words with a root of four"),
            ("with_candidate", "with a candidate"),
            ("exact", "with the root"),
            ("all_but_one", "with all but one letter"),
        )
    ]
    return grid(stored, size, "Roots of four that are found in part", rows, {})


def root_examples(stored: StoredAnalyses, size: str) -> list[Table]:
    """The most probable roots with words: analysed rightly, cut wrongly, and given the root wrongly."""
    columns = [Column("P(root, R3)", ".5f"), Column("root"), Column("a root"), Column("right")]
    columns += [Column("wrong borders"), Column("another root")]
    tables = []
    for (dataset, of_size, label), result in stored.results.items():
        examples = result.figures.get("root_examples")
        if of_size != size or not examples:
            continue
        rows: list[list[Cell]] = [
            [
                e["probability"],
                e["root"],
                "yes" if e["is_root"] else "no",
                *(", ".join(e[kind]) for kind in ("right", "wrong_borders", "wrong_root")),
            ]
            for e in examples
        ]
        title = f"Roots and words, {dataset_title(dataset)}, {label}, {size}"
        tables.append(Table(title, columns, rows, result.signature))
    return tables


def drawings(stored: StoredAnalyses, size: str) -> list[str]:
    """Trees of the same words under the concatenative grammar and the templatic one that is most expressive."""
    svgs = []
    for dataset in stored.datasets(size):
        for label in ("concat", "tplr4"):
            result = stored.results.get((dataset, size, label))
            for word, gold, line in (result.figures.get("trees", []) if result else [])[:1]:
                caption = f"{dataset_title(dataset)}, {label}: {word}, gold {gold}"
                svgs.append(f"<figcaption>{escape(caption)}</figcaption>{parse_tree(line).svg()}")
    return svgs
