"""What counts as a letter of a word: digraphs as one, tone marks apart, syllables in consonants and vowels.

Stored in a model and applied to every word that it is asked about.
"""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from binyan.errors import InputError
from binyan.text import syllables as syllabary
from binyan.text.atoms import Unit, atoms
from binyan.text.reading import read_lines

TONES = frozenset("\u0300\u0301\u0302\u0304\u030b\u030c\u030f\u1dc4\u1dc5\u1dc6\u1dc7\u1dc8\u1dc9")
"""Combining marks that write tones: grave, acute, circumflex, macron, caron, double ones, and contours."""

_MOST_GRAPHEMES = 10_000


@dataclass(frozen=True)
class Letters:
    """Strings of several characters that are one letter; whether tone marks are letters of their own, and syllables taken apart.

    >>> Letters(("sh", "ts")).atoms("shats")
    ['sh', 'a', 'ts']
    >>> [unicodedata.name(a) for a in Letters(tones=True).atoms(Letters(tones=True).take_apart("bá"))][1:]
    ['LATIN SMALL LETTER A', 'COMBINING ACUTE ACCENT']
    """

    graphemes: tuple[str, ...] = ()
    tones: bool = False
    syllables: bool = False

    def __bool__(self) -> bool:
        return bool(self.graphemes) or self.tones or self.syllables

    def atoms(self, word: str, unit: Unit = "grapheme") -> list[str]:
        """The letters of a word that was taken apart."""
        if not self:
            return atoms(word, unit)
        if not self.graphemes:
            return [part for atom in atoms(word, unit) for part in self._split(atom)]
        letters: list[str] = []
        for match in _pattern(self.graphemes, unit).finditer(word):
            letters += [match[0]] if match.lastgroup == "letter" else self._split(match[0])
        return letters

    def _split(self, atom: str) -> list[str]:
        if len(atom) == 1:
            return [atom]
        if self.syllables and all(map(syllabary.is_jamo, atom)):
            return list(atom)
        if self.tones and any(char in TONES for char in atom):
            base = "".join(char for char in atom if char not in TONES)
            return [*([base] if base else []), *(char for char in atom if char in TONES)]
        return [atom]

    def take_apart(self, word: str) -> str:
        """A word as it is written, in the form that is learnt from. What is in that form already stays as it is."""
        if self.syllables:
            word = syllabary.take_apart(word)
        if self.tones and not word.isascii():
            word = "".join(_tones_last(char) for char in unicodedata.normalize("NFC", word))
        return word

    def put_together(self, text: str) -> str:
        """The inverse of `take_apart`. Text with tones comes back in the normal form NFC."""
        if self.syllables:
            text = syllabary.put_together(text)
        return unicodedata.normalize("NFC", text) if self.tones else text

    def __str__(self) -> str:
        said = [f"one letter each: {' '.join(self.graphemes)}"] if self.graphemes else []
        said += ["tones apart"] if self.tones else []
        said += ["syllables in consonants and vowels"] if self.syllables else []
        return "; ".join(said) or "as they are written"

    def to_dict(self) -> dict[str, Any]:
        """As stored in a model file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Letters:
        """The inverse of `to_dict`."""
        graphemes = stored.get("graphemes", ())
        if not all(isinstance(text, str) and text for text in graphemes) or len(graphemes) > _MOST_GRAPHEMES:
            raise InputError("the letters of the model are not a list of strings")
        return cls(tuple(graphemes), bool(stored.get("tones")), bool(stored.get("syllables")))


def read_profile(path: str) -> tuple[str, ...]:
    """The graphemes of an orthography profile: one per line, or the column Grapheme of a tab-separated table (CLDF, lingpy)."""
    lines = [line for _, line in read_lines(path) if line.strip() and not line.startswith("#")]
    if not lines:
        raise InputError(f"{path}: there is no grapheme in it; write one per line")
    rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    header = [cell.strip().casefold() for cell in rows[0]]
    if len(header) > 1 and "grapheme" not in header:
        raise InputError(
            f"{path}: a profile with columns names one of them Grapheme; its first line is {lines[0][:60]!r}"
        )
    place = header.index("grapheme") if "grapheme" in header else 0
    body = rows[1:] if "grapheme" in header else rows
    graphemes = dict.fromkeys(row[place].strip() for row in body if len(row) > place)
    kept = tuple(g for g in graphemes if g and g not in ("^", "$") and not any(c.isspace() for c in g))
    if len(kept) > _MOST_GRAPHEMES:
        raise InputError(
            f"{path}: {len(kept):,} graphemes; a profile has at most {_MOST_GRAPHEMES:,}: is it a word list?"
        )
    return kept


def outside_profile(graphemes: Iterable[str], alphabet: Iterable[str], path: str) -> str | None:
    """A sentence on the letters of words that a profile lacks; None where it has all."""
    missing = sorted(set(alphabet) - set(graphemes))
    if not missing:
        return None
    some = " ".join(missing[:10]) + (" ..." if len(missing) > 10 else "")
    return f"{path}: the profile lacks {len(missing)} letters of the words, which are taken as they are: {some}"


@lru_cache(maxsize=16)
def _pattern(graphemes: tuple[str, ...], unit: Unit) -> Any:
    import regex

    longest_first = sorted(graphemes, key=lambda g: (-len(g), g))
    listed = "|".join(map(regex.escape, longest_first))
    other = "." if unit == "codepoint" else r"\X"
    return regex.compile(rf"(?P<letter>(?:{listed})(?!\p{{M}}))|(?P<other>{other})", regex.DOTALL)


@lru_cache(maxsize=65536)
def _tones_last(char: str) -> str:
    """A character with its tone marks after it, its other marks kept in it."""
    decomposed = unicodedata.normalize("NFD", char)
    tones = "".join(c for c in decomposed if c in TONES)
    if not tones:
        return char
    apart = unicodedata.normalize("NFC", "".join(c for c in decomposed if c not in TONES)) + tones
    return apart if unicodedata.normalize("NFC", apart) == char else char
