"""The report of the translation study: BLEU of all language pairs and systems, and compounds in German."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from binyan.evaluation import Column, Table
from binyan.evaluation.table import Cell
from binyan.experiments.report_page import ReportSection
from binyan.experiments.results import Results
from binyan.experiments.translation.headlines import bleu_change
from binyan.experiments.translation.models import SYSTEMS
from binyan.experiments.translation.runs import BASELINE, TranslationExperiment

_NOTE = (
    "Mean and standard deviation over three tunings. p: paired bootstrap of BLEU against the row before, each with the weights that tuned best. "
    "Words: how many more words the translations have than the references. The thesis translates different text, so its BLEU cannot be "
    "compared with ours: its gain over its own Kneser-Ney system of the same chapter is shown instead."
)
_COMPOUNDS = (
    "Compounds are the words of GermaNet's list. Written: the number of compounds in the translations for each 100 in the references, which is "
    "recall divided by precision. A model that writes fewer compounds can be more precise, because it leaves out the doubtful ones."
)
_CHANGES = "Differences in points from the Kneser-Ney system of the same bitext; the thesis translates different text."

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
        tables += _compounds(german, thesis, signature)
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


def _compounds(runs: Sequence[Run], thesis: Mapping[str, Any], signature: str) -> list[Table]:
    """Precision, recall and number of compounds, and their differences from those of Kneser-Ney, ours and the thesis's."""
    names = ("precision", "recall", "F", "written, %")
    system = [Column("bitext"), Column("model")]
    scores = [_with_written([f[f"compound_{kind}"] for kind in ("precision", "recall", "f_score")]) for _, f in runs]
    listed = [(_bitext(e), e.label, own) for (e, _), own in zip(runs, scores, strict=True)]
    columns = [*system, *(Column(name, ".1f") for name in names)]
    rows: list[list[Cell]] = [[bitext, label, *own] for bitext, label, own in listed]
    tables = [Table("Compounds in translations", columns, rows, signature, _COMPOUNDS)]
    baselines = {bitext: own for bitext, label, own in listed if label == BASELINE}
    changes: list[list[Cell]] = []
    for bitext, label, own in listed:
        if label != BASELINE and bitext in baselines:
            theirs = _over(_of_thesis(thesis, label), _of_thesis(thesis, BASELINE))
            pairs = zip(_over(own, baselines[bitext]), theirs, strict=True)
            changes.append([bitext, label, *(value for pair in pairs for value in pair)])
    columns = [*system, *(Column(n, "+.1f") for name in names for n in (name, f"thesis, {name}"))]
    title = "Compounds in translations, against Kneser-Ney"
    return [*tables, *([Table(title, columns, changes, signature, _CHANGES)] if changes else [])]


def _of_thesis(thesis: Mapping[str, Any], label: str) -> list[float | None]:
    row = SYSTEMS[label].thesis_chapter_3 if label in SYSTEMS else None
    listed = thesis.get("hpylm", {}).get("translation", {})
    return _with_written([listed.get(f"compound_{kind}", {}).get(row) for kind in ("precision", "recall", "f")])


def _over(scores: Sequence[float | None], base: Sequence[float | None]) -> list[float | None]:
    return [None if a is None or b is None else a - b for a, b in zip(scores, base, strict=True)]


def _with_written(scores: list[float | None]) -> list[float | None]:
    """With recall over precision in per cent: compounds of the translations for each 100 of the references."""
    precision, recall = scores[:2]
    return [*scores, 100 * recall / precision if precision and recall else None]


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
