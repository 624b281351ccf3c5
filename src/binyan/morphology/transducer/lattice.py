"""All ways of one word through a transducer: the sum of their probabilities, and the best analyses."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Protocol

_EPSILON = 0
_MOST_STEPS = 200_000  # of the search for the best analyses of one word
_Node = tuple[int, int]  # letters read, state


class HasArcs(Protocol):
    """A transducer."""

    finals: dict[int, float]

    def arcs_of(self, state: int, letter: int) -> list[tuple[int, int, float]]:
        """The arcs of a state that read a letter: (symbol of the analysis, target, probability)."""


class Lattice:
    """The ways of a word, given as the numbers of its letters."""

    def __init__(self, transducer: HasArcs, word: Sequence[int]) -> None:
        self.transducer, self.word = transducer, word
        self._arcs: dict[_Node, list[tuple[int, _Node, float]]] = {}

    def arcs(self, node: _Node) -> list[tuple[int, _Node, float]]:
        """The arcs from a place in the word and a state: (symbol of the analysis, where they lead, probability)."""
        if node not in self._arcs:
            place, state = node
            found = [(out, (place, target), p) for out, target, p in self.transducer.arcs_of(state, _EPSILON)]
            if place < len(self.word):
                after = place + 1
                found += [
                    (out, (after, target), p) for out, target, p in self.transducer.arcs_of(state, self.word[place])
                ]
            self._arcs[node] = found
        return self._arcs[node]

    @cached_property
    def inside(self) -> dict[_Node, float]:
        """Log probability of reading the rest of the word, from each node from which it can be read."""
        inside: dict[_Node, float] = {}
        finals = self.transducer.finals
        for node in self._targets_first():
            terms = [inside[target] + math.log(p) for _, target, p in self.arcs(node) if target in inside and p > 0.0]
            if node[0] == len(self.word) and node[1] in finals:
                terms.append(-finals[node[1]])
            if terms:
                inside[node] = log_sum(terms)
        return inside

    def _targets_first(self) -> list[_Node]:
        """All nodes that the word leads to, each behind those that its arcs lead to."""
        order: list[_Node] = []
        seen: set[_Node] = set()
        waiting: list[tuple[_Node, bool]] = [((0, 0), False)]
        while waiting:
            node, is_done = waiting.pop()
            if is_done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                waiting.append((node, True))
                waiting += [(target, False) for _, target, _ in self.arcs(node) if target not in seen]
        return order

    @property
    def log_probability(self) -> float:
        """The log of the sum of all ways."""
        return self.inside.get((0, 0), -math.inf)

    def log_probability_of(self, outputs: Sequence[int]) -> float:
        """The log of the sum of the ways whose analysis has these symbols."""
        weights: dict[_Node, float] = {(0, 0): 0.0}
        for symbol in outputs:
            weights = self._after(weights, symbol)
        return self._ended(weights)

    def _ended(self, weights: dict[_Node, float]) -> float:
        """The log of the sum of the ways that end at these nodes."""
        finals = self.transducer.finals
        return log_sum([w - finals[s] for (at, s), w in weights.items() if at == len(self.word) and s in finals])

    def _after(self, weights: dict[_Node, float], symbol: int) -> dict[_Node, float]:
        sums: dict[_Node, list[float]] = {}
        for node, weight in weights.items():
            for out, target, p in self.arcs(node):
                if out == symbol and target in self.inside and p > 0.0:
                    sums.setdefault(target, []).append(weight + math.log(p))
        return {target: log_sum(terms) for target, terms in sums.items()}

    def best(self, n: int) -> Iterator[tuple[tuple[int, ...], float]]:
        """The n analyses of highest probability: their symbols and the log of the sum of their ways, best first.

        Beginnings of analyses are followed in the order of the probability of all that begin so, which no single analysis exceeds.
        """
        if self.log_probability == -math.inf:
            return
        count, number = 0, itertools.count(1)
        queue: list[tuple[float, int, tuple[int, ...], dict[_Node, float] | None]] = [
            (-self.log_probability, 0, (), {(0, 0): 0.0})
        ]
        for _ in range(_MOST_STEPS):
            if not queue or count == n:
                return
            priority, _, outputs, weights = heapq.heappop(queue)
            if weights is None:
                count += 1
                yield outputs, -priority
                continue
            if (ended := self._ended(weights)) > -math.inf:
                heapq.heappush(queue, (-ended, next(number), outputs, None))
            symbols = dict.fromkeys(out for node in weights for out, target, _ in self.arcs(node) if target in self.inside)
            for symbol in symbols:
                after = self._after(weights, symbol)
                bound = log_sum([w + self.inside[node] for node, w in after.items()])
                heapq.heappush(queue, (-bound, next(number), (*outputs, symbol), after))


def log_sum(terms: Sequence[float]) -> float:
    """Log of the sum of the exponentials."""
    highest = max(terms, default=-math.inf)
    if highest == -math.inf:
        return -math.inf
    return highest + math.log(math.fsum(math.exp(t - highest) for t in terms))
