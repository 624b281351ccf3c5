"""Analyses of words as numbers, and in what two analyses of one word differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.grammar.compiled import Compiled
from binyan.morphology.analysis import Analysis
from binyan.morphology.history import AnalysisHistory
from binyan.morphology.word_list import WordList
from binyan.segmentation import Segmentation

Numbers = NDArray[np.int64]
_STEM = "stem"
_SHARED = "…"


@dataclass(frozen=True)
class ShownAnalysis:
    """What a user sees of an analysis: the parts of the word with labels, and its roots."""

    segmentation: Segmentation
    roots: tuple[str, ...]

    @cached_property
    def pieces(self) -> tuple[tuple[int, int, str], ...]:
        """The contiguous pieces of the word: where each begins and ends, and its label."""
        pieces, start = [], 0
        for part in self.segmentation.contiguous().parts:
            pieces.append((start, start + len(part.text), part.label))
            start += len(part.text)
        return tuple(pieces)

    @cached_property
    def borders(self) -> frozenset[int]:
        """Where pieces end inside the word."""
        return frozenset(end for _, end, _ in self.pieces[:-1])

    @cached_property
    def entries(self) -> frozenset[tuple[str, str]]:
        """The lexicon entries that the analysis uses: texts and labels of its parts, and its roots."""
        parts = {(part.text, part.label) for part in self.segmentation.parts}
        return frozenset(parts | {(root, "root") for root in self.roots})


class ShownAnalyses:
    """Numbers the analyses of the watched words, the same for all chains: trees that a user sees as one analysis share a number."""

    def __init__(self, compiled: Compiled, words: WordList) -> None:
        self._compiled, self._words = compiled, words
        self._of_derivation: dict[tuple[int, tuple[int, ...]], int] = {}
        self._of_reading: dict[tuple[int, ShownAnalysis], int] = {}
        self.analyses: list[ShownAnalysis] = []

    def numbers(self, history: AnalysisHistory, after: float, until: float) -> Numbers:
        """The readings of every watched word after each noted sweep beyond `after` and up to `until`: a row per sweep."""
        rows = [row for sweep, row in zip(history.sweeps, history.rows, strict=True) if after < sweep <= until]
        if not rows:
            return np.zeros((0, len(history.watched)), np.int64)
        used, places = np.unique(np.array(rows), return_inverse=True)
        of_used = np.array([self._number(history, int(i)) for i in used], np.int64)
        return np.asarray(of_used[places].reshape(len(rows), -1))

    def _number(self, history: AnalysisHistory, derivation: int) -> int:
        place, rules = history.derivations[derivation]
        key = history.watched[place], rules
        if key not in self._of_derivation:
            reading = key[0], self._reading(*key)
            number = self._of_reading.setdefault(reading, len(self.analyses))
            if number == len(self.analyses):
                self.analyses.append(reading[1])
            self._of_derivation[key] = number
        return self._of_derivation[key]

    def _reading(self, place: int, rules: Sequence[int]) -> ShownAnalysis:
        word = self._words.words[place]
        try:
            tree = self._compiled.tree(rules, word=self._words.atoms(word))
            analysis = Analysis(word, tree, 1.0, self._compiled.grammar)
            return ShownAnalysis(analysis.segmentation, tuple(analysis.roots()))
        except (IndexError, InputError) as error:
            raise InputError(f"the history of a chain holds a derivation that is not one of {word!r}") from error


def most_frequent(numbers: Numbers) -> Numbers:
    """The most frequent number of each column; of equally frequent ones, the latest."""
    counts = (numbers[:, None, :] == numbers[None, :, :]).sum(axis=1)
    latest_first = counts[::-1]
    best = len(numbers) - 1 - latest_first.argmax(axis=0)
    return np.asarray(numbers[best, np.arange(numbers.shape[1])])


def dispute(one: ShownAnalysis, other: ShownAnalysis) -> tuple[str, str]:
    """In what two readings of a word differ, shortly: ('w+h', 'wh'), or ('…+h', '…h') beside letters of a stem that both share.

    >>> a, b = (ShownAnalysis(Segmentation.parse("ktAbh", s), ()) for s in ("ktAb/stem h/suf", "ktAbh/stem"))
    >>> dispute(a, b)
    ('…+h', '…h')
    """
    word = one.segmentation.word
    shared_borders = sorted((one.borders & other.borders) | {0, len(word)})
    for start, end in pairwise(shared_borders):
        mine, theirs = ([p for p in reading.pieces if start <= p[0] < end] for reading in (one, other))
        if [p[:2] for p in mine] != [p[:2] for p in theirs]:
            stems = _letters(mine) & _letters(theirs)
            return _ordered(*("+".join(_spelt(word, p, stems) for p in pieces) for pieces in (mine, theirs)))
    for mine_, theirs_ in zip(one.pieces, other.pieces, strict=False):
        if mine_ != theirs_:
            text = word[mine_[0] : mine_[1]]
            return _ordered(f"{text}/{mine_[2]}", f"{text}/{theirs_[2]}")
    if one.roots != other.roots:
        return _ordered(*(f"root {' '.join(r.roots)}" if r.roots else "no root" for r in (one, other)))
    return _ordered(str(one.segmentation), str(other.segmentation))


def _letters(pieces: Sequence[tuple[int, int, str]]) -> set[int]:
    """The positions inside stems."""
    return {i for start, end, label in pieces if label == _STEM for i in range(start, end)}


def _spelt(word: str, piece: tuple[int, int, str], stems: set[int]) -> str:
    runs = groupby(range(piece[0], piece[1]), key=lambda i: i in stems)
    return "".join(_SHARED if in_stem else "".join(word[i] for i in run) for in_stem, run in runs)


def _ordered(one: str, other: str) -> tuple[str, str]:
    return (one, other) if (-len(one), one) <= (-len(other), other) else (other, one)
