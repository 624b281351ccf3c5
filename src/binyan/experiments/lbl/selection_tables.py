"""The tables of chapter 4's model selection: perplexities by language, averages, boxes, classes, and penalties."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean, median
from typing import Any

from binyan.evaluation import Chart, Column, Table
from binyan.evaluation.table import Cell
from binyan.experiments.lbl.eltec import LANGUAGES
from binyan.experiments.lbl.models import BINS, KINDS, TITLES, plain_of
from binyan.experiments.lbl.perplexity_experiment import BASELINE, MAIN_SIZE
from binyan.experiments.lbl.stored import StoredRuns


def perplexity(stored: StoredRuns, setting: str, thesis: Mapping[str, Any]) -> Table:
    """Perplexities of all models in all languages at a setting, and their changes beside the thesis's."""
    columns = [
        Column("language"),
        Column("model"),
        Column("test", ".1f"),
        Column("change, %", "+.1f"),
        Column("dev", ".1f"),
        Column("second dev", ".1f"),
        Column("news", ".1f"),
        Column("lambda", "g"),
        Column("thesis, change, %", "+.1f"),
    ]
    theirs = thesis.get("perplexity_1m", {}) if setting == MAIN_SIZE else {}
    rows: list[list[Cell]] = []
    signatures = []
    for language in stored.languages(setting):
        for label, title in TITLES.items():
            if (run := stored.best(setting, language, label)) is None:
                continue
            figures = run.result.figures
            rows.append(
                [
                    language,
                    title,
                    figures["perplexity"],
                    _change(stored, setting, language, label),
                    figures.get("perplexity_dev"),
                    figures.get("perplexity_second"),
                    figures.get("perplexity_news"),
                    run.experiment.penalty,
                    _thesis_change(theirs, label, language),
                ]
            )
            signatures.append(run.result.signature)
    note = (
        "Change: additive models against the plain model of their kind; plain models, and MKN with discounts fitted to "
        "the development novels, against MKN."
    )
    return Table(f"Perplexity, {setting}", columns, rows, "\n".join(signatures), note)


def averages(stored: StoredRuns, thesis: Mapping[str, Any]) -> list[Table]:
    """Perplexities averaged over the six languages, for models that have results in all of them."""
    theirs, signatures = thesis.get("perplexity_1m_average", {}), []
    rows: list[list[Cell]] = []
    base: dict[str, float] = {}
    for label, title in TITLES.items():
        runs = [stored.best(MAIN_SIZE, language, label) for language in LANGUAGES]
        if any(run is None for run in runs):
            continue
        base[label] = fmean(run.result.figures["perplexity"] for run in runs if run)
        plain = plain_of(label) or BASELINE
        change = 100 * (base[label] / base[plain] - 1) if plain in base and plain != label else None
        there = theirs.get(title)
        there_base = theirs.get(TITLES[plain])
        there_change = 100 * (there / there_base - 1) if there and there_base and plain != label else None
        rows.append([title, base[label], change, there_change])
        signatures += [run.result.signature for run in runs if run]
    columns = [
        Column("model"),
        Column("average", ".1f"),
        Column("change, %", "+.1f"),
        Column("thesis, change, %", "+.1f"),
    ]
    note = "Changes of additive models are against the plain model of their kind, those of plain models against MKN."
    title = "Perplexity averaged over six languages, with and without classes"
    return [Table(title, columns, rows, "\n".join(signatures), note)] if rows else []


def boxes(stored: StoredRuns, thesis: Mapping[str, Any]) -> list[Table]:
    """The spread over languages of the changes that additive models make."""
    theirs, signatures, medians = thesis.get("perplexity_1m", {}), [], []
    rows: list[list[Cell]] = []
    for label, kind in KINDS.items():
        if not kind.is_additive:
            runs = [run for language in LANGUAGES if (run := stored.best(MAIN_SIZE, language, label))]
            if len(runs) == len(LANGUAGES):
                medians.append(f"{kind.title} {median(r.result.figures['perplexity'] for r in runs):.0f}")
            continue
        changes = {lang: c for lang in LANGUAGES if (c := _change(stored, MAIN_SIZE, lang, label)) is not None}
        rows += [[kind.title, "ours", language, change] for language, change in changes.items()]
        if changes:
            signatures += [r.result.signature for lang in changes if (r := stored.best(MAIN_SIZE, lang, label))]
            there = {lang: _thesis_change(theirs, label, lang) for lang in LANGUAGES}
            rows += [[kind.title, "thesis", lang, change] for lang, change in there.items() if change is not None]
    columns = [Column("model"), Column("whose"), Column("language"), Column("change, %", "+.1f")]
    chart = Chart("boxes", "model", ["change, %"], series="whose", y_title="change against the plain model, %")
    note = f"Medians of our plain models: {', '.join(medians)}." if medians else ""
    title = "Spread over languages of what additive vectors change"
    return [Table(title, columns, rows, "\n".join(signatures), note, chart)] if rows else []


