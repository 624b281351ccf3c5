"""Atoms: the smallest parts a word may be split into. A letter keeps its marks."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from binyan.errors import SettingsError

Unit = Literal["grapheme", "codepoint"]


def atoms(word: str, unit: Unit = "grapheme") -> list[str]:
    """The atoms of `word`: grapheme clusters (UAX 29), or code points where that is asked for.

    >>> len(atoms("cafe\\u0301"))
    4
    >>> atoms("cafe\\u0301", "codepoint")[-1] == "\\u0301"
    True
    """
    if unit == "codepoint" or word.isascii():
        return list(word)
    if unit != "grapheme":
        raise SettingsError(f"atoms are of unit 'grapheme' or 'codepoint', not {unit!r}")
    return list(_grapheme_pattern().findall(word))


@lru_cache(maxsize=1)
def _grapheme_pattern() -> Any:
    import regex

    return regex.compile(r"\X")
