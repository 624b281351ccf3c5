"""All ways of one word through a transducer: the sum of their probabilities, and the best analyses.

Probabilities are kept as they are, one scale per place in the word, so that long words do not come out as zero.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

Arc = tuple[int, int, float]
"""Symbol of the analysis, target, probability."""

_EPSILON = 0
_MOST_STEPS = 200_000  # of the search for the best analyses of one word
_NONE: tuple[Arc, ...] = ()


class HasArcs(Protocol):
    """A transducer."""

    @property
    def finals(self) -> dict[int, float]:
        """The weights of the states where a word may end."""

    def arcs_of(self, state: int) -> Mapping[int, Sequence[Arc]]:
        """The arcs of a state by the letter that they read; those that read none are at 0."""


class Lattice:
    """The ways of a word, given as the numbers of its letters."""

    def __init__(self, transducer: HasArcs, word: Sequence[int]) -> None:
        self.word = word
        self._arcs_of, self._finals = transducer.arcs_of, transducer.finals
        self._inside: list[dict[int, float]] = [{} for _ in range(len(word) + 1)]
        self._scales = [0.0] * (len(word) + 1)
        self._sum(self._reached())

    def _reached(self) -> list[list[int]]:
        """The states that the word leads to at each of its places."""
        layers: list[list[int]] = []
        layer = {0: None}
        for letter in [*self.word, None]:
            states = list(layer)
            after: dict[int, None] = {}
            for state in states:  # grows while tags are followed
                arcs = self._arcs_of(state)
                for _, target, _ in arcs.get(_EPSILON, _NONE):
                    if target not in layer:
                        layer[target] = None
                        states.append(target)
                if letter is not None:
                    after.update(dict.fromkeys([target for _, target, _ in arcs.get(letter, _NONE)]))
            layers.append(states)
            layer = after
        return layers

    def _sum(self, layers: list[list[int]]) -> None:
        """Of each state and place the probability of reading the rest of the word, from the end on."""
        for place in range(len(self.word), -1, -1):
            inside = self._inside[place]
            ends = place == len(self.word)
            after, letter = ({}, -1) if ends else (self._inside[place + 1], self.word[place])
            for state in self._tagged_last(layers[place]):
                arcs = self._arcs_of(state)
                total = math.exp(-self._finals[state]) if ends and state in self._finals else 0.0
                for _, target, p in arcs.get(_EPSILON, _NONE):
                    if target in inside:
                        total += p * inside[target]
                if not ends:
                    for _, target, p in arcs.get(letter, _NONE):
                        if target in after:
                            total += p * after[target]
                if total > 0.0:
                    inside[state] = total
            self._scale(place)

    def _scale(self, place: int) -> None:
        inside = self._inside[place]
        highest = max(inside.values(), default=1.0)
        before = 0.0 if place == len(self.word) else self._scales[place + 1]
        self._scales[place] = before + math.log(highest)
        self._inside[place] = {state: value / highest for state, value in inside.items()}

    def _tagged_last(self, states: list[int]) -> list[int]:
        """The states of a place, each behind those that its tags lead to."""
        order = [state for state in states if _EPSILON not in self._arcs_of(state)]
        done = set(order)
        waiting = [(state, False) for state in states if state not in done]
        while waiting:
            state, is_ready = waiting.pop()
            if state in done:
                continue
            if is_ready:
                done.add(state)
                order.append(state)
            else:
                waiting.append((state, True))
                waiting += [(t, False) for _, t, _ in self._arcs_of(state)[_EPSILON] if t not in done]
        return order

    @property
    def log_probability(self) -> float:
        """The log of the sum of all ways; -inf where there is none."""
        value = self._inside[0].get(0, 0.0)
        return math.log(value) + self._scales[0] if value > 0.0 else -math.inf

    def log_probability_of(self, outputs: Sequence[int]) -> float:
        """The log of the sum of the ways whose analysis has these symbols."""
        beginning = _Beginning(0, {0: 1.0}, 0.0)
        for symbol in outputs:
            beginning = self._continued(beginning).get(symbol, _Beginning(0, {}, 0.0))
        return self._ended(beginning)

    def best(self, n: int) -> Iterator[tuple[tuple[int, ...], float]]:
        """The n analyses of highest probability: their symbols and the log of the sum of their ways, best first.

        Beginnings of analyses are followed in the order of the probability of all that begin so, which no single analysis exceeds.
        """
        if self.log_probability == -math.inf:
            return
        count, number = 0, itertools.count(1)
        first = _Beginning(0, {0: 1.0}, 0.0)
        queue: list[tuple[float, int, tuple[int, ...], _Beginning | None]] = [(-self.log_probability, 0, (), first)]
        for _ in range(_MOST_STEPS):
            if not queue or count == n:
                return
            priority, _, outputs, beginning = heapq.heappop(queue)
            if beginning is None:
                count += 1
                yield outputs, -priority
                continue
            if (ended := self._ended(beginning)) > -math.inf:
                heapq.heappush(queue, (-ended, next(number), outputs, None))
            for symbol, after in self._continued(beginning).items():
                heapq.heappush(queue, (-self._bound(after), next(number), (*outputs, symbol), after))

    def _continued(self, beginning: _Beginning) -> dict[int, _Beginning]:
        """What a beginning may go on with: of each next symbol, the longer beginning."""
        sums: dict[int, _Beginning] = {}
        place, log_scale = beginning.place, beginning.log_scale
        here, letter = self._inside[place], -1
        there: dict[int, float] = {}
        if place < len(self.word):
            there, letter = self._inside[place + 1], self.word[place]
        for state, weight in beginning.weights.items():
            arcs = self._arcs_of(state)
            for at, inside, found in ((place, here, _EPSILON), (place + 1, there, letter)):
                for symbol, target, p in arcs.get(found, _NONE):
                    if target in inside:
                        weights = sums.setdefault(symbol, _Beginning(at, {}, log_scale)).weights
                        weights[target] = weights.get(target, 0.0) + weight * p
        return {symbol: after.scaled() for symbol, after in sums.items()}

    def _bound(self, beginning: _Beginning) -> float:
        inside = self._inside[beginning.place]
        total = math.fsum(weight * inside[state] for state, weight in beginning.weights.items())
        return math.log(total) + beginning.log_scale + self._scales[beginning.place] if total > 0.0 else -math.inf

    def _ended(self, beginning: _Beginning) -> float:
        if beginning.place < len(self.word):
            return -math.inf
        total = math.fsum(w * math.exp(-self._finals[s]) for s, w in beginning.weights.items() if s in self._finals)
        return math.log(total) + beginning.log_scale if total > 0.0 else -math.inf


class _Beginning:
    """The beginning of an analysis: letters read, and the probability of the ways to each state, times exp(log_scale)."""

    __slots__ = ("log_scale", "place", "weights")

    def __init__(self, place: int, weights: dict[int, float], log_scale: float) -> None:
        self.place, self.weights, self.log_scale = place, weights, log_scale

    def scaled(self) -> _Beginning:
        """The same, the highest probability being 1."""
        highest = max(self.weights.values())
        if highest <= 0.0:
            return self
        weights = {state: weight / highest for state, weight in self.weights.items()}
        return _Beginning(self.place, weights, self.log_scale + math.log(highest))
