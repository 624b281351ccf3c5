"""How far analyses are from the gold standard by the number of sweeps, with several seeds: whether a chain of 1,000 sweeps has settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import Any

from binyan.evaluation.table import Cell, Chart, Column, Table
from binyan.experiments.adaptor.learning import learn_again
from binyan.experiments.adaptor.methods import THESIS_NAMES, AnalysisMethod
from binyan.experiments.adaptor.word_lists import gold_digest, gold_words, statistics
from binyan.experiments.experiment import Experiment, Outcome, SettingValues, Workspace
from binyan.experiments.results import Result

# The trees of the last tenth of the sweeps are kept, as in the thesis.
SETTINGS: SettingValues = {
    "grammars": "concat tpl tpl-apart",
    "sweeps": "10 30 100 300 1000",
    "seeds": 3,
    "initialisation": "batch",
}


def measure_sweeps(experiment: Experiment, workspace: Workspace) -> Outcome:
    """F1 of segment borders, accuracy of roots and joint probability by grammar, number of sweeps and seed."""
    settings = experiment.model
    gold = gold_words(experiment.data, workspace)
    rows = []
    for grammar, sweeps in product(settings["grammars"].split(), map(int, settings["sweeps"].split())):
        for seed in range(1, settings["seeds"] + 1):
            model = {"grammar": grammar, "sweeps": sweeps, "burn_in": sweeps * 9 // 10, "seed": seed}
            morphology, best = learn_again(experiment, model, gold, workspace)
            roots = best.roots(3, "A").accuracy if AnalysisMethod(grammar).finds_roots else None
            rows.append([grammar, sweeps, seed, float(morphology.trace[0][-1, 0]), best.segmentation().f1, roots])
    signature = str(experiment.signature.extended(gold=gold_digest(gold)))
    return Outcome({"f1": settled(rows), **statistics(gold), "by_sweeps": rows}, signature)


def settled(rows: Sequence[Sequence[Any]]) -> dict[str, float]:
    """F1 by grammar after the most sweeps, means over seeds.

    >>> settled([["tpl", 10, 1, -9.0, 60.0, 20.0], ["tpl", 100, 1, -8.0, 70.0, 25.0], ["tpl", 100, 2, -8.5, 80.0, 30.0]])
    {'tpl': 75.0}
    """
    most = max(row[1] for row in rows)
    grammars = dict.fromkeys(row[0] for row in rows)
    return {g: fmean(row[4] for row in rows if row[:2] == [g, most]) for g in grammars}


def by_sweeps(result: Result, thesis: Mapping[str, Any]) -> Table:
    """Means over seeds; beside them the thesis's F1, of its names of grammars and word lists."""
    dataset = result.experiment.dataset
    runs: dict[tuple[str, int], list[list[Any]]] = {}
    for grammar, sweeps, _, *scores in result.figures["by_sweeps"]:
        runs.setdefault((grammar, sweeps), []).append(scores)
    rows: list[list[Cell]] = []
    for (grammar, sweeps), scores in runs.items():
        means = [None if None in values else fmean(values) for values in zip(*scores, strict=True)]
        theirs = thesis.get(THESIS_NAMES.get(grammar.removesuffix("-apart"), ""), {}).get(dataset)
        rows.append([grammar, sweeps, len(scores), *means, theirs])
    columns = [
        Column("grammar"),
        Column("sweeps", ",d"),
        Column("seeds", "d"),
        Column("log joint", ",.0f"),
        Column("F1", ".1f"),
        Column("roots, %", ".1f"),
        Column("thesis, F1 after 1,000", ".1f"),
    ]
    chart = Chart("lines", "sweeps", ["F1"], series="grammar", log_x=True)
    return Table(f"By number of sweeps, {dataset}", columns, rows, result.signature, "", chart)
