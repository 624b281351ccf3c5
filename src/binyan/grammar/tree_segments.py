"""What an analysis says: the segments of the word, its root and its template (thesis, sections 5.7.3 and 5.7.4)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from binyan.grammar.rules import Grammar
from binyan.grammar.tree import Leaf, Tree

LABELS = {
    "Pre": "pre",
    "Prefix": "pre",
    "Stem": "stem",
    "Suf": "suf",
    "Suffix": "suf",
    "Inf": "inf",
    "Infix": "inf",
    "Red": "redup",
    "Circ": "circ",
    "Circumfix": "circ",
}
"""Symbols that mark segments by their name, and the labels of gold files for them."""


@dataclass(frozen=True)
class Segment:
    """A piece of the word: its text, its label, and where it starts (in atoms)."""

    text: str
    label: str
    start: int


def segment_symbols(grammar: Grammar) -> frozenset[str]:
    """The symbols along which words are split: those named as morphemes (see `LABELS`), else those adapted, but not the
    start symbol."""
    named = frozenset(symbol for symbol in grammar.symbols if symbol in LABELS)
    return named or frozenset(grammar.adapted) - {grammar.start}


def character_classes(grammar: Grammar) -> frozenset[str]:
    """Symbols that only ever stand for one character (Char, R1) and are not adapted: pictures can do without them."""
    classes = {rule.lhs for rule in grammar.rules} - set(grammar.adapted) - set(LABELS) - {grammar.start}
    changed = True
    while changed:
        wrong = {
            rule.lhs
            for rule in grammar.rules
            if rule.lhs in classes
            and not (
                rule.arity == 1
                and len(rule.arguments[0]) == 1
                and (isinstance(rule.arguments[0][0], str) or rule.rhs[0] in classes)
            )
        }
        classes -= wrong
        changed = bool(wrong)
    return frozenset(classes)


def simplified(tree: Tree, grammar: Grammar) -> Tree:
    """The tree without hidden symbols and character classes, for pictures."""
    classes = character_classes(grammar)
    return tree.collapse(lambda symbol: grammar.hidden(symbol) or symbol in classes)


def segments(tree: Tree, symbols: Collection[str]) -> list[Segment]:
    """The pieces of the word in order. A constituent with a gap gives several; what no symbol covers is a piece
    labelled by the symbol above it."""
    owner: dict[int, tuple[int, str]] = {}

    def walk(node: Tree, mark: tuple[int, str] | None) -> None:
        if mark is None and node.symbol in symbols:
            mark = (id(node), LABELS.get(node.symbol, node.symbol))
        for child in node.children:
            if isinstance(child, Leaf):
                owner[child.position] = mark or (id(node), LABELS.get(node.symbol, node.symbol))
            else:
                walk(child, mark)

    walk(tree, None)
    pieces: list[Segment] = []
    previous: tuple[int, str] | None = None
    for leaf in tree.leaves():
        here = owner[leaf.position]
        if here == previous:
            pieces[-1] = Segment(pieces[-1].text + leaf.atom, here[1], pieces[-1].start)
        else:
            pieces.append(Segment(leaf.atom, here[1], leaf.position))
        previous = here
    return pieces


def roots(tree: Tree, length: int, method: Literal["A", "B"] = "A") -> list[str]:
    """Root candidates with so many radicals. Method A takes what R3 (R4) governs; method B also what T3 (T4) does, since
    the two may have swapped their parts (thesis, section 5.7.4.1). A root inside a longer root is none."""
    names = [f"R{length}"] + ([f"T{length}"] if method == "B" else [])
    found = []

    def walk(node: Tree, above: str) -> None:
        if node.symbol in names and not _is_numbered(above, node.symbol[0]):
            found.append(node)
        for child in node.children:
            if isinstance(child, Tree):
                walk(child, node.symbol)

    walk(tree, "")
    found.sort(key=lambda node: names.index(node.symbol))
    return list(dict.fromkeys(node.word() for node in found))


def _is_numbered(symbol: str, letter: str) -> bool:
    return symbol.startswith(letter) and symbol[1:].isdigit()
