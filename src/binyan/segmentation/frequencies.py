"""Word frequencies of texts, for the compound splitters."""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Iterable

from binyan.progress import ProgressOption, track
from binyan.text.preparation import Preparation
from binyan.text.reading import read_sentences


def word_frequencies(
    paths: Iterable[str | os.PathLike[str]], preparation: Preparation | None = None, progress: ProgressOption = None
) -> Counter[str]:
    """How often each word occurs in the texts, in lowercase and without the punctuation that clings to it."""
    raw = Counter[str]()
    for path in paths:
        for sentence in track(read_sentences(path, preparation), "sentences read", show=progress, every=10_000):
            raw.update(sentence)
    counts = Counter[str]()
    for word, count in raw.items():
        bare = _bare(word).lower()
        if bare:
            counts[bare] += count
    return counts


def _bare(word: str) -> str:
    i, j = 0, len(word)
    while i < j and not _counts(word[i]):
        i += 1
    while j > i and not _counts(word[j - 1]):
        j -= 1
    return word[i:j]


def _counts(letter: str) -> bool:
    return letter.isalnum() or unicodedata.category(letter).startswith("M")
