"""A bitext: the same sentences in two languages, line by line."""

from __future__ import annotations

import os
from dataclasses import dataclass

from binyan.errors import InputError
from binyan.settings import Settings, setting
from binyan.signature import digest
from binyan.text import Preparation, Vocabulary, read_sentences
from binyan.text.reading import Source
from binyan.text.vocabulary import SPECIALS


@dataclass(frozen=True)
class BitextSettings(Settings):
    """How both sides of a bitext are prepared."""

    source_language: str | None = setting(
        None, "Tokenise the source text as Moses does for this language.", metavar="LANG"
    )
    target_language: str | None = setting(
        None, "Tokenise the target text as Moses does for this language.", metavar="LANG"
    )
    lowercase: bool = setting(False, "Make all letters lower case.")
    source_preparation: Preparation | None = setting(
        None,
        "Preparation of the source text, instead of source_language and lowercase.",
        on_command_line=False,
    )
    target_preparation: Preparation | None = setting(
        None,
        "Preparation of the target text, instead of target_language and lowercase.",
        on_command_line=False,
    )

    @property
    def source(self) -> Preparation:
        """The recipe for source text."""
        return self.source_preparation or Preparation(tokenise=self.source_language, lowercase=self.lowercase)

    @property
    def target(self) -> Preparation:
        """The recipe for target text."""
        return self.target_preparation or Preparation(tokenise=self.target_language, lowercase=self.lowercase)


@dataclass(frozen=True)
class Bitext:
    """Prepared sentences; source[i] is translated by target[i]. Either may be empty."""

    source: list[list[str]]
    target: list[list[str]]

    def __len__(self) -> int:
        return len(self.source)

    @classmethod
    def read(cls, source: Source, target: Source, settings: BitextSettings | None = None) -> Bitext:
        """Read two files of as many lines, or take two lists of sentences. Blank lines stay: they keep the two sides together."""
        settings = settings or BitextSettings()
        left, right = read_words(source, settings.source), read_words(target, settings.target)
        check_lines(source, left, target, right)
        if not any(s and t for s, t in zip(left, right, strict=True)):
            raise InputError(f"{name_of(source)} and {name_of(target)}: no line has words in both")
        return cls(left, right)

    @property
    def digest(self) -> str:
        """Digits that stand for the text of both sides."""
        return digest(
            "\n".join(map(" ".join, self.source)).encode(), b"\0", "\n".join(map(" ".join, self.target)).encode()
        )

    @property
    def words_ratio(self) -> float:
        """Target words per source word."""
        return sum(map(len, self.target)) / max(1, sum(map(len, self.source)))

    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """All words of either side."""
        return _vocabulary(self.source), _vocabulary(self.target)


def read_words(source: Source, preparation: Preparation | None = None) -> list[list[str]]:
    """The prepared words of each line, blank lines too. Lines that hold <unk>, <s> or </s> as words are refused.

    These are marks of language models: as words of a rule they would stand for whatever is unknown.
    """
    return list(read_sentences(source, preparation, keep_blank=True, refused=SPECIALS))


def check_lines(source: Source, left: list[list[str]], target: Source, right: list[list[str]]) -> None:
    """Raise InputError where two texts have not as many lines."""
    if len(left) != len(right):
        raise InputError(
            f"{name_of(source)} has {len(left):,} lines, {name_of(target)} has {len(right):,}: "
            "line n of one must translate line n of the other"
        )


def name_of(source: Source) -> str:
    """How a text is named in messages."""
    return str(source) if isinstance(source, (str, os.PathLike)) else "the list of sentences"


def _vocabulary(sentences: list[list[str]]) -> Vocabulary:
    types = dict.fromkeys(w for sentence in sentences for w in sentence)
    if marks := [w for w in types if w in SPECIALS]:
        raise InputError(f"the bitext holds {marks[0]} as a word, which is a mark of language models: remove it")
    return Vocabulary(types)
