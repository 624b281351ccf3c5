"""The words of texts and lists, and how often they occur, for what learns from words."""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from binyan.files import PathLike
from binyan.progress import ProgressOption, track
from binyan.text.preparation import Preparation
from binyan.text.reading import Source, read_sentences
from binyan.text.vocabulary import Vocabulary

Texts = Source | Sequence[os.PathLike[str]]
"""A text file, several (a list of Path objects), or sentences."""


def sentences(text: Texts | None, preparation: Preparation | None = None) -> Iterator[list[str]]:
    """The prepared sentences of a text."""
    if isinstance(text, (list, tuple)) and text and all(isinstance(item, os.PathLike) for item in text):
        for path in text:
            yield from read_sentences(path, preparation)
    elif text is not None:
        yield from read_sentences(text, preparation)  # type: ignore[arg-type]


def word_frequencies(
    text: Texts | None, preparation: Preparation | None = None, progress: ProgressOption = None
) -> Counter[str]:
    """How often each word occurs in a text, in lowercase and without the punctuation that clings to it."""
    raw = Counter[str]()
    for sentence in track(sentences(text, preparation), "sentences read", show=progress, every=10_000):
        raw.update(sentence)
    counts = Counter[str]()
    for word, count in raw.items():
        bare = _bare(word).lower()
        if bare:
            counts[bare] += count
    return counts


def text_words(text: Texts | None, preparation: Preparation | None = None, min_count: int = 1) -> list[str]:
    """The words of a text that occur `min_count` times or more, most frequent first."""
    counts = Counter(word for sentence in sentences(text, preparation) for word in sentence)
    return [word for word, count in counts.most_common() if count >= min_count]


def listed_words(path: PathLike) -> list[str]:
    """The words of a file, one per line."""
    return Vocabulary.read(path).own_words


def _bare(word: str) -> str:
    i, j = 0, len(word)
    while i < j and not _counts(word[i]):
        i += 1
    while j > i and not _counts(word[j - 1]):
        j -= 1
    return word[i:j]


def _counts(letter: str) -> bool:
    return letter.isalnum() or unicodedata.category(letter).startswith("M")
