"""The adaptor grammar sampler against exact posteriors of tiny worlds, and its invariants.

Frequencies are compared by a chi-square statistic on thinned draws; the threshold lies beyond the 0.01 per cent point, and
seeds are fixed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from scipy import stats

from binyan import _core
from binyan.errors import InputError
from binyan.grammar.compiled import Compiled
from binyan.grammar.notation import read_grammar
from binyan.grammar.rules import Grammar, Variable
from geweke import TIMES
from reference.parser import (
    Derivation,
    ReferenceAdaptor,
    ReferenceSampler,
    enumerate_derivations,
    exact_posterior,
)

CONTIGUOUS = "W -> Stem Suf | Stem\n@Stem[a=0.4, b=0.7] -> Char+\n@Suf[a=0.2, b=1.5] -> Char+\nChar -> 'x' | 'y'"
# The same morpheme may occur twice in a word, and Word is adapted above Morph.
NESTED = "@Word[a=0.3, b=1.2] -> Morph+\n@Morph[a=0.5, b=0.4] -> 'x' | 'y' | 'xy' | 'yy'"
DISCONTIGUOUS = (
    "W -> Stem\n@Stem[a=0.3, b=0.8](abc) -> R2(a,c) T(b)\n@Stem(abc) -> R2(a,b) T(c)\n@Stem -> Char+\n"
    "@R2[a=0.25, b=0.6](a,b) -> Char(a) Char(b)\nT -> Char\nChar -> 'x' | 'y'"
)
# A letter that is not shown, one written once for two, one written as another; an ending that changes before a suffix.
UNDERLYING = (
    "W -> Stem\n@Stem[a=0.3, b=0.8](ab) -> R3(a,'x',b) | R3(a,b,b)\n@Stem(abc) -> R3(a,b,c)\n@Stem(a 'y' c) -> R3(a,'x',c)\n"
    "@R3[a=0.25, b=0.6](a,b,c) -> Char(a) Char(b) Char(c)\nChar -> 'x' | 'y'"
)
ENDINGS = (
    "W(s 'x' t) -> Stem(s 'y') Suf(t)\nW -> Stem Suf | Stem\n@Stem[a=0.4, b=0.7] -> Char+\n@Suf[a=0.2, b=1.5] -> Char\n"
    "Char -> 'x' | 'y'"
)
WORLDS = {
    "underlying": (UNDERLYING, ["xy", "xyy", "yy", "xxy", "yxx", "yx"]),
    "endings": (ENDINGS, ["yxy", "yy", "yxx"]),
    "contiguous": (CONTIGUOUS, ["xy", "yxy", "xy"]),
    "nested": (NESTED, ["xyxy", "yy", "xy"]),
    "discontiguous": (DISCONTIGUOUS, ["xyx", "xxy", "yxx"]),
}


def parameters(grammar: Grammar) -> dict[str, tuple[float, float]]:
    return {s: (p.a or 0.0, p.b or 0.0) for s, p in grammar.adapted.items()}


def start(grammar: Grammar, words: list[str], seed: int = 3, chain: int = 0) -> tuple[Compiled, _core.Chain]:
    compiled = Compiled(grammar, {c for w in words for c in w})
    forests = _core.WordForests(compiled.core, [compiled.encode(list(w)) for w in words], 1 << 28)
    return compiled, _core.Chain(forests, compiled.adaptors(), seed, chain)


def chi_square(counts: Counter, expected: dict, draws: int) -> float:
    """p-value; cells with fewer than 5 expected draws are put together."""
    assert set(counts) <= set(expected)
    large = {k for k, p in expected.items() if p * draws >= 5}
    observed = [counts[k] for k in large] + [sum(n for k, n in counts.items() if k not in large)]
    wanted = [expected[k] * draws for k in large] + [sum(p for k, p in expected.items() if k not in large) * draws]
    if wanted[-1] < 5:
        wanted[0] += wanted.pop()
        observed[0] += observed.pop()
    return float(stats.chisquare(observed, wanted, sum_check=False).pvalue)


def agreement(world: tuple[str, list[str]], draws: int, step: Callable[[_core.Chain], None]) -> float:
    """The p-value of how often a chain visits the analyses of all words, one look after each step, against their exact posterior."""
    text, words = world
    grammar = read_grammar(text)
    posterior, _ = exact_posterior(grammar, [tuple(w) for w in words], parameters(grammar))
    expected = {tuple(tuple(d.rules()) for d in trees): p for trees, p in posterior.items()}
    assert len(expected) > 3
    _, chain = start(grammar, words)
    chain.initialise(True)
    counts: Counter = Counter()
    for _ in range(draws):
        step(chain)
        counts[tuple(tuple(chain.derivation(i)) for i in range(len(words)))] += 1
    return chi_square(counts, expected, draws)


@pytest.mark.parametrize("relabel", [False, True])
@pytest.mark.parametrize("world", WORLDS)
def test_frequencies_equal_the_exact_posterior(world: str, relabel: bool) -> None:
    def step(chain: _core.Chain) -> None:
        for _ in range(4):
            chain.sweep(relabel=relabel, hyperparameters=False)

    assert agreement(WORLDS[world], 8_000, step) > 1e-4


SAMPLED = {
    "contiguous": ("W -> Stem Suf | Stem\n@Stem -> Char+\nSuf -> Char\nChar -> 'x' | 'y'", ["xy", "yxy", "xy"]),
    "discontiguous": (
        "W(abc) -> R2(a,c) T(b)\nW(abc) -> R2(a,b) T(c)\nW -> Char Char Char\n@R2(a,b) -> Char(a) Char(b)\nT -> Char\n"
        "Char -> 'x' | 'y'",
        ["xyx", "xxy", "yxx"],
    ),
}


@pytest.mark.parametrize("sum_out_seats", [False, True])
@pytest.mark.parametrize("world", SAMPLED)
def test_frequencies_with_sampled_hyperparameters(world: str, sum_out_seats: bool) -> None:
    """A and b integrated out on a grid: a uniform, log b with the density of Gamma(0.1, scale 10)."""
    text, words = SAMPLED[world]
    grammar = read_grammar(text)
    (symbol,) = grammar.adapted
    expected: Counter = Counter()
    total = 0.0
    for a in (np.arange(8) + 0.5) / 8:
        for log_b in np.arange(-60, 5, 1.0):
            b = float(np.exp(log_b))
            density = float(stats.gamma.pdf(b, 0.1, scale=10) * b)
            posterior, evidence = exact_posterior(grammar, [tuple(w) for w in words], {symbol: (float(a), b)})
            for trees, p in posterior.items():
                expected[tuple(tuple(d.rules()) for d in trees)] += p * evidence * density
            total += evidence * density
    expected = Counter({k: v / total for k, v in expected.items()})
    _, chain = start(grammar, words)
    chain.initialise(False)
    draws, counts = 3_000 * TIMES, Counter()
    for _ in range(draws):
        for _ in range(4):
            chain.sweep(sum_out_seats=sum_out_seats)
        counts[tuple(tuple(chain.derivation(i)) for i in range(len(words)))] += 1
    assert chi_square(counts, expected, draws) > 1e-4


def test_annealed_frequencies_follow_the_tempered_posterior() -> None:
    """At temperature T the chain's target is joint^(1/T) over trees and seats."""
    grammar = read_grammar("W -> Stem Char | Stem\n@Stem[a=0.5, b=1.0] -> Char+\nChar -> 'x' | 'y'")
    words = ["xyx", "yyx"]
    temperature = 2.0
    adaptor = ReferenceAdaptor(grammar, parameters(grammar))
    expected: Counter = Counter()
    for first in enumerate_derivations(grammar, tuple(words[0])):
        for p, _ in adaptor.ways(first):
            for second in enumerate_derivations(grammar, tuple(words[1])):
                for q, _ in adaptor.ways(second):
                    expected[tuple(first.rules()), tuple(second.rules())] += (p * q) ** (1 / temperature)
    total = sum(expected.values())
    expected = Counter({k: v / total for k, v in expected.items()})
    _, chain = start(grammar, words)
    chain.initialise(True)
    draws, counts = 8_000, Counter()
    for _ in range(draws):
        for _ in range(3):
            chain.sweep(temperature=temperature, hyperparameters=False)
        counts[tuple(tuple(chain.derivation(i)) for i in range(len(words)))] += 1
    assert chi_square(counts, expected, draws) > 1e-4


