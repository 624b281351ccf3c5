"""The report of chapter 5: its tables and plots from results, beside the thesis's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from binyan.evaluation.table import Cell, Chart, Column, Table
from binyan.evaluation.traces import trace
from binyan.experiments.adaptor import example_tables
from binyan.experiments.adaptor.lexicon_tables import lexica
from binyan.experiments.adaptor.methods import SUBSETS, SWEEPS, AnalysisMethod
from binyan.experiments.adaptor.runs import WHOLE_LIST, AdaptorExperiment
from binyan.experiments.adaptor.stemmers import PACKAGES
from binyan.experiments.adaptor.stored import GridRow, StoredAnalyses, dataset_title, grid
from binyan.experiments.adaptor.subsets import by_subset
from binyan.experiments.adaptor.sweeps import by_sweeps
from binyan.experiments.report_page import ReportSection
from binyan.experiments.results import Results

SIZES = {WHOLE_LIST: "All words, the thesis's protocol", "5k": "A sample of 5,000 words"}
_SEGMENTATION = "F1 of segment borders in the most frequent sampled tree of each word."
_OTHER_WORDS = "Our lists are rebuilt, not the thesis's own: its figures measure the same quantity, but on other words."
_ROOTS = "Exact matches among the words whose stem contains all letters of the root, in order."
_LEXICA = "Lexica from the most frequent trees; areas under ROC curves from sampled probabilities."
_SAMPLES = (
    "Scores of everything that the samples propose, and the most probable roots with example words; bars mark borders."
)
_TREES = "The first word of each list that has an affix and a root whose letters its stem contains, in order."
# our names of guessers -> the thesis's, in the order of its table
_GUESSERS = {
    "uniform": "uniform guesser",
    "stem-constrained": "stem-constrained",
    "character-constrained": "character-constrained",
    "doubly constrained": "doubly constrained",
}


def sections(
    results: Results, thesis: Mapping[str, Any], experiments: Sequence[AdaptorExperiment]
) -> list[ReportSection]:
    """One section per task of the chapter and size of data, as far as there are results."""
    stored = StoredAnalyses(results, experiments)
    figures = thesis.get("adaptor", {})
    missing = f"{stored.missing} of {len(experiments)} experiments have no result yet." if stored.missing else ""
    lists = [_statistics(stored, figures), *example_tables.list_words(stored)]
    listed = [ReportSection("Word lists", missing, lists)] if stored.experiments else []
    for size, title in SIZES.items():
        if stored.datasets(size):
            theirs, note = (figures, f"{_SEGMENTATION} {_OTHER_WORDS}") if size == WHOLE_LIST else ({}, _SEGMENTATION)
            more = [example_tables.marginal(stored, size), example_tables.partial_roots(stored, size)]
            samples = [*more, example_tables.sampled_lexica(stored, size), *example_tables.root_examples(stored, size)]
            listed += [
                ReportSection(
                    f"{title}: segmentation",
                    note,
                    [*_segmentation(stored, size, theirs), *_several_runs(stored, size, theirs, SUBSETS)],
                ),
                ReportSection(f"{title}: roots", _ROOTS, [_roots(stored, size, theirs, k) for k in (3, 4)]),
                ReportSection(f"{title}: lexica", _LEXICA, lexica(stored, size, theirs)),
                ReportSection(f"{title}: samples and examples", _SAMPLES, [t for t in samples if t.rows]),
                ReportSection(f"{title}: trees", _TREES, (), example_tables.drawings(stored, size)),
                ReportSection(
                    f"{title}: sampling",
                    "",
                    [*_sampling(stored, size), *_several_runs(stored, size, theirs, SWEEPS)],
                ),
            ]
    return [s for s in listed if s.tables or s.drawings]


def _statistics(stored: StoredAnalyses, thesis: Mapping[str, Any]) -> Table:
    keys = {
        "words": "words",
        "stems": "stems",
        "roots": "roots",
        "mean_morphemes": "morphemes_per_word",
        "mean_characters": "characters_per_word",
    }
    rows: list[list[Cell]] = [
        [dataset, size, *(stored.any_figure(dataset, size, key) for key in keys)]
        for dataset, size in dict.fromkeys((e.dataset, e.size) for e in stored.experiments)
    ]
    theirs = thesis.get("data", {})
    rows += [
        [dataset, "thesis", *(theirs.get(k, {}).get(dataset) for k in keys.values())]
        for dataset in theirs.get("words", {})
    ]
    columns = [
        Column("list"),
        Column("size"),
        Column("words", ",d"),
        Column("stems", ",d"),
        Column("roots", ",d"),
        Column("morphemes per word", ".1f"),
        Column("characters per word", ".1f"),
    ]
    signature = stored.signature("all", ["guessers"]) or stored.signature("5k", ["guessers"])
    return Table("Word lists", columns, rows, signature)


def _segmentation(stored: StoredAnalyses, size: str, thesis: Mapping[str, Any]) -> list[Table]:
    methods = stored.methods()
    borders = [GridRow(m.label, m.label, ("segmentation", "f1"), m.thesis_name) for m in methods]
    tables = [grid(stored, size, "Segment-border F1", borders, thesis.get("segment_border_f1", {}))]
    for part, path in (
        ("coarse (borders of stems only)", ("segmentation_coarse",)),
        ("words of three or more morphemes", ("segmentation_of_3_or_more",)),
        ("words outside the samples that our grammars were chosen on", ("unseen", "segmentation")),
    ):
        rows = [GridRow(m.label, m.label, (*path, "f1")) for m in methods]
        table = grid(stored, size, f"Segment-border F1, {part}", rows, {})
        tables += [table] if table.rows else []
    return [*tables, *(_morphemes(stored, size, dataset) for dataset in stored.datasets(size))]


def _morphemes(stored: StoredAnalyses, size: str, dataset: str) -> Table:
    counts = {"gold": stored.any_figure(dataset, size, "gold_morphemes_per_word") or {}}
    for method in stored.methods():
        if by_method := stored.figure(dataset, size, method.label, "morphemes_per_word"):
            counts[method.label] = by_method
    longest = max(int(n) for c in counts.values() for n in c)
    rows: list[list[Cell]] = [
        [str(n), *(100 * c.get(str(n), 0) / max(sum(c.values()), 1) for c in counts.values())]
        for n in range(1, longest + 1)
    ]
    columns = [Column("morphemes"), *(Column(name, ".1f") for name in counts)]
    chart = Chart("bars", "morphemes", list(counts), y_title="words (per cent)")
    title = f"Morphemes per word in {dataset_title(dataset)}, {size}"
    return Table(title, columns, rows, stored.signature(size, dataset=dataset), "", chart)


def _roots(stored: StoredAnalyses, size: str, thesis: Mapping[str, Any], length: int) -> Table:
    word = "triliteral" if length == 3 else "quadriliteral"
    rows = [GridRow("evaluated", "guessers", (f"evaluated_{length}",), "evaluated")]
    rows += [GridRow(row, "guessers", ("accuracy", f"{guesser} {length}"), row) for guesser, row in _GUESSERS.items()]
    if length == 3:
        rows += [GridRow(f"{name} (existing stemmer)", "stemmers", (name, "accuracy")) for name in PACKAGES]
    methods = stored.methods(learnt=True)
    rows += [
        GridRow(f"{way} {m.title}", m.label, (f"roots_{length}_{way}", "accuracy"), f"{way} {m.thesis_name}")
        for way in ("A", "B")
        for m in methods
    ]
    if length == 3:
        not_stems = ("roots_3_A_not_stems", "accuracy")
        rows += [GridRow(f"A {m.label}, roots that are stems left out", m.label, not_stems) for m in methods]
    unseen = ("unseen", f"roots_{length}", "accuracy")
    outside = "words outside the samples our grammars were chosen on"
    rows += [GridRow(f"A {m.label}, {outside}", m.label, unseen) for m in methods]
    return grid(stored, size, f"Root accuracy, {word} roots", rows, thesis.get(f"root_accuracy_{word}", {}))


def _several_runs(stored: StoredAnalyses, size: str, thesis: Mapping[str, Any], method: AnalysisMethod) -> list[Table]:
    """The tables of experiments that learn several times, one per list that has them."""
    results = [stored.results.get((dataset, size, method.label)) for dataset in stored.datasets(size)]
    table = {SWEEPS: by_sweeps, SUBSETS: by_subset}[method]
    return [table(result, thesis.get("segment_border_f1", {})) for result in results if result is not None]


def _sampling(stored: StoredAnalyses, size: str) -> list[Table]:
    rows: list[list[Cell]] = []
    tables: list[Table] = []
    for dataset in stored.datasets(size):
        chains = {}
        burn_in = 0
        for method in stored.methods(learnt=True):
            result = stored.results.get((dataset, size, method.label))
            values = result.figures.get("trace") if result else None
            if result is None or values is None:
                continue
            chains[method.label] = values
            burn_in = result.experiment.model["burn_in"]
            costs = [result.figures["words_per_second"], result.seconds, result.peak_memory / 2**20]
            rows.append([dataset, method.label, result.figures["log_joint"], *costs])
        if chains:
            signature = stored.signature(size, list(chains), dataset)
            table = trace(chains, signature, burn_in, "log joint probability", every=max(1, burn_in // 100))
            tables.append(replace(table, title=f"{table.title}, {dataset_title(dataset)}, {size}", note=""))
    columns = [
        Column("list"),
        Column("model"),
        Column("log joint", ",.0f"),
        Column("words/s", ",.0f"),
        Column("seconds", ",.0f"),
        Column("peak MB", ",.0f"),
    ]
    return [Table("Sampling", columns, rows, stored.signature(size)), *tables] if rows else []
