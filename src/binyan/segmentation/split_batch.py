"""Batches of words as lattices with features: what the compound splitter scores, sums and searches."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.segmentation import split_features as f
from binyan.segmentation.lattice import Floats, Ints, Lattices
from binyan.segmentation.part_counts import PartCounts, components_with_links
from binyan.segmentation.segmentation import Segmentation
from binyan.segmentation.split_features import Keys

# What may be a part: known strings, and others only at the beginning or the end of a word.
LONGEST_PART = 30
SHORTEST_UNKNOWN, SHORTEST_KNOWN = 3, 2
_CHUNK = 2_000_000  # spans at a time


@dataclass(frozen=True)
class LatticeBatch:
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

    def merged(self) -> LatticeBatch:
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
    """The map from edges to features, given the counts of parts, an alphabet and the letter contexts that have a weight (sorted)."""

    part_counts: PartCounts
    alphabet: str
    contexts: Keys

    @property
    def size(self) -> int:
        """The number of weights; the first stands for the absence of a feature and is always zero."""
        return self.dense + len(self.contexts)

    @property
    def dense(self) -> int:
        """The number of weights before those of letter contexts."""
        return f.dense_size(self.part_counts)

    @cached_property
    def codes(self) -> Ints:
        """The code of each code point in letter contexts: 0 outside the alphabet."""
        codes = np.zeros(sys.maxunicode + 1, np.int64)
        codes[[ord(letter) for letter in self.alphabet]] = np.arange(f.EDGE + 1, f.EDGE + 1 + len(self.alphabet))
        return codes

    def batch(self, words: Sequence[str], gold: Sequence[Segmentation] | None = None) -> LatticeBatch:
        """The lattices of `words`, lowercase and not empty.

        With `gold`, gold edges are marked and each word's own analysis is taken out of the counts it is described by.
        """
        return _Builder(self, words, gold).batch(self._indices)

    def context_counts(self, words: Sequence[str], gold: Sequence[Segmentation]) -> tuple[Keys, Ints, Ints]:
        """The letter contexts of `words`, how often they occur, and how often at gold edges."""
        builder = _Builder(self, words, gold)
        batch = builder.batch(lambda keys: np.zeros(keys.shape, np.int64))
        keys, where, counts = np.unique(builder.contexts, return_inverse=True, return_counts=True)
        at_gold = np.zeros(len(builder.contexts))
        at_gold[batch.boundary_of[batch.is_gold]] = 1.0
        weights = np.repeat(at_gold, builder.contexts.shape[1])
        return keys, counts, np.bincount(where.ravel(), weights, len(keys)).astype(np.int64)

    def _indices(self, keys: Keys) -> Ints:
        if not len(self.contexts):
            return np.full(keys.shape, f.NOTHING)
        places = np.minimum(np.searchsorted(self.contexts, keys), len(self.contexts) - 1)
        return np.where(self.contexts[places] == keys, places + self.dense, f.NOTHING)


class _Builder:
    """Collects the arrays of a batch, words of one length at a time."""

    def __init__(self, features: SplitFeatures, words: Sequence[str], gold: Sequence[Segmentation] | None) -> None:
        self.words = words
        self.columns: dict[str, list[NDArray[Any]]] = {}
        self.spans = 0
        self._add(contexts=np.zeros((1, f.CONTEXTS), np.uint64))  # the boundary after a head has no letters of its own
        self.boundaries = 1
        by_length: dict[int, list[int]] = {}
        for index, word in enumerate(words):
            by_length.setdefault(len(word), []).append(index)
        for length, indices in sorted(by_length.items()):
            step = max(1, _CHUNK // (length * (length + 1) // 2))
            for first in range(0, len(indices), step):
                chosen = np.array(indices[first : first + step])
                rows = None if gold is None else [gold[i] for i in chosen]
                self._add_words(chosen, _SameLength(features, [words[i] for i in chosen], rows))

    @property
    def contexts(self) -> Keys:
        """The letter contexts of every boundary."""
        return self._column("contexts")

    def batch(self, indices: Callable[[Keys], Ints]) -> LatticeBatch:
        """All words together; `indices` turns letter contexts into features."""
        column = self._column
        lengths = np.array([len(word) for word in self.words], np.int64)
        lattices = Lattices(lengths, column("word"), column("source"), column("target"))
        return LatticeBatch(
            lattices,
            column("end"),
            column("is_gold").astype(bool),
            column("spans", (0, 4)),
            indices(self.contexts),
            column("links", (0, 3)),
            column("span_of"),
            column("boundary_of"),
            np.arange(len(lattices.word)),
        )

    def _add(self, **columns: NDArray[Any]) -> None:
        for name, values in columns.items():
            self.columns.setdefault(name, []).append(values)

    def _column(self, name: str, shape: tuple[int, ...] = (0,)) -> NDArray[Any]:
        return np.concatenate(self.columns[name]) if name in self.columns else np.zeros(shape, np.int64)

    def _add_words(self, indices: Ints, words: _SameLength) -> None:
        features = f.span_features(words.part_counts, words.n, words.start, words.end, words.rows, words.gold_link)
        self._add(spans=features[words.kept])
        span_index = np.cumsum(words.kept).reshape(words.kept.shape) - 1 + self.spans
        self.spans += int(words.kept.sum())
        for link, text in enumerate(words.part_counts.links):
            if len(text) < words.n - 1:
                self._add_modifiers(indices, words, span_index, link, len(text))
        self._add_last_parts(indices, words, span_index)

    def _add_modifiers(self, indices: Ints, words: _SameLength, span_index: Ints, link: int, m: int) -> None:
        """Edges of parts before linking element `link`, which has m letters."""
        is_there = words.has_link(link)
        word, place = np.nonzero(is_there)
        self._add(contexts=f.boundary_contexts(words.letters, word, place, m, link))
        boundary_index = np.cumsum(is_there).reshape(is_there.shape) - 1 + self.boundaries
        self.boundaries += len(word)
        inner = np.flatnonzero(words.end + m < words.n)
        word, span = np.nonzero(words.kept[:, inner] & is_there[:, words.end[inner]])
        span = inner[span]
        start, end = words.start[span], words.end[span]
        gold_link = words.gold_link[word, span]
        with_link = words.place[start, end + m]
        linked = np.where(with_link < 0, 0, words.rows[word, with_link])
        self._add(
            word=indices[word],
            source=start,
            end=end,
            target=end + m,
            is_gold=gold_link == link,
            span_of=span_index[word, span],
            boundary_of=boundary_index[word, end],
            links=f.link_features(words.part_counts, words.rows[word, span], link, linked, gold_link),
        )

    def _add_last_parts(self, indices: Ints, words: _SameLength, span_index: Ints) -> None:
        """Edges of heads and of whole words; only the latter have letter contexts."""
        last = np.flatnonzero(words.end == words.n)
        word, span = np.nonzero(words.kept[:, last])
        span = last[span]
        is_whole = words.start[span] == 0
        boundary = np.zeros(len(span), np.int64)
        boundary[is_whole] = self.boundaries + word[is_whole]
        self._add(contexts=f.whole_contexts(words.letters, words.n))
        self.boundaries += len(indices)
        self._add(
            word=indices[word],
            source=words.start[span],
            end=words.end[span],
            target=words.end[span],
            is_gold=words.gold_link[word, span] == f.LAST,
            span_of=span_index[word, span],
            boundary_of=boundary,
            links=np.full((len(span), 3), f.NOTHING),
        )


class _SameLength:
    """Words of length n: their spans `start` to `end`, the rows of these in the counts of parts, and which may be parts."""

    def __init__(self, features: SplitFeatures, words: list[str], gold: list[Segmentation] | None) -> None:
        self.words, self.n = words, len(words[0])
        self.part_counts = features.part_counts
        n = self.n
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n + 1) if j - i <= LONGEST_PART or (i, j) == (0, n)]
        self.start, self.end = np.array(pairs, np.int64).T
        self.place = np.full((n + 1, n + 1), -1, np.int64)
        self.place[self.start, self.end] = np.arange(len(pairs))
        find = self.part_counts.rows.get
        rows = (find(word[i:j], 0) for word in words for i, j in pairs)
        self.rows = np.fromiter(rows, np.int64, len(words) * len(pairs)).reshape(len(words), len(pairs))
        self.points = np.array(words, f"U{n}").view(np.uint32).reshape(len(words), n)
        self.letters = np.full((len(words), n + 2 * f.MARGIN), f.EDGE, np.int64)
        self.letters[:, f.MARGIN : f.MARGIN + n] = features.codes[self.points]
        self.kept = self._may_be_parts()
        self.gold_link = self._gold_links(gold)

    def has_link(self, link: int) -> NDArray[np.bool_]:
        """Words by places: whether a linking element stands there, with letters before and after it."""
        text = self.part_counts.links[link]
        last = self.n - len(text)
        stands = np.zeros((len(self.words), self.n), bool)
        stands[:, 1:last] = True
        for offset, letter in enumerate(text):
            stands[:, :last] &= self.points[:, offset : last + offset] == ord(letter)
        return stands

    def _may_be_parts(self) -> NDArray[np.bool_]:
        size, whole = self.end - self.start, self.end - self.start == self.n
        outer = (self.start == 0) | (self.end == self.n)
        kept = ((size >= SHORTEST_UNKNOWN) & outer) | ((size >= SHORTEST_KNOWN) & (self.rows > 0))
        marks = np.zeros((len(self.words), self.n + 1), bool)
        marks[:, :-1] = np.isin(
            self.points, [p for p in np.unique(self.points) if unicodedata.category(chr(p))[0] == "M"]
        )
        within: NDArray[np.bool_] = kept & ~marks[:, self.start] & ~marks[:, self.end]
        return np.asarray(within | whole)

    def _gold_links(self, gold: list[Segmentation] | None) -> Ints:
        """Of each span: the linking element after it where it is a gold modifier, LAST or NOT_GOLD."""
        links = np.full(self.rows.shape, f.NOT_GOLD, np.int64)
        number = {text: link for link, text in enumerate(self.part_counts.links)}
        for row, segmentation in enumerate(gold or []):
            i = 0
            for text, link in components_with_links(segmentation):
                span = self.place[i, i + len(text)]
                if span >= 0:
                    links[row, span] = f.LAST if link is None else number.get(link, f.NOT_GOLD)
                i += len(text) + len(link or "")
        return links


def _distinct(rows: Ints) -> tuple[Ints, Ints]:
    """The different rows, and which of them each row is."""
    key = np.zeros(len(rows), np.int64)
    for column in rows.T:
        key = key * (int(rows.max(initial=0)) + 1) + column
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return rows[first], which