@pytest.mark.parametrize("world", WORLDS)
def test_the_reference_sampler_agrees_with_the_exact_posterior_and_the_core(world: str) -> None:
    text, words = WORLDS[world]
    grammar = read_grammar(text)
    posterior, _ = exact_posterior(grammar, [tuple(w) for w in words], parameters(grammar))
    sampler = ReferenceSampler(grammar, [tuple(w) for w in words], parameters(grammar), seed=11)
    draws, counts = 200 * TIMES, Counter()
    for _ in range(draws):
        for _ in range(3):
            sampler.sweep()
        counts[tuple(sampler.trees)] += 1
    assert chi_square(counts, posterior, draws) > 1e-4


def closed_form(compiled: Compiled, chain: _core.Chain) -> float:
    """Log joint of the chain's state by the reference's closed form."""
    reference = ReferenceAdaptor(
        compiled.grammar,
        {s: (a, b) for s, (a, b, _, _) in zip(compiled.adapted_symbols, chain.adaptors, strict=True)},
    )
    reference.counts.update({r: int(n) for r, n in enumerate(chain.rule_counts)})
    cached = chain.cached_trees()
    sizes = iter(cached["sizes"].tolist())
    for adapted, tables in zip(cached["adapted"], cached["tables"], strict=True):
        room = reference.restaurants[compiled.adapted_symbols[adapted]]
        room.sizes += [next(sizes) for _ in range(tables)]
    return reference.log_joint()


