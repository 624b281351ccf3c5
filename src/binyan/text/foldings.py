"""Named foldings of letters that spelling tells apart and morphology does not: final forms, seats of hamza, vowel letters, points.

`--fold final-letters,hamza` applies them to every word, in this order. What a folding does to a word cannot be undone from the word alone,
but for `final-letters`: a letter has its final form at the end of a word and nowhere else (`unfold`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from binyan.errors import SettingsError

_FINAL = {"ך": "כ", "ם": "מ", "ן": "נ", "ף": "פ", "ץ": "צ"}
_FINAL_OF = {letter: final for final, letter in _FINAL.items()}
_HEBREW = "\u05d0-\u05ea"


@dataclass(frozen=True)
class Folding:
    """What a folding is for, and what it does to a word; `undo` where the word itself tells how."""

    help: str
    apply: Callable[[str], str]
    undo: Callable[[str], str] | None = None


def _letters(table: Mapping[str, str]) -> Callable[[str], str]:
    translation = str.maketrans(dict(table))
    return lambda word: word.translate(translation)


def _with_final_forms(word: str) -> str:
    return word[:-1] + _FINAL_OF.get(word[-1], word[-1]) if len(word) > 1 else word


def _without_vowels(word: str) -> str:
    rest = _VOWEL.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", rest) if rest else word


_VOWEL = re.compile("[aeiouAEIOU][\\u0300-\\u036f]*")
_SEATS = "أإؤئ"
_WORD_INSIDE = re.compile(f"(?<=[{_HEBREW}])[וי](?=[{_HEBREW}])")

FOLDINGS: Mapping[str, Folding] = {
    "final-letters": Folding(
        "Hebrew final letters to their other form (ך to כ); reversible.", _letters(_FINAL), _with_final_forms
    ),
    "hamza": Folding(
        "Arabic hamza on any seat to hamza alone (أ to ء), آ to ءا, ٱ to ا.",
        _letters(dict.fromkeys(_SEATS, "ء") | {"آ": "ءا", "ٱ": "ا"}),
    ),
    "hamza-bare": Folding(
        "Arabic hamza on a seat to the bare seat (أ to ا, ؤ to و, ئ to ي), as unedited spelling often has it.",
        _letters({"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ؤ": "و", "ئ": "ي"}),
    ),
    "hamza-buckwalter": Folding(
        "The same as hamza in Buckwalter's transliteration (> < & } to ', | to 'A, { to A).",
        _letters(dict.fromkeys("><&}", "'") | {"|": "'A", "{": "A", "`": "A"}),
    ),
    "marks-buckwalter": Folding(
        "Remove vowel marks, doubling and signs of recitation in Buckwalter's transliteration (kat~aba to ktb); # to '.",
        _letters(dict.fromkeys('aiuoFNK~_^@:";!-+%[]\\', "") | {"#": "'", ",": "w", ".": "y"}),
    ),
    "vowels": Folding(
        "Remove the letters a e i o u, with any marks, of romanised words (šāmar to šmr); words of vowels alone stay.",
        _without_vowels,
    ),
    "alif-maqsura": Folding("Arabic ى to ي.", _letters({"ى": "ي"})),
    "tatweel": Folding("Remove the Arabic stroke that only lengthens (ـ).", _letters({"ـ": ""})),
    "matres": Folding(
        "Remove Hebrew vowel letters inside words (ו and י between two letters).",
        lambda word: _WORD_INSIDE.sub("", word),
    ),
    "matres-marked": Folding(
        "Mark Hebrew vowel letters inside words with a dot (וֹ, יֹ), so that they are letters of their own; reversible.",
        lambda word: _WORD_INSIDE.sub(lambda match: f"{match[0]}\u05b9", word),
        lambda word: re.sub("([וי])\u05b9", r"\1", word),
    ),
}
"""Every folding by its name."""


def folding_names(text: str | None) -> tuple[str, ...]:
    """The foldings that a setting names, separated by commas. Raises SettingsError for one that does not exist.

    >>> folding_names("hamza,final-letters")
    ('hamza', 'final-letters')
    """
    names = tuple(name.strip() for name in (text or "").split(",") if name.strip())
    for name in names:
        if name not in FOLDINGS:
            near = get_close_matches(name, FOLDINGS, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(FOLDINGS)}"
            raise SettingsError(f"no folding of letters is called {name!r}; {hint}")
    return names


def fold(word: str, names: tuple[str, ...]) -> str:
    """The word with these foldings applied, in order.

    >>> fold("מלך", ("final-letters",))
    'מלכ'
    """
    for name in names:
        word = FOLDINGS[name].apply(word)
    return word


def unfold(word: str, names: tuple[str, ...]) -> str:
    """The word as it is written, where all foldings can be undone. Raises SettingsError for one that cannot.

    >>> unfold("מלכ", ("final-letters",))
    'מלך'
    """
    for name in reversed(names):
        undo = FOLDINGS[name].undo
        if undo is None:
            raise SettingsError(f"the folding {name} cannot be undone: the word does not tell what it was")
        word = undo(word)
    return word
