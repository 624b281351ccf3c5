"""How far segmentations agree with analysed words, by the borders inside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from binyan.morphology.knowledge.known_words import KnownWord


def borders(parts: Sequence[str]) -> frozenset[int]:
    """Where the parts of a word meet, in characters from its start.

    >>> sorted(borders(["un", "walk", "ed"]))
    [2, 6]
    """
    ends = np.cumsum([len(text) for text in parts])
    return frozenset(int(end) for end in ends[:-1])


def wholly_analysed(words: Iterable[KnownWord]) -> dict[str, frozenset[int]]:
    """The borders of those known words of which every border is known.

    >>> wholly_analysed([KnownWord("abc", {1: False, 2: True}), KnownWord("ab")])
    {'abc': frozenset({2})}
    """
    whole = [k for k in words if k.borders and all(place in k.borders for place in range(1, len(k.word)))]
    return {k.word: frozenset(place for place, there in k.borders.items() if there) for k in whole}


def border_f1(guessed: Sequence[frozenset[int]], true: Sequence[frozenset[int]]) -> float:
    """F1 of borders in per cent, over all words together; 100 where neither has any.

    >>> border_f1([frozenset({2, 6})], [frozenset({2})])
    66.66666666666667
    """
    hits = sum(len(g & t) for g, t in zip(guessed, true, strict=True))
    total = sum(map(len, guessed)) + sum(map(len, true))
    return 200 * hits / total if total else 100.0