@pytest.mark.parametrize("world", WORLDS)
def test_the_joint_probability_equals_its_closed_form(world: str) -> None:
    text, words = WORLDS[world]
    compiled, chain = start(read_grammar(text), words * 5)
    chain.initialise(True)
    for _ in range(20):
        chain.sweep(relabel=True)
        assert chain.log_joint == pytest.approx(closed_form(compiled, chain), rel=1e-9)


@pytest.mark.parametrize("world", WORLDS)
def test_counts_are_those_of_the_trees(world: str) -> None:
    """Rules counted = rules of the words outside caches + rules of each table; customers of a tree = its uses."""
    text, words = WORLDS[world]
    _, chain = start(read_grammar(text), words * 4)
    chain.initialise(True)
    for _ in range(30):
        chain.sweep(relabel=True)
        chain.check()


@pytest.mark.parametrize("world", SAMPLED)
def test_geweke_means_and_ranks(world: str) -> None:
    """Joint draws of (a, b, trees, words) forwards against (a, b, trees) drawn again by the chain given the same words."""
    grammar = read_grammar(SAMPLED[world][0])
    (symbol,) = grammar.adapted
    random = Random(29)
    forward, again = [], []
    for replicate in range(200 * TIMES):
        a, b = random.random(), random.gammavariate(0.1, 10.0)
        adaptor = ReferenceAdaptor(grammar, {symbol: (a, max(b, 1e-100))})
        trees = [adaptor.generate("W", random) for _ in range(5)]
        words = ["".join(spell(grammar, d)[0]) for d in trees]
        room = adaptor.restaurants[symbol]
        largest = max(room.sizes, default=0)
        forward.append([a, np.log(room.b), len(room.sizes), largest, adaptor.counts[0], adaptor.log_joint()])
        _, chain = start(grammar, words, seed=31, chain=replicate)
        chain.initialise(True)
        for _ in range(100):
            chain.sweep()
        ((a, b, _, m),) = chain.adaptors
        largest = max(chain.cached_trees()["sizes"].tolist(), default=0)
        again.append([a, np.log(b), m, largest, chain.rule_counts[0], chain.log_joint])
    for k, (x, y) in enumerate(zip(np.array(forward, float).T, np.array(again, float).T, strict=True)):
        assert stats.ttest_rel(x, y).pvalue > 1e-4, k
        assert stats.mannwhitneyu(x, y).pvalue > 1e-4, k


