"""Pitman-Yor restaurants and their hierarchy, as readable as can be: the reference the core is tested against.

A restaurant has four verbs (increment, decrement, prob, log_likelihood); the random engine is always a parameter. The
whole hierarchy is one rule: a new table sends a customer to the parent.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from typing import Protocol

Dish = Hashable


class RandomEngine(Protocol):
    """What a seating decision needs; `binyan._core.Random` has it."""

    def uniform(self) -> float:
        """A number in [0, 1)."""


class Restaurant:
    """A Pitman-Yor Chinese restaurant: the sizes of the tables of each dish (thesis, section 2.3.1).

    >>> r = Restaurant(discount=0.5, strength=1.0)
    >>> r.sit("hof", None); r.sit("hof", 0); r.sit("haus", None)
    >>> r.customers, r.tables, r.sizes["hof"]
    (3, 2, [2])
    >>> r.prob("hof", base=0.1)  # (2 - 0.5 * 1 + (0.5 * 2 + 1) * 0.1) / (3 + 1)
    0.425
    """

    def __init__(self, discount: float, strength: float) -> None:
        self.discount, self.strength = discount, strength
        self.sizes: dict[Dish, list[int]] = {}

    @property
    def customers(self) -> int:
        """n, all customers."""
        return sum(sum(sizes) for sizes in self.sizes.values())

    @property
    def tables(self) -> int:
        """m, all tables."""
        return sum(len(sizes) for sizes in self.sizes.values())

    def choices(self, dish: Dish) -> Iterator[tuple[int | None, float]]:
        """What a new customer who wants `dish` can do, with the probability of each table (None: a new one).

        Thesis, equation 2.10 (section 2.3.1); the base probability of the dish is left out.
        """
        total = self.customers + self.strength
        for table, size in enumerate(self.sizes.get(dish, ())):
            yield table, (size - self.discount) / total
        yield None, (self.discount * self.tables + self.strength) / total

    def sit(self, dish: Dish, table: int | None) -> None:
        """A customer sits down at a table of `dish`, or at a new one."""
        sizes = self.sizes.setdefault(dish, [])
        if table is None:
            sizes.append(1)
        else:
            sizes[table] += 1

    def rise(self, dish: Dish, table: int) -> bool:
        """A customer leaves a table. Returns whether the table closed."""
        sizes = self.sizes[dish]
        sizes[table] -= 1
        closed = sizes[table] == 0
        if closed:
            del sizes[table]
        if not sizes:
            del self.sizes[dish]
        return closed

    def increment(self, dish: Dish, base: float, random: RandomEngine) -> bool:
        """Seat a customer by the model. Returns whether a table was opened."""
        options = [(t, p if t is not None else p * base) for t, p in self.choices(dish)]
        table = _draw(options, random)
        self.sit(dish, table)
        return table is None

    def decrement(self, dish: Dish, random: RandomEngine) -> bool:
        """A customer of `dish`, all being equally likely, leaves. Returns whether the table closed."""
        table = _draw(list(enumerate(map(float, self.sizes[dish]))), random)
        assert table is not None
        return self.rise(dish, table)

    def prob(self, dish: Dish, base: float) -> float:
        """The probability that the next customer has `dish` (thesis, equation 2.15, section 2.3.2)."""
        return math.fsum(p if table is not None else p * base for table, p in self.choices(dish))

    def log_likelihood(self) -> float:
        """Log-probability of the seating, base distribution left out (thesis, equation 2.12, section 2.3.1)."""
        a, b = self.discount, self.strength
        return (
            math.fsum(math.log(a * k + b) for k in range(1, self.tables))
            + math.fsum(math.log(j - a) for sizes in self.sizes.values() for size in sizes for j in range(1, size))
            - math.fsum(math.log(i + b) for i in range(1, self.customers))
        )

    def state(self) -> tuple[tuple[Dish, tuple[int, ...]], ...]:
        """The seating without the names of tables."""
        return tuple(sorted((dish, tuple(sorted(sizes))) for dish, sizes in self.sizes.items()))


class Hierarchy:
    """Restaurants by context; the parent of a context drops its leftmost word, and that of the empty one is `base`.

    `hyperparameters[k]` is the (discount, strength) of contexts of k words. `base` is the probability of each dish before
    anything is seen (HPYLM: thesis, section 3.2.1).
    """

    def __init__(self, hyperparameters: Sequence[tuple[float, float]], base: float) -> None:
        self.hyperparameters, self.base = list(hyperparameters), base
        self.restaurants: dict[tuple[Dish, ...], Restaurant] = {}

    def at(self, context: tuple[Dish, ...]) -> Restaurant:
        """The restaurant of `context`, empty if nobody came yet."""
        if context not in self.restaurants:
            self.restaurants[context] = Restaurant(*self.hyperparameters[len(context)])
        return self.restaurants[context]

    def prob(self, context: tuple[Dish, ...], dish: Dish) -> float:
        """P(dish | context)."""
        base = self.prob(context[1:], dish) if context else self.base
        return self.at(context).prob(dish, base)

    def increment(self, context: tuple[Dish, ...], dish: Dish, random: RandomEngine) -> None:
        """Seat a customer; a new table sends a customer to the parent."""
        base = self.prob(context[1:], dish) if context else self.base
        if self.at(context).increment(dish, base, random) and context:
            self.increment(context[1:], dish, random)

    def decrement(self, context: tuple[Dish, ...], dish: Dish, random: RandomEngine) -> None:
        """Remove a customer; a closed table takes its customer from the parent."""
        if self.at(context).decrement(dish, random) and context:
            self.decrement(context[1:], dish, random)

    def seatings(self, context: tuple[Dish, ...], dish: Dish) -> Iterator[float]:
        """Seat a customer in every possible way, one after another, yielding the probability of each and undoing it."""
        restaurant = self.at(context)
        for table, p in list(restaurant.choices(dish)):
            restaurant.sit(dish, table)
            last = len(restaurant.sizes[dish]) - 1 if table is None else table
            if table is not None:
                yield p
            elif context:
                for q in self.seatings(context[1:], dish):
                    yield p * q
            else:
                yield p * self.base
            restaurant.rise(dish, last)

    def log_likelihood(self) -> float:
        """Joint log-probability of all seatings and the dishes."""
        drawn_from_base = self.at(()).tables
        return drawn_from_base * math.log(self.base) + math.fsum(r.log_likelihood() for r in self.restaurants.values())

    def state(self) -> tuple[tuple[tuple[Dish, ...], tuple[tuple[Dish, tuple[int, ...]], ...]], ...]:
        """All seatings, hashable."""
        return tuple((context, r.state()) for context, r in sorted(self.restaurants.items()) if r.sizes)


def _draw(options: Sequence[tuple[int | None, float]], random: RandomEngine) -> int | None:
    left = random.uniform() * math.fsum(weight for _, weight in options)
    for choice, weight in options:
        left -= weight
        if left < 0:
            return choice
    return options[-1][0]


def log_stirling(customers: int, discount: float) -> list[float]:
    """Log S(c, t), t = 0 ... c: generalised Stirling numbers, which count seatings of c customers at t tables by weight.

    S(c + 1, t) = S(c, t - 1) + (c - discount t) S(c, t), S(0, 0) = 1.
    """
    row = [0.0]
    for c in range(customers):
        longer = [-math.inf] * (c + 2)
        for t, value in enumerate(row):
            longer[t + 1] = _log_add(longer[t + 1], value)
            if c - discount * t > 0:
                longer[t] = _log_add(longer[t], value + math.log(c - discount * t))
        row = longer
    return row


def _log_add(x: float, y: float) -> float:
    high, low = max(x, y), min(x, y)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))
