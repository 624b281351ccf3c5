"""The tables of chapter 5 on lexica: their scores, ROC curves, and the most probable roots."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from binyan.evaluation.lexicon import roc_table
from binyan.evaluation.table import Column, Table
from binyan.experiments.adaptor.stored import GridRow, StoredAnalyses, dataset_title, grid
from binyan.experiments.adaptor.word_lists import SWAPPED_LISTS

_PARTS = ("pre", "stem", "suf")
_SCORES = ("precision", "recall", "f1")
_ROOT_GRAMMAR = "Tpl"  # the thesis scores the root lexicon of this grammar
_ROOT_FIGURES = {"R3": "root_lexicon", "T3": "root_lexicon_t3"}
# category -> its name, and the keys of the area under its whole curve: results keep some points of it
_CURVES = {
    "stem": ("stems", ("stem_auc",)),
    "root3": ("triliteral roots (R3)", ("root_lexicon", "auc")),
    "template3": ("triliteral roots (T3)", ("root_lexicon_t3", "auc")),
}


def lexica(stored: StoredAnalyses, size: str, thesis: Mapping[str, Any]) -> list[Table]:
    """Scores of lexica beside the thesis's, then curves and roots."""
    roots = [_roots(stored, size, thesis, symbol) for symbol in _ROOT_FIGURES]
    scores = [table for table in (_affixes(stored, size, thesis), *roots) if table.rows]
    return [*scores, *_curves(stored, size), *_top(stored, size)]


def _affixes(stored: StoredAnalyses, size: str, thesis: Mapping[str, Any]) -> Table:
    theirs = {
        f"{grammar} {part}": {dataset: scores[i] for dataset, scores in row.items()}
        for grammar, row in thesis.get("lexicon_f1", {}).items()
        for i, part in enumerate(_PARTS)
    }
    rows = [
        GridRow(f"{m.title} {part}", m.label, ("lexicon", part, "f1"), f"{m.thesis_name} {part}")
        for m in stored.methods(learnt=True)
        for part in _PARTS
    ]
    return grid(stored, size, "Lexica of affixes and stems, F1", rows, theirs)


def _roots(stored: StoredAnalyses, size: str, thesis: Mapping[str, Any], symbol: str) -> Table:
    """The lexicon of R3, or of T3, which the thesis scores for vocalised Arabic: there root and template swap their parts."""
    of_symbol = thesis.get("root_lexicon", {}).get(symbol, {})
    theirs = {
        f"{_ROOT_GRAMMAR} {score}": {dataset: scores[i] for dataset, scores in of_symbol.items()}
        for i, score in enumerate(_SCORES)
    }
    rows = [
        GridRow(f"{m.label}: {score}", m.label, (_ROOT_FIGURES[symbol], score), f"{m.thesis_name} {score}")
        for m in stored.methods(learnt=True)
        if m.finds_roots
        for score in _SCORES
    ]
    datasets = [d for d in stored.datasets(size) if symbol == "R3" or d in SWAPPED_LISTS]
    return grid(stored, size, f"Lexicon of triliteral roots ({symbol})", rows, theirs, datasets)


def _curves(stored: StoredAnalyses, size: str) -> list[Table]:
    labels = [m.label for m in stored.methods(learnt=True)]
    tables = []
    for dataset, (category, (name, area)) in product(stored.datasets(size), _CURVES.items()):
        if category == "template3" and dataset not in SWAPPED_LISTS:
            continue
        curves, areas = {}, {}
        for label in labels:
            result = stored.results.get((dataset, size, label))
            points = result.figures["roc"].get(category) if result else None
            whole = stored.figure(dataset, size, label, *area)
            if points is not None and len(points) > 2 and whole is not None:
                curves[label] = [(float(x), float(y)) for x, y in points]
                areas[label] = whole
        if curves:
            title = f"ROC of the lexicon of {name}, {dataset_title(dataset)}, {size}"
            tables.append(roc_table(curves, title, stored.signature(size, labels, dataset), areas))
    return tables


def _top(stored: StoredAnalyses, size: str) -> list[Table]:
    columns = [Column("root"), Column("P(root, R3)", ".5f"), Column("in the gold standard")]
    tables = []
    for (dataset, of_size, label), result in stored.results.items():
        top = result.figures.get("top_roots")
        if of_size == size and top:
            rows = [[root, probability, "yes" if true else "no"] for root, probability, true in top]
            title = f"Most probable roots, {dataset_title(dataset)}, {label}, {size}"
            tables.append(Table(title, columns, rows, result.signature))
    return tables
