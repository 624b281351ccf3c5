"""Features of the ways to split a word: every feature is an indicator, and a split scores the sum of their weights.

An edge of the lattice is a part with the linking element after it. Its features are those of its span (length, corpus
frequency, and how often gold compounds have it as modifier or head), those of the boundary it ends in (the linking element
and the letters around it: a discriminative character model), and those of part and linking element together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.segmentation.lattice import Ints
from binyan.segmentation.part_counts import PartCounts

Keys = NDArray[np.uint64]

NOTHING = 0  # the feature of what has none; its weight is zero
NOT_GOLD, LAST = -1, -2  # instead of a linking element: the span is no gold part, or it is the last one
MARGIN, EDGE = 5, 1  # letters of context; the code that stands for what is outside the word
CONTEXTS = 11  # letter contexts of a boundary

_CORPUS, _GOLD, _SIZES, _LENGTHS = 16, 8, 6, 16  # numbers of classes: of counts, and of lengths coarse and fine
_SIZE_OF = np.array([0, 0, 0, 1, 2, 3, 3, 4, 4, 4, 5])
_ROLES = 4
_FIRST, _LATER, _HEAD, _WHOLE = range(_ROLES)

# Where the families of features begin.
_SPAN_CORPUS = 1
_SPAN_GOLD = _SPAN_CORPUS + _ROLES * _CORPUS * _SIZES
_SPAN_OTHER = _SPAN_GOLD + _ROLES * _GOLD * 4
_SPAN_LENGTH = _SPAN_OTHER + _ROLES * _GOLD
_LINK_GOLD = _SPAN_LENGTH + _ROLES * _LENGTHS
_LINK_CORPUS = _LINK_GOLD + 2 * _GOLD * _GOLD
_PER_LINK = 3 + _CORPUS


def dense_size(part_counts: PartCounts) -> int:
    """The number of features before those of letter contexts."""
    return _LINK_CORPUS + len(part_counts.links) * _PER_LINK


def span_features(part_counts: PartCounts, n: int, start: Ints, end: Ints, rows: Ints, gold_link: Ints) -> Ints:
    """Features of the spans `start` to `end` of words of length n, which are `rows` of the counts of parts (words by spans).

    What is gold in the word itself is taken out of the counts, so that a word is not described by its own analysis.
    """
    size = end - start
    role = np.where(end < n, np.where(start == 0, _FIRST, _LATER), np.where(start == 0, _WHOLE, _HEAD))
    is_modifier = role <= _LATER
    corpus = _classes(part_counts.corpus[rows], _CORPUS)
    modifiers = part_counts.modifiers[rows] - (gold_link >= 0)
    heads = part_counts.head[rows] - ((role == _HEAD) & (gold_link == LAST))
    # Gold counts say nothing of whole words: those that training takes for simplex are known from compounds.
    known = role != _WHOLE
    same = _classes(np.where(is_modifier, modifiers, heads) * known, _GOLD)
    other = _classes(np.where(is_modifier, heads, modifiers) * known, _GOLD)
    coarse = np.minimum((corpus + 3) // 4, 3)
    features = [
        _SPAN_CORPUS + (role * _CORPUS + corpus) * _SIZES + _SIZE_OF[np.minimum(size, len(_SIZE_OF) - 1)],
        _SPAN_GOLD + (role * _GOLD + same) * 4 + coarse,
        _SPAN_OTHER + role * _GOLD + other,
        np.broadcast_to(_SPAN_LENGTH + role * _LENGTHS + np.minimum(size, _LENGTHS) - 1, rows.shape),
    ]
    return np.stack(features, axis=-1)


def link_features(part_counts: PartCounts, rows: Ints, link: int, linked: Ints, gold_link: Ints) -> Ints:
    """Features of modifiers (`rows` of the counts of parts) before a linking element, with which they are `linked` rows."""
    uses = part_counts.modifiers[rows] - (gold_link >= 0)
    together = part_counts.modifier[rows, link] - (gold_link == link)
    first = _LINK_CORPUS + link * _PER_LINK
    features = [
        _LINK_GOLD + ((link > 0) * _GOLD + _classes(together, _GOLD)) * _GOLD + _classes(uses, _GOLD),
        first + np.where(uses == 0, 0, np.where(together == 0, 1, 2)),
        first + 3 + _classes(part_counts.corpus[linked], _CORPUS),
    ]
    return np.stack(features, axis=-1)


def boundary_contexts(letters: Ints, word: Ints, place: Ints, m: int, link: int) -> Keys:
    """Contexts of a boundary: up to five letters before with the linking element, up to four after, and both sides."""
    before = [letters[word, MARGIN + place - 1 - d].astype(np.uint64) for d in range(5)]
    after = [letters[word, MARGIN + place + m + d].astype(np.uint64) for d in range(4)]
    keys = [_key(1 + d, link, before[: d + 1]) for d in range(5)]
    keys += [_key(8 + d, 0, after[: d + 1]) for d in range(4)]
    keys += [_key(16, link, [*before[:2], *after[:2]]), _key(17, link, [*before[:3], *after[:3]])]
    return np.stack(keys, axis=-1)


def whole_contexts(letters: Ints, n: int) -> Keys:
    """Contexts of a word that is not split: up to five letters of its beginning and of its end."""
    ends = [letters[:, MARGIN + n - 1 - d].astype(np.uint64) for d in range(5)]
    starts = [letters[:, MARGIN + d].astype(np.uint64) for d in range(5)]
    keys = [_key(24 + d, 0, ends[: d + 1]) for d in range(5)] + [_key(32 + d, 0, starts[: d + 1]) for d in range(5)]
    return np.stack([*keys, np.zeros(len(letters), np.uint64)], axis=-1)


def _key(kind: int, link: int, letters: list[Keys]) -> Keys:
    key = np.full(len(letters[0]), (kind << 56) | (link << 48), np.uint64)
    for d, letter in enumerate(letters):
        key |= letter << np.uint64(8 * d)
    return key


def _classes(counts: NDArray[np.integer[Any]], number: int) -> Ints:
    """Class 0 for none, 1 for 1, 2 for 2 and 3, 3 for 4 to 7 and so on, up to `number` classes."""
    return np.asarray(np.minimum(np.frexp(np.maximum(counts, 0))[1], number - 1), np.int64)
