"""Sentence pairs that rules should not be learnt from: too long to align well, or of lengths that no translation has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from binyan.errors import InputError, SettingsError
from binyan.settings import Settings, setting
from binyan.translation.alignment import Alignments
from binyan.translation.bitext import Bitext


@dataclass(frozen=True)
class CleaningSettings(Settings):
    """Which sentence pairs are left out before words are aligned."""

    max_words: int = setting(50, "Leave out pairs with a sentence of more words than this (0: no limit).")
    max_ratio: float = setting(
        9.0, "Leave out pairs with more than this many times as many words on one side (0: no limit)."
    )

    def __post_init__(self) -> None:
        if self.max_words < 0 or (self.max_ratio != 0 and self.max_ratio < 1):
            raise SettingsError("the longest sentence has 1 word or more, the ratio is 1 or more; 0 leaves out none")

    def reason(self, source: Sequence[str], target: Sequence[str]) -> str | None:
        """Why a pair is left out; None if it is kept."""
        few, many = sorted((len(source), len(target)))
        if few == 0:
            return "without words on one side"
        if self.max_words and many > self.max_words:
            return f"longer than {self.max_words} words"
        if self.max_ratio and many > self.max_ratio * few:
            return f"over {self.max_ratio:g} times as many words on one side"
        return None


NO_CLEANING = CleaningSettings(0, 0.0)


@dataclass(frozen=True)
class CleaningReport:
    """How many of the pairs were left out, by reason."""

    pairs: int
    left_out: Mapping[str, int]

    def __str__(self) -> str:
        reasons = "; ".join(f"{count:,} {reason}" for reason, count in self.left_out.items())
        return f"{sum(self.left_out.values()):,} of {self.pairs:,} sentence pairs left out" + (
            f": {reasons}" * bool(reasons)
        )


def clean(bitext: Bitext, settings: CleaningSettings) -> tuple[Bitext, CleaningReport]:
    """The bitext with the pairs that are left out emptied in their places, so that its lines stay those of the files.

    >>> text = Bitext([["a"], ["b"] * 60, ["c"]], [["A"], ["B"] * 55, []])
    >>> print(clean(text, CleaningSettings())[1])
    2 of 3 sentence pairs left out: 1 longer than 50 words; 1 without words on one side
    """
    reasons = [settings.reason(s, t) for s, t in zip(bitext.source, bitext.target, strict=True)]
    counts = Counter(reason for reason in reasons if reason is not None)
    if sum(counts.values()) == len(bitext):
        raise InputError(f"no sentence pair is left: {CleaningReport(len(bitext), counts)}")
    source, target = (
        [[] if reason else words for words, reason in zip(side, reasons, strict=True)]
        for side in (bitext.source, bitext.target)
    )
    return Bitext(source, target), CleaningReport(len(bitext), counts)


def without_emptied(links: Alignments, bitext: Bitext) -> Alignments:
    """An alignment of all lines without the links of pairs that cleaning has emptied."""
    if len(links) != len(bitext):
        raise InputError(f"{len(links)} alignments for {len(bitext)} sentence pairs")
    kept = np.array([bool(s and t) for s, t in zip(bitext.source, bitext.target, strict=True)])
    counts = np.diff(links.offsets)
    offsets = np.concatenate([[0], np.cumsum(np.where(kept, counts, 0))]).astype(np.uint64)
    return Alignments(links.links[np.repeat(kept, counts.astype(np.int64))], offsets)
