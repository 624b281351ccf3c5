"""The page of language_model_table.py: perplexity by language and kind of text, change against Kneser-Ney, minutes and sizes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean

from binyan import __version__ as version
from binyan.evaluation.table import Cell, Chart, Column, Table
from binyan.experiments.report_page import ReportSection, write

BASELINE = "mkn"
Results = Mapping[tuple[str, str], dict]  # by language and model


def read(folder: Path) -> Results:
    """All that was measured, by language and model."""
    found = [json.loads(path.read_text()) for path in sorted(folder.glob("*/*.json"))]
    return {(r["language"], r["model"]): r for r in found}


def write_page(folder: Path, models: Sequence[str], parts: Mapping[str, str], name: str) -> tuple[Path, Path]:
    """Write the page as Markdown and HTML to `folder`."""
    results = read(folder)
    languages = list(dict.fromkeys(language for language, _ in results))
    tables = [
        table for title, part in parts.items() if (table := _perplexities(results, languages, models, title, part)).rows
    ]
    tokens = sorted({r["tokens"] for r in results.values()})
    about = (
        f"Every model is trained by its command with the defaults on the same {' or '.join(f'{t:,}' for t in tokens)} tokens of each language "
        "and has the same vocabulary and events. Mixtures have weights by context. The last column is the mean change against Kneser-Ney in per cent."
    )
    sections = [
        ReportSection("Perplexity", about, tables),
        ReportSection("Cost", _COST, [_cost(results, languages, models)]),
    ]
    return write(folder, "Language models on the same text", sections, name)


_COST = "Minutes of processor time for training and megabytes of the model file, means over the languages. A mixture includes the models it mixes."


def _perplexities(results: Results, languages: Sequence[str], models: Sequence[str], title: str, part: str) -> Table:
    rows: list[list[Cell]] = []
    for model in models:
        values = [results.get((language, model), {}).get(part, {}).get("perplexity") for language in languages]
        if any(value is not None for value in values):
            rows.append([model, *values, _change(results, languages, model, part)])
    columns = [Column("model"), *(Column(language, ".1f") for language in languages), Column("change, %", "+.1f")]
    return Table(f"Test perplexity, {title}", columns, rows, f"binyan {version}")


def _change(results: Results, languages: Sequence[str], model: str, part: str) -> float | None:
    """The mean change against Kneser-Ney in per cent, over the languages that have both."""
    changes = []
    for language in languages:
        pair = [results.get((language, name), {}).get(part, {}).get("perplexity") for name in (model, BASELINE)]
        if None not in pair:
            changes.append(100 * (pair[0] / pair[1] - 1))
    return mean(changes) if changes else None


def _cost(results: Results, languages: Sequence[str], models: Sequence[str]) -> Table:
    rows: list[list[Cell]] = []
    for model in models:
        here = [results[language, model] for language in languages if (language, model) in results]
        if here:
            inside = [_relative(results, r) for r in here]
            row = [mean(_minutes(results, r) for r in here), mean(r["bytes"] / 1e6 for r in here)]
            rows.append([model, *row, mean(inside)])
    columns = [Column("model"), Column("minutes", ".2f"), Column("megabytes", ".1f"), Column("perplexity / MKN", ".3f")]
    budgets = {"1 minute": 1.0, "10": 10.0, "60": 60.0}
    axes = {"y_title": "perplexity / MKN, both texts", "log_x": True, "marks": budgets}
    chart = Chart("points", "minutes", ["perplexity / MKN"], series="model", **axes)
    return Table("Perplexity against minutes of training", columns, rows, f"binyan {version}", chart=chart)


def _minutes(results: Results, result: dict) -> float:
    parts = [
        results[result["language"], name] for name in result.get("mixes", []) if (result["language"], name) in results
    ]
    return result["cpu_minutes"] + sum(_minutes(results, part) for part in parts)


def _relative(results: Results, result: dict) -> float:
    """The perplexity as a share of Kneser-Ney's: geometric mean of both kinds of text."""
    base = results[result["language"], BASELINE]
    shares = [result[part]["perplexity"] / base[part]["perplexity"] for part in ("test.in.txt", "test.out.txt")]
    return math.sqrt(shares[0] * shares[1])
