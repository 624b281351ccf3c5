"""Parsing with a base grammar: how many derivations a word has, their probabilities, the best of them, random ones.

Each rule has the mean of its Dirichlet prior, weight / sum of weights. Adapted symbols are expanded by their rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from binyan import _core
from binyan.grammar.compiled import Compiled
from binyan.grammar.rules import Grammar
from binyan.grammar.tree import Tree
from binyan.text.atoms import atoms


@dataclass(frozen=True)
class Parse:
    """One derivation of a word: its tree, the rules in preorder, and its probability."""

    tree: Tree
    derivation: tuple[int, ...]
    log_probability: float

    @property
    def probability(self) -> float:
        """The probability of the derivation, and so of the word by this derivation."""
        return math.exp(self.log_probability)


class Parser:
    """A parser of one grammar. `alphabet` fills in its open terminals; by default the characters of `words`."""

    def __init__(self, grammar: Grammar, words: Iterable[str] = (), alphabet: Iterable[str] = ()) -> None:
        self.compiled = Compiled(grammar, [*alphabet, *(a for word in words for a in atoms(word))])
        counts = [0] * len(self.compiled.grammar.rules)
        no = np.zeros(0, np.uint32)
        self._core = _core.Parser(
            self.compiled.core, counts, self.compiled.adaptors(), no, np.zeros(0, np.uint64), no, no, no
        )

    def derivations(self, word: str) -> float:
        """How many derivations the word has; 0 if it cannot be parsed."""
        numbers = self.compiled.encode(atoms(word))
        return 0.0 if numbers is None else self._core.derivations(numbers)

    def log_inside(self, word: str) -> float:
        """The log probability of the word: the sum over all its derivations."""
        numbers = self.compiled.encode(atoms(word))
        return -math.inf if numbers is None else self._core.log_inside(numbers)

    def best(self, word: str, n: int = 1) -> list[Parse]:
        """The n most probable derivations, best first; fewer if there are fewer."""
        numbers = self.compiled.encode(atoms(word))
        found = [] if numbers is None else self._core.best(numbers, n)
        return [Parse(self.compiled.tree(rules), tuple(rules), p) for rules, p in found]

    def sample(self, word: str, random: _core.Random) -> Tree | None:
        """A derivation drawn in proportion to its probability."""
        numbers = self.compiled.encode(atoms(word))
        rules = [] if numbers is None else self._core.sample(numbers, random)
        return self.compiled.tree(rules) if rules else None
