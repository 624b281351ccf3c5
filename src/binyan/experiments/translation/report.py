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
    "Mean and standard deviation of three tunings; p is that of a paired bootstrap of BLEU against the row before, each with the weights that "
    "tuned best; words are those of the translations against the references. The thesis translates other text, so its BLEU cannot "
    "be compared with ours: its gain over its own Kneser-Ney system of the same chapter is shown instead."
)
_COMPOUNDS = (
    "Compounds are the words of GermaNet's list. Written: how many compounds the translations have for each 100 of the references, which is recall "
    "over precision. A model that writes fewer has a higher precision by leaving out the doubtful ones."
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
    runs = [(e, r.figures) for e, r in finished if not e.is_analysis]
    compared = {_bitext(e): r.figures for e, r in finished if e.is_analysis}
    tables = [_quality(runs, compared, thesis, signature)]
    if german := [(e, figures) for e, figures in runs if "compound_precision" in figures]:
        tables.append(_compounds(german, thesis, signature))
    if examples := {bitext: figures["examples"] for bitext, figures in compared.items() if "examples" in figures}:
        tables.append(_examples(examples, signature))
    return [ReportSection("Translation", "Systems that differ only in their language models.", tables)]


def _quality(
    runs: Sequence[Run], compared: Mapping[str, dict[str, Any]], thesis: Mapping[str, Any], signature: str
) -> Table:
    columns = [
        Column("bitext"),
        Column("model"),
        Column("BLEU", ".2f"),
        Column("±", ".2f"),
        Column("p", ".3f"),
        Column("over mkn", "+.2f"),
        Column("chrF", ".2f"),
        Column("words, %", "+.1f"),
        Column("thesis over mkn", "+.1f"),
    ]
    baselines = {_bitext(e): figures["bleu_mean"] for e, figures in runs if e.label == BASELINE}
    rows: list[list[Cell]] = []
    for e, figures in runs:
        bleu, baseline = figures["bleu_mean"], baselines.get(_bitext(e))
        over = None if baseline is None or e.label == BASELINE else bleu - baseline
        p = compared.get(_bitext(e), {}).get("p", {}).get(e.label)
        change = bleu_change(e)
        theirs = None if change is None else change.beside(thesis)
        words = 100 * figures["length"] - 100
        own: list[Cell] = [bleu, figures["bleu_deviation"], p, over, figures["chrf_mean"], words, theirs]
        rows.append([_bitext(e), e.label, *own])
    return Table("Translation quality", columns, rows, signature, _NOTE)


def _compounds(runs: Sequence[Run], thesis: Mapping[str, Any], signature: str) -> Table:
    """Precision and recall of compounds, ours and the thesis's, and how many are written for each 100 of the references."""
    names = ("precision", "recall", "F", "written, %")
    columns = [Column("bitext"), Column("model"), *(Column(name, ".1f") for name in names)]
    columns += [Column(f"thesis, {name}", ".1f") for name in names]
    theirs = thesis.get("hpylm", {}).get("translation", {})
    rows: list[list[Cell]] = []
    for e, figures in runs:
        ours = [figures[f"compound_{kind}"] for kind in ("precision", "recall", "f_score")]
        models = e.system_models
        row = models.thesis_chapter_3 if models else None
        there = [theirs.get(f"compound_{kind}", {}).get(row) for kind in ("precision", "recall", "f")]
        rows.append([_bitext(e), e.label, *ours, _written(ours), *there, _written(there)])
    return Table("Compounds in translations", columns, rows, signature, _COMPOUNDS)


def _written(scores: Sequence[float | None]) -> float | None:
    """Recall over precision, in per cent: compounds of the translations for each 100 of the references."""
    precision, recall = scores[:2]
    return 100 * recall / precision if precision and recall else None


def _examples(examples: Mapping[str, Mapping[str, Sequence[Mapping[str, str]]]], signature: str) -> Table:
    columns = [Column(name) for name in ("bitext", "model", "with mkn", "with the model", "right")]
    rows: list[list[Cell]] = [
        [bitext, label, *(example[side] for side in ("baseline", "system", "right"))]
        for bitext, by_model in examples.items()
        for label, listed in by_model.items()
        for example in listed
    ]
    return Table("Sentences whose compounds the model has right and Kneser-Ney has not", columns, rows, signature)


def _bitext(experiment: TranslationExperiment) -> str:
    return f"{experiment.dataset} {experiment.language_pair}"
