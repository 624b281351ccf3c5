"""The report of chapter 4: its tables from results, beside the thesis's. Models are tuned on the development novels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.evaluation import Chart, Column, Table
from binyan.evaluation.table import Cell
from binyan.experiments.lbl_similarity import SETS
from binyan.experiments.results import Result, Results
from binyan.experiments.study import Experiment, Section
from binyan.language_model import MixtureParts
from binyan.mixture.weights import ContextWeights, fit_weights
from binyan.progress import track

NAMES = {
    "mkn": "MKN",
    "mkn-tuned": "MKN, tuned",
    "hpylm": "HPYLM",
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
MIXED = ("mkn", "hpylm", "clbl++")  # the first two with the third, by context
PARTS = {
    "share": np.float32,
    "mass": np.float32,
    "unknown": np.float32,
    "features": np.float16,
}  # of MixtureParts, as kept
# kind, how words outside the vocabulary are met, name in the thesis's table
VECTORS = (
    ("clbl", "not composed", "CLBL"),
    ("clbl++", "composed", "CLBL++"),
    ("clbl++", "not composed", "CLBL++ -compose"),
)
_TEXT = (
    "Test perplexity, unknown words scored. Of each model the penalty lambda and the epoch are those with the lowest perplexity on "
    "the development novels; the second development text (what follows the training text in its own novels) is shown beside, since "
    "development and test are different novels. The thesis trained on other text, so only changes compare."
)
_MIXTURES = (
    "Weights fitted on the development novels: fixed ones by EM, and weights that depend on the context, by the length and the back-off "
    "weights of the longest context that the n-gram model has seen and by the prediction vector of CLBL++, and on whether the next word "
    "is unknown; then each length of context of the n-gram model has weights of its own. Of CLBL++ with several penalties the one is taken "
    "that is best with fixed weights on the development novels; the better of the two is as tuned alone."
)
_SIMILARITY = (
    "Spearman's rho times 100. CLBL, and CLBL++ where composing is suppressed, take <unk> for words outside the vocabulary. The thesis "
    "trained on 19 to 57 million tokens of news."
)


class Shelf:
    """Results by setting, language and model, tuned."""

    def __init__(self, results: Results, experiments: Sequence[Experiment]) -> None:
        self.runs = [r for e in experiments if e.measure == "perplexity" and (r := results.get(e)) is not None]
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
    made.append(Section("Mixtures", _MIXTURES, _mixtures(shelf)))
    made.append(Section("By frequency", "", _groups(shelf, "by_frequency", "training count")))
    made.append(Section("By part of speech", "News (PUD), with gold tags.", _groups(shelf, "by_pos", "part of speech")))
    made.append(Section("Penalty", "", _penalties(shelf)))
    made.append(Section("Sizes", "", _sizes(shelf)))
    made.append(Section("Word similarity", _SIMILARITY, _similarity(results, experiments, figures)))
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
    note = "Change: additive models against the plain one of their kind, plain ones and MKN with discounts fitted to dev against MKN."
    return Table(f"Perplexity, {setting}", columns, rows, "\n".join(signatures), note)


def _mixtures(shelf: Shelf) -> list[Table]:
    rows: list[list[Cell]] = []
    signatures = []
    found = [
        (language, kind, n_gram, neural)
        for language in shelf.languages("1m")
        for kind in ("mkn", "hpylm")
        if (n_gram := shelf.best("1m", language, kind)) and (neural := shelf.best("1m", language, "clbl++"))
    ]
    for language, kind, n_gram, neural in track(found, "mixtures fitted", len(found)):
        better = min(r.figures["perplexity"] for r in (n_gram, neural))
        # Of models with another penalty than is best alone, one may be best in the mixture.
        tried = {_fixed(n_gram, other): other for other in shelf.of("1m", language, "clbl++")}
        (_, fixed, weight), mixed = min(tried.items(), key=lambda item: item[0])
        gated = _by_context(n_gram, mixed)
        rows.append([language, f"{NAMES[kind]} and CLBL++", fixed, 100 * (fixed / better - 1), weight, gated])
        rows[-1].append(None if gated is None else 100 * (gated / better - 1))
        signatures += [r.signature for r in (n_gram, mixed)]
    columns = [Column("language"), Column("of"), Column("test", ".1f"), Column("against the better, %", "+.1f")]
    columns += [Column("weight of CLBL++", ".2f"), Column("by context", ".1f"), Column("against it, %", "+.1f")]
    return [Table("Mixtures", columns, rows, "\n".join(signatures))] if rows else []


def _fixed(n_gram: Result, neural: Result) -> tuple[float, float, float]:
    """Development and test perplexity of the mixture with fixed weights, and the weight of the second model."""
    arrays = [r.arrays() for r in (n_gram, neural)]
    dev, test = (np.exp([a[f"log_prob.{part}"] for a in arrays]) for part in ("dev", "test"))
    weights = fit_weights(np.log(dev))
    return _perplexity_of(weights @ dev), _perplexity_of(weights @ test), float(weights[1])


def _by_context(n_gram: Result, neural: Result) -> float | None:
    """Test perplexity with weights by context; None where a result is of an earlier version and lacks its parts."""
    arrays = [r.arrays() for r in (n_gram, neural)]
    if not all("share.dev" in a for a in arrays):
        return None
    told = {
        part: [MixtureParts(**{name: a[f"{name}.{part}"] for name in PARTS}) for a in arrays]
        for part in ("dev", "test")
    }
    context_weights = ContextWeights.fit(told["dev"], arrays[0]["is_unknown.dev"])
    return _perplexity_of(context_weights.mix(told["test"], arrays[0]["is_unknown.test"])[1].sum(0))


def _perplexity_of(chances: NDArray[np.float64]) -> float:
    return math.exp(-float(np.mean(np.log(chances))))


def _groups(shelf: Shelf, figure: str, of: str) -> list[Table]:
    tables = []
    for language in shelf.languages("1m"):
        plain, additive = (shelf.best("1m", language, kind) for kind in ("clbl", "clbl++"))
        if plain is None or additive is None or not (figure in plain.figures and figure in additive.figures):
            continue
        rows: list[list[Cell]] = []
        total = sum(n for n, _ in plain.figures[figure].values())
        for label, (n, one) in plain.figures[figure].items():
            other = additive.figures[figure][label][1]
            rows.append(
                [label, 100 * n / total, math.exp(-one / n), math.exp(-other / n), 100 * math.expm1((one - other) / n)]
            )
        columns = [Column(of), Column("events, %", ".1f"), Column("CLBL", ".1f"), Column("CLBL++", ".1f")]
        columns.append(Column("change, %", "+.1f"))
        chart = Chart("bars", of, ["change, %"], y_title="change in perplexity, %")
        signature = f"{plain.signature}\n{additive.signature}"
        tables.append(Table(f"CLBL++ against CLBL by {of}, {language}", columns, rows, signature, chart=chart))
    return tables


def _sizes(shelf: Shelf) -> list[Table]:
    """Test perplexity of the same models by the amount of training text."""
    runs = {
        (r.figures["training_tokens"], r.experiment.model["kind"]): r
        for setting in shelf.settings()
        if "kappa" not in setting
        for kind in ("mkn", "clbl", "clbl++")
        if (r := shelf.best(setting, "cs", kind)) is not None
    }
    tokens = sorted({size for size, _ in runs})
    if len(tokens) < 2:
        return []
    kinds = list(dict.fromkeys(kind for _, kind in runs))
    rows: list[list[Cell]] = [
        [size, *(runs[size, k].figures["perplexity"] if (size, k) in runs else None for k in kinds)] for size in tokens
    ]
    names = [NAMES[k] for k in kinds]
    columns = [Column("training tokens", ",d"), *(Column(n, ".1f") for n in names)]
    chart = Chart("lines", "training tokens", names, y_title="test perplexity", log_x=True)
    signature = "\n".join(r.signature for r in runs.values())
    note = "The vocabulary grows with the text, so that only models of one row compare."
    return [Table("Perplexity by training size, cs", columns, rows, signature, note, chart=chart)]


def _similarity(results: Results, experiments: Sequence[Experiment], thesis: Mapping[str, Any]) -> list[Table]:
    theirs = thesis.get("word_similarity", {})
    rows: list[list[Cell]] = []
    signatures = []
    for language, sets in SETS.items():
        runs = {
            e.model["kind"]: r
            for e in experiments
            if e.measure == "similarity" and e.data["language"] == language and (r := results.get(e)) is not None
        }
        for name, known_as in sets.items():
            for kind, how, label in VECTORS:
                if kind not in runs:
                    continue
                found = runs[kind].figures["similarity"][how][name]
                thesis_rho = theirs.get(label, {}).get(known_as)
                rows.append([name, label, found["rho"], found["pairs"], found["uncovered_pairs"], thesis_rho])
        signatures += [r.signature for r in runs.values()]
    columns = [Column("pairs of"), Column("vectors"), Column("rho", ".1f"), Column("pairs", ",d")]
    columns += [Column("not covered", ",d"), Column("thesis", ".0f")]
    return [Table("Word similarity", columns, rows, "\n".join(signatures))] if rows else []


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
