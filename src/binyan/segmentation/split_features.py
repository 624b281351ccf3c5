"""Features of the ways to split a word: every feature is an indicator, and a split scores the sum of their weights.

An edge of the lattice is a part with the linking element after it. Its features are those of its span (length, corpus
frequency, and how often gold compounds have it as modifier or head), those of the boundary it ends in (the linking element
and the letters around it: a discriminative character model), and those of part and linking element together.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from binyan.segmentation.lattice import Floats, Ints, Lattices
from binyan.segmentation.lexicon import Lexicon, components_with_links
from binyan.segmentation.segmentation import Segmentation

Keys = NDArray[np.uint64]

# What may be a part: strings of the lexicon, and others only at the beginning or the end of a word.
LONGEST_PART = 30
SHORTEST_UNKNOWN, SHORTEST_KNOWN = 3, 2
_CORPUS, _GOLD, _SIZES, _LENGTHS = 16, 8, 6, 16  # numbers of classes: of counts, and of lengths coarse and fine
_SIZE_OF = np.array([0, 0, 0, 1, 2, 3, 3, 4, 4, 4, *[5] * LONGEST_PART])
_ROLES = 4  # first modifier, later modifier, head, whole word
_MARGIN, _EDGE = 5, 1  # letters of context; the code that stands for what is outside the word
_CHUNK = 2_000_000  # spans at a time

# Where the families of dense features begin.
_NOTHING = 0  # the feature of what has none; its weight is zero
_SPAN_CORPUS = 1
_SPAN_GOLD = _SPAN_CORPUS + _ROLES * _CORPUS * _SIZES
_SPAN_OTHER = _SPAN_GOLD + _ROLES * _GOLD * 4
_SPAN_LENGTH = _SPAN_OTHER + _ROLES * _GOLD
_LINK_GOLD = _SPAN_LENGTH + _ROLES * _LENGTHS
_LINK_CORPUS = _LINK_GOLD + 2 * _GOLD * _GOLD
_PER_LINK = 3 + _CORPUS


@dataclass(frozen=True)
class Batch:
    """The lattices of some words, with the features of their edges; features are indices of weights."""

    lattices: Lattices
    end: Ints  # where the part of an edge ends; its linking element runs from there to the target
    is_gold: NDArray[np.bool_]
    spans: Ints  # rows of features
    boundaries: Ints
    links: Ints
    span_of: Ints  # the row of each edge
    boundary_of: Ints
    link_of: Ints

    def scores(self, weights: Floats) -> Floats:
        """The score of each edge."""
        total: Floats = sum(weights[rows].sum(axis=1)[of] for rows, of in self._families)
        return total

    @property
    def _families(self) -> list[tuple[Ints, Ints]]:
        return [(self.spans, self.span_of), (self.boundaries, self.boundary_of), (self.links, self.link_of)]

    def merged(self) -> Batch:
        """The same batch with equal rows of features stored once; worth it where scores are computed many times."""
        spans, span = _distinct(self.spans)
        links, link = _distinct(self.links)
        return replace(self, spans=spans, span_of=span[self.span_of], links=links, link_of=link[self.link_of])

    def totals(self, amounts: Floats, size: int) -> Floats:
        """For each of `size` features, the sum of `amounts` over the edges that have it."""
        total = np.zeros(size)
        for rows, of in self._families:
            of_row = np.bincount(of, amounts, len(rows))
            for column in rows.T:
                total += np.bincount(column, of_row, size)
        return total


@dataclass(frozen=True)
class SplitFeatures:
    """The map from edges to features, given a lexicon, an alphabet and the letter contexts that have a weight (sorted)."""

    lexicon: Lexicon
    alphabet: str
    contexts: Keys

    @property
    def size(self) -> int:
        """The number of weights; the first stands for the absence of a feature and is always zero."""
        return self.dense + len(self.contexts)

    @property
    def dense(self) -> int:
        """The number of weights before those of letter contexts."""
        return _LINK_CORPUS + len(self.lexicon.links) * _PER_LINK

    def batch(self, words: Sequence[str], gold: Sequence[Segmentation] | None = None) -> Batch:
        """The lattices of `words`, lowercase and not empty.

        With `gold`, gold edges are marked and each word's own analysis is taken out of the counts it is described by.
        """
        return _Builder(self, words, gold).batch(self._indices)

    def context_counts(self, words: Sequence[str], gold: Sequence[Segmentation]) -> tuple[Keys, Ints, Ints]:
        """The letter contexts of `words`, how often they occur, and how often at gold edges."""
        builder = _Builder(self, words, gold)
        batch = builder.batch(lambda keys: np.zeros(keys.shape, np.int64))
        keys, where, counts = np.unique(builder.keys, return_inverse=True, return_counts=True)
        at_gold = np.zeros(len(builder.keys))
        at_gold[batch.boundary_of[batch.is_gold]] = 1.0
        weights = np.repeat(at_gold, builder.keys.shape[1])
        return keys, counts, np.bincount(where.ravel(), weights, len(keys)).astype(np.int64)

    def _indices(self, keys: Keys) -> Ints:
        if not len(self.contexts):
            return np.full(keys.shape, _NOTHING)
        found = np.minimum(np.searchsorted(self.contexts, keys), len(self.contexts) - 1)
        return np.where(self.contexts[found] == keys, found + self.dense, _NOTHING)


class _Builder:
    """Collects the arrays of a batch, words of one length at a time."""

    def __init__(self, features: SplitFeatures, words: Sequence[str], gold: Sequence[Segmentation] | None) -> None:
        self.lexicon = features.lexicon
        self.words, self.gold = words, gold
        self.code = {letter: 2 + i for i, letter in enumerate(features.alphabet[:253])}
        self.columns: dict[str, list[NDArray[np.generic]]] = {}
        self.spans = 0
        self._add(keys=np.zeros((1, 11), np.uint64))  # the boundary after a head has no letters of its own
        self.boundaries = 1
        by_length: dict[int, list[int]] = {}
        for index, word in enumerate(words):
            by_length.setdefault(len(word), []).append(index)
        for length, indices in sorted(by_length.items()):
            step = max(1, _CHUNK // (length * (length + 1) // 2))
            for first in range(0, len(indices), step):
                self._add_words(length, indices[first : first + step])

    def _add(self, **columns: NDArray[np.generic]) -> None:
        for name, values in columns.items():
            self.columns.setdefault(name, []).append(values)

    def _column(self, name: str, shape: tuple[int, ...] = (0,)) -> NDArray[np.generic]:
        return np.concatenate(self.columns[name]) if name in self.columns else np.zeros(shape, np.int64)

    @property
    def keys(self) -> Keys:
        """The letter contexts of every boundary."""
        return self._column("keys")  # type: ignore[return-value]

    def batch(self, indices) -> Batch:
        """All words together; `indices` turns letter contexts into features."""
        lengths = np.array([len(word) for word in self.words], np.int64)
        column = self._column
        lattices = Lattices(lengths, column("word"), column("source"), column("target"))  # type: ignore[arg-type]
        return Batch(
            lattices,
            column("end"),  # type: ignore[arg-type]
            column("is_gold").astype(bool),
            column("span_features", (0, 4)),  # type: ignore[arg-type]
            indices(self.keys),
            column("link_features", (0, 3)),  # type: ignore[arg-type]
            column("span_of"),  # type: ignore[arg-type]
            column("boundary_of"),  # type: ignore[arg-type]
            np.arange(len(lattices.word)),
        )

    def _add_words(self, n: int, indices: list[int]) -> None:
        words = [self.words[index] for index in indices]
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n + 1) if j - i <= LONGEST_PART or (i, j) == (0, n)]
        start, end = np.array(pairs, np.int64).T
        place = np.full((n + 1, n + 1), -1, np.int64)
        place[start, end] = np.arange(len(pairs))
        find = self.lexicon.rows.get
        rows = np.fromiter((find(w[i:j], 0) for w in words for i, j in pairs), np.int64, len(words) * len(pairs))
        rows = rows.reshape(len(words), len(pairs))
        size = end - start
        whole = size == n
        marks = np.array([[unicodedata.category(c)[0] == "M" for c in w] + [False] for w in words])
        outer = (start == 0) | (end == n)
        kept = ((size >= SHORTEST_UNKNOWN) & outer) | ((size >= SHORTEST_KNOWN) & (rows > 0))
        kept = (kept & ~marks[:, start] & ~marks[:, end]) | whole
        gold_link = self._gold_links(indices, place)
        letters = self._letters(words, n)

        self._add(span_features=self._span_features(n, start, end, rows, gold_link)[kept])
        span_index = np.cumsum(kept).reshape(kept.shape) - 1 + self.spans
        self.spans += int(kept.sum())

        for link, text in enumerate(self.lexicon.links):
            m = len(text)
            inner = np.flatnonzero(end + m < n)
            places = np.arange(1, n - m)
            if not len(inner) or not len(places):
                continue
            codes = np.array([self.code.get(c, 0) for c in text])
            valid = np.ones((len(words), len(places)), bool)
            for offset, code in enumerate(codes):
                valid &= letters[:, _MARGIN + places + offset] == code
            if m and (codes == 0).any():
                valid &= np.array([[w[j : j + m] == text for j in places.tolist()] for w in words])
            boundary_index = np.cumsum(valid).reshape(valid.shape) - 1 + self.boundaries
            at = np.nonzero(valid)
            self._add(keys=_boundary_keys(letters, at[0], places[at[1]], m, link))
            self.boundaries += len(at[0])
            word, span = np.nonzero(kept[:, inner] & valid[:, end[inner] - 1])
            span = inner[span]
            linked = rows[word, place[start[span], end[span] + m]]
            self._add_edges(indices, word, start[span], end[span], m, gold_link[word, span] == link)
            own = (gold_link[word, span] >= 0, gold_link[word, span] == link)
            self._add(
                span_of=span_index[word, span],
                boundary_of=boundary_index[word, end[span] - 1],
                link_features=self._link_features(rows[word, span], link, linked, own),
            )
        last = np.flatnonzero(end == n)
        word, span = np.nonzero(kept[:, last])
        span = last[span]
        self._add_edges(indices, word, start[span], end[span], 0, gold_link[word, span] == -2)
        is_whole = whole[span]
        boundary = np.zeros(len(span), np.int64)
        boundary[is_whole] = self.boundaries + np.arange(len(words))
        self._add(keys=_whole_keys(letters, n))
        self.boundaries += len(words)
        nothing = np.full((len(span), 3), _NOTHING)
        self._add(span_of=span_index[word, span], boundary_of=boundary, link_features=nothing)

    def _add_edges(
        self, indices: list[int], word: Ints, start: Ints, end: Ints, m: int, is_gold: NDArray[np.bool_]
    ) -> None:
        self._add(word=np.array(indices)[word], source=start, end=end, target=end + m, is_gold=is_gold)

    def _letters(self, words: list[str], n: int) -> Ints:
        padded = np.full((len(words), n + 2 * _MARGIN), _EDGE, np.int64)
        padded[:, _MARGIN : _MARGIN + n] = [[self.code.get(c, 0) for c in w] for w in words]
        return padded

    def _gold_links(self, indices: list[int], place: Ints) -> Ints:
        """For each span: the linking element after it where it is a gold modifier, -2 where it is the last part, else -1."""
        links = np.full((len(indices), int(place.max()) + 1), -1, np.int64)
        if self.gold is not None:
            number = {text: k for k, text in enumerate(self.lexicon.links)}
            for row, index in enumerate(indices):
                i = 0
                for text, link in components_with_links(self.gold[index]):
                    span = place[i, i + len(text)]
                    if span >= 0:
                        links[row, span] = -2 if link is None else number.get(link, -1)
                    i += len(text) + len(link or "")
        return links

    def _span_features(self, n: int, start: Ints, end: Ints, rows: Ints, gold_link: Ints) -> Ints:
        size = end - start
        role = np.where(end < n, np.where(start == 0, 0, 1), np.where(start == 0, 3, 2))
        is_modifier, is_head = role < 2, role == 2
        corpus = _classes(self.lexicon.corpus[rows], _CORPUS)
        modifiers = self.lexicon.modifiers[rows] - (gold_link >= 0)
        heads = self.lexicon.head[rows] - (is_head & (gold_link == -2))
        same = _classes(np.where(is_modifier, modifiers, heads), _GOLD)
        other = _classes(np.where(is_modifier, heads, modifiers), _GOLD)
        same, other = np.where(role == 3, 0, same), np.where(role == 3, 0, other)
        coarse = np.minimum((corpus + 3) // 4, 3)
        length = np.minimum(size, _LENGTHS) - 1
        return np.stack(
            [
                _SPAN_CORPUS + (role * _CORPUS + corpus) * _SIZES + _SIZE_OF[np.minimum(size, len(_SIZE_OF) - 1)],
                _SPAN_GOLD + (role * _GOLD + same) * 4 + coarse,
                _SPAN_OTHER + role * _GOLD + other,
                np.broadcast_to(_SPAN_LENGTH + role * _LENGTHS + length, rows.shape),
            ],
            axis=-1,
        )

    def _link_features(
        self, rows: Ints, link: int, linked: Ints, own: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    ) -> Ints:
        uses = self.lexicon.modifiers[rows] - own[0]
        together = self.lexicon.modifier[rows, link] - own[1]
        first = _LINK_CORPUS + link * _PER_LINK
        seen = np.where(uses == 0, 0, np.where(together == 0, 1, 2))
        return np.stack(
            [
                _LINK_GOLD + ((link > 0) * _GOLD + _classes(together, _GOLD)) * _GOLD + _classes(uses, _GOLD),
                first + seen,
                first + 3 + _classes(self.lexicon.corpus[linked], _CORPUS),
            ],
            axis=-1,
        )


def _classes(counts: NDArray[np.integer], number: int) -> Ints:
    """Class 0 for none, 1 for 1, 2 for 2 and 3, 3 for 4 to 7 and so on, up to `number` classes."""
    return np.minimum(np.frexp(np.maximum(counts, 0))[1], number - 1).astype(np.int64)


def _distinct(rows: Ints) -> tuple[Ints, Ints]:
    """The different rows, and which of them each row is."""
    key = np.zeros(len(rows), np.int64)
    for column in rows.T:
        key = key * (int(rows.max(initial=0)) + 1) + column
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return rows[first], which


def _boundary_keys(letters: Ints, word: Ints, place: Ints, m: int, link: int) -> Keys:
    """Contexts of a boundary: up to five letters before with the linking element, up to four after, and both sides."""
    before = [letters[word, _MARGIN + place - 1 - d].astype(np.uint64) for d in range(5)]
    after = [letters[word, _MARGIN + place + m + d].astype(np.uint64) for d in range(4)]
    keys = [_key(1 + d, link, before[: d + 1]) for d in range(5)]
    keys += [_key(8 + d, 0, after[: d + 1]) for d in range(4)]
    keys += [_key(16, link, [*before[:2], *after[:2]]), _key(17, link, [*before[:3], *after[:3]])]
    return np.stack(keys, axis=-1)


def _whole_keys(letters: Ints, n: int) -> Keys:
    """Contexts of a word that is not split: up to five letters of its beginning and of its end."""
    ends = [letters[:, _MARGIN + n - 1 - d].astype(np.uint64) for d in range(5)]
    starts = [letters[:, _MARGIN + d].astype(np.uint64) for d in range(5)]
    keys = [_key(24 + d, 0, ends[: d + 1]) for d in range(5)] + [_key(32 + d, 0, starts[: d + 1]) for d in range(5)]
    return np.stack([*keys, np.zeros(len(letters), np.uint64)], axis=-1)


def _key(kind: int, link: int, letters: list[Keys]) -> Keys:
    key = np.full(len(letters[0]), (kind << 56) | (link << 48), np.uint64)
    for d, letter in enumerate(letters):
        key |= letter << np.uint64(8 * d)
    return key
