"""The report of chapter 3: its tables and plots from results, beside the thesis's figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from binyan.evaluation import Column, Table, trace
from binyan.evaluation.table import Cell
from binyan.experiments.hpylm import data_tables, perplexity_tables
from binyan.experiments.hpylm.europarl import MAIN_SIZE
from binyan.experiments.hpylm.ngram_experiment import NGramExperiment
from binyan.experiments.hpylm.perplexity_tables import size_title
from binyan.experiments.hpylm.stored import StoredRuns
from binyan.experiments.hpylm.subset_tables import beside_thesis
from binyan.experiments.report_page import ReportSection
from binyan.experiments.results import Results


def sections(
    results: Results, thesis: Mapping[str, Any], experiments: Sequence[NGramExperiment]
) -> list[ReportSection]:
    """The report on these experiments, as far as they have results."""
    stored = StoredRuns(results, experiments)
    figures = thesis.get("hpylm", {})
    sizes = list(dict.fromkeys(s.size for s in stored.perplexities))
    large = [size for size in sizes if size == MAIN_SIZE] or sizes[-1:]
    by_order = [t for size in large for t in perplexity_tables.by_order(stored, size, figures)]
    subsets = [_sized(t, size) for size in large for t in beside_thesis(stored.tables(size, "subsets"), figures)]
    differences = [_sized(t, size) for size in large for t in stored.tables(size, "differences")]
    listed = [
        ReportSection("Perplexity", _PERPLEXITY, [perplexity_tables.main(stored, size, figures) for size in large]),
        ReportSection("Order", "", by_order),
        ReportSection("Subsets of the test text", _SUBSETS, subsets),
        ReportSection("Text further from training", _NEWS, list(perplexity_tables.by_text(stored, figures))),
        ReportSection("Training size", _SIZES, list(perplexity_tables.by_size(stored))),
        ReportSection("What the test text consists of", _COMPOSITION, list(data_tables.composition(stored, figures))),
        ReportSection("Linking elements", "", list(data_tables.components(stored, figures))),
        ReportSection("The splitter", _SPLITTER, list(data_tables.splitter(stored, figures))),
        ReportSection("Where compounds win and lose", "", differences),
        ReportSection("Burn-in", "", [t for size in large for t in _traces(stored, size)]),
        ReportSection("Cost", "", [_cost(stored)] if stored.runs else []),
    ]
    names = ", ".join(e.name for e in stored.missing)
    missing = f"{len(stored.missing)} experiments have no result yet: {names}." if stored.missing else ""
    return [*(s for s in listed if s.tables), *([ReportSection("Missing", missing)] if missing else [])]


_PERPLEXITY = (
    "Test perplexities of 4-gram models; changes are in per cent. As in the thesis's main experiment, the vocabulary includes rare words: all "
    "types except a twentieth of those seen once, from which <unk> is learnt. The thesis trained on 59 million tokens of WMT11 news and "
    "Europarl and tested on news, so its changes against Kneser-Ney are shown beside those of our largest text, but not its perplexities."
)
_SUBSETS = (
    "Hit length: the length of the longest n-gram of the training text that ends in the word. Unknown words and sentence "
    "ends do not count as compounds, as in the thesis."
)
_COMPOSITION = (
    "Tokens of the test text by the length of the longest n-gram of the training text that ends in them, for compounds and other words. "
    "Unknown words and sentence ends do not count as compounds."
)
_SPLITTER = (
    "Boundaries in gold compounds that were kept out of training. The thesis quotes the figure of the splitter's authors, measured on "
    "their own list."
)
_NEWS = (
    "The thesis tested on news; our test text is from the same parliament as the training text. The results of the same models on a thousand "
    "sentences of news and encyclopedia text (PUD) show how much difference this makes."
)
_SIZES = "As in the thesis, each size has its own vocabulary, without words seen once, so only changes within a size can be compared."


def _sized(table: Table, size: str) -> Table:
    return replace(table, title=f"{table.title}, {size_title(size)}")


def _traces(stored: StoredRuns, size: str) -> Iterator[Table]:
    for experiment, run in stored.runs:
        if experiment.size == size and "trace" in run.figures:
            chains = {f"chain {n}": values for n, values in enumerate(run.figures["trace"], 1)}
            every = max(1, max(map(len, chains.values())) // 25)
            table = trace(chains, run.signature, experiment.model["burn_in"], every=every)
            yield replace(table, title=f"{table.title}, {experiment.path}")


def _cost(stored: StoredRuns) -> Table:
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
