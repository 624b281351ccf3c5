"""Report pages: sections of tables as Markdown, and as one self-contained HTML page, light or dark."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from binyan.evaluation.plots import bare_svg, inline_svg, on_paper
from binyan.evaluation.table import Table
from binyan.files import write_bytes, write_text

_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1a1b1c; --soft: #62666b; --line: #d5d8dc; --stripe: #f5f6f8; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --ink: #e6e8ea; --soft: #9aa0a6; --line: #3a3f45; --stripe: #1f2226; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1rem 6rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 3rem; border-bottom: 1px solid var(--line); }
figure { margin: 1.5rem 0; overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; white-space: nowrap; }
th, td { padding: .25rem .7rem; text-align: left; vertical-align: top; } td.n, th.n { text-align: right; }
td:first-child, td.n { white-space: nowrap; }
thead th { border-bottom: 2px solid var(--line); } tbody tr:nth-child(even) { background: var(--stripe); }
figcaption { color: var(--soft); font-size: .85rem; margin-top: .4rem; }
.signature { font: .7rem/1.4 ui-monospace, monospace; color: var(--soft); overflow-wrap: anywhere; margin: .3rem 0; }
svg { width: 100%; max-width: 46rem; height: auto; display: block; color: var(--ink); }
summary { font-size: .8rem; color: var(--soft); cursor: pointer; }
.drawing svg { width: auto; max-width: 100%; background: #fff; border-radius: 6px; }
@media (prefers-color-scheme: dark) { .drawing svg { filter: invert(.9) hue-rotate(180deg); } }
nav a { margin-right: 1rem; } a { color: inherit; }
"""


_MANY_ROWS = 30  # of a table with a plot, which then stands for them

Plots = Mapping[
    str, str
]  # titles of tables -> their plots as SVG: drawing takes most of the time, so each is drawn once


@dataclass(frozen=True)
class ReportSection:
    """A part of a report: a title, a paragraph, tables, drawings and links.

    Tables that have a chart are plotted; where they are long, their rows are folded in HTML and left out in Markdown. Drawings are SVG.
    A link is an address and a text.
    """

    title: str
    text: str = ""
    tables: Sequence[Table] = ()
    drawings: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = ()


def draw_plots(sections: Sequence[ReportSection]) -> Plots:
    """The plots of all tables that have one. Titles tell the tables of a report apart."""
    tables = [table for section in sections for table in section.tables]
    return {table.title: bare_svg(table) for table in tables if table.chart is not None and table.rows}


def markdown(title: str, sections: Sequence[ReportSection], folder: Path, plots: Plots) -> str:
    """The report as Markdown. Plots are written to `folder` as SVG files and linked."""
    parts = [f"# {title}\n"]
    for section in sections:
        parts += [f"## {section.title}\n", *([f"{section.text}\n"] if section.text else [])]
        parts += [f"[{text}]({address.removesuffix('.html')}.md)\n" for address, text in section.links]
        parts += [f"<figure>{' '.join(svg.split())}</figure>\n" for svg in section.drawings]
        for table in section.tables:
            parts += _markdown_table(table, folder, plots)
    return "\n".join(parts)


def _markdown_table(table: Table, folder: Path, plots: Plots) -> list[str]:
    rows = [replace(table, signature="").markdown(), _small_print(table)]
    if table.title not in plots:
        return rows
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_slug(table.title)}.svg"
    write_text(path, on_paper(plots[table.title]))
    plot = f"![{table.title}]({folder.name}/{path.name})\n"
    note = [f"{table.note}\n"] if table.note else []
    return [f"**{table.title}**\n", plot, *note, _small_print(table)] if _is_long(table) else [*rows, plot]


def _is_long(table: Table) -> bool:
    return len(table.rows) > _MANY_ROWS


def _small_print(table: Table) -> str:
    """The signatures of a table in small print, folded where there are several."""
    lines = [f"<sub><code>{html.escape(line)}</code></sub>" for line in table.signature.splitlines()]
    if len(lines) > 2:
        return f"<details><summary>{len(lines)} signatures</summary>{'<br>'.join(lines)}</details>\n"
    return f"{'<br>'.join(lines)}\n"


def page(title: str, sections: Sequence[ReportSection], plots: Plots) -> str:
    """The report as an HTML page with its plots inside; it makes no network requests."""
    links = "".join(f'<a href="#{_slug(s.title)}">{html.escape(s.title)}</a>' for s in sections)
    body = [f"<h1>{html.escape(title)}</h1><nav>{links}</nav>"]
    for section in sections:
        body.append(f'<section><h2 id="{_slug(section.title)}">{html.escape(section.title)}</h2>')
        body += [f"<p>{html.escape(section.text)}</p>"] if section.text else []
        body += [f'<p><a href="{html.escape(a)}">{html.escape(text)}</a></p>' for a, text in section.links]
        body += [_figure(table, plots.get(table.title)) for table in section.tables]
        body += [f'<figure class="drawing">{svg}</figure>' for svg in section.drawings]
        body.append("</section>")
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{html.escape(title)}</title>'
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}<style>{_STYLE}</style></head>\n<body>\n'
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def write(folder: Path, title: str, sections: Sequence[ReportSection], name: str = "report") -> tuple[Path, Path]:
    """Write `report.md` (with its plots in `plots`) and `report.html`, or another `name`, to a folder; returns both paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / f"{name}.md", folder / f"{name}.html"
    plots = draw_plots(sections)
    write_bytes(paths[0], markdown(title, sections, folder / "plots", plots).encode())
    write_bytes(paths[1], page(title, sections, plots).encode())
    return paths


def _figure(table: Table, plot: str | None) -> str:
    # Cells may be in right-to-left scripts: each has its own direction.
    kinds = [' class="n"' if c.format else "" for c in table.columns]
    head = "".join(f"<th{k}>{html.escape(c.name)}</th>" for c, k in zip(table.columns, kinds, strict=True))
    rows = "".join(
        "<tr>"
        + "".join(f'<td{k} dir="auto">{html.escape(cell)}</td>' for k, cell in zip(kinds, row, strict=True))
        + "</tr>"
        for row in table.shown()
    )
    grid = f"<table><caption>{html.escape(table.title)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    drawing = inline_svg(table, plot) if plot else ""
    note = f"<figcaption>{html.escape(table.note)}</figcaption>" if table.note else ""
    lines = [f'<div class="signature">{html.escape(line)}</div>' for line in table.signature.splitlines()]
    small = "".join(lines)
    if len(lines) > 2:
        small = f"<details><summary>{len(lines)} signatures</summary>{small}</details>"
    if drawing and _is_long(table):
        grid, drawing = f"{drawing}<details><summary>{len(table.rows):,} rows</summary>{grid}</details>", ""
    return f"<figure>{grid}{note}{small}{drawing}</figure>"


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
