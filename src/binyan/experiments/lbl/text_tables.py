"""The tables of chapter 4 on parts of the test text and on amounts of training text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from binyan.evaluation import Chart, Column, Table
from binyan.evaluation.table import Cell
from binyan.experiments.lbl import eltec
from binyan.experiments.lbl.models import TITLES, plain_of
from binyan.experiments.lbl.perplexity_experiment import BASELINE, MAIN_SIZE
from binyan.experiments.lbl.stored import StoredRuns

_MODELS = ("mkn", "clbl", "clbl++")


def groups(stored: StoredRuns, figure: str, of: str) -> list[Table]:
    """Perplexities of CLBL and CLBL++ by groups of words, in each language, and for all of German Europarl."""
    tables = []
    for setting, language, text in _texts(stored):
        plain, additive = (stored.best(setting, language, label) for label in ("clbl", "clbl++"))
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
        tables.append(Table(f"CLBL++ against CLBL by {of}, {text}", columns, rows, signature, chart=chart))
    return tables


def sequences(stored: StoredRuns, thesis: Mapping[str, Any]) -> list[Table]:
    """Perplexities of nouns after adjectives, in news with gold tags."""
    theirs = thesis.get("change_by_part_of_speech", {})
    rows: list[list[Cell]] = []
    signatures = []
    for setting, language, text in _texts(stored):
        plain, additive = (stored.best(setting, language, label) for label in ("clbl", "clbl++"))
        if plain is None or additive is None or "by_sequence" not in plain.result.figures:
            continue
        for name, (n, before) in plain.result.figures["by_sequence"].items():
            if n:
                after = additive.result.figures["by_sequence"][name][1]
                change = 100 * math.expm1((before - after) / n)
                there = theirs.get(name) if plain.experiment.data["text"] == eltec.EUROPARL else None
                rows.append([text, name, n, math.exp(-before / n), math.exp(-after / n), change, there])
        signatures += [plain.result.signature, additive.result.signature]
    columns = [Column("text"), Column("sequence"), Column("nouns", ",d"), Column("CLBL", ".1f")]
    columns += [Column("CLBL++", ".1f"), Column("change, %", "+.1f"), Column("thesis, change, %", "+.0f")]
    note = (
        "Perplexity of the noun, given the words before it. The thesis's change is for its German Data-Main; the thesis does not say whether it "
        "measured the noun or the whole sequence."
    )
    return [Table("Nouns after adjectives", columns, rows, "\n".join(signatures), note)] if rows else []


def by_text(stored: StoredRuns, thesis: Mapping[str, Any]) -> list[Table]:
    """Models of German Europarl on their test text, and on news, which is further from it, as the thesis's test text was."""
    theirs = thesis.get("perplexity_main", {})
    rows: list[list[Cell]] = []
    signatures = []
    for run in (run for run in stored.perplexity if run.experiment.data["text"] == eltec.EUROPARL):
        e, figures = run.experiment, run.result.figures
        title, setting = TITLES.get(e.label, e.label), e.setting
        bases = [base for base in (BASELINE, plain_of(e.label)) if base and base != e.label]
        for base in bases:
            if (other := stored.best(setting, "de", base)) is not None:
                before = other.result.figures
                changes = [_change(figures.get(key), before.get(key)) for key in ("perplexity", "perplexity_news")]
                pair = [theirs.get(f"{TITLES[label]} {e.kappa}", {}).get("de") for label in (e.label, base)]
                rows.append([e.kappa, f"{title} against {TITLES[base]}", *changes, _change(*pair)])
        signatures.append(run.result.signature)
    columns = [Column("kappa", "g"), Column("models"), Column("parliament, %", "+.1f"), Column("news, %", "+.1f")]
    columns.append(Column("thesis, news, %", "+.1f"))
    return [Table("Parliament and news, German Europarl", columns, rows, "\n".join(signatures))] if rows else []


def _change(figure: float | None, base: float | None) -> float | None:
    return None if figure is None or base is None else 100 * (figure / base - 1)


def _texts(stored: StoredRuns) -> Iterator[tuple[str, str, str]]:
    """Setting, language and name of each text that parts of the test text are looked at for: novels by language, then Europarl."""
    for language in stored.languages(MAIN_SIZE):
        yield MAIN_SIZE, language, language
    for setting in dict.fromkeys(e.setting for e, _ in stored.perplexity if e.data["text"] == eltec.EUROPARL):
        yield setting, "de", f"de, Europarl {setting}"


def sizes(stored: StoredRuns, thesis: Mapping[str, Any]) -> Iterator[Table]:
    """Czech by the amount of training text: perplexities, and changes with a growing and a fixed vocabulary."""
    growing, fixed = _by_size(stored, fixed=False), _by_size(stored, fixed=True)
    if len({tokens for tokens, _ in growing}) > 1:
        yield _perplexities(growing)
    rows: list[list[Cell]] = []
    for vocabulary, runs in (("growing", growing), ("fixed", fixed)):
        for (tokens, label), result in sorted(runs.items()):
            for base in _MODELS[: _MODELS.index(label)]:
                if (tokens, base) in runs:
                    other = runs[tokens, base].figures["perplexity"]
                    change = 100 * (result.figures["perplexity"] / other - 1)
                    name = f"{TITLES[label]} against {TITLES[base]}, {vocabulary}"
                    rows.append([name, tokens, result.figures["vocabulary_size"], change])
    if len({row[1] for row in rows}) > 1:
        columns = [Column("models and vocabulary"), Column("training tokens", ",d"), Column("words known", ",d")]
        columns.append(Column("change, %", "+.1f"))
        there = thesis.get("scaling", {})
        key = "CLBL++ against MKN %, largest, growing vocabulary"
        note = (
            f"The thesis, with 128 million tokens and a growing vocabulary: CLBL++ {there[key]} % against MKN."
            if key in there
            else ""
        )
        chart = Chart(
            "lines", "training tokens", ["change, %"], series="models and vocabulary", y_title="change, %", log_x=True
        )
        signature = "\n".join(r.signature for runs in (growing, fixed) for r in runs.values())
        yield Table("Changes by training size, cs", columns, rows, signature, note, chart)


def _by_size(stored: StoredRuns, fixed: bool) -> dict[tuple[int, str], Any]:
    of_cs = [e for e, _ in stored.perplexity if e.kappa == eltec.KAPPA and e.language == "cs"]
    chosen = dict.fromkeys(e.setting for e in of_cs if e.has_fixed_vocabulary == fixed)
    return {
        (run.result.figures["training_tokens"], label): run.result
        for setting in chosen
        for label in _MODELS
        if (run := stored.best(setting, "cs", label)) is not None
    }


def _perplexities(runs: Mapping[tuple[int, str], Any]) -> Table:
    tokens = sorted({size for size, _ in runs})
    labels = [label for label in _MODELS if any(of == label for _, of in runs)]
    rows: list[list[Cell]] = [
        [size, *(runs[size, k].figures["perplexity"] if (size, k) in runs else None for k in labels)] for size in tokens
    ]
    titles = [TITLES[label] for label in labels]
    columns = [Column("training tokens", ",d"), *(Column(title, ".1f") for title in titles)]
    chart = Chart("lines", "training tokens", titles, y_title="test perplexity", log_x=True)
    note = "The vocabulary grows with the text, so only models in the same row can be compared."
    signature = "\n".join(r.signature for r in runs.values())
    return Table("Perplexity by training size, cs", columns, rows, signature, note, chart=chart)
