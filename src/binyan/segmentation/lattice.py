"""Lattices of the ways to cut many words, as arrays: sums over all paths, marginals and best paths, all words at once.

The nodes of a word of n characters are its positions 0 to n; an edge runs from where a part begins to where the next one
begins. Scores are logarithms. Words are independent, so one pass over the positions serves a whole batch.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_NOTHING = -1e30  # the logarithm of nothing, finite so that differences stay defined


@dataclass(frozen=True)
class _Step:
    """The edges at one position of all words, grouped by node: their far ends, and where groups begin and how long they are."""

    edges: Ints
    far: Ints
    starts: Ints
    sizes: Ints
    nodes: Ints

    def log_sums(self, values: Floats) -> Floats:
        """For each node, the logarithm of the sum of the exponentials of its edges' values."""
        highest = np.maximum.reduceat(values, self.starts)
        sums: Floats = np.add.reduceat(np.exp(values - np.repeat(highest, self.sizes)), self.starts)
        return highest + np.log(sums)


@dataclass(frozen=True)
class Lattices:
    """Edges of a batch of words: edge e belongs to `word[e]` and runs from `source[e]` to `target[e]`, two positions."""

    lengths: Ints
    word: Ints
    source: Ints
    target: Ints

    @cached_property
    def _offsets(self) -> Ints:
        return np.concatenate([[0], np.cumsum(self.lengths + 1)])

    @cached_property
    def _before(self) -> Ints:
        return self._offsets[self.word] + self.source

    @cached_property
    def _after(self) -> Ints:
        return self._offsets[self.word] + self.target

    @cached_property
    def _arrivals(self) -> list[_Step]:
        return self._steps(self.target, self._before)

    @cached_property
    def _departures(self) -> list[_Step]:
        return self._steps(self.source, self._after)[::-1]

    def _steps(self, position: Ints, far: Ints) -> list[_Step]:
        order = np.lexsort((self.word, position))
        cuts = np.flatnonzero(np.diff(position[order])) + 1
        steps = []
        for edges in np.split(order, cuts) if len(order) else []:
            words = self.word[edges]
            starts = np.concatenate([[0], np.flatnonzero(np.diff(words)) + 1])
            sizes = np.diff(np.append(starts, len(edges)))
            nodes = self._offsets[words[starts]] + position[edges[0]]
            steps.append(_Step(edges, far[edges], starts, sizes, nodes))
        return steps

    def _forward(self, scores: Floats) -> Floats:
        alpha = np.full(self._offsets[-1], _NOTHING)
        alpha[self._offsets[:-1]] = 0.0
        for step in self._arrivals:
            alpha[step.nodes] = step.log_sums(alpha[step.far] + scores[step.edges])
        return alpha

    def log_partition(self, scores: Floats) -> Floats:
        """For each word, the logarithm of the sum over its paths of the exponential of the sum of their scores."""
        return self._forward(scores)[self._offsets[1:] - 1]

    def marginals(self, scores: Floats) -> tuple[Floats, Floats]:
        """The log partition of each word, and the probability of each edge (forward-backward)."""
        alpha = self._forward(scores)
        last = self._offsets[1:] - 1
        beta = np.full(self._offsets[-1], _NOTHING)
        beta[last] = 0.0
        for step in self._departures:
            beta[step.nodes] = step.log_sums(beta[step.far] + scores[step.edges])
        total = alpha[last]
        return total, np.exp(np.minimum(alpha[self._before] + scores + beta[self._after] - total[self.word], 0.0))

    def best(self, scores: Floats) -> list[list[int]]:
        """The edges of the best path of each word (Viterbi); of equal ones, that whose last parts begin first."""
        value = np.full(self._offsets[-1], _NOTHING)
        value[self._offsets[:-1]] = 0.0
        choice = np.full(self._offsets[-1], -1, dtype=np.int64)
        for step in self._arrivals:
            arriving = value[step.far] + scores[step.edges]
            highest = np.maximum.reduceat(arriving, step.starts)
            winners = np.flatnonzero(arriving == np.repeat(highest, step.sizes))
            firsts = winners[np.searchsorted(winners, step.starts)]
            value[step.nodes], choice[step.nodes] = highest, step.edges[firsts]
        return [self._trace(word, choice) for word in range(len(self.lengths))]

    def _trace(self, word: int, choice: Ints) -> list[int]:
        offset, place, path = int(self._offsets[word]), int(self.lengths[word]), list[int]()
        while place > 0:
            path.append(int(choice[offset + place]))
            place = int(self.source[path[-1]])
        return path[::-1]

    def best_of(self, word: int, scores: Floats, n: int) -> list[tuple[float, list[int]]]:
        """The `n` best paths of one word with their scores, best first."""
        paths: dict[int, list[tuple[float, list[int]]]] = {0: [(0.0, [])]}
        mine = np.flatnonzero(self.word == word)
        for target in sorted(set(self.target[mine].tolist())):
            arriving = (
                (score + float(scores[edge]), [*path, int(edge)])
                for edge in mine[self.target[mine] == target]
                for score, path in paths.get(int(self.source[edge]), [])
            )
            paths[target] = heapq.nlargest(n, arriving, key=lambda path: path[0])
        return paths.get(int(self.lengths[word]), [])
