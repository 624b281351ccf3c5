"""The page of morphology_lists.py: its measurements as tables and plots, in Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

from morphology_systems import CANDIDATE, SYSTEMS

from binyan import __version__ as version
from binyan.evaluation.table import Chart, Column, Table
from binyan.experiments.report_page import ReportSection, write

TITLES = {
    "morfessor": "Morfessor",
    "morfessor-tuned": "Morfessor, tuned",
    "morphagram": "MorphAGram's grammar",
    "thesis": "the thesis's grammar",
    "auto": "chosen by Binyan",
    "known": "with 50 analysed words",
}
FIGURES = {"f1": "F1", "roots_all": "roots", "roots_strong": "strong roots", "roots_weak": "weak roots"}


def write_page(folder: Path, results: Sequence[dict]) -> tuple[Path, Path]:
    """Write `morphology.md` and `morphology.html` with all measurements."""
    main = [r for r in results if not r["system"].startswith(CANDIDATE)]
    sections = [ReportSection("Segment borders and roots", _about(results), [_lists(main), _details(main)])]
    single = [r for r in results if r["seed"] == 1 and (r["system"].startswith(CANDIDATE) or r["system"] == "auto")]
    if any(r["system"].startswith(CANDIDATE) for r in single):
        text = (
            "F1 of every grammar that the automatic choice compares, learnt as the chosen one was (same words, sweeps, chains and seed), "
            "and how far the choice is from the best of them on each list."
        )
        sections.append(ReportSection("Candidates", text, [_distance(single), _details(single, "Every candidate")]))
    return write(folder, "Morphology on gold lists", sections, "morphology")


def _about(results: Sequence[dict]) -> str:
    settings = next((r["settings"] for r in results if "settings" in r), {})
    asked = ", ".join(f"{name} {value}" for name, value in settings.items())
    return (
        f"Every system learns from the same words without their analyses ({asked}). F1 of segment borders and roots are in per cent, "
        "on the report half of the gold words: mean and standard deviation over seeds. Roots are triliteral; a strong root "
        "stands in the stem letter by letter. Minutes are of processor time, for the first seed, which also chooses the grammar where one is chosen."
    )


def _systems(results: Sequence[dict]) -> list[str]:
    present = list(dict.fromkeys(r["system"] for r in results))
    return sorted(present, key=lambda s: (SYSTEMS.index(s) if s in SYSTEMS else len(SYSTEMS), s))


def _title(system: str) -> str:
    return TITLES.get(system, system.removeprefix(CANDIDATE))


def _values(results: Sequence[dict], name: str, system: str, figure: str) -> list[float]:
    found = [r.get(figure) for r in results if r["list"] == name and r["system"] == system]
    return [value for value in found if value is not None]


def _lists(results: Sequence[dict]) -> Table:
    """One row per list: the mean F1 of each system."""
    systems = _systems(results)
    rows = [
        [name, *(mean(values) if (values := _values(results, name, s, "f1")) else None for s in systems)]
        for name in dict.fromkeys(r["list"] for r in results)
    ]
    titles = [_title(s) for s in systems]
    columns = [Column("list"), *(Column(title, ".1f") for title in titles)]
    chart = Chart("bars", "list", titles, y_title="F1 of segment borders")
    return Table("F1 of segment borders", columns, rows, f"binyan {version}", chart=chart)


def _details(results: Sequence[dict], title: str = "All figures") -> Table:
    """One row per list and system, with deviations over seeds."""
    rows = []
    for name in dict.fromkeys(r["list"] for r in results):
        for system in _systems(results):
            runs = [r for r in results if r["list"] == name and r["system"] == system]
            if runs:
                shown = [_shown(_values(runs, name, system, figure)) for figure in FIGURES]
                minutes = [s / 60 for s in _values(runs[:1], name, system, "cpu_seconds")]
                grammars = ", ".join(dict.fromkeys(r["grammar"] for r in runs if r["grammar"]))
                counts = [runs[0]["scored"], runs[0]["left_out"], len(runs)]
                rows.append([name, _title(system), *shown, mean(minutes) if minutes else None, *counts, grammars])
    columns = [Column("list"), Column("system"), *(Column(title) for title in FIGURES.values())]
    columns += [Column("minutes", ".2f"), Column("words scored", "d"), Column("left out", "d"), Column("seeds", "d")]
    note = "Left out: words whose gold segments do not spell them. They are learnt from, and not scored."
    return Table(title, [*columns, Column("grammar")], rows, f"binyan {version}", note)


def _distance(results: Sequence[dict]) -> Table:
    """One row per list: the best candidate and the chosen one."""
    rows = []
    for name in dict.fromkeys(r["list"] for r in results):
        here = [r for r in results if r["list"] == name]
        best = max((r for r in here if r["system"].startswith(CANDIDATE)), key=lambda r: r["f1"], default=None)
        chosen = next((r for r in here if r["system"] == "auto"), None)
        if best is not None and chosen is not None:
            figures = [best["f1"], chosen["grammar"], chosen["f1"], chosen["f1"] - best["f1"]]
            rows.append([name, _title(best["system"]), *figures])
    columns = [Column("list"), Column("best candidate"), Column("F1 of the best", ".1f")]
    columns += [Column("choice"), Column("F1 of the choice", ".1f"), Column("difference", "+.1f")]
    return Table("Choice and best", columns, rows, f"binyan {version}")


def _shown(values: Sequence[float]) -> str | None:
    if not values:
        return None
    return f"{mean(values):.1f} ± {stdev(values):.1f}" if len(values) > 1 else f"{values[0]:.1f}"
