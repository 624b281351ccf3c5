"""The readable reference of grammars and adaptor grammars that tests compare the core with. Slow on purpose.

Derivations are enumerated one by one; the adaptor grammar keeps every table of every restaurant; probabilities are plain
products. Thesis, equations 5.1 (section 5.3.2.1), 5.8 and 5.9 (section 5.6.2): P(next customer at table k) =
(n_k - a)/(n + b), at a new table (a m + b)/(n + b); rule probabilities integrated out, so a rule has
(alpha_r + f_r) / sum (alpha + f).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, product
from math import lgamma, log, prod

from binyan.grammar.rules import FREE, Grammar, Underlying, Variable

Yield = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Derivation:
    """A rule (its place in the grammar) and the derivations of its right-hand symbols."""

    rule: int
    children: tuple[Derivation, ...] = ()

    def rules(self) -> list[int]:
        """Rule numbers in preorder."""
        return [self.rule, *(r for child in self.children for r in child.rules())]


def enumerate_derivations(grammar: Grammar, word: tuple[str, ...]) -> list[Derivation]:
    """All derivations of the word from the start symbol. The grammar must have no cycle of unary rules."""
    memory: dict[tuple[str, Yield], list[Derivation]] = {}

    def derive(symbol: str, strings: Yield) -> list[Derivation]:
        if (symbol, strings) not in memory:
            memory[symbol, strings] = [
                Derivation(r, children)
                for r in grammar.rules_of[symbol]
                for bound in bindings(r, strings)
                for children in product(*(derive(s, bound[i]) for i, s in enumerate(grammar.rules[r].rhs)))
            ]
        return memory[symbol, strings]

    def bindings(r: int, strings: Yield) -> Iterator[list[Yield]]:
        """Every way to cut the strings into the elements of the rule's left-hand arguments."""
        rule = grammar.rules[r]
        for cut in product(*(_cuts(s, len(a)) for s, a in zip(strings, rule.arguments, strict=True))):
            pieces = [
                (e, piece) for a, c in zip(rule.arguments, cut, strict=True) for e, piece in zip(a, c, strict=True)
            ]
            if all(isinstance(e, Variable) or piece == (e,) for e, piece in pieces):
                found = {e: piece for e, piece in pieces if isinstance(e, Variable)}
                for u in rule.underlying:
                    found[Variable(u.child, u.argument)] = underlying_string(u, found)
                yield [
                    tuple(found[Variable(child, i)] for i in range(rule.rhs_arity(child)))
                    for child in range(len(rule.rhs))
                ]

    return derive(grammar.start, (word,))


def underlying_string(u: Underlying, found: dict[Variable, tuple[str, ...]]) -> tuple[str, ...]:
    """The atoms of an argument that the word does not show as it is."""
    return tuple(atom for part in u.parts for atom in (found[part] if isinstance(part, Variable) else (part,)))


def spell(grammar: Grammar, d: Derivation) -> Yield | None:
    """The string of each argument of a derivation; None where letters below differ from those that a rule adds."""
    rule, found = grammar.rules[d.rule], {}
    for child, below in enumerate(d.children):
        strings = spell(grammar, below)
        if strings is None:
            return None
        found |= {Variable(child, i): string for i, string in enumerate(strings)}
    for u in rule.underlying:
        whole = found.pop(Variable(u.child, u.argument))
        for place, part in enumerate(u.parts):
            if isinstance(part, Variable) and part.child == FREE:
                found[part] = whole[place : len(whole) - (len(u.parts) - 1 - place)]
                if not found[part]:
                    return None
        if underlying_string(u, found) != whole:
            return None
    return tuple(
        tuple(c for e in argument for c in (found[e] if isinstance(e, Variable) else (e,)))
        for argument in rule.arguments
    )


def _cuts(string: tuple[str, ...], parts: int) -> Iterator[list[tuple[str, ...]]]:
    for places in combinations(range(1, len(string)), parts - 1):
        ends = [0, *places, len(string)]
        yield [string[ends[i] : ends[i + 1]] for i in range(parts)]


def base_probability(grammar: Grammar, derivation: Derivation) -> float:
    """Product of the prior means of the rules used."""
    totals: Counter[str] = Counter()
    for rule in grammar.rules:
        totals[rule.lhs] += rule.weight  # type: ignore[assignment]
    used = (grammar.rules[r] for r in derivation.rules())
    return prod(rule.weight / totals[rule.lhs] for rule in used)


@dataclass
class Restaurant:
    """The tables of one adapted symbol: the tree each serves, and its customers."""

    a: float
    b: float
    dishes: list[Derivation] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    @property
    def fresh(self) -> float:
        """Probability that the next customer opens a table."""
        n = sum(self.sizes)
        return (self.a * len(self.sizes) + self.b) / (n + self.b) if n else 1.0

    def at(self, table: int) -> float:
        """Probability that the next customer sits at this table."""
        return (self.sizes[table] - self.a) / (sum(self.sizes) + self.b)


