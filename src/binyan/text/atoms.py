"""Atoms: the smallest parts a word may be split into. A letter keeps its marks."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Literal

from binyan.errors import SettingsError

Unit = Literal["grapheme", "codepoint"]

# Joiners, direction marks, soft hyphens and other characters that are not seen, yet make two words out of one.
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


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


def listed_atoms(text: str) -> list[str]:
    """The atoms of a list such as "aeiou"; combining marks with no letter before them, as tone marks, are one each.

    >>> len(listed_atoms("\\u0300\\u0301")), len(listed_atoms("ae\\u0301"))
    (2, 2)
    """
    marks = [all(unicodedata.category(char).startswith("M") for char in atom) for atom in atoms(text)]
    return [part for atom, bare in zip(atoms(text), marks, strict=True) for part in (atom if bare else [atom])]


def invisible(words: Iterable[str]) -> str | None:
    """A sentence on the characters of `words` that cannot be seen; None where there are none.

    >>> invisible(["ka\\u200dtab", "katab"])
    "1 word holds characters that cannot be seen (zero width joiner), e.g. 'ka\\\\u200dtab'; they are kept"
    """
    counts: Counter[str] = Counter()
    holding = [word for word in words if not word.isascii() and _INVISIBLE.search(word)]
    for word in holding:
        counts.update(set(_INVISIBLE.findall(word)))
    if not holding:
        return None
    names = ", ".join(unicodedata.name(char, f"U+{ord(char):04X}").lower() for char, _ in counts.most_common(3))
    hold = "1 word holds" if len(holding) == 1 else f"{len(holding):,} words hold"
    return f"{hold} characters that cannot be seen ({names}), e.g. {holding[0]!a}; they are kept"


@lru_cache(maxsize=1)
def _grapheme_pattern() -> Any:
    import regex

    return regex.compile(r"\X")
