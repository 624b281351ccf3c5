"""Frozen states analyse words together: the mixture is that of the states one by one, found fast and from any thread."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from binyan import _core
from binyan.datasets import semitic_words
from binyan.errors import InputError
from binyan.morphology import Morphology


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
