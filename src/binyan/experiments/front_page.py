"""The whole report: a front page over all studies, and a report of each study behind it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from binyan.evaluation.table import Cell, Column, Table
from binyan.experiments import report_page
from binyan.experiments.experiment import Experiment
from binyan.experiments.headline import Change, Headline
from binyan.experiments.report_page import ReportSection
from binyan.experiments.results import Result, Results
from binyan.experiments.studies import load_study
from binyan.experiments.thesis_items import ItemStatus, comparisons_table, items_table, summary
from binyan.json_values import finite
from binyan.signature import digest

TITLE = "The thesis's experiments, run again"
COLUMNS = (
    Column("run"),
    Column("data"),
    Column("figure"),
    Column("thesis", ",.6g"),
    Column("ours", ",.6g"),
    Column("difference", ">"),
    Column("signature"),
)
_NOTE = (
    "A figure of the thesis is shown only where ours measures the same quantity. Perplexity and BLEU on different text do not: for these, "
    "changes against a baseline are compared, where the amounts of training text are similar. Differences are in the unit of their row. The "
    "codes in the last column identify the full signatures below."
)


_ITEMS = (
    "Each table and figure of the thesis, and some statements of its text: whether our experiments show it, what can be compared, whether "
    "our figures agree, and why they may not. Everything is computed from the results; thesis_items.toml states how far our figures may "
    "differ from the thesis's and still agree."
)
_BESIDE = "Figures where both measure the same quantity; where the data differ, changes against the same baseline."


@dataclass(frozen=True)
class StudyReport:
    """The report of one study: its part of the front page, and sections of its own, none while there is no result."""

    study: str
    summary: ReportSection
    sections: Sequence[ReportSection]


@dataclass(frozen=True)
class Report:
    """The reports of several studies, and where all are reported, how each table and figure of the thesis fares."""

    studies: Sequence[StudyReport]
    items: Sequence[ItemStatus] = ()

    def __str__(self) -> str:
        return "\n".join(f"{s.summary.title}: {s.summary.text}" for s in self.studies)

    def to_dict(self) -> list[dict[str, Any]]:
        """All sections for JSON, those of the front page first in each study; `binyan reproduce tables --json` has the items."""
        sections = [
            {
                "study": report.study,
                "title": section.title,
                "text": section.text,
                "tables": [table.to_dict() for table in section.tables],
            }
            for report in self.studies
            for section in (report.summary, *report.sections)
        ]
        plain: list[dict[str, Any]] = finite(sections)
        return plain

    def _items(self) -> Iterator[ReportSection]:
        if self.items:
            text = f"{_ITEMS} {summary(self.items)}"
            yield ReportSection("Tables and figures of the thesis", text, [items_table(self.items)])
            compared = [comparisons_table(status) for status in self.items if status.comparisons]
            if compared:
                yield ReportSection("Ours beside the thesis's", _BESIDE, compared)

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write `index.html` and `index.md`, and the report of each study in a folder of its name; returns both paths."""
        folder, front = Path(folder), list(self._items())
        for report in self.studies:
            links: tuple[tuple[str, str], ...] = ()
            if report.sections:
                report_page.write(folder / report.study, report.summary.title, report.sections)
                links = ((f"{report.study}/report.html", "The report of this chapter"),)
            front.append(replace(report.summary, links=links))
        return list(report_page.write(folder, TITLE, front, "index"))


def study_report(name: str, results: Results, thesis: Mapping[str, Any]) -> StudyReport:
    """The report of the study called `name`, as far as there are results."""
    study = load_study(name)
    experiments = study.experiments()
    table = comparison(study.TITLE, experiments, results, thesis)
    finished = [r for e in experiments if (r := results.get(e)) is not None]
    text = f"{len(finished)} of {len(experiments)} experiments are done, in {_hours(sum(r.seconds for r in finished))}."
    if len(finished) < len(experiments):
        text += f" Run the missing ones with: binyan reproduce run {name}"
    summary = ReportSection(study.TITLE, text, [table] if table.rows else [])
    return StudyReport(name, summary, study.sections(results, thesis, experiments))


def comparison(title: str, experiments: Sequence[Experiment], results: Results, thesis: Mapping[str, Any]) -> Table:
    """A row for each headline of each experiment that has a result, and one for its change against the baseline."""
    rows: list[list[Cell]] = []
    signatures: dict[str, None] = {}
    finished = {e.name: (e, r) for e in experiments if (r := results.get(e)) is not None}
    for experiment, result in finished.values():
        short = digest(result.signature.encode())[:8]
        for headline in load_study(experiment.study).headlines(experiment):
            if headline.front and (ours := headline.of(result)) is not None:
                rows.append([experiment.path, experiment.source, *_figure(headline, ours, thesis), short])
                rows += [
                    ["", "", *_change(change, ours, finished[change.baseline], thesis), short]
                    for change in headline.changes
                    if change.baseline in finished
                ]
                signatures[f"{short}  {result.signature}"] = None
    return Table(title, COLUMNS, rows, "\n".join(signatures), _NOTE if rows else "")


def _figure(headline: Headline, ours: float, thesis: Mapping[str, Any]) -> list[Cell]:
    theirs = headline.beside(thesis)
    return [headline.what, theirs, _rounded(ours), None if theirs is None else f"{ours - theirs:+.1f}"]


def _change(
    change: Change, figure: float, baseline: tuple[Experiment, Result], thesis: Mapping[str, Any]
) -> list[Cell]:
    experiment, result = baseline
    ours, theirs = change.of(figure, result), change.beside(thesis)
    apart = None if ours is None or theirs is None else f"{ours - theirs:+.1f}"
    return [f"… against {experiment.label.upper()}, {change.unit}", _rounded(theirs), _rounded(ours), apart]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:.1f} hours" if seconds >= 3600 else f"{seconds / 60:.0f} minutes"
