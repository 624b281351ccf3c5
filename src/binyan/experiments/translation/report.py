"""The report of the translation study: BLEU of all language pairs and systems, and compounds in German."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from binyan.evaluation import Column, Table
from binyan.evaluation.table import Cell
from binyan.experiments.report_page import ReportSection
from binyan.experiments.results import Results
from binyan.experiments.translation.headlines import bleu_change
from binyan.experiments.translation.runs import BASELINE, TranslationExperiment

_NOTE = (
    "Mean and standard deviation of three tunings. The thesis translates other text, so its BLEU cannot be "
    "compared with ours: its gain over its own Kneser-Ney system of the same chapter is shown instead."
)

Run = tuple[TranslationExperiment, dict[str, Any]]


def sections(
    results: Results, thesis: Mapping[str, Any], experiments: Sequence[TranslationExperiment]
) -> list[ReportSection]:
    """The report on these experiments, as far as they have results."""
    finished = [(e, r) for e in experiments if (r := results.get(e)) is not None]
    if not finished:
        return []
    signature = "\n".join(dict.fromkeys(r.signature for _, r in finished))
    runs = [(e, r.figures) for e, r in finished]
    tables = [_quality(runs, thesis, signature)]
    if german := [(e, figures) for e, figures in runs if "compound_precision" in figures]:
        tables.append(_compounds(german, signature))
    return [ReportSection("Translation", "Systems that differ only in their language models.", tables)]


def _quality(runs: Sequence[Run], thesis: Mapping[str, Any], signature: str) -> Table:
    columns = [
        Column("bitext"),
        Column("model"),
        Column("BLEU", ".2f"),
        Column("±", ".2f"),
        Column("over mkn", "+.2f"),
        Column("chrF", ".2f"),
        Column("thesis over mkn", "+.1f"),
    ]
    baselines = {_bitext(e): figures["bleu_mean"] for e, figures in runs if e.label == BASELINE}
    rows: list[list[Cell]] = []
    for e, figures in runs:
        bleu, baseline = figures["bleu_mean"], baselines.get(_bitext(e))
        over = None if baseline is None or e.label == BASELINE else bleu - baseline
        change = bleu_change(e)
        theirs = None if change is None else change.beside(thesis)
        rows.append([_bitext(e), e.label, bleu, figures["bleu_deviation"], over, figures["chrf_mean"], theirs])
    return Table("Translation quality", columns, rows, signature, _NOTE)


def _compounds(runs: Sequence[Run], signature: str) -> Table:
    columns = [Column("bitext"), Column("model"), *(Column(name, ".1f") for name in ("precision", "recall", "F"))]
    rows: list[list[Cell]] = [
        [_bitext(e), e.label, *(figures[f"compound_{kind}"] for kind in ("precision", "recall", "f_score"))]
        for e, figures in runs
    ]
    return Table("Compounds in translations", columns, rows, signature)


def _bitext(experiment: TranslationExperiment) -> str:
    return f"{experiment.dataset} {experiment.language_pair}"
