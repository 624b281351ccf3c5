"""New words drawn from a learnt grammar: a kept state is chosen, then the word is derived from the start symbol.

An adapted symbol reuses a cached tree with weight (customers - a * tables), or derives a new one with weight (b + a * all tables);
rules have their posterior mean weights (count + prior weight). These are the laws by which words are parsed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.grammar.compiled import Compiled
from binyan.grammar.tree import Tree
from binyan.morphology.chain_state import Snapshot
from binyan.morphology.posterior import UNSEEN, Posterior

_MOST_RULES = 10_000  # of one word; a draw with more is begun again
_MOST_DRAWS = 1_000  # until one word is had


class _State:
    """One kept state of the grammar, its weights added up for drawing."""

    def __init__(
        self, compiled: Compiled, counts: NDArray[np.float64], snapshot: Snapshot, places: NDArray[np.intp]
    ) -> None:
        grammar = compiled.grammar
        self.rules = {
            symbol: (np.array(numbers), np.cumsum([counts[r] + grammar.rules[r].weight for r in numbers]))
            for symbol, numbers in grammar.rules_of.items()
            if numbers
        }
        ends = snapshot.trees["ends"].astype(np.int64)
        starts = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
        rules = places[snapshot.trees["rules"]]
        self.cached: dict[str, tuple[list[list[int]], NDArray[np.float64]]] = {}
        for i, symbol in enumerate(compiled.adapted_symbols):
            a, b = (float(x) for x in snapshot.adaptors[i])
            mine = np.flatnonzero(snapshot.trees["adapted"] == i)
            customers, tables = (snapshot.trees[name][mine].astype(float) for name in ("customers", "tables"))
            weights = np.append(customers - a * tables, b + a * tables.sum())
            self.cached[symbol] = [rules[starts[t] : ends[t]].tolist() for t in mine], np.cumsum(weights)


class RandomWords:
    """Draws derivations from the posterior predictive distribution of a morphology; the same seed gives the same words."""

    def __init__(self, posterior: Posterior, seed: int = 1) -> None:
        self._posterior = posterior
        self._random = np.random.default_rng(seed)

    @cached_property
    def _compiled(self) -> Compiled:
        """The grammar with the terminal for letters that were not seen, as words are parsed with it."""
        closed = self._posterior.compiled
        return Compiled(closed.source, [*closed.atoms, UNSEEN]) if closed.source.open_terminals else closed

    @cached_property
    def _states(self) -> list[_State]:
        rules = self._compiled.grammar.rules
        numbers = {(r.lhs, r.arguments, r.rhs): i for i, r in enumerate(rules)}
        places = np.array([numbers[r.lhs, r.arguments, r.rhs] for r in self._posterior.compiled.grammar.rules], np.intp)
        states = []
        for snapshot in self._posterior.snapshots:
            counts = np.zeros(len(rules))
            counts[places] = snapshot.rule_counts
            states.append(_State(self._compiled, counts, snapshot, places))
        return states

    def draw(self) -> str:
        """One word."""
        return self.draw_tree().word()

    def draw_tree(self) -> Tree:
        """One word with its analysis. Words with letters that were not seen in training have no spelling and are drawn again."""
        for _ in range(_MOST_DRAWS):
            derivation = self._derivation(self._states[int(self._random.integers(len(self._states)))])
            if derivation is not None:
                tree = self._compiled.tree(derivation)
                if UNSEEN not in tree.word():
                    return tree
        raise InputError(
            f"the grammar {self._compiled.source.name} gave no word of at most {_MOST_RULES:,} rules in {_MOST_DRAWS:,} draws"
        )

    def _derivation(self, state: _State) -> Sequence[int] | None:
        rules: list[int] = []
        waiting = [self._compiled.grammar.start]
        while waiting:
            symbol = waiting.pop()
            if symbol in state.cached:
                trees, sums = state.cached[symbol]
                choice = self._choose(sums)
                if choice < len(trees):
                    rules += trees[choice]
                    continue
            numbers, sums = state.rules[symbol]
            rule = int(numbers[self._choose(sums)])
            rules.append(rule)
            waiting += reversed(self._compiled.grammar.rules[rule].rhs)
            if len(rules) > _MOST_RULES:
                return None
        return rules

    def _choose(self, sums: NDArray[np.float64]) -> int:
        return min(int(np.searchsorted(sums, self._random.random() * sums[-1], side="right")), len(sums) - 1)
