"""The report of chapter 4: its tables from results, beside the thesis's. Models are tuned on the development novels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from binyan.evaluation import Chart, Column, Table
from binyan.evaluation.table import Cell
from binyan.experiments.experiment import Experiment
from binyan.experiments.lbl import eltec
from binyan.experiments.lbl.mixtures import mixtures
from binyan.experiments.lbl.models import KINDS, TITLES
from binyan.experiments.lbl.runs import BASELINE, MAIN_SIZE
from binyan.experiments.lbl.similarity import SETS, VECTORS
from binyan.experiments.lbl.stored import StoredRuns
from binyan.experiments.report_page import ReportSection
from binyan.experiments.results import Results

_PERPLEXITY = (
    "Test perplexity, unknown words scored. For each model the penalty lambda and the epoch are those with the lowest perplexity on "
    "the development novels. Development and test are different novels, so a second development text, which follows the training "
    "text in the same novels, is shown too. The thesis trained on other text, so only changes can be compared."
)
_MIXTURES = (
    "Weights are fitted on the development novels: fixed weights by EM, and weights by context. Those depend on the length and the "
    "back-off weights of the longest context that the n-gram model has seen, on the prediction vector of CLBL++, and on whether the next "
    "word is unknown; each length of context of the n-gram model has weights of its own. Among penalties of CLBL++, the one that is best "
    "with fixed weights on the development novels is taken; the better of the two models is the one that is better alone."
)
_SIMILARITY = (
    "Spearman's rho times 100. CLBL, and CLBL++ where composing is suppressed, take <unk> for words outside the vocabulary. The thesis "
    "trained on 19 to 57 million tokens of news."
)


def sections(results: Results, thesis: Mapping[str, Any], experiments: Sequence[Experiment]) -> list[ReportSection]:
    """The report on these experiments, as far as they have results."""
    stored = StoredRuns(results, experiments)
    figures = thesis.get("lbl", {})
    listed = [
        ReportSection("Perplexity", _PERPLEXITY, [_perplexity(stored, s, figures) for s in stored.settings()]),
        ReportSection("Mixtures", _MIXTURES, mixtures(stored)),
        ReportSection("By frequency", "", _groups(stored, "by_frequency", "training count")),
        ReportSection("By part of speech", "News (PUD), with gold tags.", _groups(stored, "by_pos", "part of speech")),
        ReportSection("Penalty", "", _penalties(stored)),
        ReportSection("Sizes", "", _sizes(stored)),
        ReportSection("Word similarity", _SIMILARITY, _similarity(stored, figures)),
    ]
    missing = f"{stored.missing} experiments have no result yet." if stored.missing else ""
    return [*(s for s in listed if s.tables), *([ReportSection("Missing", missing)] if missing else [])]


def _perplexity(stored: StoredRuns, setting: str, thesis: Mapping[str, Any]) -> Table:
    columns = [
        Column("language"),
        Column("model"),
        Column("test", ".1f"),
        Column("change, %", "+.1f"),
        Column("dev", ".1f"),
        Column("second dev", ".1f"),
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
                    figures["perplexity_dev"],
                    figures.get("perplexity_second"),
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


def _change(stored: StoredRuns, setting: str, language: str, label: str) -> float | None:
    """The change of perplexity against the plain model, in per cent."""
    additive = label in KINDS and KINDS[label].plain
    run, plain = (stored.best(setting, language, one) for one in (label, additive or BASELINE))
    if run is None or plain is None or plain is run:
        return None
    ours, theirs = (float(r.result.figures["perplexity"]) for r in (run, plain))
    return 100 * (ours / theirs - 1)


def _thesis_change(theirs: Mapping[str, Any], label: str, language: str) -> float | None:
    """The same change in the thesis, in per cent."""
    plain = (label in KINDS and KINDS[label].plain) or BASELINE
    stated: float | None = theirs.get(f"{TITLES[label]} %", {}).get(language)
    pair = [theirs.get(TITLES[one], {}).get(language) for one in (label, plain)]
    if stated is not None or label == plain or None in pair:
        return stated
    return float(100 * (pair[0] / pair[1] - 1))


def _groups(stored: StoredRuns, figure: str, of: str) -> list[Table]:
    tables = []
    for language in stored.languages(MAIN_SIZE):
        plain, additive = (stored.best(MAIN_SIZE, language, label) for label in ("clbl", "clbl++"))
        if plain is None or additive is None:
            continue
        before, after = plain.result.figures.get(figure), additive.result.figures.get(figure)
        if before is None or after is None:
            continue
        rows: list[list[Cell]] = []
        total = sum(n for n, _ in before.values())
        for group, (n, one) in before.items():
            other = after[group][1]
            rows.append(
                [group, 100 * n / total, math.exp(-one / n), math.exp(-other / n), 100 * math.expm1((one - other) / n)]
            )
        columns = [Column(of), Column("events, %", ".1f"), Column("CLBL", ".1f"), Column("CLBL++", ".1f")]
        columns.append(Column("change, %", "+.1f"))
        chart = Chart("bars", of, ["change, %"], y_title="change in perplexity, %")
        signature = f"{plain.result.signature}\n{additive.result.signature}"
        tables.append(Table(f"CLBL++ against CLBL by {of}, {language}", columns, rows, signature, chart=chart))
    return tables


def _penalties(stored: StoredRuns) -> list[Table]:
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


def _sizes(stored: StoredRuns) -> list[Table]:
    """Test perplexity of the same models by the amount of training text."""
    usual = dict.fromkeys(e.setting for e, _ in stored.perplexity if e.kappa == eltec.KAPPA)
    runs = {
        (run.result.figures["training_tokens"], label): run.result
        for setting in usual
        for label in ("mkn", "clbl", "clbl++")
        if (run := stored.best(setting, "cs", label)) is not None
    }
    sizes = sorted({tokens for tokens, _ in runs})
    if len(sizes) < 2:
        return []
    labels = list(dict.fromkeys(label for _, label in runs))
    rows: list[list[Cell]] = [
        [size, *(runs[size, k].figures["perplexity"] if (size, k) in runs else None for k in labels)] for size in sizes
    ]
    titles = [TITLES[label] for label in labels]
    columns = [Column("training tokens", ",d"), *(Column(title, ".1f") for title in titles)]
    chart = Chart("lines", "training tokens", titles, y_title="test perplexity", log_x=True)
    signature = "\n".join(r.signature for r in runs.values())
    note = "The vocabulary grows with the text, so only models of one row can be compared."
    return [Table("Perplexity by training size, cs", columns, rows, signature, note, chart=chart)]


def _similarity(stored: StoredRuns, thesis: Mapping[str, Any]) -> list[Table]:
    theirs = thesis.get("word_similarity", {})
    rows: list[list[Cell]] = []
    signatures = []
    for language, sets in SETS.items():
        runs = {label: result for (of, label), result in stored.similarity.items() if of == language}
        for name, column in sets.items():
            for label, how, row in VECTORS:
                if label in runs:
                    score = runs[label].figures["similarity"][how][name]
                    rho = theirs.get(row, {}).get(column)
                    rows.append([name, row, score["rho"], score["pairs"], score["uncovered_pairs"], rho])
        signatures += [r.signature for r in runs.values()]
    columns = [Column("pairs of"), Column("vectors"), Column("rho", ".1f"), Column("pairs", ",d")]
    columns += [Column("not covered", ",d"), Column("thesis", ".0f")]
    return [Table("Word similarity", columns, rows, "\n".join(signatures))] if rows else []
