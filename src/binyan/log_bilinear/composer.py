"""Vectors of words outside the vocabulary: sums of the vectors of those of their morphemes that a model knows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from torch import Tensor

from binyan.log_bilinear.factor_map import FactorMap, factors_of
from binyan.log_bilinear.output import Side, VectorNetwork
from binyan.segmentation import Segmentation
from binyan.segmentation.word_map_file import WordMapTable


class Composer:
    """Composes words by a table of segmentations.

    `has_unknown`: whether <unk> stood in the training text, so that its vector means something.
    """

    def __init__(
        self, network: VectorNetwork, factor_map: FactorMap, segmentations: WordMapTable, has_unknown: bool
    ) -> None:
        self.network, self.factor_map, self.segmentations = network, factor_map, segmentations
        self.has_unknown = has_unknown
        self.told: dict[str, list[str]] = {}

    def tell(self, segmentations: Iterable[Segmentation]) -> None:
        """Take the parts of words that the table lacks as their morphemes, with whatever label a model knows them by."""
        for row in segmentations:
            parts = [self._by_text.get(part.text, part.text) for part in row.parts]
            self.told[row.word] = [m for m in parts if m in self.factor_map.morpheme_index]

    @cached_property
    def _by_text(self) -> dict[str, str]:
        """Morphemes by their letters, without label; of several the first."""
        by_text: dict[str, str] = {}
        for morpheme in self.factor_map.morphemes:
            by_text.setdefault(morpheme.rpartition("/")[0] or morpheme, morpheme)
        return by_text

    def known_morphemes(self, word: str) -> list[str]:
        """The morphemes of `word` in the table that the model has vectors for; of a word that the table lacks, those that were told."""
        factors = factors_of(self.segmentations, word) or self.told.get(word, [])
        return [m for m in factors if m in self.factor_map.morpheme_index]

    def rows(self, morphemes: Iterable[str], side: Side) -> list[int]:
        """Rows of the factor matrix Q ("context") or R ("target") for morphemes; none where that side has no morphemes."""
        variant = self.network.shape.variant
        if not (variant.context if side == "context" else variant.output):
            return []
        first = self.network.first_morpheme(side)
        return [f - self.factor_map.words + first for f in self.factor_map.known(morphemes)]

    def context_rows(self, word: str) -> list[int]:
        """Rows of Q whose sum is the vector of a context word outside the vocabulary.

        <unk>, where training had it, and the known morphemes; none where there are no such morphemes.
        """
        rows = self.rows(self.known_morphemes(word), "context")
        return [self.network.unknown_row, *rows] if rows and self.has_unknown else rows

    def context_vector(self, word: str) -> Tensor | None:
        """The vector of a context word outside the vocabulary; None where none of its morphemes is known."""
        rows = self.context_rows(word)
        return self.network.Q[rows].sum(0).detach() if rows else None

    def target_vector(self, word: str) -> Tensor:
        """The sum of the target vectors of the known morphemes of a word; zero where there are none."""
        rows = self.rows(self.known_morphemes(word), "target")
        return (self.network.R[rows].sum(0) if rows else self.network.R.new_zeros(self.network.shape.dim)).detach()
