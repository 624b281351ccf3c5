"""The tables of chapter 4 that look for causes, with several seeds: what kappa changes, and which pairs of words composing helps."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

from binyan.evaluation import Column, Table
from binyan.evaluation.table import Cell
from binyan.experiments.lbl.models import CHANGED, CLOSED, KINDS
from binyan.experiments.lbl.perplexity_experiment import MAIN_SIZE, PerplexityExperiment
from binyan.experiments.lbl.similarity import SETS
from binyan.experiments.lbl.stored import StoredRuns
from binyan.experiments.results import Result

_PLAIN = "clbl"
_MODELS = {
    _PLAIN: "CLBL",
    "clbl++": "CLBL++",
    **{label: f"{KINDS[kind].title}, <unk> for unknown words" for label, kind in CLOSED.items()},
}


def kappa(stored: StoredRuns) -> list[Table]:
    """What additive vectors gain by the share of words seen once that is left out, with and without morphemes of unknown words."""
    rows: list[list[Cell]] = []
    signatures: list[str] = []
    for setting, language in dict.fromkeys(
        (e.setting, e.language) for e, _ in stored.perplexity if e.size == MAIN_SIZE
    ):
        runs = {label: _by_seed(stored, setting, language, label) for label in _MODELS}
        plain = runs[_PLAIN]
        if not plain or not any(runs[label] for label in CLOSED):
            continue
        share = next(e.kappa for e, _ in stored.perplexity if e.setting == setting)
        for label, title in _MODELS.items():
            both = sorted(runs[label].keys() & plain.keys())
            if both:
                values = [float(runs[label][seed].figures["perplexity"]) for seed in both]
                changes = [
                    100 * (v / plain[seed].figures["perplexity"] - 1) for v, seed in zip(values, both, strict=True)
                ]
                gain: list[Cell] = [None, None] if label == _PLAIN else [fmean(changes), _spread(changes)]
                rows.append([language, share, title, len(both), fmean(values), *gain])
                signatures += [runs[label][seed].signature for seed in both]
    columns = [Column("language"), Column("kappa", "g"), Column("model"), Column("seeds", "d"), Column("test", ".1f")]
    columns += [Column("against CLBL, %", "+.1f"), Column("deviation over seeds", ".2f")]
    title = "What morphemes gain by kappa, with and without those of unknown words"
    return [Table(title, columns, rows, "\n".join(signatures))] if rows else []


def known_pairs(stored: StoredRuns) -> list[Table]:
    """Word similarity on pairs of known words, and on the others, which composing gives vectors."""
    rows: list[list[Cell]] = []
    for language, sets in SETS.items():
        groups: dict[int, list[Result]] = {}
        for run in (run for run in stored.similarity if run.experiment.label not in CHANGED):
            if run.experiment.language == language and "composed" in run.result.figures["similarity"]:
                groups.setdefault(run.result.figures["training_tokens"], []).append(run.result)
        for name in sets:
            for tokens, results in sorted(groups.items()):
                both = [r.figures["similarity"] for r in results]
                first = both[0]["composed"][name]
                if "pairs_known" in first:
                    whole = [_mean([b[how][name]["rho"] for b in both]) for how in ("composed", "not composed")]
                    parts = [_mean([b["composed"][name][f"rho_{part}"] for b in both]) for part in ("known", "other")]
                    counts = first["pairs_known"], first["pairs_other"]
                    rows.append([name, tokens, len(both), *whole, counts[0], parts[0], counts[1], parts[1]])
    columns = [Column("pairs of"), Column("training tokens", ",d"), Column("seeds", "d"), Column("composed", ".1f")]
    columns += [Column("not composed", ".1f"), Column("pairs of known words", ",d"), Column("their rho", ".1f")]
    columns += [Column("other pairs", ",d"), Column("their rho, composed", ".1f")]
    signature = "\n".join(run.result.signature for run in stored.similarity)
    return [Table("CLBL++ on pairs of known words and on others", columns, rows, signature)] if rows else []


def _by_seed(stored: StoredRuns, setting: str, language: str, label: str) -> dict[int, Result]:
    """The results of a model, with its usual penalty, by seed."""
    kind = CLOSED.get(label, label)
    return {
        int(e.model["seed"]): r
        for e, r in stored.perplexity
        if (e.setting, e.language) == (setting, language) and _is(e, kind, label in CLOSED) and e.has_usual_penalty
    }


def _is(experiment: PerplexityExperiment, kind: str, closed: bool) -> bool:
    model = experiment.model
    return model["kind"] == kind and ("map_words" in model) == closed and "class_method" not in model


def _mean(values: Sequence[Any]) -> float | None:
    numbers = [float(v) for v in values if v is not None]
    return fmean(numbers) if numbers else None


def _spread(values: Sequence[float]) -> float | None:
    return stdev(values) if len(values) > 1 else None
