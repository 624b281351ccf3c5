"""Hyphens: they always split a word, and are linking elements of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from binyan.segmentation.segmentation import Part, Segmentation

_HYPHENS = re.compile("[-\u2010\u2011]+")


def pieces(word: str) -> list[str]:
    """What stands between the hyphens of `word`; nothing if it is all hyphens.

    >>> pieces("Zwei-Euro-Münze"), pieces("--")
    (['Zwei', 'Euro', 'Münze'], [])
    """
    return [piece for piece in _HYPHENS.split(word) if piece]


def join_pieces(word: str, segmentations: Sequence[Segmentation]) -> Segmentation:
    """The segmentation of `word` from those of its pieces.

    >>> print(join_pieces("Zwei-Euro-Münze", [Segmentation.simplex(p) for p in pieces("Zwei-Euro-Münze")]))
    Zwei +- Euro +- Münze
    """
    if not segmentations:
        return Segmentation.simplex(word)
    parts: list[Part] = []
    place = 0
    of_piece = iter(segmentations)
    for hyphen in _HYPHENS.finditer(word):
        if hyphen.start() > place:
            parts += next(of_piece)
        parts.append(Part(hyphen[0], linking=True))
        place = hyphen.end()
    if place < len(word):
        parts += next(of_piece)
    return Segmentation(word, tuple(parts))


def lowered(text: str) -> str:
    """`text` in lowercase, letter by letter, so that its length stays."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


def between_hyphens(segmentation: Segmentation) -> list[Segmentation]:
    """The segmentations of what stands between the hyphens of a segmented word, in lowercase."""
    groups: list[list[Part]] = [[]]
    for part in segmentation:
        if part.linking and not pieces(part.text):
            groups.append([])
        else:
            groups[-1].append(Part(part.text.lower(), linking=part.linking))
    return [
        Segmentation("".join(part.text for part in group), tuple(group))
        for group in groups
        if any(not part.linking for part in group)
    ]
