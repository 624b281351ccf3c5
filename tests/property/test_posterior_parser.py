"""Frozen states analyse words together: the mixture is that of the states one by one, found fast and from any thread."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from binyan import _core
from binyan.datasets import semitic_words
from binyan.errors import InputError
from binyan.grammar.notation import read_grammar
from binyan.morphology import Morphology
from reference.parser import enumerate_derivations


@pytest.fixture(scope="module")
def morphology() -> Morphology:
    words = [w.word for w in semitic_words(120, 3, "arabic")]
    return Morphology("tpl+t4", sweeps=20, burn_in=15, chains=2).fit(words, progress=False)


@pytest.fixture(scope="module")
def states(morphology) -> list[_core.Parser]:
    """The same states, each by itself, in the grammar without the terminal for unseen characters."""
    return [
        _core.Parser(
            morphology.posterior.compiled.core,
            s.rule_counts.tolist(),
            [(a, b, False, False) for a, b in s.adaptors],
            **s.trees,
        )
        for s in morphology.posterior.snapshots
    ]


def together(morphology) -> _core.PosteriorParser:
    states = _core.PosteriorParser(morphology.posterior.compiled.core, 1 << 28)
    for s in morphology.posterior.snapshots:
        states.add(s.rule_counts.tolist(), [(a, b, False, False) for a, b in s.adaptors], **s.trees)
    return states


NEW = ["muktabun", "yadrusu", "katabtu", "almadrasatu", "zzzz"]


def numbers(morphology, word):
    return morphology.posterior.compiled.encode(word)


@pytest.mark.parametrize("word", ["yadrusu", "katabtu", "almaktabu"])
def test_search_gives_a_derivation_its_whole_probability(morphology, states, word):
    for state in states[:3]:
        found = state.best(numbers(morphology, word), 20)
        assert len(found) == 20
        for rules, log_probability in found:
            assert log_probability == pytest.approx(state.log_probability(rules), abs=1e-9)
        assert np.exp([p for _, p in found]).sum() <= np.exp(state.log_inside(numbers(morphology, word))) * (1 + 1e-9)


@pytest.mark.parametrize("word", ["yadrusu", "katabtu", "almaktabu"])
def test_mixture_of_states(morphology, states, word):
    atoms = numbers(morphology, word)
    whole = together(morphology)
    inside = np.array([s.log_inside(atoms) for s in states])
    assert whole.log_probability(atoms) == pytest.approx(np.logaddexp.reduce(inside) - np.log(len(states)))
    found = whole.best(atoms, 1000, 1000)
    # Also where each state went few ways: what one found is weighed under all.
    for rules, log_posterior in found[:5] + whole.best(atoms, 5, 2):
        by_hand = np.logaddexp.reduce([s.log_probability(rules) for s in states]) - np.logaddexp.reduce(inside)
        assert np.exp(log_posterior) == pytest.approx(np.exp(by_hand), abs=1e-9)
    assert 0.99 < np.exp([p for _, p in found]).sum() <= 1 + 1e-9


def test_from_many_threads(morphology):
    words = [w for w in NEW if numbers(morphology, w)] * 20
    alone = {w: [(a.tree, a.probability) for a in morphology.analyses(w)] for w in set(words)}
    with ThreadPoolExecutor(8) as pool:
        for word, found in zip(words, pool.map(morphology.analyses, words), strict=True):
            assert [(a.tree, a.probability) for a in found] == alone[word]


def test_derivations_beyond_the_limit_are_refused(morphology):
    small = _core.PosteriorParser(morphology.posterior.compiled.core, 10_000)
    small.add(
        morphology.posterior.snapshots[0].rule_counts.tolist(),
        [(a, b, False, False) for a, b in morphology.posterior.snapshots[0].adaptors],
        **morphology.posterior.snapshots[0].trees,
    )
    with pytest.raises(InputError, match="memory limit"):
        small.best(numbers(morphology, "katab" * 8), 5, 28)


TINY = "Word -> Stem Suffix | Stem\n@Stem -> Char+\n@Suffix -> Char+\nChar -> <any>"


@pytest.mark.parametrize("word", ["abba", "aab", "bbab", "ababab"])
def test_probabilities_are_those_of_enumerating_every_derivation(word):
    morphology = Morphology(read_grammar(TINY), sweeps=12, burn_in=6, chains=2, snapshots=3)
    posterior = morphology.fit(["ab", "ba", "aba", "abb", "bab", "aa"], progress=False).posterior
    compiled = posterior._open
    whole = posterior._parser
    atoms = compiled.encode(word)
    by_rules = {}
    total = 0.0
    for s in posterior.snapshots:
        places = {(r.lhs, r.arguments, r.rhs): i for i, r in enumerate(compiled.grammar.rules)}
        own = np.array([places[r.lhs, r.arguments, r.rhs] for r in posterior.compiled.grammar.rules], np.uint32)
        counts = np.zeros(len(places), np.uint64)
        counts[own] = s.rule_counts
        trees = dict(s.trees) | {"rules": own[s.trees["rules"]]}
        state = _core.Parser(compiled.core, counts.tolist(), [(a, b, False, False) for a, b in s.adaptors], **trees)
        for derivation in enumerate_derivations(compiled.grammar, tuple(word)):
            p = np.exp(state.log_probability(derivation.rules()))
            by_rules[tuple(derivation.rules())] = by_rules.get(tuple(derivation.rules()), 0.0) + p
            total += p
    found = whole.best(atoms, 5, 28, True)
    assert len(found) >= min(5, len(by_rules))
    for rules, log_p in found:
        assert np.exp(log_p) == pytest.approx(by_rules[tuple(rules)] / total, rel=1e-9)
    best = sorted(by_rules.values(), reverse=True)[: len(found)]
    assert np.exp(found[0][1]) == pytest.approx(best[0] / total, rel=1e-9)
    assert sum(np.exp(log_p) for _, log_p in found) >= 0.95


@pytest.mark.parametrize("word", ["muktabun", "yadrusu", "katabtu", "almadrasatu"])
def test_the_search_goes_on_until_most_of_the_probability_is_found(morphology, word):
    prepared = morphology.prepared(word)
    shares = [p for _, p in morphology.posterior.trees(prepared, 5, beyond=True)]
    assert 0.95 <= sum(shares) <= 1 + 1e-9 and shares == sorted(shares, reverse=True)
    assert [p for _, p in morphology.posterior.trees(prepared, 5)] == shares[:5]


def test_the_share_shown_is_said(morphology):
    analyses = morphology.analyses("almadrasatu", 2)
    assert analyses.covered == pytest.approx(sum(a.probability for a in analyses)) and analyses.covered < 0.9995
    assert f"shown: {analyses.covered:.1%} of the word's probability" in str(analyses)
    segmented = morphology.segment_words(["almadrasatu"], 2)
    (row,) = segmented.to_dict()["words"]
    assert (
        row["covered"]
        == segmented.covered("almadrasatu")
        == pytest.approx(sum(s.probability for s in segmented["almadrasatu"]))
    )
    assert ("less than 95%" in segmented.warning) == (row["covered"] < 0.95)
