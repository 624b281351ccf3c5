"""The tables of chapter 3 on subsets of the test text: by hit length, compounds, parts, and the largest differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from binyan.evaluation import Column, Table, breakdown, change, largest_differences
from binyan.evaluation.breakdown import by_compound, by_hit_length, by_parts, cross
from binyan.experiments.hpylm.perplexity_tables import size_title
from binyan.experiments.hpylm.stored import StoredEvaluations

# The titles of the models that subsets and differences are shown of.
COMPOUND_MODELS = ("HPYLM+c", "HPYLM+c renormalised", "hpylm+g renormalised")


def subsets(stored: StoredEvaluations, size: str, thesis: Mapping[str, Any]) -> Iterator[Table]:
    """Changes of cross-entropy by hit length and compounds, and perplexities by number of parts."""
    mkn, hpylm = stored.find(size, 4, "MKN"), stored.find(size, 4, "HPYLM")
    if mkn is None or hpylm is None:
        return
    lengths = by_hit_length(hpylm)
    yield _sized(change([mkn, hpylm], lengths), size)
    if (segmentation := stored.segmentation(hpylm)) is None:
        return

    def parts_of(word: str) -> int:
        return len(segmentation.of(word))

    figures = thesis.get("cross_entropy_change_at_hit_length_1", {})
    theirs = {("1", "compound"): figures.get("compounds"), ("1", "other"): figures.get("non_compounds")}
    compounds = [e for name in COMPOUND_MODELS if (e := stored.find(size, 4, name)) is not None]
    for e in compounds:
        table = _sized(change([hpylm, e], cross(lengths, by_compound(hpylm, parts_of))), size)
        if e.name == "HPYLM+c":
            rows = [[*row, theirs.get((str(row[0]), str(row[1])))] for row in table.rows]
            table = replace(table, columns=[*table.columns, Column("thesis %", "+.1f")], rows=rows)
        yield table
    yield _sized(breakdown([mkn, hpylm, *compounds], by_parts(hpylm, parts_of)), size)


def extremes(stored: StoredEvaluations, size: str) -> Iterator[Table]:
    """The compounds whose probabilities under compound models differ most from those under Kneser-Ney."""
    mkn = stored.find(size, 4, "MKN")
    segmentation = stored.segmentation(mkn)
    for name in COMPOUND_MODELS:
        e = stored.find(size, 4, name)
        if segmentation is None or mkn is None or e is None:
            continue
        compounds = by_compound(mkn, lambda word: len(segmentation.of(word))).group == 0
        yield _sized(
            largest_differences(e, mkn, 10, only=compounds, show=lambda w: "+".join(segmentation.components(w))), size
        )


def _sized(table: Table, size: str) -> Table:
    return replace(table, title=f"{table.title}, {size_title(size)}")
