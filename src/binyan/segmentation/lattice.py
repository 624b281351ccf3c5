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
    def _arrivals(self) -> list[tuple[Ints, Ints, Ints]]:
        return self._steps(self.target)

    @cached_property
    def _departures(self) -> list[tuple[Ints, Ints, Ints]]:
        return self._steps(self.source)[::-1]

    def _steps(self, position: Ints) -> list[tuple[Ints, Ints, Ints]]:
        """For each position in turn: the edges there, where the edges of each node begin among them, and the nodes."""
        order = np.lexsort((self.word, position))
        cuts = np.flatnonzero(np.diff(position[order])) + 1
        steps = []
        for edges in np.split(order, cuts) if len(order) else []:
            words = self.word[edges]
            starts = np.concatenate([[0], np.flatnonzero(np.diff(words)) + 1])
            steps.append((edges, starts, self._offsets[words[starts]] + position[edges[0]]))
        return steps

    def _forward(self, scores: Floats) -> Floats:
        alpha = np.full(self._offsets[-1], _NOTHING)
        alpha[self._offsets[:-1]] = 0.0
        before = self._offsets[self.word] + self.source
        for edges, starts, nodes in self._arrivals:
            alpha[nodes] = _log_sums(alpha[before[edges]] + scores[edges], starts)
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
        before, after = self._offsets[self.word] + self.source, self._offsets[self.word] + self.target
        for edges, starts, nodes in self._departures:
            beta[nodes] = _log_sums(beta[after[edges]] + scores[edges], starts)
        total = alpha[last]
        return total, np.exp(np.minimum(alpha[before] + scores + beta[after] - total[self.word], 0.0))

    def best(self, scores: Floats) -> list[list[int]]:
        """The edges of the best path of each word (Viterbi); of equal ones, that whose last parts begin first."""
        value = np.full(self._offsets[-1], _NOTHING)
        value[self._offsets[:-1]] = 0.0
        choice = np.full(self._offsets[-1], -1, dtype=np.int64)
        before = self._offsets[self.word] + self.source
        for edges, starts, nodes in self._arrivals:
            arriving = value[before[edges]] + scores[edges]
            highest = np.maximum.reduceat(arriving, starts)
            sizes = np.diff(np.append(starts, len(edges)))
            winners = np.flatnonzero(arriving == np.repeat(highest, sizes))
            firsts = winners[np.searchsorted(winners, starts)]
            value[nodes], choice[nodes] = highest, edges[firsts]
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


def _log_sums(values: Floats, starts: Ints) -> Floats:
    highest = np.maximum.reduceat(values, starts)
    sizes = np.diff(np.append(starts, len(values)))
    return highest + np.log(np.add.reduceat(np.exp(values - np.repeat(highest, sizes)), starts))
