"""Every table and figure of the thesis: which experiments show it, what can be compared, and whether ours agrees."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

from binyan.evaluation.table import Cell, Column, Table
from binyan.experiments.experiment import Experiment
from binyan.experiments.headline import Comparison, Keys
from binyan.experiments.results import Result, Results
from binyan.experiments.studies import STUDIES, load_study, matches, select

Verdict = Literal["agrees", "better", "worse", "differs"]
_COMPARED = {
    "figures": "figures",
    "changes": "changes against a baseline",
    "nothing": "not comparable",
    "drawing": "an illustration",
}


@dataclass(frozen=True)
class ThesisItem:
    """A table or figure of the thesis, or a statement of its text; the fields are explained in `thesis_items.toml`."""

    number: str
    section: str
    about: str
    compare: Literal["figures", "changes", "nothing", "drawing"]
    shown_by: Sequence[str] = ()
    shown_in: str = ""
    figures: Sequence[str] = ()
    better: Literal["higher", "lower", "closer", ""] = ""
    tolerance: float = 0.0
    relative: float = 0.0
    why: str = ""

    @property
    def chapter(self) -> int:
        """The chapter it is in."""
        return int(self.section.partition(".")[0])

    def is_shown_by(self, experiment: str) -> bool:
        """Whether the experiment of this name shows it."""
        return any(matches(experiment, pattern) for pattern in self.shown_by)

    def has(self, keys: Keys) -> bool:
        """Whether a figure of the thesis with these keys is part of it."""
        return any(keys[: len(prefix)] == prefix for prefix in (tuple(f.split(".")) for f in self.figures))

    def verdict(self, ours: float, theirs: float) -> Verdict:
        """Whether our figure agrees with the thesis's, or which of them is better."""
        if abs(ours - theirs) <= max(self.tolerance, self.relative * abs(theirs)):
            return "agrees"
        if self.better == "closer":
            return "differs"
        return "better" if (ours > theirs) == (self.better == "higher") else "worse"


@dataclass(frozen=True)
class ItemStatus:
    """How far a table or figure of the thesis is shown, and how ours compares."""

    item: ThesisItem
    experiments: int
    done: int
    comparisons: Sequence[Comparison] = field(default_factory=tuple)

    @property
    def shown(self) -> str:
        """What there is: `shown`, `3 of 8 run`, `not run`, or the page that has it."""
        if not self.item.shown_by:
            return self.item.shown_in or "not shown"
        if self.done == self.experiments:
            return "shown"
        return f"{self.done} of {self.experiments} run" if self.done else "not run"

    @property
    def agreement(self) -> str:
        """How many comparisons agree; a dash where nothing can be compared, or has been yet."""
        if self.item.compare not in ("figures", "changes"):
            return "–"
        counts = Counter(self.item.verdict(c.ours, c.theirs) for c in self.comparisons)
        if not counts:
            return "not run"
        if set(counts) == {"agrees"}:
            return "yes" if len(self.comparisons) == 1 else f"yes, all {len(self.comparisons)}"
        words: dict[Verdict, str] = {
            "agrees": "agree",
            "better": "ours better",
            "worse": "ours worse",
            "differs": "differ",
        }
        return ", ".join(f"{counts[v]} {word}" for v, word in words.items() if counts[v])

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        item = self.item
        return {
            "number": item.number,
            "section": item.section,
            "about": item.about,
            "compare": item.compare,
            "shown": self.shown,
            "agreement": self.agreement,
            "why": item.why,
            "comparisons": [
                {**c._asdict(), "keys": list(c.keys), "verdict": item.verdict(c.ours, c.theirs)}
                for c in self.comparisons
            ],
        }

    def __str__(self) -> str:
        return f"{self.item.number:12}  {self.shown:14}  {self.agreement:24}  {self.item.about}"


def thesis_items() -> list[ThesisItem]:
    """All tables and figures in the order of the thesis, then statements of its text."""
    text = (files("binyan.experiments") / "thesis_items.toml").read_text(encoding="utf-8")
    return [ThesisItem(**fields) for fields in tomllib.loads(text)["item"]]


def item_statuses(results: Results, thesis: Mapping[str, Any]) -> list[ItemStatus]:
    """How far each is shown by the results, beside the thesis's figures."""
    listed = select()
    finished = {e.name: (e, r) for e in listed if (r := results.get(e)) is not None}
    compared = list(_comparisons(finished, thesis))
    for name in STUDIES:
        compared += getattr(load_study(name), "comparisons", _none)(
            results, thesis, [e for e in listed if e.study == name]
        )
    statuses = []
    for item in thesis_items():
        names = [e.name for e in listed if item.is_shown_by(e.name)]
        own = [c for c in compared if item.is_shown_by(c.experiment) and item.has(c.keys)]
        statuses.append(ItemStatus(item, len(names), sum(name in finished for name in names), own))
    return statuses


def _none(results: Results, thesis: Mapping[str, Any], experiments: Sequence[Experiment]) -> list[Comparison]:
    return []


def _comparisons(finished: Mapping[str, tuple[Experiment, Result]], thesis: Mapping[str, Any]) -> Iterator[Comparison]:
    for experiment, result in finished.values():
        for headline in load_study(experiment.study).headlines(experiment):
            if (ours := headline.of(result)) is None:
                continue
            if (theirs := headline.beside(thesis)) is not None:
                yield Comparison(experiment.name, headline.what, headline.thesis, ours, theirs)
            for change in headline.changes:
                if change.baseline in finished and (stated := change.beside(thesis)) is not None:
                    base, found = finished[change.baseline]
                    if (of_ours := change.of(ours, found)) is not None:
                        what = f"{headline.what}, against {base.label}, {change.unit}"
                        yield Comparison(experiment.name, what, change.keys, of_ours, stated)


def summary(statuses: Sequence[ItemStatus]) -> str:
    """How much is shown, and how many figures agree; a figure that belongs to several tables counts once."""
    shown = sum(s.shown == "shown" for s in statuses)
    drawings = sum(s.item.compare == "drawing" for s in statuses)
    verdicts: Counter[Verdict] = Counter(
        {c: s.item.verdict(c.ours, c.theirs) for s in statuses for c in s.comparisons}.values()
    )
    words: dict[Verdict, str] = {"agrees": "agree", "better": "are better", "worse": "are worse", "differs": "differ"}
    counts = ", ".join(f"{verdicts[v]} {word}" for v, word in words.items() if verdicts[v])
    compared = f" Of our {verdicts.total()} figures that can be compared, {counts}." if counts else ""
    return f"{shown} of {len(statuses)} are shown by experiments, {drawings} are illustrations.{compared}"


def items_table(statuses: Sequence[ItemStatus]) -> Table:
    """One row for each table and figure."""
    columns = [Column(name) for name in ("thesis", "what", "shown", "compared", "agrees", "why")]
    rows: list[list[Cell]] = [
        [s.item.number, s.item.about, s.shown, _COMPARED[s.item.compare], s.agreement, s.item.why] for s in statuses
    ]
    return Table("Every table and figure of the thesis", columns, rows, "")


def comparisons_table(status: ItemStatus) -> Table:
    """The figures of one table or figure, ours beside the thesis's."""
    columns = [Column("experiment"), Column("figure"), Column("ours", ",.4g"), Column("thesis", ",.4g")]
    rows: list[list[Cell]] = [
        [c.experiment, c.what, c.ours, c.theirs, status.item.verdict(c.ours, c.theirs)] for c in status.comparisons
    ]
    return Table(f"{status.item.number}: {status.item.about}", [*columns, Column("verdict")], rows, "")
