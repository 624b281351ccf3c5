"""A table with labelled rows and columns, as text for a terminal and as HTML. Every cell keeps its own direction of writing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from binyan.grammar.drawing import runs_right_to_left
from binyan.grammar.text_drawing import text_width

_FIRST_STRONG, _POP = "\u2068", "\u2069"  # isolate a text, so that its direction orders nothing around it

STYLE = (
    "table.paradigm{border-collapse:collapse;margin:.5em 0}table.paradigm th,table.paradigm td{border:1px solid #8885;"
    "padding:.25em .6em;text-align:start;vertical-align:top}table.paradigm .gap{font-style:italic;opacity:.75}"
    "table.paradigm small{display:block;opacity:.8}"
)


@dataclass(frozen=True)
class GridCell:
    """A form to show; a gap is a form that was not seen. `note` stands below it, `title` says more where a reader points."""

    text: str
    gap: bool = False
    note: str = ""
    title: str = ""


@dataclass(frozen=True)
class Grid:
    """Labels of rows and columns, and the cells, None for empty ones."""

    corner: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[GridCell | None]]]

    def upright(self) -> Grid:
        """The same with rows and columns exchanged, where it would be more than twice as wide as high."""
        if len(self.columns) <= max(2 * len(self.rows), 8):
            return self
        rows = [(column, [cells[i] for _, cells in self.rows]) for i, column in enumerate(self.columns)]
        return Grid(self.corner, [label for label, _ in self.rows], rows)

    def text(self) -> str:
        """Aligned columns; gaps in brackets."""
        lines = [[self.corner, *self.columns]]
        for label, cells in self.rows:
            lines.append([label, *("" if c is None else f"({c.text})" if c.gap else c.text for c in cells)])
        return aligned(lines)

    def html(self) -> str:
        """A table; gaps in italics, with their notes."""
        head = "".join(f'<th scope="col">{_isolated(column)}</th>' for column in self.columns)
        body = "".join(
            f'<tr><th scope="row">{_isolated(label)}</th>{"".join(map(_cell_html, cells))}</tr>'
            for label, cells in self.rows
        )
        return (
            f'<table class="paradigm"><thead><tr><th scope="col">{_isolated(self.corner)}</th>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table>"
        )


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Rows of texts in columns, two spaces apart; a text from right to left is isolated from the rest of the line."""
    widths = [max(text_width(line[i]) for line in lines) for i in range(len(lines[0]))]
    shown = []
    for line in lines:
        cells = (isolated(text) + " " * (width - text_width(text)) for text, width in zip(line, widths, strict=True))
        shown.append("  ".join(cells).rstrip())
    return "\n".join(shown)


def isolated(text: str) -> str:
    """A text for a line that runs from left to right."""
    return f"{_FIRST_STRONG}{text}{_POP}" if runs_right_to_left(text) else text


def _cell_html(cell: GridCell | None) -> str:
    if cell is None:
        return "<td></td>"
    title = f' title="{escape(cell.title)}"' if cell.title else ""
    note = f"<small>{escape(cell.note)}</small>" if cell.note else ""
    kind = ' class="gap"' if cell.gap else ""
    return f"<td{kind}{title}>{_isolated(cell.text)}{note}</td>"


def _isolated(text: str) -> str:
    return f'<bdi dir="auto">{escape(text)}</bdi>'
