"""Lower case by the rules of a language. Unicode's own rules (final sigma, capital sharp s) are Python's; three languages differ."""

from __future__ import annotations

import re
from collections.abc import Callable

_ABOVE = "\u0300-\u0314\u033d-\u0344\u0346\u034a-\u034c\u0350-\u0352\u0357\u035b\u0363-\u036f"
_DOT = "\u0307"
_BEFORE_ABOVE = re.compile(f"([IJ\u012e])(?=[\u0316-\u0319\u031c-\u0320\u0323-\u0326\u0329-\u0333]*[{_ABOVE}])")
_LITHUANIAN = str.maketrans({"\u00cc": "i\u0307\u0300", "\u00cd": "i\u0307\u0301", "\u0128": "i\u0307\u0303"})


def _turkic(word: str) -> str:
    """Dotted and dotless i are two letters: \u0130 is i, I is \u0131."""
    word = word.replace(f"I{_DOT}", "i").replace("\u0130", "i").replace("I", "\u0131")
    return word.lower()


def _lithuanian(word: str) -> str:
    """The dot of i and j stays under an accent."""
    return _BEFORE_ABOVE.sub(lambda match: match[1] + _DOT, word.translate(_LITHUANIAN)).lower()


_RULES: dict[str, Callable[[str], str]] = {"tr": _turkic, "az": _turkic, "lt": _lithuanian}
SPECIAL_LANGUAGES = frozenset(_RULES)


def lower_case(language: str | None) -> Callable[[str], str]:
    """How words of a language (its two-letter code, perhaps with a region, as in tr-TR) are made lower case.

    >>> lower_case("tr")("I\u015eIK"), lower_case("tr")("\u0130stanbul"), lower_case(None)("\u039f\u0394\u039f\u03a3")
    ('\u0131\u015f\u0131k', 'istanbul', '\u03bf\u03b4\u03bf\u03c2')
    """
    return _RULES.get(re.split("[-_]", (language or "").lower())[0], str.lower)
