"""One page over all chapters: what was run, on what, the thesis's figure, ours, the difference, the signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from binyan.evaluation.table import Cell, Column, Table
from binyan.experiments import report
from binyan.experiments.headlines import headlines
from binyan.experiments.results import Results
from binyan.experiments.study import Experiment, Section, study
from binyan.signature import digest

COLUMNS = (
    Column("run"),
    Column("data"),
    Column("figure"),
    Column("thesis", ",.6g"),
    Column("ours", ",.6g"),
    Column("difference", ">"),
    Column("signature"),
)
TITLE = "The thesis's experiments, run again"
_NOTE = (
    "Where our data are not the thesis's, perplexities stand beside each other for their relations, not their size: compare the "
    "changes against MKN, whose differences are in points. The signature's first digits lead to the whole below."
)


def write(folder: Path, names: Sequence[str], results: Results, thesis: Mapping[str, Any]) -> list[Path]:
    """The front page `index.html` and `index.md`, and the report of each study in a folder of its name."""
    chapters = []
    for name in names:
        made = study(name).sections(results, thesis)
        link: tuple[tuple[str, str], ...] = ()
        if made:
            report.write(folder / name, study(name).TITLE, made)
            link = ((f"{name}/report.html", "The report of this chapter"),)
        chapters.append(chapter(name, results, thesis, link))
    return list(report.write(folder, TITLE, chapters, "index"))


def chapter(name: str, results: Results, thesis: Mapping[str, Any], links: Sequence[tuple[str, str]] = ()) -> Section:
    """The part of one study."""
    experiments = study(name).experiments()
    table = comparison(study(name).TITLE, experiments, results, thesis)
    done = [r for e in experiments if (r := results.get(e)) is not None]
    text = f"{len(done)} of {len(experiments)} experiments are done, in {_hours(sum(r.seconds for r in done))}."
    if len(done) < len(experiments):
        text += f" What is missing is run by: binyan reproduce run {name}"
    return Section(study(name).TITLE, text, [table] if table.rows else [], links=links)


def comparison(title: str, experiments: Sequence[Experiment], results: Results, thesis: Mapping[str, Any]) -> Table:
    """A row for each headline of each experiment that has a result."""
    rows: list[list[Cell]] = []
    signatures: dict[str, None] = {}
    first: dict[str, tuple[float | None, float | None]] = {}
    for experiment in experiments:
        if (result := results.get(experiment)) is None:
            continue
        short = digest(result.signature.encode())[:8]
        name = "/".join(experiment.name.split("/")[1:])
        for headline in headlines(experiment):
            if (ours := headline.of(result)) is None:
                continue
            theirs = headline.beside(thesis)
            first.setdefault(experiment.name, (ours, theirs))
            changed = _change(ours, theirs)
            difference = None if changed is None else f"{changed:+.1f} %"
            rows.append([name, _data(experiment), headline.what, theirs, _rounded(ours), difference, short])
            signatures[f"{short}  {result.signature}"] = None
            if headline.against in first:
                base = first[headline.against]
                ours_changed, theirs_changed = _change(ours, base[0]), _change(theirs, base[1])
                apart = None if None in (ours_changed, theirs_changed) else f"{ours_changed - theirs_changed:+.1f}"  # type: ignore[operator]
                what = f"… against {headline.against.rsplit('/', 1)[1].upper()}, %"
                rows.append(["", "", what, _rounded(theirs_changed), _rounded(ours_changed), apart, short])
    return Table(title, COLUMNS, rows, "\n".join(signatures), _NOTE if rows else "")


def _change(value: float | None, base: float | None) -> float | None:
    return 100 * (value - base) / base if value is not None and base else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _data(experiment: Experiment) -> str:
    """The file or corpus, in a word or two."""
    data = experiment.data
    for key in ("gold", "text", "corpus"):
        if key in data:
            return str(data[key]).rsplit("/", 1)[-1].split(".", 1)[0]
    return ", ".join(f"{k} {v}" for k, v in data.items())


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:.1f} hours" if seconds >= 3600 else f"{seconds / 60:.0f} minutes"