class ReferenceAdaptor:
    """The state of an adaptor grammar, and the same Metropolis-Hastings step as the core."""

    def __init__(self, grammar: Grammar, parameters: dict[str, tuple[float, float]]) -> None:
        self.grammar = grammar
        self.counts: Counter[int] = Counter()
        self.restaurants = {s: Restaurant(*parameters[s]) for s in grammar.adapted}

    def rule_probability(self, r: int) -> float:
        """Posterior mean of the rule's probability."""
        rules = self.grammar.rules_of[self.grammar.rules[r].lhs]
        return (self.grammar.rules[r].weight + self.counts[r]) / sum(
            self.grammar.rules[i].weight + self.counts[i] for i in rules
        )

    def below(self, d: Derivation) -> float:
        """Snapshot probability of the derivation when its top is not taken from the cache."""
        return self.rule_probability(d.rule) * prod(self.snapshot(child) for child in d.children)

    def snapshot(self, d: Derivation) -> float:
        """Snapshot probability of the derivation: each adapted node cached or new, summed."""
        restaurant = self.restaurants.get(self.grammar.rules[d.rule].lhs)
        if restaurant is None:
            return self.below(d)
        cached = sum(restaurant.at(k) for k, dish in enumerate(restaurant.dishes) if dish == d)
        return cached + restaurant.fresh * self.below(d)

    def generate(self, symbol: str, random: random.Random) -> Derivation:
        """A derivation drawn from the adaptor grammar given all before, and seated."""
        restaurant = self.restaurants.get(symbol)
        if restaurant is not None:
            seats = [restaurant.at(k) for k in range(len(restaurant.sizes))]
            table = random.choices(range(len(seats) + 1), [*seats, restaurant.fresh])[0]
            if table < len(seats):
                restaurant.sizes[table] += 1
                return restaurant.dishes[table]
        rules = self.grammar.rules_of[symbol]
        rule = random.choices(rules, [self.rule_probability(r) for r in rules])[0]
        self.counts[rule] += 1
        d = Derivation(rule, tuple(self.generate(s, random) for s in self.grammar.rules[rule].rhs))
        if restaurant is not None:
            restaurant.dishes.append(d)
            restaurant.sizes.append(1)
        return d

    def ways(self, d: Derivation) -> Iterator[tuple[float, list[tuple[Restaurant, int | None]]]]:
        """Every way to seat the derivation: its probability, done while the caller looks, then undone."""
        yield from self._ways([d])

    def _ways(self, todo: list[Derivation]) -> Iterator[tuple[float, list[tuple[Restaurant, int | None]]]]:
        if not todo:
            yield 1.0, []
            return
        d, rest = todo[0], todo[1:]
        restaurant = self.restaurants.get(self.grammar.rules[d.rule].lhs)
        if restaurant is not None:
            for table in [k for k, dish in enumerate(restaurant.dishes) if dish == d]:
                p = restaurant.at(table)
                restaurant.sizes[table] += 1
                for q, seats in self._ways(rest):
                    yield p * q, [(restaurant, table), *seats]
                restaurant.sizes[table] -= 1
        p = self.rule_probability(d.rule)
        if restaurant is not None:
            p *= restaurant.fresh
            restaurant.dishes.append(d)
            restaurant.sizes.append(1)
        self.counts[d.rule] += 1
        for q, seats in self._ways([*d.children, *rest]):
            yield p * q, seats if restaurant is None else [(restaurant, None), *seats]
        self.counts[d.rule] -= 1
        if restaurant is not None:
            restaurant.dishes.pop()
            restaurant.sizes.pop()

    def log_joint(self) -> float:
        """Log P(trees, seats | a, b, alpha), in closed form (thesis, equation 5.9, section 5.6.2)."""
        total = 0.0
        for symbol, rules in self.grammar.rules_of.items():
            weights = [self.grammar.rules[r].weight for r in rules]
            counts = [self.counts[r] for r in rules]
            total += lgamma(sum(weights)) - lgamma(sum(weights) + sum(counts)) if rules else 0.0
            total += sum(lgamma(w + n) - lgamma(w) for w, n in zip(weights, counts, strict=True))
            restaurant = self.restaurants.get(symbol)
            if restaurant and restaurant.sizes:
                a, b = restaurant.a, restaurant.b
                total += sum(log(a * k + b) for k in range(1, len(restaurant.sizes)))
                total += sum(log(j - a) for n in restaurant.sizes for j in range(1, n))
                total -= sum(log(i + b) for i in range(1, sum(restaurant.sizes)))
        return total


