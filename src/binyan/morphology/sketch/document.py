"""A report as headings, paragraphs, tables and pictures, written as Markdown or as one web page that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from binyan.morphology.paradigm.grid import isolated


@dataclass(frozen=True)
class Form:
    """Letters of the language described; `gap`: a form that was not seen."""

    text: str
    gap: bool = False


Inline = Sequence[str | Form]
"""Running text: English, and forms of the language."""


@dataclass(frozen=True)
class Heading:
    """The title of a section."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    text: Inline


@dataclass(frozen=True)
class Table:
    """Rows of cells under names of columns; the first cell of a row is its label. `numbers` are columns of figures."""

    caption: str
    columns: Sequence[Inline]
    rows: Sequence[Sequence[Inline]]
    numbers: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Picture:
    """A drawing in SVG with its caption. Markdown has the caption only."""

    svg: str
    caption: Inline


Block = Heading | Paragraph | Table | Picture

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|#~])")

_STYLE = """
:root{color-scheme:light dark;--text:#1c2330;--soft:#566072;--line:#cfd5de;--band:#f3f5f8;--page:#fff;--link:#1f5fa8;--form:#7a2e12}
@media (prefers-color-scheme:dark){:root{--text:#e4e8ef;--soft:#a3adbd;--line:#3b4454;--band:#222936;--page:#171c26;
--link:#8db9f0;--form:#f0b08c}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 system-ui,'Noto Sans','Noto Naskh Arabic',
'Noto Sans Hebrew','DejaVu Sans',sans-serif}
main{max-width:62rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}
h1{font-size:1.8rem;line-height:1.2;margin:.5rem 0 1rem}
h2{font-size:1.3rem;margin:2.5rem 0 .6rem;padding-top:.4rem;border-top:2px solid var(--line)}
p{margin:.5rem 0 .8rem;max-width:46rem}
a{color:var(--link)}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;padding:0;margin:0}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--page);padding:.4rem}
.wide{overflow-x:auto;margin:.8rem 0 1.6rem}
table{border-collapse:collapse;font-size:.95rem}
caption{text-align:start;font-weight:600;padding:.3rem 0}
th,td{text-align:start;vertical-align:baseline;padding:.28rem .75rem .28rem .4rem;border-bottom:1px solid var(--line)}
thead th{border-bottom:2px solid var(--line);color:var(--soft);font-weight:600;white-space:nowrap}
tbody tr:nth-child(even){background:var(--band)}
th[scope=row]{font-weight:600;white-space:nowrap}
.number{text-align:end;font-variant-numeric:tabular-nums;white-space:nowrap}
.form{color:var(--form);unicode-bidi:isolate}
.gap{font-style:italic;color:var(--soft)}
.pictures{display:flex;flex-wrap:wrap;gap:1rem;margin:1rem 0}
figure{margin:0;padding:.6rem;background:#fff;color:#222;border:1px solid var(--line);border-radius:.4rem;max-width:100%}
figure .form{color:#7a2e12}
figcaption{font-size:.9rem}
figure svg{max-width:100%;width:auto;height:auto;max-height:12.5rem;display:block}
footer{margin-top:3rem;color:var(--soft);font-size:.8rem;overflow-wrap:anywhere}
@media print{:root{--text:#000;--page:#fff;--band:#f4f4f4;--soft:#444;--line:#bbb;--form:#000}nav,.skip{display:none}
h2{break-after:avoid}tr,figure{break-inside:avoid}.wide{overflow:visible}body{font-size:10.5pt}}
"""


def markdown(title: str, blocks: Sequence[Block], signature: str) -> str:
    """The report as Markdown with tables."""
    lines = [f"# {_plain(title)}", ""]
    for block in blocks:
        if isinstance(block, Heading):
            lines += [f"## {_plain(block.text)}", ""]
        elif isinstance(block, Paragraph):
            lines += [_marked(block.text), ""]
        elif isinstance(block, Table):
            rules = ("--:" if i in block.numbers else ":--" for i in range(len(block.columns)))
            rows = ["| " + " | ".join(map(_marked, row)) + " |" for row in (block.columns, *block.rows)]
            lines += [f"**{_plain(block.caption)}**", "", rows[0], f"|{'|'.join(rules)}|", *rows[1:], ""]
    return "\n".join([*lines, f"`{signature}`", ""])


def web_page(title: str, blocks: Sequence[Block], signature: str) -> str:
    """The report as one HTML file: light or dark as the reader's system is, and fit for printing."""
    headings = [block.text for block in blocks if isinstance(block, Heading)]
    contents = "".join(f'<li><a href="#{_anchor(text)}">{escape(text)}</a></li>' for text in headings)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f'<style>{_STYLE}</style>\n</head>\n<body>\n<a class="skip" href="#report">Skip to the report</a>\n<main id="report">\n'
        f'<h1><bdi>{escape(title)}</bdi></h1>\n<nav aria-label="Sections"><ul>{contents}</ul></nav>\n{_body(blocks)}'
        f"<footer><p>{escape(signature)}</p></footer>\n</main>\n</body>\n</html>\n"
    )


def _body(blocks: Sequence[Block]) -> str:
    parts: list[str] = []
    before: Block | None = None
    for block in blocks:
        if isinstance(before, Picture) and not isinstance(block, Picture):
            parts.append("</div>\n")
        if isinstance(block, Picture) and not isinstance(before, Picture):
            parts.append('<div class="pictures">\n')
        parts.append(_block_html(block))
        before = block
    return "".join([*parts, "</div>\n" if isinstance(before, Picture) else ""])


def _block_html(block: Block) -> str:
    if isinstance(block, Heading):
        return f'<h2 id="{_anchor(block.text)}">{escape(block.text)}</h2>\n'
    if isinstance(block, Paragraph):
        return f"<p>{_inline_html(block.text)}</p>\n"
    if isinstance(block, Picture):
        return f"<figure>{block.svg}<figcaption>{_inline_html(block.caption)}</figcaption></figure>\n"
    number = [' class="number"' if i in block.numbers else "" for i in range(len(block.columns))]
    head = "".join(f'<th scope="col"{number[i]}>{_inline_html(c)}</th>' for i, c in enumerate(block.columns))
    body = ""
    for row in block.rows:
        cells = "".join(f"<td{number[i]}>{_inline_html(cell)}</td>" for i, cell in enumerate(row) if i)
        body += f'<tr><th scope="row">{_inline_html(row[0])}</th>{cells}</tr>\n'
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(block.caption)}"><table>'
        f"<caption>{escape(block.caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
    )


def _inline_html(text: Inline) -> str:
    return "".join(
        escape(piece)
        if isinstance(piece, str)
        else f'<bdi dir="auto" class="form{" gap" if piece.gap else ""}">{escape(piece.text)}</bdi>'
        for piece in text
    )


def _marked(text: Inline) -> str:
    pieces = []
    for piece in text:
        if isinstance(piece, str):
            pieces.append(_plain(piece))
        else:
            shown = isolated(_plain(piece.text))
            pieces.append(f"({shown})" if piece.gap else f"*{shown}*")
    return "".join(pieces)


def _plain(text: str) -> str:
    """Text in which nothing has a meaning for Markdown."""
    return _MARKDOWN.sub(r"\\\1", text)


def _anchor(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
