"""The report of chapter 4: its tables from results, beside the thesis's. Models are tuned on the development novels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from binyan.evaluation import Chart, Column, Table
from binyan.evaluation.table import Cell
from binyan.experiments.results import Result, Results
from binyan.experiments.study import Experiment, Section
from binyan.mixture import fit_weights

NAMES = {
    "mkn": "MKN",
    "clbl": "CLBL",
    "clbl+c": "CLBL+c",
    "clbl+o": "CLBL+o",
    "clbl++": "CLBL++",
    "nclbl": "nCLBL",
    "nclbl++": "nCLBL++",
    "lbl": "LBL",
    "lbl+c": "LBL+c",
    "lbl+o": "LBL+o",
    "lbl++": "LBL++",
}
_TEXT = (
    "Test perplexity, unknown words scored. Of each model the penalty lambda and the epoch are those with the lowest perplexity on "
    "the development novels; the second development text (what follows the training text in its own novels) is shown beside, since "
    "development and test are different novels. The thesis trained on other text, so only changes compare."
)


class Shelf:
    """Results by setting, language and model, tuned."""

    def __init__(self, results: Results, experiments: Sequence[Experiment]) -> None:
        self.runs = [r for e in experiments if (r := results.get(e)) is not None]
        self.missing = [e.name for e in experiments if results.get(e) is None]

    def settings(self) -> list[str]:
        """Path steps after the language: 1m, 1m-kappa-0.05 ..."""
        return list(dict.fromkeys(r.experiment.name.split("/")[2] for r in self.runs))

    def of(self, setting: str, language: str, kind: str) -> list[Result]:
        """All runs of a model, one a penalty."""
        prefix = f"lbl/eltec-{language}/{setting}/{kind}"
        return [r for r in self.runs if r.experiment.name in (prefix,) or r.experiment.name.startswith(f"{prefix}/")]

    def best(self, setting: str, language: str, kind: str) -> Result | None:
        """The run with the lowest perplexity on the development novels."""
        return min(self.of(setting, language, kind), key=lambda r: r.figures["perplexity_dev"], default=None)

    def languages(self, setting: str) -> list[str]:
        """Languages with a result."""
        return list(
            dict.fromkeys(
                n[1].removeprefix("eltec-") for r in self.runs if (n := r.experiment.name.split("/"))[2] == setting
            )
        )


def sections(results: Results, thesis: Mapping[str, Any], experiments: Sequence[Experiment]) -> list[Section]:
    """The report."""
    shelf = Shelf(results, experiments)
    figures = thesis.get("lbl", {})
    made = [Section("Perplexity", _TEXT, [_perplexity(shelf, s, figures) for s in shelf.settings()])]
    made.append(Section("Mixtures", "Weights fitted on the development novels by EM.", _mixtures(shelf)))
    made.append(Section("By frequency", "", _frequencies(shelf)))
    made.append(Section("Penalty", "", _penalties(shelf)))
    missing = f"{len(shelf.missing)} experiments have no result yet." if shelf.missing else ""
    return [*(s for s in made if s.tables), *([Section("Missing", missing)] if missing else [])]


def _perplexity(shelf: Shelf, setting: str, thesis: Mapping[str, Any]) -> Table:
    columns = [
        Column("language"),
        Column("model"),
        Column("test", ".1f"),
        Column("change, %", "+.1f"),
        Column("dev", ".1f"),
        Column("second dev", ".1f"),
        Column("lambda", "g"),
        Column("thesis", ".0f"),
    ]
    theirs = thesis.get("perplexity_1m", {}) if setting == "1m" else {}
    rows: list[list[Cell]] = []
    signatures = []
    for language in shelf.languages(setting):
        for kind, name in NAMES.items():
            found = shelf.best(setting, language, kind)
            if found is None:
                continue
            plain = (
                shelf.best(setting, language, kind.split("+")[0])
                if "+" in kind
                else shelf.best(setting, language, "mkn")
            )
            change = None
            if plain is not None and plain is not found:
                change = 100 * (found.figures["perplexity"] / plain.figures["perplexity"] - 1)
            rows.append(
                [
                    language,
                    name,
                    found.figures["perplexity"],
                    change,
                    found.figures["perplexity_dev"],
                    found.figures.get("perplexity_second"),
                    found.experiment.model.get("l2"),
                    theirs.get(name, {}).get(language),
                ]
            )
            signatures.append(found.signature)
    note = "Change: additive models against the plain one of their kind, plain ones against MKN."
    return Table(f"Perplexity, {setting}", columns, rows, "\n".join(signatures), note)


def _mixtures(shelf: Shelf) -> list[Table]:
    rows: list[list[Cell]] = []
    signatures = []
    for language in shelf.languages("1m"):
        pair = [shelf.best("1m", language, kind) for kind in ("mkn", "clbl++")]
        if pair[0] is None or pair[1] is None:
            continue
        arrays = [r.arrays() for r in pair if r is not None]
        weights = fit_weights(np.stack([a["log_prob.dev"] for a in arrays]))
        mixed = np.logaddexp(*(a["log_prob.test"] + np.log(w) for a, w in zip(arrays, weights, strict=True)))
        perplexity = math.exp(-float(np.mean(mixed)))
        better = min(r.figures["perplexity"] for r in pair if r is not None)
        rows.append([language, "MKN and CLBL++", perplexity, 100 * (perplexity / better - 1), float(weights[1])])
        signatures += [r.signature for r in pair if r is not None]
    columns = [Column("language"), Column("of"), Column("test", ".1f"), Column("against the better, %", "+.1f")]
    return (
        [Table("Mixtures", [*columns, Column("weight of CLBL++", ".2f")], rows, "\n".join(signatures))] if rows else []
    )


def _frequencies(shelf: Shelf) -> list[Table]:
    tables = []
    for language in shelf.languages("1m"):
        plain, additive = (shelf.best("1m", language, kind) for kind in ("clbl", "clbl++"))
        if plain is None or additive is None:
            continue
        rows: list[list[Cell]] = []
        total = sum(n for n, _ in plain.figures["frequency_bins"].values())
        for label, (n, one) in plain.figures["frequency_bins"].items():
            other = additive.figures["frequency_bins"][label][1]
            shown = label if label == "unseen" else f"10^{label}"
            rows.append(
                [shown, 100 * n / total, math.exp(-one / n), math.exp(-other / n), 100 * math.expm1((one - other) / n)]
            )
        columns = [Column("training count"), Column("events, %", ".1f"), Column("CLBL", ".1f"), Column("CLBL++", ".1f")]
        columns.append(Column("change, %", "+.1f"))
        chart = Chart("bars", "training count", ["change, %"], y_title="change in perplexity, %")
        signature = f"{plain.signature}\n{additive.signature}"
        tables.append(Table(f"CLBL++ against CLBL by frequency, {language}", columns, rows, signature, chart=chart))
    return tables


def _penalties(shelf: Shelf) -> list[Table]:
    tables = []
    for language in shelf.languages("1m"):
        kinds = [k for k in NAMES if len(shelf.of("1m", language, k)) > 1]
        points = {(k, r.experiment.model["l2"]): r for k in kinds for r in shelf.of("1m", language, k)}
        penalties = sorted({l2 for _, l2 in points})
        if not kinds:
            continue
        rows: list[list[Cell]] = [
            [l2, *(points[k, l2].figures["perplexity_dev"] if (k, l2) in points else None for k in kinds)]
            for l2 in penalties
        ]
        names = [NAMES[k] for k in kinds]
        columns = [Column("lambda", "g"), *(Column(n, ".1f") for n in names)]
        chart = Chart("lines", "lambda", names, y_title="development perplexity", log_x=True)
        signature = "\n".join(r.signature for r in points.values())
        tables.append(Table(f"Development perplexity by penalty, {language}", columns, rows, signature, chart=chart))
    return tables
