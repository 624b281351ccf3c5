"""The scripts that words are written in, and a sentence where a list mixes them."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

_COMMON = {
    "MODIFIER",
    "COMBINING",
    "FULLWIDTH",
    "HALFWIDTH",
    "SUPERSCRIPT",
    "SUBSCRIPT",
    "FEMININE",
    "MASCULINE",
    "MICRO",
}
_TOGETHER = dict.fromkeys(("HIRAGANA", "KATAKANA", "CJK", "IDEOGRAPHIC"), "han and kana")
_SHOWN = 3


@lru_cache(maxsize=65536)
def script(char: str) -> str | None:
    """The script of a letter, by its Unicode name; None for what belongs to none.

    >>> script("a"), script("я"), script("-")
    ('latin', 'cyrillic', None)
    """
    if not char.isalpha():
        return None
    first = unicodedata.name(char, "").split(" ")[0].split("-")[0]
    return None if not first or first in _COMMON else _TOGETHER.get(first, first.lower())


def mixed_scripts(words: Iterable[str]) -> str | None:
    """A sentence on the scripts of a list of words; None where all letters are of one script.

    >>> mixed_scripts(["walk", "talk", "шаг"])
    'the words are written in several scripts: 2 latin, 1 cyrillic (e.g. шаг); learn from lists of one script each'
    """
    listed = list(words)
    if len({script(c) for c in set().union(*map(set, listed))} - {None}) < 2:
        return None
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for word in listed:
        scripts = sorted({s for s in map(script, word) if s})
        kind = scripts[0] if len(scripts) == 1 else " and ".join(scripts) + " in one word" if scripts else ""
        if kind:
            counts[kind] += 1
            examples.setdefault(kind, word)
    (most, n), *others = counts.most_common()
    if not others:
        return f"all words mix scripts: {most}, e.g. {examples[most]}"
    rare = [f"{m:,} {kind} (e.g. {examples[kind]})" for kind, m in others[:_SHOWN]]
    more = ", ..." if len(others) > _SHOWN else ""
    return f"the words are written in several scripts: {n:,} {most}, {', '.join(rare)}{more}; learn from lists of one script each"
