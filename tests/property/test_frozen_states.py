"""Frozen states analyse words together: the mixture is that of the states one by one, found fast and from any thread."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from binyan import _core
from binyan.datasets import semitic_words
from binyan.errors import InputError
from binyan.grammar.notation import load_grammar
from binyan.morphology import Segmenter, WordList, learn


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    words = WordList.of(w.word for w in semitic_words(120, 3, "arabic"))
    return learn(words, load_grammar("tpl+t4"), sweeps=20, burn_in=15, chains=2)


@pytest.fixture(scope="module")
def states(segmenter) -> list[_core.FrozenGrammar]:
    """The same states, each by itself, in the grammar without the terminal for unseen characters."""
    return [
        _core.FrozenGrammar(
            segmenter.compiled.core, s.rule_counts.tolist(), [(a, b, False, False) for a, b in s.adaptors], **s.trees
        )
        for s in segmenter.snapshots
    ]


def together(segmenter) -> _core.FrozenStates:
    found = _core.FrozenStates(segmenter.compiled.core, 1 << 28)
    for s in segmenter.snapshots:
        found.add(s.rule_counts.tolist(), [(a, b, False, False) for a, b in s.adaptors], **s.trees)
    return found


NEW = ["muktabun", "yadrusu", "katabtu", "almadrasatu", "zzzz"]


def numbers(segmenter, word):
    return segmenter.compiled.encode(word)


@pytest.mark.parametrize("word", ["yadrusu", "katabtu", "almaktabu"])
def test_search_gives_a_derivation_its_whole_probability(segmenter, states, word):
    for state in states[:3]:
        found = state.best(numbers(segmenter, word), 20)
        assert len(found) == 20
        for rules, log_probability in found:
            assert log_probability == pytest.approx(state.log_probability(rules), abs=1e-9)
        assert np.exp([p for _, p in found]).sum() <= np.exp(state.log_inside(numbers(segmenter, word))) * (1 + 1e-9)


@pytest.mark.parametrize("word", ["yadrusu", "katabtu", "almaktabu"])
def test_mixture_of_states(segmenter, states, word):
    atoms = numbers(segmenter, word)
    whole = together(segmenter)
    inside = np.array([s.log_inside(atoms) for s in states])
    assert whole.log_probability(atoms) == pytest.approx(np.logaddexp.reduce(inside) - np.log(len(states)))
    found = whole.best(atoms, 1000, 1000)
    for rules, log_posterior in found[:5]:
        by_hand = np.logaddexp.reduce([s.log_probability(rules) for s in states]) - np.logaddexp.reduce(inside)
        assert np.exp(log_posterior) == pytest.approx(np.exp(by_hand), abs=1e-3)  # a state leaves at most that unfound
    assert 0.99 < np.exp([p for _, p in found]).sum() <= 1 + 1e-9


@pytest.mark.parametrize("name", ["concat", "mtpl", "root-template", "infix", "circumfix", "compound"])
def test_parts_without_trees_are_those_of_the_trees(name):
    words = [w.word for w in semitic_words(60, 5, "hebrew")]
    segmenter = learn(WordList.of(words[:40]), load_grammar(name), sweeps=5, burn_in=3)
    for word in words:
        for derived, analysis in zip(segmenter.derivations(word), segmenter.analyses(word), strict=True):
            assert derived.parts() == [(part.text, part.label) for part in analysis.segmentation]


def test_from_many_threads(segmenter):
    words = [w for w in NEW if numbers(segmenter, w)] * 20
    alone = {w: [(a.tree, a.probability) for a in segmenter.analyses(w)] for w in set(words)}
    with ThreadPoolExecutor(8) as pool:
        for word, found in zip(words, pool.map(segmenter.analyses, words), strict=True):
            assert [(a.tree, a.probability) for a in found] == alone[word]


def test_derivations_beyond_the_limit_are_refused(segmenter):
    small = _core.FrozenStates(segmenter.compiled.core, 10_000)
    small.add(
        segmenter.snapshots[0].rule_counts.tolist(),
        [(a, b, False, False) for a, b in segmenter.snapshots[0].adaptors],
        **segmenter.snapshots[0].trees,
    )
    with pytest.raises(InputError, match="memory limit"):
        small.best(numbers(segmenter, "katab" * 8), 5, 28)
