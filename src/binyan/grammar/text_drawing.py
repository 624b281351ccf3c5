"""A tree drawn with characters, for the terminal.

Leaves are numbered and stand from left to right in any script: each is followed by a left-to-right mark, because terminals differ
in how they order right-to-left letters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from binyan.grammar.drawing import leaf_text, refuse_to_draw_deep_trees, runs_right_to_left
from binyan.grammar.tree import Leaf, Tree

_LEFT_TO_RIGHT = "\u200e"


def draw_text(tree: Tree) -> str:
    """The tree as lines of text. Where a branch passes another, the upright one is drawn in front."""
    refuse_to_draw_deep_trees(tree)
    leaves = list(dict.fromkeys(tree.underlying_leaves()))
    mark = _LEFT_TO_RIGHT if runs_right_to_left(tree.word()) else ""
    labels = [f"{leaf.position}={leaf_text(leaf)}" if leaf.shown else leaf_text(leaf) for leaf in leaves]
    symbols = [node.symbol for node in tree.subtrees()]
    step = max(text_width(text) for text in (*labels, *symbols)) + 1
    column = {leaf: i * step + step // 2 for i, leaf in enumerate(leaves)}

    rows = _rows(tree)
    strands = {column[leaf] for leaf in leaves}  # columns of what still waits for its parent
    where: dict[int, int] = {}  # id of a node -> its column
    lines = [_line(list(zip(column.values(), (text + mark for text in labels), strict=True)))]
    for row in rows:
        names, branches = [], dict.fromkeys(strands, "│")
        for node in row:
            ends = [column[c] if isinstance(c, Leaf) else where[id(c)] for c in node.children]
            middle = min(ends, key=lambda end: (abs(end - (min(ends) + max(ends)) / 2), end))
            where[id(node)] = middle
            for place in range(min(ends), max(ends) + 1):
                branches.setdefault(place, "─")
            for end in ends:
                branches[end] = _joint(end, middle, min(ends), max(ends))
            strands -= set(ends)
            names.append((middle, node.symbol))
        lines.append(_line(list(branches.items())))
        passing = [(strand, "│") for strand in strands]
        lines.append(_line(names + passing))
        strands |= {place for place, _ in names}
    return "\n".join(line.rstrip() for line in reversed(lines)) + "\n"


def _joint(end: int, middle: int, left: int, right: int) -> str:
    if left == right:
        return "│"
    if end == middle:
        return "├" if end == left else "┤" if end == right else "┼"
    return "┌" if end == left else "┐" if end == right else "┬"


def _rows(tree: Tree) -> list[list[Tree]]:
    """Nodes from the bottom up; those that share a row do not overlap and have all their children below."""
    height: dict[int, int] = {}
    rows: list[list[Tree]] = []
    spans: list[list[tuple[tuple[int, bool], tuple[int, bool]]]] = []

    for node in _children_first(tree):
        places = [leaf.place for leaf in node.underlying_leaves()]
        span = (places[0], places[-1])
        level = 1 + max((height[id(child)] for child in node.children if isinstance(child, Tree)), default=-1)
        while level < len(rows) and any(span[0] <= end and start <= span[1] for start, end in spans[level]):
            level += 1
        if level == len(rows):
            rows.append([])
            spans.append([])
        rows[level].append(node)
        spans[level].append(span)
        height[id(node)] = level
    return rows


def _children_first(tree: Tree) -> Iterator[Tree]:
    """Every node after its children, from left to right."""
    waiting = [(tree, False)]
    while waiting:
        node, expanded = waiting.pop()
        if expanded:
            yield node
        else:
            waiting.append((node, True))
            waiting.extend((child, False) for child in reversed(node.children) if isinstance(child, Tree))


def _line(items: list[tuple[int, str]]) -> str:
    """Texts centred at their columns."""
    line, end = "", 0
    for place, text in sorted(items):
        start = max(place - (text_width(text) - 1) // 2, end)
        line += " " * (start - end) + text
        end = start + text_width(text)
    return line


def text_width(text: str) -> int:
    """Columns in a terminal: combining marks and format characters take none, wide characters two."""
    total = 0
    for char in text:
        if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Mn", "Me"):
            continue
        total += 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
    return total
