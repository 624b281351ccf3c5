"""How borders depend on which words a list has: those with and without a root scored apart, and learnt from parts of the list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import Any

from binyan.evaluation.gold import GoldWord
from binyan.evaluation.morphology import BestAnalyses
from binyan.evaluation.table import Cell, Column, Table
from binyan.experiments.adaptor.learning import learn_again
from binyan.experiments.adaptor.methods import THESIS_NAMES
from binyan.experiments.adaptor.word_lists import gold_digest, gold_words, sample, statistics
from binyan.experiments.experiment import Experiment, Outcome, SettingValues, Workspace
from binyan.experiments.results import Result

WHOLE = "all words"
SETTINGS: SettingValues = {
    "grammars": "concat tpl tplr4",
    "seeds": 3,
    "sweeps": 1_000,
    "burn_in": 900,
    "initialisation": "batch",
}


def parts_of(gold: Sequence[GoldWord]) -> dict[str, list[GoldWord]]:
    """The list, half and a quarter of it, and as many words with a root as without one."""
    rooted, others = _by_root(gold)
    each = min(len(rooted), len(others))
    return {
        WHOLE: list(gold),
        "half": sample(gold, len(gold) // 2),
        "a quarter": sample(gold, len(gold) // 4),
        "as many with a root as without": [*sample(rooted, each), *sample(others, each)],
    }


def measure_subsets(experiment: Experiment, workspace: Workspace) -> Outcome:
    """F1 of segment borders by grammar, part of the list and seed: of all its words, those with a root, and those without."""
    settings = experiment.model
    gold = gold_words(experiment.data, workspace)
    rows: list[list[Any]] = []
    for grammar, (part, words) in product(settings["grammars"].split(), parts_of(gold).items()):
        for seed in range(1, settings["seeds"] + 1):
            _, best = learn_again(experiment, {"grammar": grammar, "seed": seed}, words, workspace)
            rows.append([grammar, part, len(words), seed, *_scores(best)])
    f1 = {g: fmean(row[4] for row in rows if row[:2] == [g, WHOLE]) for g in settings["grammars"].split()}
    signature = str(experiment.signature.extended(gold=gold_digest(gold)))
    return Outcome({"f1": f1, **statistics(gold), "by_subset": rows}, signature)


def _scores(best: BestAnalyses) -> list[float | None]:
    """F1 of all words, of those with a root, and of those without; None where there are no such words."""
    rooted, others = _by_root(best.gold)
    return [
        BestAnalyses(words, best.best).segmentation().f1 if words else None for words in (best.gold, rooted, others)
    ]


def _by_root(gold: Sequence[GoldWord]) -> tuple[list[GoldWord], list[GoldWord]]:
    """Words with a root, and words without one."""
    return [word for word in gold if word.roots], [word for word in gold if not word.roots]


def by_subset(result: Result, thesis: Mapping[str, Any]) -> Table:
    """Means over seeds; beside those of the whole list the thesis's F1, of its names of grammars and word lists."""
    dataset = result.experiment.dataset
    runs: dict[tuple[str, str, int], list[list[float | None]]] = {}
    for grammar, part, words, _, *scores in result.figures["by_subset"]:
        runs.setdefault((grammar, part, words), []).append(scores)
    rows: list[list[Cell]] = []
    for (grammar, part, words), scores in runs.items():
        means = [None if None in values else fmean(values) for values in zip(*scores, strict=True)]
        theirs = thesis.get(THESIS_NAMES[grammar], {}).get(dataset) if part == WHOLE else None
        rows.append([grammar, part, words, len(scores), *means, theirs])
    columns = [
        Column("grammar"),
        Column("learnt from"),
        Column("words", ",d"),
        Column("seeds", "d"),
        Column("F1", ".1f"),
        Column("words with a root", ".1f"),
        Column("words without", ".1f"),
        Column("thesis", ".1f"),
    ]
    note = "F1 of borders; words with a root in the gold standard are verbs, those without are mostly nouns and adjectives."
    return Table(f"By kind of word, {dataset}", columns, rows, result.signature, note)
