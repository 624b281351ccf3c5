"""Pictures of an analysis as SVG and HTML.

Branches cross where a constituent has gaps; leaves stand in the order of the word, numbered from 0, from right to left for a
script that runs so. Letters that the word does not show are grey, in square brackets.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from binyan.errors import InputError
from binyan.grammar.tree import Leaf, Tree

_LEAF_GAP = 34.0
_LEVEL = 62.0
_MARGIN = 18.0
_MOST_LEVELS = 3_000
_NOT_SHOWN = "#999999"
_COLOURS = ("#1f5fa8", "#b3421b", "#2b7a3d", "#7a3fa0", "#8a6a00", "#0f7d86", "#a32455", "#555555")
_STYLE = (
    "text{font-family:'Noto Sans','Noto Naskh Arabic','Noto Sans Hebrew','DejaVu Sans',sans-serif;unicode-bidi:isolate}"
)


def runs_right_to_left(text: str) -> bool:
    """Whether the first letter with a direction runs from right to left (as dir="auto" decides)."""
    for char in text:
        direction = unicodedata.bidirectional(char)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False


@dataclass(frozen=True)
class _Box:
    """A node to draw: a label or a leaf, its centre, its parent's index (-1 for the top)."""

    node: Tree | Leaf
    x: float
    y: float
    parent: int
    colour: str


def refuse_to_draw_deep_trees(tree: Tree) -> None:
    """Raise where a picture would have more levels than anyone can look at."""
    levels, row = 0, [tree]
    while row:
        levels += 1
        if levels > _MOST_LEVELS:
            raise InputError(
                f"the tree of {tree.word()[:40]} has more than {_MOST_LEVELS:,} levels, which is too many for a picture; "
                "its one-line form (discbracket) has no limit"
            )
        row = [child for node in row for child in node.children if isinstance(child, Tree)]


def draw_svg(tree: Tree) -> str:
    """The tree as an SVG picture, complete in itself."""
    refuse_to_draw_deep_trees(tree)
    boxes, width, height = _lay_out(tree)
    word = tree.word()
    direction = "rtl" if runs_right_to_left(word) else "ltr"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" direction="{direction}">',
        f"<title>{escape(word)}</title><desc>{escape(tree.discbracket())}</desc><style>{_STYLE}</style>",
    ]
    for box in boxes:
        if box.parent >= 0:
            above = boxes[box.parent]
            colour = box.colour if isinstance(box.node, Tree) else above.colour
            lines.append(
                f'<line x1="{above.x:.1f}" y1="{above.y + 8:.1f}" x2="{box.x:.1f}" y2="{box.y - 12:.1f}" '
                f'stroke="{colour}" stroke-width="1.6"/>'
            )
    for box in boxes:
        lines.extend(_leaf_svg(box) if isinstance(box.node, Leaf) else _node_svg(box, box.node))
    return "\n".join([*lines, "</svg>"]) + "\n"


def draw_html(trees: Iterable[tuple[Tree, str]], title: str) -> str:
    """A page of pictures, each with its word and a caption. Words are isolated, so that the browser orders each by itself."""
    figures = []
    for tree, caption in trees:
        figures.append(
            f'<figure>\n<figcaption><bdi dir="auto" class="word">{escape(tree.word())}</bdi> '
            f'<span dir="auto">{escape(caption)}</span></figcaption>\n{draw_svg(tree)}'
            f'<code dir="ltr">{_isolated(tree.discbracket())}</code>\n</figure>\n'
        )
    style = (
        "body{font-family:sans-serif;margin:2em;max-width:70em}figure{margin:0 0 2.5em}.word{font-size:1.5em;"
        "font-weight:600}code{display:block;color:#555}svg{max-width:100%;height:auto}"
    )
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{style}</style></head>\n<body>\n<h1>{escape(title)}</h1>\n{''.join(figures)}</body>\n</html>\n"
    )


def _isolated(line: str) -> str:
    """A numbered line for HTML with each part on its own, so that right-to-left letters keep their places."""
    return " ".join(f"<bdi>{escape(part)}</bdi>" for part in line.split(" "))


def _node_svg(box: _Box, tree: Tree) -> list[str]:
    text = _covered_text(tree, top=box.parent < 0)
    width = max(_text_width(tree.symbol, 14), _text_width(text, 12)) + 8
    height = 34 if text else 20
    lines = [
        f'<rect x="{box.x - width / 2:.1f}" y="{box.y - 13:.1f}" width="{width:.1f}" height="{height}" rx="4" fill="white"/>',
        f'<text x="{box.x:.1f}" y="{box.y + 2:.1f}" text-anchor="middle" font-size="14" font-weight="600" direction="ltr" '
        f'fill="{box.colour}">{escape(tree.symbol)}</text>',
    ]
    if text:
        lines.append(
            f'<text x="{box.x:.1f}" y="{box.y + 17:.1f}" text-anchor="middle" font-size="12" fill="{box.colour}">'
            f"{escape(text)}</text>"
        )
    return lines


def _leaf_svg(box: _Box) -> list[str]:
    assert isinstance(box.node, Leaf)
    if not box.node.shown:
        return [
            f'<text x="{box.x:.1f}" y="{box.y + 6:.1f}" text-anchor="middle" font-size="20" fill="{_NOT_SHOWN}">'
            f"{escape(leaf_text(box.node))}</text>"
        ]
    return [
        f'<text x="{box.x:.1f}" y="{box.y + 6:.1f}" text-anchor="middle" font-size="20" fill="{box.colour}">'
        f"{escape(leaf_text(box.node))}</text>",
        f'<text x="{box.x:.1f}" y="{box.y + 22:.1f}" text-anchor="middle" font-size="10" fill="#777">{box.node.position}</text>',
    ]


