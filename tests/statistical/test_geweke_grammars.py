"""Geweke's check of the adaptor grammar sampler: words, cached trees resampled, a and b of every adapted symbol.

Seeds are fixed; with a sampler that is right each test fails with probability at most 1e-4. `make laws` takes more replicates
(BINYAN_LAWS times as many). Word lists with a word too long or too short are drawn again as a whole: that is a condition on the words alone.
So are lists with a tree whose letters differ from those a rule adds: such trees spell no word, and the sampler's law is that of the others.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest

from binyan import _core
from binyan.grammar.compiled import Compiled
from binyan.grammar.notation import read_grammar
from binyan.grammar.rules import Grammar
from geweke import TIMES, disagreements
from reference.parser import Derivation, ReferenceAdaptor, ReferenceSampler, spell

LONGEST = 7
GRAMMARS = {
    "two adaptors": "W -> Stem Suf | Stem\n@Stem -> Char+\n@Suf -> Char+\nChar -> 'x' | 'y'",
    "an adaptor above another": "@W -> Morph+\n@Morph -> 'x' | 'y' | 'xy' | 'yy'",
    "discontiguous": (
        "W -> Stem\n@Stem(abc) -> R2(a,c) T(b)\n@Stem(abc) -> R2(a,b) T(c)\n@Stem -> Char+\n"
        "@R2(a,b) -> Char(a) Char(b)\nT -> Char\nChar -> 'x' | 'y'"
    ),
    "letters not shown": (
        "W -> Stem\n@Stem(ab) -> R2(a,'x') T(b) | R2(a,a) T(b)\n@Stem('y'b) -> R2('x',b)\n@Stem(ab) -> R2(a,b)\n@Stem -> Char+\n"
        "@R2(a,b) -> Char(a) Char(b)\nT -> Char\nChar -> 'x' | 'y'"
    ),
    "endings that change": "W(s 'x' t) -> Stem(s 'y') Suf(t)\nW -> Stem Suf | Stem\n@Stem -> Char+\n@Suf -> Char\nChar -> 'x' | 'y'",
}


def forwards(
    grammar: Grammar,
    random: Random,
    words: int,
    fixed: tuple[float, float] | None = None,
    scale: float = 10.0,
    shortest: int = 1,
) -> tuple[ReferenceAdaptor, list[Derivation], list[str]]:
    """Hyperparameters, trees and their words from the model."""
    while True:
        parameters = {
            s: fixed or (random.random(), max(random.gammavariate(0.1, scale), 1e-100)) for s in grammar.adapted
        }
        adaptor = ReferenceAdaptor(grammar, parameters)
        try:
            trees = [adaptor.generate(grammar.start, random) for _ in range(words)]
        except RecursionError:  # a long word
            continue
        strings = [spell(grammar, d) for d in trees]
        if None in strings:
            continue
        spelt = ["".join(string[0]) for string in strings if string is not None]
        if shortest <= min(map(len, spelt)) and max(map(len, spelt)) <= LONGEST:
            return adaptor, trees, spelt


def row(
    rooms: list[tuple[float, float, list[int]]], counts: list[int], joint: float, hyperparameters: bool = True
) -> list[float]:
    """The statistics of a state."""
    result = []
    for a, b, sizes in rooms:
        result += [a, math.log(b)] if hyperparameters else []
        result += [len(sizes), sum(n == 1 for n in sizes), max(sizes, default=0)]
    return [*result, *counts, joint]


def names(compiled: Compiled, rules: int, hyperparameters: bool = True) -> list[str]:
    of_symbol = [*(["a", "log b"] if hyperparameters else []), "tables", "ones", "largest"]
    return [f"{x} of {s}" for s in compiled.adapted_symbols for x in of_symbol] + [
        *(f"rule {r}" for r in range(rules)),
        "log joint",
    ]


def reference_row(adaptor: ReferenceAdaptor, symbols: Any, rules: int, hyperparameters: bool = True) -> list[float]:
    rooms = [(adaptor.restaurants[s].a, adaptor.restaurants[s].b, adaptor.restaurants[s].sizes) for s in symbols]
    return row(rooms, [adaptor.counts[r] for r in range(rules)], adaptor.log_joint(), hyperparameters)


def chain_row(compiled: Compiled, chain: _core.Chain, rules: int) -> list[float]:
    cached = chain.cached_trees()
    sizes: list[list[int]] = [[] for _ in compiled.adapted_symbols]
    each = iter(cached["sizes"].tolist())
    for adapted, tables in zip(cached["adapted"].tolist(), cached["tables"].tolist(), strict=True):
        sizes[adapted] += [next(each) for _ in range(tables)]
    rooms = [(a, b, s) for (a, b, _, _), s in zip(chain.adaptors, sizes, strict=True)]
    return row(rooms, [int(n) for n in chain.rule_counts[:rules]], chain.log_joint)


def draws(
    world: str,
    replicates: int,
    relabel: bool,
    joint: float = 0.0,
    trees: float = 0.0,
    sum_out_seats: bool = False,
    **wrong: Any,
) -> tuple[list[str], list[Any], list[Any]]:
    """Forwards, and again by the chain given the same words."""
    grammar, random = read_grammar(GRAMMARS[world]), Random(37)
    rules = min(3, len(grammar.rules))
    forward, again = [], []
    for replicate in range(replicates):
        adaptor, _, words = forwards(grammar, random, 5, **wrong)
        compiled = Compiled(grammar, {c for w in words for c in w} | {"x", "y"})
        forests = _core.WordForests(compiled.core, [compiled.encode(list(w)) for w in words], 1 << 28)
        chain = _core.Chain(forests, compiled.adaptors(), 41, replicate)
        chain.initialise(True)
        for _ in range(150):
            chain.sweep(relabel=relabel, joint=joint, trees=trees, sum_out_seats=sum_out_seats)
        forward.append(reference_row(adaptor, compiled.adapted_symbols, rules))
        again.append(chain_row(compiled, chain, rules))
    return names(compiled, rules), forward, again


@pytest.mark.parametrize("relabel", [False, True])
@pytest.mark.parametrize("world", GRAMMARS)
def test_the_chain_draws_from_the_joint_law(world: str, relabel: bool) -> None:
    assert disagreements(*draws(world, 200 * TIMES, relabel)) == []


@pytest.mark.parametrize("world", GRAMMARS)
def test_the_chain_with_families_drawn_together_draws_from_the_joint_law(world: str) -> None:
    assert disagreements(*draws(world, 150 * TIMES, True, joint=1.0)) == []


@pytest.mark.parametrize("world", ["an adaptor above another", "discontiguous", "letters not shown"])
def test_the_chain_with_families_of_trees_draws_from_the_joint_law(world: str) -> None:
    assert disagreements(*draws(world, 100 * TIMES, False, trees=1.0)) == []


def test_the_chain_with_seats_summed_out_draws_from_the_joint_law() -> None:
    assert disagreements(*draws("an adaptor above another", 150 * TIMES, False, sum_out_seats=True)) == []


def test_another_prior_is_noticed() -> None:
    assert disagreements(*draws("two adaptors", 400, True, scale=1.0))


class Mirrored(ReferenceSampler):
    """A sampler with its acceptance ratio upside down."""

    def _step(self, i: int) -> None:
        before, old = self._copy(), self.trees[i]
        removed = self._remove([old])
        new = self.random.choices(self.choices[i], [self.adaptor.snapshot(d) for d in self.choices[i]])[0]
        q_old, q_new = self.adaptor.snapshot(old), self.adaptor.snapshot(new)
        added = self._add([new])
        if self.random.random() < removed * q_new / (added * q_old):
            self.trees[i] = new
        else:
            self._put_back(before)


@pytest.mark.parametrize(("sampler", "right"), [(ReferenceSampler, True), (Mirrored, False)])
def test_an_acceptance_ratio_upside_down_is_noticed(sampler: type[ReferenceSampler], right: bool) -> None:
    """The sampler of the reference with a and b given, as it is and with a fault in it.

    Each chain starts from the state drawn forwards, which a right sampler leaves distributed as it is after any number of sweeps.
    """
    grammar, random = read_grammar("W -> Morph+\n@Morph -> 'x' | 'xx' | 'y'"), Random(43)
    fixed, rules, forward, again = (0.1, 0.3), len(grammar.rules), [], []
    for replicate in range(400):
        adaptor, trees, words = forwards(grammar, random, 1, fixed, shortest=4)
        forward.append(reference_row(adaptor, grammar.adapted, rules, False))
        chain = sampler(grammar, [tuple(w) for w in words], dict.fromkeys(grammar.adapted, fixed), seed=replicate)
        chain.adaptor, chain.trees = adaptor, trees
        for _ in range(8):
            chain.sweep()
        again.append(reference_row(chain.adaptor, grammar.adapted, rules, False))
    listed = names(Compiled(grammar, {"x"}), rules, False)
    assert (disagreements(listed, forward, again) == []) == right