def exact_posterior(
    grammar: Grammar, words: list[tuple[str, ...]], parameters: dict[str, tuple[float, float]]
) -> tuple[dict[tuple[Derivation, ...], float], float]:
    """The posterior of the trees of all words with all seatings summed over, and the probability of the words."""
    adaptor = ReferenceAdaptor(grammar, parameters)
    choices = [enumerate_derivations(grammar, word) for word in words]
    weights: dict[tuple[Derivation, ...], float] = {}

    def seat(i: int, chosen: tuple[Derivation, ...], probability: float) -> None:
        if i == len(words):
            weights[chosen] = weights.get(chosen, 0.0) + probability
            return
        for d in choices[i]:
            for p, _ in adaptor.ways(d):
                seat(i + 1, (*chosen, d), probability * p)

    seat(0, (), 1.0)
    total = sum(weights.values())
    return {trees: w / total for trees, w in weights.items()}, total


class ReferenceSampler:
    """Word-wise Metropolis-Hastings as in the core: snapshot proposal over enumerated trees, exact acceptance."""

    def __init__(
        self, grammar: Grammar, words: list[tuple[str, ...]], parameters: dict[str, tuple[float, float]], seed: int
    ) -> None:
        self.adaptor = ReferenceAdaptor(grammar, parameters)
        self.choices = [enumerate_derivations(grammar, word) for word in words]
        self.random = random.Random(seed)
        self.trees = [self.random.choice(choice) for choice in self.choices]
        for tree in self.trees:
            self._add([tree])

    def sweep(self) -> None:
        """Resample every word once."""
        for i in range(len(self.trees)):
            self._step(i)

    def _step(self, i: int) -> None:
        before = self._copy()
        old = self.trees[i]
        removed = self._remove([old])
        proposals = [self.adaptor.snapshot(d) for d in self.choices[i]]
        new = self.random.choices(self.choices[i], proposals)[0]
        q_old, q_new = self.adaptor.snapshot(old), self.adaptor.snapshot(new)
        added = self._add([new])
        if self.random.random() < added * q_old / (removed * q_new):
            self.trees[i] = new
        else:
            self._put_back(before)

    def _copy(self) -> tuple[Counter[int], dict[str, tuple[list[Derivation], list[int]]]]:
        rooms = self.adaptor.restaurants.items()
        return self.adaptor.counts.copy(), {s: (list(r.dishes), list(r.sizes)) for s, r in rooms}

    def _put_back(self, state: tuple[Counter[int], dict[str, tuple[list[Derivation], list[int]]]]) -> None:
        self.adaptor.counts = state[0]
        for symbol, (dishes, sizes) in state[1].items():
            self.adaptor.restaurants[symbol].dishes, self.adaptor.restaurants[symbol].sizes = dishes, sizes

    def _add(self, todo: list[Derivation]) -> float:
        """Seat derivations by drawn seats; returns joint probability / probability of the seats."""
        weight = 1.0
        for d in todo:
            restaurant = self.adaptor.restaurants.get(self.adaptor.grammar.rules[d.rule].lhs)
            if restaurant is not None:
                whole, below = self.adaptor.snapshot(d), self.adaptor.below(d)
                tables = [k for k, dish in enumerate(restaurant.dishes) if dish == d]
                options = [*(restaurant.at(k) for k in tables), restaurant.fresh * below]
                k = self.random.choices([*tables, -1], options)[0]
                weight *= whole
                if k >= 0:
                    restaurant.sizes[k] += 1
                    continue
                weight /= below
                restaurant.dishes.append(d)
                restaurant.sizes.append(1)
            weight *= self.adaptor.rule_probability(d.rule)
            self.adaptor.counts[d.rule] += 1
            weight *= self._add(list(d.children))
        return weight

    def _remove(self, todo: list[Derivation]) -> float:
        """The reverse of `_add`, in reverse order; a leaving customer's table is drawn by its size."""
        weight = 1.0
        for d in reversed(todo):
            restaurant = self.adaptor.restaurants.get(self.adaptor.grammar.rules[d.rule].lhs)
            table = -1
            if restaurant is not None:
                tables = [k for k, dish in enumerate(restaurant.dishes) if dish == d]
                table = self.random.choices(tables, [restaurant.sizes[k] for k in tables])[0]
                if restaurant.sizes[table] > 1:
                    restaurant.sizes[table] -= 1
                    weight *= self.adaptor.snapshot(d)
                    continue
            weight *= self._remove(list(d.children))
            self.adaptor.counts[d.rule] -= 1
            weight *= self.adaptor.rule_probability(d.rule)
            if restaurant is not None:
                del restaurant.dishes[table], restaurant.sizes[table]
                weight *= self.adaptor.snapshot(d) / self.adaptor.below(d)
        return weight
