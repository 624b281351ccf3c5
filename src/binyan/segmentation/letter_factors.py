"""Letters of a word as factors: how it begins, how it ends, and its letter n-grams. Every word has them, known or not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from binyan.errors import SettingsError
from binyan.text.atoms import atoms

_LONGEST = 20  # letters of one factor
_MOST_LENGTHS = 8
_FIELD = re.compile(r"(first|last|ngrams)=(\d{1,2}(?:,\d{1,2})*)")


@dataclass(frozen=True)
class LetterFactors:
    """The first and last letters of words, and their n-grams, by their numbers of letters.

    A word that is not longer than a beginning or an ending has no such factor, and a word without a letter has none at all. In
    n-grams, ^ and $ stand for the borders of the word.

    >>> LetterFactors(first=(5,), last=(2, 3))("unlocked")
    ('first=unloc', 'last=ed', 'last=ked')
    >>> LetterFactors.parse("ngrams=3")("ed")
    ('ngram=^ed', 'ngram=ed$')
    >>> str(LetterFactors.parse("first=5 last=2,3"))
    'first=5 last=2,3'
    """

    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    ngrams: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        lengths = (*self.first, *self.last, *self.ngrams)
        if not lengths or len(lengths) > _MOST_LENGTHS or not all(1 <= n <= _LONGEST for n in lengths):
            raise SettingsError(
                f"letters as factors have 1 to {_MOST_LENGTHS} lengths from 1 to {_LONGEST}, as in 'first=5 last=2,3'; "
                f"not {', '.join(map(str, lengths)) or 'none'}"
            )

    @classmethod
    def parse(cls, text: str) -> LetterFactors:
        """From the written form: `first=5 last=2,3 ngrams=3`, any of the three."""
        fields: dict[str, tuple[int, ...]] = {}
        for item in text.split():
            match = _FIELD.fullmatch(item)
            if match is None or match[1] in fields:
                raise SettingsError(f"letters as factors are written as 'first=5 last=2,3 ngrams=3', not {text!r}")
            fields[match[1]] = tuple(map(int, match[2].split(",")))
        return cls(**fields)

    def __str__(self) -> str:
        return " ".join(f"{name}={','.join(map(str, lengths))}" for name, lengths in vars(self).items() if lengths)

    def __call__(self, word: str) -> tuple[str, ...]:
        """The factors of any word, each once."""
        return tuple(dict.fromkeys(self._factors(word))) if any(c.isalpha() for c in word) else ()

    def _factors(self, word: str) -> Iterator[str]:
        letters = atoms(word)
        for n in self.first:
            if len(letters) > n:
                yield "first=" + "".join(letters[:n])
        for n in self.last:
            if len(letters) > n:
                yield "last=" + "".join(letters[-n:])
        bordered = ["^", *letters, "$"]
        for n in self.ngrams:
            yield from ("ngram=" + "".join(bordered[i : i + n]) for i in range(len(bordered) - n + 1))