def map_words(stored: StoredRuns) -> list[Table]:
    """Some words of each language's word map, with their morphemes."""
    runs = {lang: run.result for lang in LANGUAGES if (run := stored.best(MAIN_SIZE, lang, "clbl++"))}
    rows: list[list[Cell]] = [
        [lang, *example] for lang, result in runs.items() for example in result.figures.get("map_examples", ())
    ]
    columns = [Column("language"), Column("word"), Column("morphemes")]
    signature = "\n".join(result.signature for result in runs.values())
    return [Table("Words of the word maps", columns, rows, signature)] if rows else []


def scoring_times(stored: StoredRuns, thesis: Mapping[str, Any]) -> list[Table]:
    """How long models take to score the test novels, averaged over languages, and how many times as long as CLBL, here and in the thesis."""
    theirs = thesis.get("scoring_seconds_per_test_set", {})
    times: dict[str, tuple[int, float]] = {}
    signatures = []
    for label, title in TITLES.items():
        runs = [run.result for language in LANGUAGES if (run := stored.best(MAIN_SIZE, language, label))]
        timed = [r for r in runs if "scoring_seconds" in r.figures]
        if timed:
            times[title] = len(timed), 1e6 * fmean(r.figures["scoring_seconds"] / r.figures["tokens"] for r in timed)
            signatures += [r.signature for r in timed]
    unit, there = TITLES["clbl"], theirs.get(TITLES["clbl"])
    rows: list[list[Cell]] = [
        [
            title,
            languages,
            seconds,
            seconds / times[unit][1] if unit in times else None,
            theirs[title] / there if there and title in theirs else None,
        ]
        for title, (languages, seconds) in times.items()
    ]
    columns = [Column("model"), Column("languages", "d"), Column("s per million tokens", ",.1f")]
    columns += [Column(f"times {unit}", ",.1f"), Column(f"thesis, times {unit}", ",.1f")]
    note = "Wall-clock time; other work on the machine lengthens it."
    return [Table("Time to score the test text", columns, rows, "\n".join(signatures), note)] if rows else []


def bins(stored: StoredRuns) -> list[Table]:
    """Classes of equal frequency against Brown classes."""
    rows: list[list[Cell]] = []
    signatures = []
    for language in stored.languages(MAIN_SIZE):
        for label, kind in BINS.items():
            run, brown = (stored.best(MAIN_SIZE, language, one) for one in (label, kind))
            if run and brown:
                ours = [float(r.result.figures["perplexity"]) for r in (brown, run)]
                rows.append([language, TITLES[kind], *ours, 100 * (ours[1] / ours[0] - 1)])
                signatures += [r.result.signature for r in (brown, run)]
    columns = [Column("language"), Column("model"), Column("Brown classes", ".1f"), Column("frequency bins", ".1f")]
    columns.append(Column("change, %", "+.1f"))
    return [Table("Brown classes and frequency bins", columns, rows, "\n".join(signatures))] if rows else []


def penalties(stored: StoredRuns) -> list[Table]:
    """Development perplexities by the penalty lambda."""
    tables = []
    for language in stored.languages(MAIN_SIZE):
        labels = [label for label in TITLES if len(stored.runs(MAIN_SIZE, language, label)) > 1]
        if not labels:
            continue
        points = {
            (label, run.experiment.penalty): run.result
            for label in labels
            for run in stored.runs(MAIN_SIZE, language, label)
        }
        rows: list[list[Cell]] = [
            [l2, *(points[k, l2].figures["perplexity_dev"] if (k, l2) in points else None for k in labels)]
            for l2 in sorted({l2 for _, l2 in points if l2 is not None})
        ]
        titles = [TITLES[label] for label in labels]
        columns = [Column("lambda", "g"), *(Column(title, ".1f") for title in titles)]
        chart = Chart("lines", "lambda", titles, y_title="development perplexity", log_x=True)
        signature = "\n".join(r.signature for r in points.values())
        tables.append(Table(f"Development perplexity by penalty, {language}", columns, rows, signature, chart=chart))
    return tables


def _change(stored: StoredRuns, setting: str, language: str, label: str) -> float | None:
    """The change of perplexity against the plain model, in per cent."""
    run, plain = (stored.best(setting, language, one) for one in (label, plain_of(label) or BASELINE))
    if run is None or plain is None or plain is run:
        return None
    ours, theirs = (float(r.result.figures["perplexity"]) for r in (run, plain))
    return 100 * (ours / theirs - 1)


def _thesis_change(theirs: Mapping[str, Any], label: str, language: str) -> float | None:
    """The same change in the thesis, in per cent."""
    plain = plain_of(label) or BASELINE
    stated: float | None = theirs.get(f"{TITLES[label]} %", {}).get(language)
    pair = [theirs.get(TITLES[one], {}).get(language) for one in (label, plain)]
    if stated is not None or label == plain or None in pair:
        return stated
    return float(100 * (pair[0] / pair[1] - 1))
