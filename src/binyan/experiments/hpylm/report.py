"""The report of chapter 3: its tables and plots from results, beside the thesis's figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from binyan.evaluation import Column, Table, trace
from binyan.evaluation.table import Cell
from binyan.experiments.hpylm import perplexity_tables, subset_tables
from binyan.experiments.hpylm.europarl import MAIN_SIZES
from binyan.experiments.hpylm.perplexity_tables import size_title
from binyan.experiments.hpylm.runs import NGramExperiment
from binyan.experiments.hpylm.stored import StoredEvaluations
from binyan.experiments.report_page import ReportSection
from binyan.experiments.results import Results


def sections(
    results: Results, thesis: Mapping[str, Any], experiments: Sequence[NGramExperiment]
) -> list[ReportSection]:
    """The report on these experiments, as far as they have results."""
    stored = StoredEvaluations(results, experiments)
    figures = thesis.get("hpylm", {})
    sizes = list(dict.fromkeys(s.size for s in stored.evaluations))
    large = [size for size in sizes if size in MAIN_SIZES] or sizes[-1:]
    by_order = [t for size in large for t in perplexity_tables.by_order(stored, size, figures)]
    subsets = [t for size in large for t in subset_tables.subsets(stored, size, figures)]
    listed = [
        ReportSection("Perplexity", _PERPLEXITY, [perplexity_tables.main(stored, size, figures) for size in large]),
        ReportSection("Order", "", by_order),
        ReportSection("Subsets of the test text", _SUBSETS, subsets),
        ReportSection("Training size", _SIZES, list(perplexity_tables.by_size(stored))),
        ReportSection("Linking elements", "", list(_components(stored, figures))),
        ReportSection(
            "Where compounds win and lose", "", [t for size in large for t in subset_tables.extremes(stored, size)]
        ),
        ReportSection("Burn-in", "", [t for size in large for t in _traces(stored, size)]),
        ReportSection("Cost", "", [_cost(stored)] if stored.runs else []),
    ]
    names = ", ".join(e.name for e in stored.missing)
    missing = f"{len(stored.missing)} experiments have no result yet: {names}." if stored.missing else ""
    return [*(s for s in listed if s.tables), *([ReportSection("Missing", missing)] if missing else [])]


_PERPLEXITY = (
    "Test perplexities of 4-gram models; changes are in per cent. The first shard has 10m tokens, all four have 33m. The "
    "vocabulary has rare words too, as in the thesis's main experiment: all types but a twentieth of those seen once, from "
    "which <unk> is learnt. The thesis trained on 59m tokens of WMT11 news and Europarl and tested on news, so its "
    "changes against Kneser-Ney are shown beside those of our largest text, and its perplexities are not."
)
_SUBSETS = (
    "Hit length: the length of the longest n-gram of the training text that ends in the word. Unknown words and sentence "
    "ends count as not compound, as in the thesis."
)
_SIZES = (
    "Each size has its own vocabulary, without words seen once, as in the thesis, so only changes within a size can be "
    "compared."
)


def _components(stored: StoredEvaluations, thesis: Mapping[str, Any]) -> Iterator[Table]:
    data = thesis.get("data", {})
    columns = [
        Column("set"),
        Column("ours", ",d"),
        Column("ours, of compounds only", ",d"),
        Column("of word types", ".1%"),
    ]
    columns += [Column("thesis", ",d"), Column("thesis, of word types", ".1%")]
    for experiment, run in stored.runs:
        if experiment.measure != "components":
            continue
        figures, types = run.figures, data.get("word_types")
        sets = {"word types": (figures["words"], figures["compounds"], types)}
        for linking, theirs in (("delete", "delete"), ("left", "merge_left"), ("right", "merge_right")):
            counts = figures["components"][linking]
            name = f"components, linking elements {'deleted' if linking == 'delete' else f'merged {linking}'}"
            sets[name] = (counts["all"], counts["compounds"], data.get("components", {}).get(theirs))
        rows = [
            [name, ours, of_compounds, ours / figures["words"], there, there / types if there and types else None]
            for name, (ours, of_compounds, there) in sets.items()
        ]
        parts = ", ".join(f"{n} parts: {c:,}" for n, c in figures["compounds_by_parts"].items())
        title = f"Words and components, {size_title(experiment.size)}"
        yield Table(title, columns, rows, run.signature, f"Compounds of {parts}.")


def _traces(stored: StoredEvaluations, size: str) -> Iterator[Table]:
    for experiment, run in stored.runs:
        if (experiment.size, experiment.order) == (size, 4) and "trace" in run.figures:
            chains = {f"chain {n}": values for n, values in enumerate(run.figures["trace"], 1)}
            every = max(1, max(map(len, chains.values())) // 25)
            table = trace(chains, run.signature, experiment.model["burn_in"], every=every)
            yield replace(table, title=f"{table.title}, {experiment.path}")


def _cost(stored: StoredEvaluations) -> Table:
    columns = [
        Column("experiment"),
        Column("seconds", ",.0f"),
        Column("sweeps", "d"),
        Column("CPU seconds per sweep", ".2f"),
    ]
    columns += [Column("peak memory, GiB", ".2f")]
    rows: list[list[Cell]] = []
    for experiment, run in stored.runs:
        per_sweep = run.figures.get("seconds_per_sweep")
        memory = run.peak_memory / 2**30
        rows.append([experiment.name, run.seconds, run.figures.get("sweeps"), per_sweep, memory])
    signature = "\n".join(f"{experiment.name}: {run.signature}" for experiment, run in stored.runs)
    return Table("What each experiment took", columns, rows, signature)
