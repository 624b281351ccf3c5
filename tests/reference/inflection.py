"""hpylm+i over readable restaurants: the reference the core's model is tested against.

H_u is over words; a dish of H is (word, floor): floor 0 where the word came from the shortened context, 1 + g where generator g made
it of two tokens. See `core/ngram/inflection_hpylm.hpp`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from reference.restaurant import Hierarchy, Restaurant

Context = tuple[int, ...]
Hyper = Sequence[tuple[float, float]]


class Generator:
    """The first token of a word given the context, the second given the first and the last `second_context` tokens.

    `words` has the two tokens of each word, `tokens` what stands for each word in a context.
    """

    def __init__(
        self, first: Hyper, second: Hyper, words: Sequence[tuple[int, int]], tokens: Sequence[int], second_context: int
    ) -> None:
        self.words, self.tokens, self.second_context = words, tokens, second_context
        self.first = Hierarchy(first, 1.0 / (max(a for a, _ in words) + 1))
        # A context of second tokens ends with the first token: all of it is forgotten last.
        self.second = Hierarchy(second, 1.0 / (max(b for _, b in words) + 1))

    def choices(self, context: Context, word: int) -> tuple[tuple[Context, int], tuple[Context, int]]:
        """(restaurant, dish) of both tokens."""
        mapped = tuple(self.tokens[w] for w in context)
        a, b = self.words[word]
        given = mapped[max(0, len(mapped) - self.second_context) :] if self.second_context else ()
        return (mapped, a), ((*given, a), b)

    def prob(self, context: Context, word: int) -> float:
        first, second = self.choices(context, word)
        return self.first.prob(*first) * self.second.prob(*second)

    def seatings(self, context: Context, word: int) -> Iterator[float]:
        first, second = self.choices(context, word)
        for p in self.first.seatings(*first):
            for q in self.second.seatings(*second):
                yield p * q


class InflectionHierarchy:
    """H over words and the generators; `weights` by context length and floor."""

    def __init__(
        self, words: Hyper, generators: Sequence[Generator], weights: Sequence[Sequence[float]], vocabulary: int
    ) -> None:
        self.hyperparameters, self.generators, self.weights = list(words), list(generators), weights
        self.uniform = 1.0 / (vocabulary - 1)
        self.words: dict[Context, Restaurant] = {}

    def at(self, context: Context) -> Restaurant:
        """The restaurant H of `context`."""
        if context not in self.words:
            self.words[context] = Restaurant(*self.hyperparameters[len(context)])
        return self.words[context]

    def ways(self, context: Context, word: int) -> list[float]:
        """The probability of the word by each floor: the shortened context, then every generator."""
        shorter = self.prob(context[1:], word) if context else self.uniform
        return [shorter, *(g.prob(context, word) for g in self.generators)]

    def prob(self, context: Context, word: int) -> float:
        """P(word | context)."""
        r, weights = self.at(context), self.weights[len(context)]
        base = math.fsum(w * p for w, p in zip(weights, self.ways(context, word), strict=True))
        seen = math.fsum(
            sum(sizes) - r.discount * len(sizes)
            for (w, _), sizes in r.sizes.items()
            if w == word  # type: ignore[misc]
        )
        return (seen + (r.discount * r.tables + r.strength) * base) / (r.customers + r.strength)

    def seatings(self, context: Context, word: int) -> Iterator[float]:
        """Seat a customer in every possible way, one after another, yielding the probability of each and undoing it."""
        r = self.at(context)
        for floor, weight in enumerate(self.weights[len(context)]):
            dish = (word, floor)
            for table, p in list(r.choices(dish)):
                r.sit(dish, table)
                last = len(r.sizes[dish]) - 1 if table is None else table
                if table is not None:
                    yield p
                else:
                    for q in self._sent_on(context, word, floor):
                        yield p * weight * q
                r.rise(dish, last)

    def _sent_on(self, context: Context, word: int, floor: int) -> Iterator[float]:
        if floor > 0:
            yield from self.generators[floor - 1].seatings(context, word)
        elif context:
            yield from self.seatings(context[1:], word)
        else:
            yield self.uniform

    def tables_by_floor(self, length: int) -> list[int]:
        """Tables of H with contexts of `length` words, by floor."""
        counts = [0] * (len(self.generators) + 1)
        for context, restaurant in self.words.items():
            if len(context) == length:
                for dish, sizes in restaurant.sizes.items():
                    counts[dish[1]] += len(sizes)  # type: ignore[index]
        return counts

    def log_likelihood(self, floors: bool = True) -> float:
        """Joint log-probability of all seatings and the words; without the choice of floors if `floors` is not set."""
        sum_ = math.fsum(r.log_likelihood() for r in self.words.values())
        sum_ += math.fsum(g.first.log_likelihood() + g.second.log_likelihood() for g in self.generators)
        sum_ += self.tables_by_floor(0)[0] * math.log(self.uniform)
        for length, weights in enumerate(self.weights):
            tables = self.tables_by_floor(length)
            sum_ += math.fsum(n * math.log(w) for n, w in zip(tables, weights, strict=True) if floors and n)
        return sum_

    def state(self) -> tuple[Any, ...]:
        """All seatings, hashable."""
        words = tuple((context, r.state()) for context, r in sorted(self.words.items()) if r.sizes)
        return words, *((g.first.state(), g.second.state()) for g in self.generators)
