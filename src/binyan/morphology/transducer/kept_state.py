"""The probabilities of one kept state of a grammar: of its rules, of new morphemes, and of the trees in its caches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from binyan.grammar.compiled import Compiled
from binyan.grammar.rules import Rule
from binyan.morphology.chain_state import Snapshot
from binyan.morphology.posterior import Posterior


@dataclass(frozen=True)
class KeptState:
    """One state of a grammar as a probabilistic grammar that no longer changes (equation 5.3 of the thesis, counts fixed).

    An adapted symbol is one of its cached trees, or, with the probability `new_morpheme`, what its rules derive.
    """

    compiled: Compiled
    rule_probability: NDArray[np.float64]
    new_morpheme: dict[str, float]
    cached: dict[str, list[tuple[tuple[int, ...], float]]]
    """Of each adapted symbol: derivations (rules in preorder) and their probabilities."""

    def tree_probability(self, derivation: Sequence[int]) -> float:
        """The probability of a tree, given its symbol: from the cache, or derived anew, and so on for the trees inside it."""
        rules = [self.compiled.grammar.rules[number] for number in derivation]
        waiting: list[tuple[int, float]] = []  # of each subtree where it ends, and its probability
        for i in range(len(rules) - 1, -1, -1):
            end, p = i + 1, float(self.rule_probability[derivation[i]])
            for _ in rules[i].rhs:
                end, below = waiting.pop()
                p *= below
            if (new := self.new_morpheme.get(rules[i].lhs)) is not None:
                p = new * p + self._cached_probability.get(tuple(derivation[i:end]), 0.0)
            waiting.append((end, p))
        return waiting[0][1]

    @cached_property
    def _cached_probability(self) -> dict[tuple[int, ...], float]:
        return {derivation: p for trees in self.cached.values() for derivation, p in trees}


def kept_states(posterior: Posterior, snapshots: Sequence[Snapshot]) -> Iterator[KeptState]:
    """The kept states of a posterior, each with the probabilities by which the parser weighs."""
    compiled = posterior.open_grammar
    numbers = {_content(rule): i for i, rule in enumerate(compiled.grammar.rules)}
    places = np.array([numbers[_content(rule)] for rule in posterior.compiled.grammar.rules], np.int64)
    for snapshot in snapshots:
        yield _kept_state(compiled, places, snapshot)


def _content(rule: Rule) -> Rule:
    """The rule without its weight and line."""
    return replace(rule, weight=1.0, line=0)


def _kept_state(compiled: Compiled, places: NDArray[np.int64], snapshot: Snapshot) -> KeptState:
    rules = compiled.grammar.rules
    weights = np.array([rule.weight for rule in rules])
    weights[places] += snapshot.rule_counts
    totals: dict[str, float] = {}
    for rule, weight in zip(rules, weights, strict=True):
        totals[rule.lhs] = totals.get(rule.lhs, 0.0) + float(weight)
    probabilities = weights / np.array([totals[rule.lhs] for rule in rules])

    trees = snapshot.trees
    new_morpheme: dict[str, float] = {}
    cached: dict[str, list[tuple[tuple[int, ...], float]]] = {}
    for number, symbol in enumerate(compiled.adapted_symbols):
        a, b = (float(x) for x in snapshot.adaptors[number])
        mine = np.flatnonzero(trees["adapted"] == number)
        customers, tables = int(trees["customers"][mine].sum()), int(trees["tables"][mine].sum())
        new_morpheme[symbol] = (a * tables + b) / (customers + b) if customers else 1.0
        cached[symbol] = []
        for i in mine:
            if not trees["customers"][i]:
                continue
            derivation = trees["rules"][int(trees["ends"][i - 1]) if i else 0 : int(trees["ends"][i])]
            weight = (float(trees["customers"][i]) - a * float(trees["tables"][i])) / (customers + b)
            cached[symbol].append((tuple(places[derivation].tolist()), weight))
    return KeptState(compiled, probabilities, new_morpheme, cached)
