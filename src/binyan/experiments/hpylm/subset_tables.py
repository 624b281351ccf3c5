"""The tables of chapter 3 on subsets of the test text: by hit length, compounds, parts, and the largest differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from binyan.evaluation import Column, Evaluation, Table, breakdown, change, largest_differences
from binyan.evaluation.breakdown import by_compound, by_hit_length, by_parts, cross
from binyan.segmentation import SegmentationTable

# The titles of the models that subsets and differences are shown of.
COMPOUND_MODELS = ("HPYLM+c", "HPYLM+c renormalised", "HPYLM+c left-headed renormalised", "hpylm+g renormalised")
_OF_HPYLM_C = "Cross-entropy of HPYLM+c against"


def subsets(models: Mapping[str, Evaluation], segmentation: SegmentationTable) -> Iterator[Table]:
    """Changes of cross-entropy by hit length and compounds, and perplexities by number of parts."""
    mkn, hpylm = models["MKN"], models["HPYLM"]

    def parts_of(word: str) -> int:
        return len(segmentation.of(word))

    lengths = by_hit_length(hpylm)
    yield change([mkn, hpylm], lengths)
    compounds = [models[name] for name in COMPOUND_MODELS if name in models]
    for model in compounds:
        yield change([hpylm, model], cross(lengths, by_compound(hpylm, parts_of)))
    yield breakdown([mkn, hpylm, *compounds], by_parts(hpylm, parts_of))


def change_at_hit_length_1(tables: Sequence[Table]) -> dict[str, float]:
    """The change from HPYLM to HPYLM+c of compounds and others that no longer n-gram of the training text ends in."""
    return {
        str(word): float(change)
        for table in tables
        if table.title.startswith(_OF_HPYLM_C)
        for length, word, change in zip(
            table.column("hit length"), table.column("word"), table.column("change %"), strict=True
        )
        if length == "1"
    }


def differences(models: Mapping[str, Evaluation], segmentation: SegmentationTable) -> Iterator[Table]:
    """The compounds whose probabilities under compound models differ most from those under Kneser-Ney."""
    mkn = models["MKN"]
    compounds = by_compound(mkn, lambda word: len(segmentation.of(word))).group == 0
    for name in COMPOUND_MODELS:
        if name in models:
            yield largest_differences(
                models[name], mkn, 10, only=compounds, show=lambda w: "+".join(segmentation.components(w))
            )


def beside_thesis(tables: Sequence[Table], thesis: Mapping[str, Any]) -> Iterator[Table]:
    """The tables of subsets; that of HPYLM+c with a column of the thesis's changes."""
    figures = thesis.get("cross_entropy_change_at_hit_length_1", {})
    theirs = {("1", "compound"): figures.get("compounds"), ("1", "other"): figures.get("non_compounds")}
    for table in tables:
        if table.title.startswith(_OF_HPYLM_C):
            rows = [[*row, theirs.get((str(row[0]), str(row[1])))] for row in table.rows]
            yield replace(table, columns=[*table.columns, Column("thesis %", "+.1f")], rows=rows)
        else:
            yield table
