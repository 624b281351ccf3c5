"""A bitext: the same sentences in two languages, line by line."""

from __future__ import annotations

import os
from dataclasses import dataclass

from binyan.errors import InputError
from binyan.signature import digest
from binyan.text import Preparation, Vocabulary, read_lines
from binyan.text.reading import LONGEST_WORD


@dataclass(frozen=True)
class Bitext:
    """Prepared sentences; source[i] is translated by target[i]. Either may be empty."""

    source: list[list[str]]
    target: list[list[str]]

    def __len__(self) -> int:
        return len(self.source)

    @classmethod
    def read(
        cls,
        source: str | os.PathLike[str],
        target: str | os.PathLike[str],
        source_preparation: Preparation | None = None,
        target_preparation: Preparation | None = None,
    ) -> Bitext:
        """Read two files of as many lines. Blank lines stay: they keep the two sides together."""
        left, right = read_words(source, source_preparation), read_words(target, target_preparation)
        if len(left) != len(right):
            raise InputError(
                f"{source} has {len(left):,} lines, {target} has {len(right):,}: line n of one must translate line n of the other"
            )
        if not any(s and t for s, t in zip(left, right, strict=True)):
            raise InputError(f"{source} and {target}: no line has words in both files")
        return cls(left, right)

    @property
    def digest(self) -> str:
        """Digits that stand for the text of both sides."""
        return digest(
            "\n".join(map(" ".join, self.source)).encode(), b"\0", "\n".join(map(" ".join, self.target)).encode()
        )

    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """All words of either side."""
        return _vocabulary(self.source), _vocabulary(self.target)


def read_words(path: str | os.PathLike[str], preparation: Preparation | None = None) -> list[list[str]]:
    """The prepared words of each line, blank lines too."""
    prepare = preparation or Preparation()
    sentences = []
    for number, line in read_lines(path):
        words = prepare(line)
        if any(len(w) > LONGEST_WORD for w in words):
            raise InputError(f"{path}:{number}: a word of over {LONGEST_WORD:,} characters: is this text?")
        sentences.append(words)
    return sentences


def _vocabulary(sentences: list[list[str]]) -> Vocabulary:
    types = dict.fromkeys(w for sentence in sentences for w in sentence)
    return Vocabulary(w for w in types if w not in ("<unk>", "<s>", "</s>"))
