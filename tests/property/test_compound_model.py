"""Properties of the compound models: equality with the reference, renormalisation, invariants, state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from binyan._core import CompoundHPYLM, CompoundQuery, CompoundTree
from binyan.errors import InputError
from compound_world import Components, compound_tree, seating
from tiny_world import contexts_of, tree_of

# hof schule gast haus; schulhof gasthof gasthaus hausgast gasthausschule hofhof
WORDS: Components = [
    [0], [1], [2], [3], [4], [5], [6], [3, 4], [3, 5], [6, 5], [5, 6], [4, 6, 5], [3, 3],
]  # fmt: skip


def text(seed: int, sentences: int = 60, length: int = 8) -> list[list[int]]:
    random = np.random.default_rng(seed)
    return [[min(3 + int(random.zipf(1.4)) - 1, len(WORDS) - 1) for _ in range(length)] for _ in range(sentences)]


def chain(
    seed: int, order: int, both_ways: bool, steps: int, sequential: bool = True
) -> tuple[Any, Any, CompoundHPYLM]:
    tree, compounds = compound_tree(text(seed), order, WORDS)
    model = CompoundHPYLM(compounds, both_ways, seed)
    model.initialise(sequential)
    for _ in range(steps):
        model.step()
    return tree, compounds, model


def query(model: CompoundHPYLM, compounds: Any, more: list[CompoundHPYLM] | None = None) -> CompoundQuery:
    chains = [model, *(more or [])]
    samples = {name: np.zeros((rows, len(chains)), np.float32) for name, rows in model.sample_rows().items()}
    for i, c in enumerate(chains):
        c.collect(samples, i)
    return CompoundQuery.of(compounds, samples)


@pytest.mark.parametrize("both_ways", [False, True])
@pytest.mark.parametrize("sequential", [False, True])
def test_all_three_hierarchies_hold_after_every_sweep(both_ways: bool, sequential: bool) -> None:
    _, _, model = chain(1, 3, both_ways, 0, sequential)
    model.check()
    for _ in range(15):
        model.step()
        model.check()


@pytest.mark.parametrize("both_ways", [False, True])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_equals_reference(order: int, both_ways: bool) -> None:
    """The same seating in the reference: the same likelihood, and the same probability of every word in every context."""
    tree, compounds, model = chain(2, order, both_ways, 6)
    ref = seating(model, tree, compounds, WORDS)
    assert model.log_likelihood() == pytest.approx(ref.log_likelihood(), rel=1e-12)
    asked = query(model, compounds)
    for sentence in text(3, sentences=12, length=5):
        state, history = asked.begin(), (1,)
        for word in [*sentence, 2]:
            context = history[max(0, len(history) - order + 1) :] if order > 1 else ()
            state_after, log_prob, _ = asked.score(state, asked.word(word), False)
            assert math.exp(log_prob) == pytest.approx(ref.prob(context, word), rel=1e-5)
            state, history = state_after, (*history, word)


def test_unseen_compounds_equal_reference() -> None:
    tree, compounds, model = chain(4, 3, True, 6)
    ref = seating(model, tree, compounds, WORDS)
    asked = query(model, compounds)
    ref.components = {**ref.components, 99: (3, 6, 4)}  # type: ignore[dict-item]
    _, log_prob, _ = asked.score(asked.begin(), asked.compound([3, 6, 4]), False)
    assert math.exp(log_prob) == pytest.approx(ref.prob((1,), 99), rel=1e-5)


@pytest.mark.parametrize("both_ways", [False, True])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_renormaliser_equals_brute_force(order: int, both_ways: bool) -> None:
    """Summing over the vocabulary, in contexts seen and never seen; then the renormalised sum is one."""
    _, compounds, model = chain(5, order, both_ways, 5)
    _, _, other = chain(5, order, both_ways, 9)
    samples = query(model, compounds, [other])
    for asked in (query(model, compounds), samples):
        states = {asked.begin()}
        for sentence in text(6, sentences=30):
            state = asked.begin()
            for word in sentence:
                state = asked.score(state, asked.word(word), False)[0]
                states.add(state)
        assert order == 1 or len(states) >= 8
        for state in states:
            brute = asked.distribution(state, False).sum()
            assert asked.vocabulary_mass(state) == pytest.approx(brute, abs=1e-6)
            assert 0.5 < brute < 1
            assert asked.distribution(state, True).sum() == pytest.approx(1.0, abs=1e-6)


def test_open_vocabulary_sums_to_one() -> None:
    """Vocabulary plus the stated rest.

    Every word outside it is a head and modifiers; enumerated up to three components, what is left is the mass of longer words,
    which falls towards zero.
    """
    _, compounds, model = chain(7, 2, False, 5)
    asked = query(model, compounds)
    known = {tuple(parts) for parts in WORDS}
    state = asked.begin()
    total, left = asked.distribution(state, False).sum(), []
    total += math.exp(asked.score(state, asked.compound([1]), False)[1])  # <s> as a component
    for length in (1, 2, 3):
        for parts in np.ndindex(*([7] * length)):
            if tuple(parts) not in known:
                total += math.exp(asked.score(state, asked.compound(list(parts)), False)[1])
        left.append(1 - total)
    assert all(rest > 0 for rest in left)
    assert left[0] > left[1] > left[2] and left[2] < 0.02


def test_batch_equals_single_scores() -> None:
    _, compounds, model = chain(8, 3, True, 5)
    asked = query(model, compounds)
    sentences = text(9, sentences=20)
    others = [[3, 6, 4], [6, 6]]
    sentences[3] = [3, len(WORDS), 4, len(WORDS) + 1]
    words = np.array([w for s in sentences for w in s], np.uint32)
    offsets = np.cumsum([0] + [len(s) for s in sentences]).astype(np.uint64)
    for renormalise in (False, True):
        one, matched = asked.score_sentences(words, offsets, others, renormalise, 1)
        three, _ = asked.score_sentences(words, offsets, others, renormalise, 3)
        np.testing.assert_array_equal(one, three)
        place = 0
        for sentence in sentences:
            state = asked.begin()
            for w in [*sentence, 2]:
                word = asked.word(w) if w < len(WORDS) else asked.compound(others[w - len(WORDS)])
                state, log_prob, hit = asked.score(state, word, renormalise)
                assert (one[place], matched[place]) == (log_prob, hit)
                place += 1


def test_explanations_add_up() -> None:
    for both_ways in (False, True):
        _, compounds, model = chain(10, 3, both_ways, 5)
        asked = query(model, compounds)
        for sentence in text(11, sentences=10):
            state = asked.begin()
            for w in sentence:
                after, log_prob, _ = asked.score(state, asked.word(w), False)
                parts = asked.explain(state, asked.word(w))
                assert sum(seen + made for _, seen, made, _ in parts) == pytest.approx(math.exp(log_prob), rel=1e-5)
                state = after


def test_identity_segmentation_agrees_with_the_equations() -> None:
    """With every word its own component, F only ever ends: G alone decides, and hpylm+g's H reduces with it."""
    identity = [[w] for w in range(len(WORDS))]
    tree, compounds = compound_tree(text(12), 3, identity)
    model = CompoundHPYLM(compounds, False, seed=1)
    model.initialise(True)
    for _ in range(10):
        model.step()
    ref = seating(model, tree, compounds, identity)
    for context in contexts_of(tree)[2][:10]:
        for word in range(2, 8):
            h, g = ref.at(context), ref.heads.prob(context, word)
            end = ref.modifiers.prob((word,), ref.end)
            sizes = h.sizes.get((word, 0), [])
            expected = sum(sizes) - h.discount * len(sizes) + (h.discount * h.tables + h.strength) * g * end
            assert ref.prob(context, word) == pytest.approx(expected / (h.customers + h.strength), rel=1e-12)
    assert {then for r in ref.modifiers.restaurants.values() for then in r.sizes} == {ref.end}


