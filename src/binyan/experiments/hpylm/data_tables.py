"""The tables of chapter 3 on its data: words and their components, the test text, and the splitter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from binyan.evaluation import Chart, Column, Table
from binyan.evaluation.table import Cell
from binyan.experiments.hpylm.perplexity_tables import size_title
from binyan.experiments.hpylm.stored import StoredRuns

# our names of ways to handle linking elements -> the thesis's, and titles
_LINKING = {
    "delete": ("delete", "linking elements deleted"),
    "left": ("merge_left", "linking elements merged left"),
    "right": ("merge_right", "linking elements merged right"),
}


def components(stored: StoredRuns, thesis: Mapping[str, Any]) -> Iterator[Table]:
    """How many words and components there are, of all words and of compounds alone."""
    data = thesis.get("data", {})
    types, theirs, of_compounds = (
        data.get("word_types"),
        data.get("components", {}),
        data.get("components_of_compounds", {}),
    )
    columns = [Column("set"), Column("ours", ",d"), Column("of compounds", ",d"), Column("of word types", ".1%")]
    columns += [Column("thesis", ",d"), Column("thesis, of compounds", ",d"), Column("thesis, of word types", ".1%")]
    for experiment, run in stored.runs:
        if experiment.measure != "components":
            continue
        figures = run.figures
        rows: list[list[Cell]] = [
            ["word types", figures["words"], figures["compounds"], 1.0, types, data.get("compound_types"), None]
        ]
        for linking, (key, title) in _LINKING.items():
            counts, there = figures["components"][linking], theirs.get(key)
            ours = [counts["all"], counts["compounds"], counts["all"] / figures["words"]]
            share = there / types if there and types else None
            rows.append([f"components, {title}", *ours, there, of_compounds.get(key), share])
        parts = ", ".join(f"{n} parts: {c:,}" for n, c in figures["compounds_by_parts"].items())
        title = f"Words and components, {size_title(experiment.size)}"
        yield Table(title, columns, rows, run.signature, f"Compounds of {parts}.")


def composition(stored: StoredRuns, thesis: Mapping[str, Any]) -> Iterator[Table]:
    """Tokens of the test text by hit length, compounds and others."""
    data = thesis.get("data", {})
    for experiment, run in stored.runs:
        if experiment.measure != "composition":
            continue
        figures = run.figures
        rows: list[list[Cell]] = [
            [length, kind, tokens, tokens / figures["tokens"]]
            for kind, counts in figures["by_hit_length"].items()
            for length, tokens in counts.items()
        ]
        columns = [Column("hit length"), Column("word"), Column("tokens", ",d"), Column("share", ".1%")]
        note = f"{figures['compounds']:,} of {figures['tokens']:,} tokens are compounds, {figures['unknown']:,} are unknown."
        if "test_compounds" in data:
            note += f" In the thesis, {data['test_compounds']:,} of {data['test_tokens']:,} are compounds."
        chart = Chart("bars", "hit length", ["tokens"], series="word", y_title="tokens")
        yield Table(f"The test text, {size_title(experiment.size)}", columns, rows, run.signature, note, chart)


def splitter(stored: StoredRuns, thesis: Mapping[str, Any]) -> Iterator[Table]:
    """Precision, recall and F of boundaries."""
    theirs = thesis.get("data", {}).get("splitter_f_percent")
    columns = [Column("measure"), Column("ours, %", ".2f"), Column("thesis, about, %", ".0f")]
    titles = {
        "precision": "precision",
        "recall": "recall",
        "f1": "F",
        "f1_merged_left": "F, linking elements merged left",
        "correct_words": "words that are right",
    }
    for experiment, run in stored.runs:
        if experiment.measure == "splitter":
            rows: list[list[Cell]] = [
                [title, run.figures[key], theirs if key == "f1_merged_left" else None] for key, title in titles.items()
            ]
            yield Table(f"Boundaries of {run.figures['words']:,} words", columns, rows, run.signature)
