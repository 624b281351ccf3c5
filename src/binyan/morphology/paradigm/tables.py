"""Paradigms: the cells of one stem or root, or of many side by side, with the forms that would fill the gaps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, overload

from binyan.errors import MissingExtra
from binyan.files import PathLike, write_text
from binyan.morphology.paradigm.families import By
from binyan.morphology.paradigm.frame import REST
from binyan.morphology.paradigm.grid import STYLE, Grid, GridCell, aligned

_GAPS_LISTED = 15
_MOST_COLUMNS = 8
_LISTED = 6  # words or gaps of a template of a root with many affixes


@dataclass(frozen=True)
class ParadigmCell:
    """A place of a paradigm: template (of a root) and affixes, the form there, and the words of the list that stand in it.

    A cell without words is a gap, and `form` the word that would fill it. `probability` is that of the form by the model, like that
    of any word; `share` is the share of all stems (roots) seen in the cell, `share_alike` the same among those that share another
    cell with this one.
    """

    template: str
    affixes: str
    form: str
    words: tuple[str, ...]
    log_probability: float
    share: float
    share_alike: float

    @property
    def attested(self) -> bool:
        """Whether a word of the list stands in the cell."""
        return bool(self.words)

    @property
    def probability(self) -> float:
        """P(form); 0 where the grammar cannot derive it."""
        return math.exp(self.log_probability)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "template": self.template or None,
            "affixes": self.affixes,
            "form": self.form,
            "attested": self.attested,
            "words": list(self.words),
            "probability": self.probability,
            "log_probability": self.log_probability,
            "share": self.share,
            "share_alike": self.share_alike,
        }

    def grid_cell(self) -> GridCell:
        """As a table shows it."""
        if self.attested:
            more = f" +{len(self.words) - 1}" if len(self.words) > 1 else ""
            return GridCell(self.form + more, title=" ".join(self.words[:20]))
        note = f"{self.share_alike or self.share:.0%}"
        return GridCell(
            self.form, True, note, f"not in the list; P = {self.probability:.2g}, {self.share:.1%} of all have it"
        )


@dataclass(frozen=True, repr=False)
class Paradigm:
    """The cells of one stem or root. `complete` is false where cells were left out to keep the table small."""

    base: str
    by: By
    cells: tuple[ParadigmCell, ...]
    signature: str
    complete: bool = True

    def __repr__(self) -> str:
        return f"<Paradigm of the {self.by} {self.base}: {len(self.attested)} cells attested, {len(self.gaps)} gaps>"

    @property
    def attested(self) -> list[ParadigmCell]:
        """The cells in which words of the list stand."""
        return [cell for cell in self.cells if cell.attested]

    @property
    def gaps(self) -> list[ParadigmCell]:
        """The others, those that bases like this one fill most often first."""
        return sorted(
            (cell for cell in self.cells if not cell.attested),
            key=lambda c: (-c.share_alike, -c.log_probability, c.form),
        )

    def grid(self) -> Grid:
        """Rows are templates and columns affixes; of a stem, rows are what stands before it and columns what follows.

        A root with many affixes has its words in one column and its gaps in another.
        """
        places = {}
        for cell in self.cells:
            before, mark, after = cell.affixes.partition(REST)
            places[(cell.template, cell.affixes) if self.by == "root" else (before + mark, after)] = cell
        rows, columns = (list(dict.fromkeys(place[i] for place in places)) for i in (0, 1))
        if self.by == "root" and len(columns) > _MOST_COLUMNS:
            return self._listed(rows)
        lines = [
            (row, [places[row, column].grid_cell() if (row, column) in places else None for column in columns])
            for row in rows
        ]
        return Grid(self.base, [column or REST for column in columns], lines).upright()

    def _listed(self, templates: Sequence[str]) -> Grid:
        lines = []
        for template in templates:
            own = [cell for cell in self.attested if cell.template == template]
            words = list(dict.fromkeys(word for cell in own for word in cell.words))
            more = f" +{len(words) - _LISTED}" if len(words) > _LISTED else ""
            gaps = [cell.form for cell in self.gaps if cell.template == template][:_LISTED]
            seen = GridCell(", ".join(words[:_LISTED]) + more, title=" ".join(words[:50])) if words else None
            lines.append((template, [seen, GridCell(", ".join(gaps), gap=True) if gaps else None]))
        return Grid(self.base, ["in the list", "gaps"], lines)

    def __str__(self) -> str:
        """The table, and the gaps with their figures."""
        lines = [["gap", "P(form)", f"{self.by}s with it", "of those alike"]]
        for c in self.gaps[:_GAPS_LISTED]:
            lines.append([c.form, f"{c.probability:.3g}", f"{c.share:.1%}", f"{c.share_alike:.1%}"])
        return self.grid().text() + (f"\n\n{aligned(lines)}" if len(lines) > 1 else "")

    def _repr_html_(self) -> str:
        """The table, for a notebook."""
        return f"<style>{STYLE}</style>{self.grid().html()}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        cells = [cell.to_dict() for cell in self.cells]
        return {
            "base": self.base,
            "by": self.by,
            "cells": cells,
            "complete": self.complete,
            "signature": self.signature,
        }

    def to_pandas(self) -> Any:
        """One row per cell, as a DataFrame."""
        return _data_frame([{"base": self.base, **cell.to_dict()} for cell in self.cells], self.signature)

    def save_html(self, path: PathLike) -> None:
        """Write the table as a web page."""
        write_text(path, _page(f"Paradigm of {self.base}", self.grid().html(), self.signature))


@dataclass(frozen=True, repr=False)
class Paradigms(Sequence[Paradigm]):
    """Paradigms side by side: one row per stem or root, one column per cell, gaps filled with forms in brackets.

    `bases` says how many stems or roots there are in all; the rows are those with the most cells, the columns the most widespread.
    """

    by: By
    columns: tuple[str, ...]
    rows: tuple[Paradigm, ...]
    bases: int
    signature: str

    @overload
    def __getitem__(self, place: int) -> Paradigm: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Paradigm]: ...
    def __getitem__(self, place: int | slice) -> Paradigm | Sequence[Paradigm]:
        return self.rows[place]

    def __iter__(self) -> Iterator[Paradigm]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Paradigms: {len(self)} of {self.bases:,} {self.by}s, {len(self.columns)} cells each>"

    def grid(self) -> Grid:
        """Rows are stems or roots, columns cells."""
        lines = []
        for row in self.rows:
            cells = {c.template if self.by == "root" else c.affixes: c.grid_cell() for c in row.cells}
            lines.append((row.base, [cells.get(column) for column in self.columns]))
        return Grid(self.by, self.columns, lines)

    def __str__(self) -> str:
        """The table as text."""
        rest = self.bases - len(self.rows)
        return self.grid().text() + (f"\nand {rest:,} more {self.by}s" if rest else "")

    def _repr_html_(self) -> str:
        """The table, for a notebook."""
        return f"<style>{STYLE}</style>{self.grid().html()}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        paradigms = [{"base": row.base, "cells": [c.to_dict() for c in row.cells]} for row in self.rows]
        return {
            "by": self.by,
            "columns": list(self.columns),
            "bases": self.bases,
            "paradigms": paradigms,
            "signature": self.signature,
        }

    def to_pandas(self) -> Any:
        """One row per cell of each paradigm, as a DataFrame."""
        rows = [{"base": row.base, **cell.to_dict()} for row in self.rows for cell in row.cells]
        return _data_frame(rows, self.signature)

    def save_html(self, path: PathLike) -> None:
        """Write the table as a web page."""
        write_text(path, _page(f"Paradigms by {self.by}", self.grid().html(), self.signature))


def _data_frame(rows: list[dict[str, Any]], signature: str) -> Any:
    if find_spec("pandas") is None:
        raise MissingExtra("a paradigm as a DataFrame", "pandas")
    import pandas

    frame = pandas.DataFrame(rows)
    frame.attrs["signature"] = signature
    return frame


def _page(title: str, table: str, signature: str) -> str:
    from html import escape

    style = f"{STYLE}:root{{color-scheme:light dark}}body{{font-family:sans-serif;margin:2em}}.wide{{overflow-x:auto}}"
    legend = (
        "In italics: forms that are not in the list, with the share of similar stems or roots that have such a form."
    )
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width"><title>{escape(title)}</title><style>{style}</style></head>\n<body>\n'
        f'<h1><bdi>{escape(title)}</bdi></h1>\n<p>{legend}</p>\n<div class="wide" tabindex="0">{table}</div>\n'
        f"<p><small>{escape(signature)}</small></p>\n</body>\n</html>\n"
    )
