"""The word map mu: which factors a word is the sum of, its surface form and its morphemes (thesis, section 4.1)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.model_file import ModelFile, Section
from binyan.segmentation.word_map_file import WordMapTable
from binyan.signature import digest
from binyan.text.vocabulary import SPECIALS, UNKNOWN_ID, Vocabulary

_FEW = 0.01  # of the vocabulary: a map with factors for fewer words is hardly the right one


class MapWarning(UserWarning):
    """A word map that has factors for few of the words."""


@dataclass(frozen=True)
class FactorMap:
    """The rows of the matrix M: the factors of word i are `factors[offsets[i]:offsets[i + 1]]`, repetitions included.

    Factors 0 to |V| - 1 are the surface forms, by word id; then come the `morphemes`. The first factor of a word is its
    surface form. The last rows are those of words `outside` the vocabulary, whose surface form is <unk>'s.
    """

    factors: NDArray[np.int64]
    offsets: NDArray[np.int64]
    morphemes: tuple[str, ...]
    outside: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        """Number of words of the vocabulary."""
        return len(self.offsets) - 1 - len(self.outside)

    @property
    def size(self) -> int:
        """Number of factors."""
        return self.words + len(self.morphemes)

    @cached_property
    def digest(self) -> str:
        """Digits that stand for the map."""
        return digest(self.factors.tobytes(), self.offsets.tobytes(), "\n".join(self.morphemes).encode())

    @cached_property
    def morpheme_index(self) -> dict[str, int]:
        """The factor number of each morpheme."""
        return {m: self.words + j for j, m in enumerate(self.morphemes)}

    @cached_property
    def uses(self) -> dict[str, int]:
        """How many words have each morpheme."""
        counts = np.bincount(self.factors, minlength=self.size)[self.words :]
        return dict(zip(self.morphemes, counts.tolist(), strict=True))

    def known(self, morphemes: Iterable[str]) -> list[int]:
        """The factors among `morphemes` that the map has; for words outside the vocabulary (mu' of the thesis, section 4.4.5)."""
        return [self.morpheme_index[m] for m in morphemes if m in self.morpheme_index]

    def check(self) -> None:
        """Raises InputError unless every word has factors, and all of them are factors of the map."""
        ends = self.offsets
        if (
            ends.ndim != 1
            or not len(ends)
            or ends[0] != 0
            or ends[-1] != len(self.factors)
            or (np.diff(ends) < 1).any()
        ):
            raise InputError("the section 'map/offsets' does not divide 'map/factors' into words")
        if self.words < 0 or (len(self.factors) and not 0 <= self.factors.min() <= self.factors.max() < self.size):
            raise InputError("the section 'map/factors' holds a factor that the map does not have")

    @classmethod
    def identity(cls, words: int) -> FactorMap:
        """Every word its own only factor: the models without morphemes."""
        return cls(np.arange(words, dtype=np.int64), np.arange(words + 1, dtype=np.int64), ())

    @classmethod
    def from_segmentations(cls, table: WordMapTable, vocabulary: Vocabulary, outside: Iterable[str] = ()) -> FactorMap:
        """The surface form and the morphemes, or other factors, of each word. A part that is the whole word adds nothing.

        Of the words `outside` the vocabulary those get rows that have a morpheme of a word inside. Raises InputError where
        `table` has none of the words, and warns where it has few; single words it lacks have their surface form only.
        """
        morphemes: dict[str, int] = {}
        rows: list[list[int]] = []
        covered = 0
        for i, word in enumerate(vocabulary.words):
            factors = factors_of(table, word) if word not in SPECIALS else []
            covered += bool(factors) or word in table
            rows.append([i, *(len(vocabulary) + morphemes.setdefault(m, len(morphemes)) for m in factors)])
        _check_coverage(covered, vocabulary)
        further: dict[str, list[int]] = {}
        for word in dict.fromkeys(outside):
            known = [len(vocabulary) + morphemes[m] for m in factors_of(table, word) if m in morphemes]
            if known:
                further[word] = [UNKNOWN_ID, *known]
        return cls(*_flat([*rows, *further.values()]), tuple(morphemes), tuple(further))

    def sections(self) -> dict[str, Section]:
        """As stored in a container."""
        sections: dict[str, Section] = {"map/factors": self.factors, "map/offsets": self.offsets}
        sections["map/morphemes"] = "\n".join(self.morphemes).encode()
        return sections | ({"map/outside": "\n".join(self.outside).encode()} if self.outside else {})

    @classmethod
    def from_file(cls, file: ModelFile) -> FactorMap:
        """The inverse of `sections`."""
        words = (file.blob(name).decode() if name in file.sections else "" for name in ("map/morphemes", "map/outside"))
        stored = cls(
            file.array("map/factors"), file.array("map/offsets"), *(tuple(w.split("\n")) if w else () for w in words)
        )
        stored.check()
        return stored

    @property
    def inside(self) -> FactorMap:
        """The map of the words of the vocabulary alone."""
        end = self.offsets[self.words]
        return FactorMap(self.factors[:end], self.offsets[: self.words + 1], self.morphemes)

    def permuted(self, order: NDArray[np.int64]) -> FactorMap:
        """The map of the words `order`, whose surface factors are renumbered likewise; morphemes keep their order."""
        surface = np.full(self.words, -1, np.int64)
        surface[order] = np.arange(len(order))
        rows = []
        for word in order:
            factors = self.factors[self.offsets[word] : self.offsets[word + 1]]
            rows.append(
                np.where(
                    factors < self.words,
                    surface[np.minimum(factors, self.words - 1)],
                    factors - self.words + len(order),
                )
            )
        return FactorMap(*_flat(rows), self.morphemes)

    @cached_property
    def transposed(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of each factor, in the same layout: M transposed."""
        owners = np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int64), np.diff(self.offsets))
        order = np.argsort(self.factors, kind="stable")
        counts = np.bincount(self.factors, minlength=self.size)
        return owners[order], np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def factors_of(table: WordMapTable, word: str) -> list[str]:
    """The morphemes or other factors of `word` in `table`, without one that is the bare word itself; none where it has none."""
    return table.factors(word)


def _check_coverage(covered: int, vocabulary: Vocabulary) -> None:
    words = len(vocabulary.own_words)
    if not covered:
        raise InputError(
            "the word map has no word of the vocabulary; is it of another language, or of text with capitals?"
        )
    if covered < _FEW * words:
        warnings.warn(
            f"the word map has factors for only {covered:,} of the {words:,} words of the vocabulary; is it of another language, or of "
            "text with capitals?",
            MapWarning,
            stacklevel=3,
        )


def _flat(rows: Sequence[Sequence[int] | NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    offsets = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
    return np.concatenate([np.asarray(r, np.int64) for r in rows]), offsets
