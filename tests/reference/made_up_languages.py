"""Small made-up word lists, one for each kind of morphology."""

from __future__ import annotations

import itertools
import random


def suffixing(count: int = 250, seed: int = 1) -> list[str]:
    """Stems with up to two suffixes in a row."""
    draw = random.Random(seed)
    syllables = [consonant + vowel for consonant in "ptkmnlrs" for vowel in "aeiou"]
    stems = ["".join(draw.choices(syllables, k=draw.choice((1, 2, 3)))) + draw.choice("ptkmnlrs") for _ in range(40)]
    words = [
        stem + first + second for stem in stems for first in ("", "ler", "im") for second in ("", "de", "dan", "sin")
    ]
    return _some(words, count, draw)


def templatic(count: int = 250, seed: int = 1) -> list[str]:
    """Roots of three consonants in templates, most vowels not written."""
    draw = random.Random(seed)
    roots = ["".join(draw.sample("btjdrszcqfklmnhgx", 3)) for _ in range(40)]
    templates = ("{}{}{}", "{}A{}{}", "{}{}A{}", "m{}{}w{}", "{}{}y{}", "A{}t{}{}")
    words = [template.format(*root) + suffix for root in roots for template in templates for suffix in ("", "wn", "At")]
    return _some(words, count, draw)


def infixing(count: int = 250, seed: int = 1) -> list[str]:
    """Stems with an infix behind their first letter, or a suffix."""
    draw = random.Random(seed)
    stems = ["".join(map(draw.choice, ("bdgklmnpst", "aiou", "bdgklmnpst", "aiou", "bdgklmnpst"))) for _ in range(90)]
    words = [word for s in stems for word in (s, f"{s[0]}um{s[1:]}", f"{s[0]}in{s[1:]}", f"{s}an")]
    return _some(words, count, draw)


def unrelated(count: int = 120, seed: int = 1) -> list[str]:
    """Strings of letters without any parts that recur, of any length."""
    draw = random.Random(seed)
    lengths = [next(n for n in itertools.count(1) if draw.random() < 0.2) for _ in range(count)]
    return list(dict.fromkeys("".join(draw.choices("abcdefghijklmnop", k=n)) for n in lengths))


def _some(words: list[str], count: int, draw: random.Random) -> list[str]:
    distinct = sorted(set(words))
    draw.shuffle(distinct)
    return distinct[:count]
