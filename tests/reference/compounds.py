"""HPYLM+c and back-off both ways over readable restaurants: the reference the core's compound models are tested against.

H_u is over words; a dish of H is (word, floor), the floor saying where the table's word came from. See
`core/ngram/compound_hpylm.hpp` and the thesis, section 3.2.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reference.restaurant import Hierarchy, Restaurant

DECOMPOSED, SHORTENED = 0, 1


class CompoundHierarchy:
    """H over words, G over heads given the same context, F over modifiers from the head outwards.

    `words` and `heads` are (discount, strength) by context length, `modifiers` those of F_c and of F without context.
    `components` has the components of each word, head first, numbered from 0 to `component_count` - 1; the end symbol is
    `component_count`. `shortening` is the weight of H of the shortened context by context length, all 0 in HPYLM+c.
    """

    def __init__(
        self,
        words: Sequence[tuple[float, float]],
        heads: Sequence[tuple[float, float]],
        modifiers: Sequence[tuple[float, float]],
        components: Mapping[int, Sequence[int]],
        component_count: int,
        shortening: Sequence[float],
    ) -> None:
        self.hyperparameters, self.shortening = list(words), list(shortening)
        self.components, self.end = components, component_count
        self.words: dict[tuple[int, ...], Restaurant] = {}
        self.heads = Hierarchy(heads, 1.0 / component_count)
        self.modifiers = Hierarchy([modifiers[1], modifiers[0]], 1.0 / (component_count + 1))

    def at(self, context: tuple[int, ...]) -> Restaurant:
        """The restaurant H of `context`."""
        if context not in self.words:
            self.words[context] = Restaurant(*self.hyperparameters[len(context)])
        return self.words[context]

    def modifier_choices(self, word: int) -> list[tuple[tuple[int, ...], int]]:
        """(restaurant of F, dish) of every choice after the head: each modifier given the one before, then the end."""
        parts = list(self.components[word])
        return [((given,), then) for given, then in zip(parts, [*parts[1:], self.end], strict=True)]

    def modifiers_prob(self, word: int) -> float:
        """The product of the probabilities of all modifiers and the end."""
        return math.prod(self.modifiers.prob(given, then) for given, then in self.modifier_choices(word))

    def base(self, context: tuple[int, ...], word: int) -> float:
        """The base distribution of H_u: a mixture of H of the shortened context and G_u x F."""
        w = self.shortening[len(context)] if context else 0.0
        decomposed = self.heads.prob(context, self.components[word][0]) * self.modifiers_prob(word)
        return (w * self.prob(context[1:], word) if w else 0.0) + (1 - w) * decomposed

    def prob(self, context: tuple[int, ...], word: int) -> float:
        """P(word | context)."""
        restaurant = self.at(context)
        total = restaurant.customers + restaurant.strength
        seen = math.fsum(
            p for f in (DECOMPOSED, SHORTENED) for table, p in restaurant.choices((word, f)) if table is not None
        )
        fresh = (restaurant.discount * restaurant.tables + restaurant.strength) / total
        return seen + fresh * self.base(context, word)

    def seatings(self, context: tuple[int, ...], word: int) -> Iterator[float]:
        """Seat a customer in every possible way, one after another, yielding the probability of each and undoing it."""
        restaurant = self.at(context)
        w = self.shortening[len(context)] if context else 0.0
        for floor, weight in ((DECOMPOSED, 1 - w), (SHORTENED, w)):
            if weight == 0.0:
                continue
            dish = (word, floor)
            for table, p in list(restaurant.choices(dish)):
                restaurant.sit(dish, table)
                last = len(restaurant.sizes[dish]) - 1 if table is None else table
                if table is not None:
                    yield p
                elif floor == SHORTENED:
                    for q in self.seatings(context[1:], word):
                        yield p * w * q
                else:
                    for q in self.heads.seatings(context, self.components[word][0]):
                        for r in _all(self.modifiers, self.modifier_choices(word)):
                            yield p * (1 - w) * q * r
                restaurant.rise(dish, last)

    def tables_by_floor(self, length: int) -> tuple[int, int]:
        """Tables of H with contexts of `length` words: (decomposed, shortened)."""
        counts = [0, 0]
        for context, restaurant in self.words.items():
            if len(context) == length:
                for dish, sizes in restaurant.sizes.items():
                    counts[dish[1]] += len(sizes)  # type: ignore[index]
        return counts[DECOMPOSED], counts[SHORTENED]

    def log_likelihood(self, floors: bool = True) -> float:
        """Joint log-probability of all seatings and the words; without the choice of floors if `floors` is not set."""
        sum_ = math.fsum(r.log_likelihood() for r in self.words.values())
        sum_ += self.heads.log_likelihood() + self.modifiers.log_likelihood()
        for length, w in enumerate(self.shortening):
            decomposed, shortened = self.tables_by_floor(length)
            if floors and length and 0 < w < 1:
                sum_ += decomposed * math.log1p(-w) + shortened * math.log(w)
        return sum_

    def state(self) -> tuple[Any, ...]:
        """All seatings, hashable."""
        words = tuple((context, r.state()) for context, r in sorted(self.words.items()) if r.sizes)
        return words, self.heads.state(), self.modifiers.state()


def _all(hierarchy: Hierarchy, customers: Sequence[tuple[tuple[int, ...], int]]) -> Iterator[float]:
    if not customers:
        yield 1.0
        return
    for p in hierarchy.seatings(*customers[0]):
        for q in _all(hierarchy, customers[1:]):
            yield p * q
