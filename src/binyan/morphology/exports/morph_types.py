"""What our labels are called in FieldWorks, and the marks it writes around bound morphemes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from binyan.errors import InputError
from binyan.segmentation import Part, Segmentation
from binyan.text.atoms import atoms

TYPES = {
    "pre": "prefix",
    "suf": "suffix",
    "stem": "stem",
    "inf": "infix",
    "circ": "circumfix",
    "root": "root",
    "clitic": "clitic",
    "redup": "prefix",
    "template": "simulfix",
}
"""Of each label the morph type of FieldWorks."""

LABELS = {
    "prefix": "pre",
    "suffix": "suf",
    "infix": "inf",
    "circumfix": "circ",
    "root": "root",
    "stem": "stem",
    "bound root": "root",
    "bound stem": "stem",
    "clitic": "clitic",
    "proclitic": "clitic",
    "enclitic": "clitic",
    "prefixing interfix": "pre",
    "suffixing interfix": "suf",
    "infixing interfix": "inf",
    "simulfix": "template",
    "suprafix": "template",
}
"""Of each morph type of FieldWorks the label, where it has one."""

_MARKS = {
    "prefix": ("", "-"),
    "suffix": ("-", ""),
    "infix": ("-", "-"),
    "proclitic": ("", "="),
    "enclitic": ("=", ""),
    "simulfix": ("=", "="),
    "bound root": ("*", ""),
    "bound stem": ("*", ""),
    "prefixing interfix": ("", "-"),
    "suffixing interfix": ("-", ""),
    "infixing interfix": ("-", "-"),
    "suprafix": ("~", "~"),
}
_MOST_LETTERS, _MOST_TRIES = 60, 20_000


def morph_type(label: str) -> str:
    """The morph type of a label; what is not known is a stem."""
    return TYPES.get(label, "stem")


def marked(text: str, kind: str) -> str:
    """A morpheme with the marks of its type: `un-`, `-ing`, `-um-`."""
    before, after = _MARKS.get(kind, ("", ""))
    return f"{before}{text}{after}"


def unmarked(text: str, kind: str) -> str:
    """A morpheme without the marks of its type."""
    before, after = _MARKS.get(kind, ("", ""))
    if before and text.startswith(before) and len(text) > len(before):
        text = text[len(before) :]
    return text[: -len(after)] if after and text.endswith(after) and len(text) > len(after) else text


def laced(word: str, parts: Sequence[tuple[str, str]]) -> Segmentation | None:
    """The segmentation of a word into parts (text, label), one after the other or one inside another; None where they do not spell it.

    Parts with gaps are placed where one other part, an infix or what a circumfix goes around, fills the gap; of several places the first.

    >>> print(laced("sumulat", [("um", "inf"), ("sulat", "stem")]))
    sulat@0,3,4,5,6/stem um@1,2/inf
    """
    try:
        return Segmentation(word, tuple(Part(text, label) for text, label in parts))
    except InputError:
        pass
    letters = atoms(word)
    texts = [atoms(text) for text, _ in parts]
    if len(letters) > _MOST_LETTERS or sum(map(len, texts)) != len(letters):
        return None
    places = _placed(letters, texts)
    if places is None:
        return None
    rows = sorted((tuple(p), "".join(text), label) for p, text, (_, label) in zip(places, texts, parts, strict=True))
    return Segmentation(word, tuple(Part(text, label, positions=p) for p, text, label in rows))


def _placed(letters: list[str], texts: list[list[str]]) -> list[list[int]] | None:
    """Places of the letters of each text: one text is inside another, and the others follow one another."""
    tries = 0
    for outer, inner in ((a, b) for a in range(len(texts)) for b in range(len(texts)) if a != b):
        others = [i for i in range(len(texts)) if i not in (outer, inner)]
        for cut in range(1, len(texts[outer])):
            tries += 1
            if tries > _MOST_TRIES:
                return None
            joint = texts[outer][:cut] + texts[inner] + texts[outer][cut:]
            for before in _beginnings(others):
                after = [i for i in others if i not in before]
                spelt = [*(c for i in before for c in texts[i]), *joint, *(c for i in after for c in texts[i])]
                if spelt == letters:
                    return _positions(texts, list(before), outer, inner, cut, after)
    return None


def _beginnings(others: list[int]) -> list[tuple[int, ...]]:
    """Which of the other parts may stand before the two; they keep their order."""
    if len(others) > 8:
        return [tuple(others[:i]) for i in range(len(others) + 1)]
    return [chosen for size in range(len(others) + 1) for chosen in combinations(others, size)]


def _positions(
    texts: list[list[str]], before: list[int], outer: int, inner: int, cut: int, after: list[int]
) -> list[list[int]]:
    order = [(i, len(texts[i])) for i in before]
    order += [(outer, cut), (inner, len(texts[inner])), (outer, len(texts[outer]) - cut)]
    order += [(i, len(texts[i])) for i in after]
    places: list[list[int]] = [[] for _ in texts]
    at = 0
    for i, length in order:
        places[i] += range(at, at + length)
        at += length
    return places