def _covered_text(tree: Tree, top: bool) -> str:
    """What stands under a symbol, with dots for gaps, where the picture does not show it at once."""
    if top or (len(tree.ranges()) == 1 and any(isinstance(child, Leaf) for child in tree.children)):
        return ""
    return "·".join(_pieces(tree))


def _pieces(tree: Tree) -> list[str]:
    """The text of each stretch of the word; letters it does not show stand in square brackets, each on its own."""
    pieces: list[str] = []
    end = None
    for leaf in tree.underlying_leaves():
        if pieces and leaf.shown and leaf.position == end:
            pieces[-1] += leaf.atom
        else:
            pieces.append(leaf.atom if leaf.shown else leaf_text(leaf))
        end = leaf.position + 1 if leaf.shown else None
    return [visible_atom(piece) for piece in pieces]


def leaf_text(leaf: Leaf) -> str:
    """A leaf as it is drawn: in square brackets where the word does not show it."""
    return visible_atom(leaf.atom) if leaf.shown else f"[{visible_atom(leaf.atom)}]"


def visible_atom(atom: str) -> str:
    """An atom that can be seen alone: a combining mark is carried by a dotted circle, a space by an open box."""
    if atom.isspace():
        return "␣"
    return f"◌{atom}" if unicodedata.combining(atom[0]) else atom


def _text_width(text: str, size: float) -> float:
    return sum(0.0 if unicodedata.combining(char) else 0.62 for char in text) * size


def _lay_out(tree: Tree) -> tuple[list[_Box], float, float]:
    """Boxes, parents first, with the width and height of the picture."""
    places = {leaf: i for i, leaf in enumerate(dict.fromkeys(tree.underlying_leaves()))}
    rows: list[list[tuple[Tree | Leaf, int]]] = [[(tree, -1)]]  # node, index of its parent in the row above
    while any(isinstance(node, Tree) for node, _ in rows[-1]):
        below: list[tuple[Tree | Leaf, int]] = []
        for i, (node, _) in enumerate(rows[-1]):
            if isinstance(node, Tree):
                below.extend((child, i) for child in node.children)
        rows.append(below)
    symbols = dict.fromkeys(node.symbol for row in rows for node, _ in row if isinstance(node, Tree))
    colours = {symbol: "#222222" if i == 0 else _COLOURS[(i - 1) % len(_COLOURS)] for i, symbol in enumerate(symbols)}

    bottom = _MARGIN + 10 + (len(rows) - 1) * _LEVEL
    boxes: list[_Box] = []
    above: dict[int, int] = {}  # index in the row above -> index of its box
    for depth, row in enumerate(rows):
        labels = [node for node, _ in row if isinstance(node, Tree)]
        covered = [[places[leaf] for leaf in t.underlying_leaves()] for t in labels]
        ideal = [sum(columns) / len(columns) * _LEAF_GAP for columns in covered]
        widths = [max(_text_width(t.symbol, 14), _text_width(_covered_text(t, depth == 0), 12)) + 18 for t in labels]
        centres = dict(zip(map(id, labels), _spread(ideal, widths), strict=True))
        here: dict[int, int] = {}
        for i, (node, parent) in enumerate(row):
            over = above.get(parent, -1)
            if isinstance(node, Leaf):
                boxes.append(_Box(node, places[node] * _LEAF_GAP, bottom, over, boxes[over].colour))
            else:
                here[i] = len(boxes)
                y = _MARGIN + 10 + depth * _LEVEL
                boxes.append(_Box(node, centres[id(node)], y, over, colours[node.symbol]))
        above = here
    return _fitted(boxes, bottom, runs_right_to_left(tree.word()))


def _fitted(boxes: list[_Box], bottom: float, mirrored: bool) -> tuple[list[_Box], float, float]:
    """Shift the picture to its margins, and mirror it for a script that runs from right to left."""
    half = [
        max(_text_width(b.node.symbol, 14), _text_width(_covered_text(b.node, b.parent < 0), 12)) / 2 + 4
        if isinstance(b.node, Tree)
        else 12
        for b in boxes
    ]
    left = min(b.x - h for b, h in zip(boxes, half, strict=True))
    right = max(b.x + h for b, h in zip(boxes, half, strict=True))
    width = right - left + 2 * _MARGIN
    fitted = []
    for box in boxes:
        x = box.x - left + _MARGIN
        fitted.append(_Box(box.node, width - x if mirrored else x, box.y, box.parent, box.colour))
    return fitted, width, bottom + 22 + _MARGIN


def _spread(ideal: list[float], widths: list[float]) -> list[float]:
    """Centres as close as can be to the ideal ones, in the same order, without overlap."""
    order = sorted(range(len(ideal)), key=lambda i: ideal[i])
    groups: list[tuple[float, list[int]]] = []  # left edge, members
    for i in order:
        group = (ideal[i] - widths[i] / 2, [i])
        while groups and groups[-1][0] + sum(widths[j] for j in groups[-1][1]) > group[0]:
            members = groups.pop()[1] + group[1]
            offset, total = 0.0, 0.0
            for j in members:
                total += ideal[j] - offset - widths[j] / 2
                offset += widths[j]
            group = (total / len(members), members)
        groups.append(group)
    centres = [0.0] * len(ideal)
    for left, members in groups:
        for j in members:
            centres[j] = left + widths[j] / 2
            left += widths[j]
    return centres
