"""Marks for the edges of words, which grammars may derive as terminals: MorphAGram writes them `^^^` and `$$$`.

With them an adapted symbol can stand for "no prefix" as a morpheme of its own: `Prefix --> ^^^`. Words are written without marks. They are
added where a word is turned into numbers, and gone in every tree: a symbol that derives nothing but a mark is in no tree.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from binyan.grammar.tree import Leaf, Tree

WORD_START, WORD_END = "\x02", "\x03"
MARKS = frozenset({WORD_START, WORD_END})


@dataclass(frozen=True)
class WordEdges:
    """Which marks a grammar derives: one at the start of words, one at their end."""

    start: bool = False
    end: bool = False

    @classmethod
    def of(cls, terminals: Collection[str]) -> WordEdges:
        """The marks among the terminals of a grammar."""
        return cls(WORD_START in terminals, WORD_END in terminals)

    def __bool__(self) -> bool:
        return self.start or self.end

    def marked(self, atoms: Sequence[str]) -> list[str]:
        """The atoms of a word with its marks."""
        return [*([WORD_START] if self.start else ()), *atoms, *([WORD_END] if self.end else ())]

    def unmarked(self, tree: Tree) -> Tree:
        """The tree without marks, its positions those of the word as it is written."""
        stripped = self._without_marks(tree)
        return stripped if stripped is not None else Tree(tree.symbol, ())

    def _without_marks(self, tree: Tree) -> Tree | None:
        children: list[Tree | Leaf] = []
        for child in tree.children:
            if isinstance(child, Tree):
                if (below := self._without_marks(child)) is not None:
                    children.append(below)
            elif child.atom not in MARKS:
                children.append(Leaf(child.position - self.start, child.atom, child.shown))
        return Tree(tree.symbol, tuple(children)) if children else None


def without_marks(text: str) -> str:
    """Text that a grammar derives, without marks."""
    return text.replace(WORD_START, "").replace(WORD_END, "")