def test_heads_of_an_identity_segmentation_are_the_context_tree() -> None:
    identity = [[w] for w in range(len(WORDS))]
    tree, compounds = compound_tree(text(13), 3, identity)
    for k in range(3):
        np.testing.assert_array_equal(compounds.head_level(k)["head"], tree.level(k)["word"])
        np.testing.assert_array_equal(compounds.head_level(k)["parent"], tree.level(k)["parent"])


@pytest.mark.parametrize("both_ways", [False, True])
def test_state_is_the_whole_state(both_ways: bool) -> None:
    _, compounds, model = chain(14, 3, both_ways, 8)
    other = CompoundHPYLM(compounds, both_ways, seed=77)
    other.restore(model.state())
    for _ in range(5):
        assert other.step() == model.step()
    one, two = model.state(), other.state()
    assert all(np.array_equal(one[name], two[name]) for name in one)


@pytest.mark.parametrize("name", ["words.1.tables", "heads.0.customers", "pairs.sizes", "nexts.tables", "random"])
def test_refuses_a_damaged_state(name: str) -> None:
    _, compounds, model = chain(15, 2, True, 5)
    state = model.state()
    array = state[name].copy()
    damaged = state | {name: array[:-1] if name == "random" else array + array.dtype.type(1)}
    with pytest.raises(InputError):
        CompoundHPYLM(compounds, True, seed=1).restore(damaged)


def test_refuses_components_that_do_not_fit() -> None:
    tree = tree_of([[3]], 2, 5)
    with pytest.raises(InputError, match="every word"):
        CompoundTree(tree, np.zeros(4, np.uint32), np.arange(5, dtype=np.uint32), 1)
    with pytest.raises(InputError, match="not one of"):
        CompoundTree(tree, np.arange(5, dtype=np.uint32), np.arange(6, dtype=np.uint32), 4)
    with pytest.raises(InputError, match="no component"):
        CompoundTree(tree, np.zeros(4, np.uint32), np.array([0, 1, 2, 2, 3, 4], np.uint32), 1)


def test_a_head_is_learnt_from_other_compounds() -> None:
    """Eleven compounds with one head after <s>: G expects the head there, and so a twelfth compound with it."""
    parts: list[list[int]] = [[0], [1], [2], [3]] + [[3, 4 + i] for i in range(12)] + [[16]]
    sentences = [[4 + i] for i in range(11) for _ in range(3)]
    _, compounds = compound_tree(sentences, 2, parts)
    model = CompoundHPYLM(compounds, False, seed=1)
    model.initialise(True)
    for _ in range(30):
        model.step()
    asked = query(model, compounds)
    assert asked.explain(asked.begin(), asked.word(15))[-1][3] > 0.5
    compound, simplex = (asked.score(asked.begin(), asked.word(w), False)[1] for w in (15, 16))
    assert compound > simplex
