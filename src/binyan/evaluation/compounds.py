"""How well a splitter finds the boundaries of gold compounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from binyan.errors import InputError
from binyan.evaluation.table import Column, Table
from binyan.segmentation import SegmentationTable
from binyan.segmentation.compound_splitter import CompoundSplitter
from binyan.segmentation.gold import GoldSource, gather_gold, gold_words
from binyan.signature import Signature


@dataclass(frozen=True)
class CompoundEvaluation:
    """Boundaries predicted, given and shared, over all words of a gold list, and what was done to simplex words.

    A boundary is right only if it has the gold linking element: `küche +n tisch` is not `küchen tisch`. `merged_left`
    counts the same with linking elements merged to the left, which the two share.
    """

    words: int
    right: int
    predicted: int
    given: int
    merged_left: tuple[int, int, int]
    correct_words: int
    simplex: int
    simplex_split: int
    errors: tuple[tuple[str, str], ...]  # gold and predicted, as text
    signature: Signature

    @property
    def precision(self) -> float:
        """The share of predicted boundaries that are right."""
        return _ratio(self.right, self.predicted)

    @property
    def recall(self) -> float:
        """The share of gold boundaries that are predicted."""
        return _ratio(self.right, self.given)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return _ratio(2 * self.right, self.predicted + self.given)

    @property
    def f1_merged_left(self) -> float:
        """F with linking elements merged to the left in both."""
        right, predicted, given = self.merged_left
        return _ratio(2 * right, predicted + given)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "words": self.words,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "f1_merged_left": self.f1_merged_left,
            "accuracy": _ratio(self.correct_words, self.words),
            "simplex": self.simplex,
            "simplex_split": self.simplex_split,
            "signature": str(self.signature),
        }

    def __str__(self) -> str:
        return self.table().terminal().rstrip("\n")

    def table(self) -> Table:
        """For people; figures in per cent."""
        percent = {
            "precision": self.precision,
            "recall": self.recall,
            "F": self.f1,
            "F, links merged left": self.f1_merged_left,
            "words right": _ratio(self.correct_words, self.words),
        }
        if self.simplex:
            percent["simplex words split"] = self.simplex_split / self.simplex
        columns = [Column("measure"), Column("per cent", ".2f")]
        rows = [(name, 100 * value) for name, value in percent.items()]
        return Table(f"Boundaries of {self.words:,} words", columns, rows, str(self.signature))


def evaluate_splitter(splitter: CompoundSplitter, gold: GoldSource) -> CompoundEvaluation:
    """How well a splitter finds the boundaries of gold compounds: files in any known format, or a table."""
    words = gold_words(gather_gold(gold))
    return evaluate_splits(splitter.split_words(words), words, splitter.signature().extended(task="compounds"))


def evaluate_splits(predicted: SegmentationTable, gold: SegmentationTable, signature: Signature) -> CompoundEvaluation:
    """Compare the segmentations of the words of `gold`; a word that `predicted` lacks counts as simplex."""
    if not gold:
        raise InputError("the gold list is empty: there is nothing to evaluate")
    right = n_predicted = given = correct = simplex = simplex_split = 0
    left = [0, 0, 0]
    errors = []
    for word, row in gold.items():
        mine, theirs = predicted.of(word).boundaries(), row.boundaries()
        right, n_predicted, given = right + len(mine & theirs), n_predicted + len(mine), given + len(theirs)
        mine_left, theirs_left = ({after for _, after in cuts} for cuts in (mine, theirs))
        for place, number in enumerate((len(mine_left & theirs_left), len(mine_left), len(theirs_left))):
            left[place] += number
        correct += mine == theirs
        simplex += not theirs
        simplex_split += bool(mine) and not theirs
        if mine != theirs:
            errors.append((str(row), str(predicted.of(word))))
    return CompoundEvaluation(
        len(gold),
        right,
        n_predicted,
        given,
        (left[0], left[1], left[2]),
        correct,
        simplex,
        simplex_split,
        tuple(errors),
        signature.extended(gold=gold.digest),
    )


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
