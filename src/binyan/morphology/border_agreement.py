"""How far segmentations agree with analysed words, by the borders inside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from binyan.errors import InputError
from binyan.segmentation import Segmentation

AnalysedWord = str | Sequence[str] | Segmentation
"""The parts of a word: "un walk ed", ["un", "walk", "ed"], or a Segmentation."""


def borders(parts: AnalysedWord) -> frozenset[int]:
    """Where the contiguous pieces of a word meet, in characters from its start.

    >>> sorted(borders("un walk ed"))
    [2, 6]
    """
    texts = _texts(parts)
    ends = np.cumsum([len(text) for text in texts])
    return frozenset(int(end) for end in ends[:-1])


def read_analysed(known: Mapping[str, AnalysedWord]) -> dict[str, frozenset[int]]:
    """The borders of each analysed word. Raises InputError where parts do not spell their word."""
    for word, parts in known.items():
        if "".join(_texts(parts)) != word:
            raise InputError(f"the parts {parts!r} do not spell the word {word!r}; give every letter of it, in order")
    return {word: borders(parts) for word, parts in known.items()}


def border_f1(guessed: Sequence[frozenset[int]], true: Sequence[frozenset[int]]) -> float:
    """F1 of borders in per cent, over all words together; 100 where neither has any.

    >>> border_f1([frozenset({2, 6})], [frozenset({2})])
    66.66666666666667
    """
    hits = sum(len(g & t) for g, t in zip(guessed, true, strict=True))
    total = sum(map(len, guessed)) + sum(map(len, true))
    return 200 * hits / total if total else 100.0


def _texts(parts: AnalysedWord) -> list[str]:
    if isinstance(parts, Segmentation):
        return [part.text for part in parts.contiguous()]
    return parts.split() if isinstance(parts, str) else list(parts)