def spell(grammar: Grammar, d: Derivation) -> list[list[str]]:
    """The string of each argument of a derivation."""
    parts = [spell(grammar, child) for child in d.children]
    return [
        [c for e in argument for c in (parts[e.child][e.argument] if isinstance(e, Variable) else [e])]
        for argument in grammar.rules[d.rule].arguments
    ]


@pytest.mark.parametrize("world", WORLDS)
def test_a_refused_proposal_leaves_no_trace(world: str) -> None:
    """Near temperature 0 only better trees are taken, so that soon every sweep removes each word and puts it back."""
    text, words = WORLDS[world]
    _, chain = start(read_grammar(text), words * 4)
    chain.initialise(True)

    def counts() -> tuple[list[int], list[tuple[list[int], int, int]]]:
        cached = chain.cached_trees()
        rules = np.split(cached["rules"], cached["ends"][:-1].astype(int))
        found = zip(map(np.ndarray.tolist, rules), cached["customers"].tolist(), cached["tables"].tolist(), strict=True)
        return chain.rule_counts.tolist(), sorted(found)

    refused = 0
    for _ in range(400):
        before, joint = counts(), chain.log_joint
        info = chain.sweep(temperature=1e-3, hyperparameters=False)
        chain.check()
        if chain.log_joint == joint and info.changed == 0:
            refused += info.proposals - info.accepted
            assert counts() == before
    assert refused > 20


@pytest.mark.parametrize("world", WORLDS)
def test_a_restored_chain_goes_on_bit_for_bit(world: str) -> None:
    text, words = WORLDS[world]
    _, chain = start(read_grammar(text), words * 4)
    chain.initialise(True)
    for _ in range(5):
        chain.sweep(relabel=True)
    state = chain.state()
    _, other = start(read_grammar(text), words * 4)
    other.restore(state)
    for _ in range(10):
        chain.sweep(relabel=True)
        other.sweep(relabel=True)
    assert np.array_equal(chain.state(), other.state())
    assert chain.log_joint == other.log_joint


def test_a_checkpoint_of_other_words_is_refused() -> None:
    _, chain = start(read_grammar(CONTIGUOUS), ["xy", "xyy"])
    chain.initialise(True)
    _, other = start(read_grammar(CONTIGUOUS), ["xy", "xyy", "yyyyy"])
    with pytest.raises(InputError, match="other words"):
        other.restore(chain.state())
    with pytest.raises(InputError, match="too soon"):
        chain.restore(chain.state()[:-1])


def test_streams_are_functions_of_seed_and_chain() -> None:
    states = []
    for seed, number in [(1, 0), (1, 0), (1, 1), (2, 0)]:
        _, chain = start(read_grammar(NESTED), ["xyxy", "yyxy"] * 5, seed, number)
        chain.initialise(True)
        chain.sweep()
        states.append(chain.state().tolist())
    assert states[0] == states[1]
    assert states[0] != states[2] != states[3] != states[0]


def test_memory_beyond_the_limit_is_refused_before_the_run() -> None:
    compiled = Compiled(read_grammar(NESTED), "xy")
    with pytest.raises(InputError, match="memory limit|more than the limit"):
        _core.WordForests(compiled.core, [compiled.encode(list("xy" * 20))] * 100, 20_000)
