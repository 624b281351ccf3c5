"""Syllabic writing taken apart into consonants and vowels, and put together again.

Ethiopic: a syllable is its consonant, written as the sixth order (the form that stands for the bare consonant), and a vowel letter: ከ is ክ and
ä. The parts come from the Unicode names (ETHIOPIC SYLLABLE KA). Hangul: a syllable is its jamo, as in the normal form NFD.
Whatever cannot be put together again exactly is left as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

ETHIOPIC_BLOCKS = (range(0x1200, 0x13A0), range(0x2D80, 0x2DE0), range(0xAB00, 0xAB30), range(0x1E7E0, 0x1E800))
HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)
# The vowels of Unicode's names, each as one letter; the sixth order, E, is the bare consonant.
VOWELS = {
    **{"A": "ä", "U": "u", "I": "i", "AA": "a", "EE": "e", "O": "o"},
    **{"WA": "ŵ", "WAA": "ẃ", "WI": "ẁ", "WEE": "ẅ", "WE": "ẇ", "OA": "ŏ", "YA": "ŷ"},
}

_NAME = "ETHIOPIC SYLLABLE "
_SIXTH = "E"
_JAMO = re.compile("[\u1100-\u11ff]+")


def take_apart(word: str) -> str:
    """The word in consonants and vowels; as it is where it could not be put together again.

    >>> take_apart("ከተበ"), put_together("ክäትäብä")
    ('ክäትäብä', 'ከተበ')
    """
    if word.isascii():
        return word
    apart = "".join(_parts(char) for char in word)
    return apart if put_together(apart) == word else word


def put_together(text: str) -> str:
    """Consonants and vowels that follow each other, as syllables; a vowel without its consonant stays a letter."""
    if text.isascii():
        return text
    written: list[str] = []
    joined = _ethiopic()[1]
    for char in text:
        syllable = joined.get((written[-1], char)) if written else None
        if syllable is None:
            written.append(char)
        else:
            written[-1] = syllable
    return _JAMO.sub(lambda jamo: unicodedata.normalize("NFC", jamo[0]), "".join(written))


def is_jamo(char: str) -> bool:
    """Whether a character is a part of a Hangul syllable."""
    return "\u1100" <= char <= "\u11ff"


def _parts(char: str) -> str:
    if ord(char) in HANGUL_SYLLABLES:
        return unicodedata.normalize("NFD", char)
    return _ethiopic()[0].get(char, char)


@lru_cache(maxsize=1)
def _ethiopic() -> tuple[Mapping[str, str], Mapping[tuple[str, str], str]]:
    """Syllable -> its parts, and (consonant, vowel) -> syllable."""
    chars = (chr(place) for block in ETHIOPIC_BLOCKS for place in block)
    by_name = {
        name.removeprefix(_NAME): char for char in chars if (name := unicodedata.name(char, "")).startswith(_NAME)
    }
    apart: dict[str, str] = {}
    for name, char in by_name.items():
        # The longest consonant that has a sixth order: QWA is QW and A, but LWA is L and WA.
        for vowel in sorted(VOWELS, key=len):
            consonant = name.removesuffix(vowel)
            if consonant and consonant != name and consonant + _SIXTH in by_name:
                apart[char] = by_name[consonant + _SIXTH] + VOWELS[vowel]
                break
    return apart, {(parts[0], parts[1]): char for char, parts in apart.items()}
