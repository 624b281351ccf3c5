"""One analysis of a word, and what it says of segments, roots and templates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from binyan.grammar import tree_segments
from binyan.grammar.rules import Grammar
from binyan.grammar.tree import Tree
from binyan.grammar.tree_segments import Method
from binyan.segmentation import Segmentation
from binyan.text.letters import Letters


@dataclass(frozen=True, repr=False)
class Analysis:
    """A tree of a word and its posterior probability."""

    word: str
    tree: Tree
    probability: float
    grammar: Grammar = field(compare=False)

    def __repr__(self) -> str:
        return f"<Analysis {self.segmentation} ({self.probability:.3g})>"

    def _repr_html_(self) -> str:
        """Parts, probability and tree, for a notebook."""
        return f"<div>{self.segmentation._repr_html_()} {self.probability:.1%}<br>{self.tree.svg()}</div>"

    @cached_property
    def segmentation(self) -> Segmentation:
        """The word and its parts; parts with gaps have positions."""
        return tree_segments.segmentation(self.tree, self.grammar.segment_labels, self.word, self.probability)

    def roots(self, length: int | None = None, method: Method = "A") -> list[str]:
        """Root candidates of `length` radicals, or of any number, by extraction method A or B of the thesis."""
        return tree_segments.roots(self.tree, self.grammar, length, method)

    @property
    def template(self) -> str | None:
        """The template of the stem, with a dash in the place of each radical; None without a root."""
        return tree_segments.template(self.tree, self.grammar)

    def constituents(self, label: str) -> list[str]:
        """The text of each constituent whose symbol has the label; one with gaps is one string."""
        labels = self.grammar.segment_labels
        return [tree.word() for tree in self.tree.find(*(symbol for symbol in labels if labels[symbol] == label))]


def written(segmentation: Segmentation, letters: Letters) -> Segmentation:
    """The segmentation in letters as they are written, where no border is inside one; else as it is.

    ክäትä|ኣል is written ከተ|ኣል; in ክትብ|o a border is inside the syllable ቦ, and the parts stay as they are.
    """
    if not (letters.syllables or letters.tones) or not segmentation.is_contiguous:
        return segmentation
    parts = tuple(replace(part, text=letters.put_together(part.text)) for part in segmentation)
    word = letters.put_together(segmentation.word)
    if "".join(part.text for part in parts) != word:
        return segmentation
    return Segmentation(word, parts, segmentation.probability)
