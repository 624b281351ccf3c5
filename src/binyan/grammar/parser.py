"""Parsing with a base grammar: how many derivations a word has, their probabilities, the best of them, random ones.

Each rule has the mean of its Dirichlet prior, weight / sum of weights. Adapted symbols are expanded by their rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from binyan import _core
from binyan.errors import InputError
from binyan.files import PathLike, write_text
from binyan.grammar.compiled import Compiled
from binyan.grammar.drawing import draw_html
from binyan.grammar.rules import Grammar
from binyan.grammar.tree import Tree
from binyan.grammar.tree_segments import simplified
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
        numbers = self.compiled.encode_word(atoms(word))
        return 0.0 if numbers is None else self._core.derivations(numbers)

    def log_inside(self, word: str) -> float:
        """The log probability of the word: the sum over all its derivations."""
        numbers = self.compiled.encode_word(atoms(word))
        return -math.inf if numbers is None else self._core.log_inside(numbers)

    def best(self, word: str, n: int = 1) -> list[Parse]:
        """The n most probable derivations, best first; fewer if there are fewer."""
        numbers = self.compiled.encode_word(atoms(word))
        derivations = [] if numbers is None else self._core.best(numbers, n)
        return [Parse(self.compiled.tree(rules), tuple(rules), p) for rules, p in derivations]

    def sample(self, word: str, random: _core.Random) -> Tree | None:
        """A derivation drawn in proportion to its probability."""
        numbers = self.compiled.encode_word(atoms(word))
        rules = [] if numbers is None else self._core.sample(numbers, random)
        return self.compiled.tree(rules) if rules else None


@dataclass(frozen=True)
class WordParses:
    """The best parses of a word by a grammar as it stands, what `binyan grammar parse` prints."""

    word: str
    grammar: str
    derivations: float
    log_probability: float
    parses: tuple[Parse, ...]

    @property
    def shares(self) -> list[float]:
        """The share of the word's probability that each parse has."""
        return [math.exp(parse.log_probability - self.log_probability) for parse in self.parses]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        analyses = [
            {"tree": parse.tree.discbracket(), "log_probability": parse.log_probability, "share": share}
            for parse, share in zip(self.parses, self.shares, strict=True)
        ]
        return {
            "word": self.word,
            "derivations": self.derivations,
            "log_probability": self.log_probability,
            "analyses": analyses,
        }

    def __str__(self) -> str:
        lines = [f"{self.word}: {self.derivations:.0f} derivation(s), log probability {self.log_probability:.3f}"]
        for parse, share in zip(self.parses, self.shares, strict=True):
            lines.append(f"\n{share:.2%} of it:  {parse.tree.discbracket()}\n\n{parse.tree}")
        return "\n".join(lines)

    def save_html(self, path: PathLike) -> None:
        """Write all parses as a web page."""
        captions = [f"{share:.2%} of the probability" for share in self.shares]
        pictures = zip((parse.tree for parse in self.parses), captions, strict=True)
        write_text(path, draw_html(pictures, f"{self.word} by {self.grammar}"))


def parse_word(grammar: Grammar, word: str, n: int = 1, full: bool = True) -> WordParses:
    """The n best parses of a word; its characters fill in the open terminals. Raises InputError where there is none."""
    if not word:
        raise InputError("the word is empty: give a word to parse")
    parser = Parser(grammar, [word])
    parses = parser.best(word, n)
    if not parses:
        raise InputError(f"{word!r} cannot be parsed: the grammar {grammar.name} derives no such word")
    if not full:
        parses = [Parse(simplified(p.tree, grammar), p.derivation, p.log_probability) for p in parses]
    return WordParses(word, grammar.name, parser.derivations(word), parser.log_inside(word), tuple(parses))
