"""One analysis of a word, and what it says of segments, roots and templates."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from binyan.grammar.tree_segments import LABELS, Segment, roots, segments
from binyan.grammar.tree import Leaf, Tree
from binyan.segmentation import Part, Segmentation


@dataclass(frozen=True)
class Analysis:
    """A tree of a word and its posterior probability. `symbols` are those along which the word is split."""

    word: str
    tree: Tree
    probability: float
    symbols: frozenset[str]

    def __repr__(self) -> str:
        return f"<Analysis {self.segmentation} ({self.probability:.3g})>"

    def _repr_html_(self) -> str:
        """Parts, probability and tree, for a notebook."""
        return f"<div>{self.segmentation._repr_html_()} {self.probability:.1%}<br>{self.tree._repr_svg_()}</div>"

    @property
    def segmentation(self) -> Segmentation:
        """The word and its parts; parts with gaps have positions."""
        return segmentation_of(self.word, self.tree, self.symbols)

    @property
    def segments(self) -> list[Segment]:
        """The contiguous pieces of the word, in order."""
        return segments(self.tree, self.symbols)

    def roots(self, length: int = 3, method: Literal["A", "B"] = "A") -> list[str]:
        """Root candidates of so many radicals, by extraction method A or B of the thesis."""
        return roots(self.tree, length, method)


def segmentation_of(word: str, tree: Tree, symbols: Collection[str]) -> Segmentation:
    """The constituents with one of the symbols as labelled parts; what none covers is labelled by the symbol above it."""
    parts: dict[int, tuple[str, list[Leaf]]] = {}

    def walk(node: Tree, mark: int | None) -> None:
        if mark is None and node.symbol in symbols:
            mark = id(node)
            parts[mark] = (LABELS.get(node.symbol, node.symbol), [])
        for child in node.children:
            if isinstance(child, Tree):
                walk(child, mark)
            else:
                key = id(node) if mark is None else mark
                parts.setdefault(key, (LABELS.get(node.symbol, node.symbol), []))[1].append(child)

    walk(tree, None)
    found = []
    for label, leaves in parts.values():
        leaves.sort(key=lambda leaf: leaf.position)
        found.append((tuple(leaf.position for leaf in leaves), "".join(leaf.atom for leaf in leaves), label))
    found.sort()
    contiguous = all(places == tuple(range(places[0], places[-1] + 1)) for places, _, _ in found)
    return Segmentation(
        word, tuple(Part(text, label, positions=None if contiguous else places) for places, text, label in found)
    )
