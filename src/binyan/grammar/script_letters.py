"""Classes of letters by script, for grammars whose rules name classes that nobody gave: weak radicals, vowels, letters they turn into."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping

_ARABIC_MARKS = "".join(chr(code) for code in range(0x064B, 0x0653)) + "\u0670"
_HEBREW_POINTS = "".join(chr(code) for code in range(0x05B0, 0x05BD)) + "\u05c1\u05c2\u05c7"

_TANZIL_MARKS = '^@#:";,.!-+%[]\\'  # of the extended transliteration of the Quran

SCRIPT_LETTERS: Mapping[str, Mapping[str, str]] = {
    "arabic": {"vowel": f"اىٱة{_ARABIC_MARKS}", "weak": "وي", "changed": "اىيء"},
    "buckwalter": {"vowel": "AY{`paiuoFNK~" + _TANZIL_MARKS, "weak": "wy", "changed": "AYy'"},
    "hebrew": {"vowel": _HEBREW_POINTS, "weak": "ויהנ", "changed": "ויה"},
    "syriac": {"vowel": "", "weak": "ܘܝ", "changed": "ܐܝ"},
    "ethiopic": {"vowel": "", "weak": "ወየ", "changed": "የ"},
}
"""The classes of each script: `vowel` (letters and marks that are no radicals), `weak` (radicals that a word may hide), `changed` (what it may show in their place)."""

_BUCKWALTER = frozenset("$*><&}{'|`~")
_LEAST_BUCKWALTER = 3  # of these signs, which no other spelling has together


def script_of(alphabet: Collection[str]) -> str | None:
    """The script that most letters of an alphabet are from, if its classes are known.

    >>> script_of(["ك", "ت", "ب"]), script_of(list("abc")), script_of(list("ktb$*>"))
    ('arabic', None, 'buckwalter')
    """
    first = [atom[0] for atom in alphabet if atom]
    if all(char.isascii() for char in first):
        return "buckwalter" if len(_BUCKWALTER & set(first)) >= _LEAST_BUCKWALTER else None
    names = Counter(unicodedata.name(char, "").split(" ")[0].lower() for char in first)
    script = names.most_common(1)[0][0] if names else None
    return script if script in SCRIPT_LETTERS else None


def guessed_letters(alphabet: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The classes of the script of an alphabet, those of its letters only; none for a script whose classes are not known."""
    script = script_of(alphabet)
    if script is None:
        return {}
    return {name: tuple(c for c in letters if c in alphabet) for name, letters in SCRIPT_LETTERS[script].items()}
