"""The one table all figures come in: shown on a terminal, written as TSV, JSON or Markdown, drawn by `plots.draw`."""

from __future__ import annotations

import html
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from binyan.errors import MissingExtra
from binyan.files import PathLike, write_text

Cell = str | int | float | None


@dataclass(frozen=True)
class Column:
    """A column: its key, and how its numbers are shown (a format such as `.2f`); text columns have no format."""

    name: str
    format: str = ""

    def show(self, value: Cell) -> str:
        """A cell as people read it; nothing known is a dash."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return "–"
        if isinstance(value, str) or not self.format:
            return str(value)
        return format(value, self.format)


@dataclass(frozen=True)
class Chart:
    """How a table is drawn.

    `x` and `y` name columns; boxes show how the values of rows with the same x are spread; points are labelled by `series`; otherwise `series`
    names a text column that splits the rows, `panel` one drawn small below; `marks` are
    labelled vertical lines.
    """

    kind: Literal["bars", "lines", "boxes", "points"]
    x: str
    y: Sequence[str]
    series: str | None = None
    panel: str | None = None
    y_title: str | None = None
    log_x: bool = False
    marks: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """Rows under named columns, with a title and the signature of what made the figures (several: one per line)."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    signature: str
    note: str = ""
    chart: Chart | None = None

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"{self.title}: every row needs {len(self.columns)} cells")

    def column(self, name: str) -> list[Any]:
        """The cells of one column."""
        place = [c.name for c in self.columns].index(name)
        return [row[place] for row in self.rows]

    def shown(self) -> list[list[str]]:
        """All cells as people read them."""
        return [[c.show(cell) for c, cell in zip(self.columns, row, strict=True)] for row in self.rows]

    def terminal(self, width: int | None = None, signature: bool = True) -> str:
        """For a terminal, or any fixed-width place; the signature may be left out where it stands elsewhere."""
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table as Grid
        from rich.text import Text

        grid = Grid(title=Text(self.title), title_justify="left", box=SIMPLE_HEAD)
        for column in self.columns:
            grid.add_column(Text(column.name), justify="right" if column.format else "left", overflow="fold")
        for row in self.shown():
            grid.add_row(*map(Text, row))
        out = Console(file=io.StringIO(), width=width, no_color=True)
        out.print(grid)
        for line in filter(None, (self.note, self.signature if signature else "")):
            out.print(Text(line), soft_wrap=True)
        text: str = out.file.getvalue()  # type: ignore[attr-defined]
        return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"

    def tsv(self) -> str:
        """Signature and note as comment lines, names, then rows in full precision."""
        head = [f"# {line}" for line in (self.title, self.note, *self.signature.splitlines()) if line]
        names = "\t".join(c.name for c in self.columns)
        rows = ["\t".join("" if cell is None else str(cell) for cell in row) for row in self.rows]
        return "\n".join([*head, names, *rows]) + "\n"

    def markdown(self) -> str:
        """A Markdown table, the signature in small print below it."""
        escaped = [[cell.replace("|", "\\|") for cell in row] for row in self.shown()]
        rules = ["---:" if c.format else "---" for c in self.columns]
        rows = [[c.name for c in self.columns], rules, *escaped]
        lines = [f"**{self.title}**", "", *(f"| {' | '.join(row)} |" for row in rows), ""]
        small = "<br>".join(f"<sub>`{line}`</sub>" for line in self.signature.splitlines())
        return "\n".join([*lines, *([self.note, ""] if self.note else []), small]) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """For JSON; what is not a number is null. `from_dict` is the inverse."""
        rows = [[None if isinstance(c, float) and not math.isfinite(c) else c for c in row] for row in self.rows]
        return {
            "title": self.title,
            "columns": [c.name for c in self.columns],
            "rows": [dict(zip((c.name for c in self.columns), row, strict=True)) for row in rows],
            "note": self.note,
            "signature": self.signature,
            "formats": [c.format for c in self.columns],
            "chart": asdict(self.chart) if self.chart else None,
        }

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame; title, note and signature are its `attrs`."""
        if find_spec("pandas") is None:
            raise MissingExtra("a table as a DataFrame", "pandas")
        import pandas

        frame = pandas.DataFrame([list(row) for row in self.rows], columns=[c.name for c in self.columns])
        frame.attrs = {"title": self.title, "note": self.note, "signature": self.signature}
        return frame

    def _repr_html_(self) -> str:
        """The table for a notebook, the signature in small print below it."""
        names = "".join(f"<th>{html.escape(c.name)}</th>" for c in self.columns)
        rows = "".join(
            "<tr>" + "".join(f'<td dir="auto">{html.escape(cell)}</td>' for cell in row) + "</tr>"
            for row in self.shown()
        )
        small = "".join(f"<div><small>{html.escape(t)}</small></div>" for t in (self.note, self.signature) if t)
        return f"<table><caption>{html.escape(self.title)}</caption><tr>{names}</tr>{rows}</table>{small}"

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Table:
        """The inverse of `to_dict`."""
        columns = [Column(name, form) for name, form in zip(fields["columns"], fields["formats"], strict=True)]
        rows = [[row[c.name] for c in columns] for row in fields["rows"]]
        chart = Chart(**fields["chart"]) if fields["chart"] else None
        return cls(fields["title"], columns, rows, fields["signature"], fields["note"], chart)


def write_tables(tables: Mapping[str, Table], tsv: PathLike | None, plots: PathLike | None) -> None:
    """Write each table as NAME.tsv into the folder `tsv`, and, where it has a chart, draw it as NAME.png and NAME.svg into `plots`."""
    for name, table in tables.items():
        if tsv is not None:
            Path(tsv).mkdir(parents=True, exist_ok=True)
            write_text(Path(tsv) / f"{name}.tsv", table.tsv())
        if plots is not None and table.chart is not None and table.rows:
            from binyan.evaluation import plots as drawing

            Path(plots).mkdir(parents=True, exist_ok=True)
            for kind in ("png", "svg"):
                drawing.save(table, Path(plots) / f"{name}.{kind}")
