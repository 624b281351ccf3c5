"""Properties of the HPYLM sampler: invariants, likelihoods, equality with the reference, sums to one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from binyan._core import HPYLM, ContextTree, Random
from binyan.errors import InputError
from reference.restaurant import Hierarchy
from tiny_world import contexts_of, events_of, seating_of, tree_of

VOCABULARY = 9
texts = st.lists(st.lists(st.integers(3, VOCABULARY - 1), max_size=12), min_size=1, max_size=12)


def zipf_text(seed: int, sentences: int = 60, length: int = 12) -> list[list[int]]:
    """Words with very unequal frequencies, so that dishes have many tables of many sizes."""
    random = np.random.default_rng(seed)
    return [[min(3 + int(random.zipf(1.3)), VOCABULARY - 1) for _ in range(length)] for _ in range(sentences)]


def model_of(tree: ContextTree, seed: int = 1, sequential: bool = True, steps: int = 0) -> HPYLM:
    model = HPYLM(tree, seed)
    model.initialise(sequential)
    for _ in range(steps):
        model.step()
    return model


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


@settings(max_examples=40, deadline=None)
@given(texts, st.integers(1, 4), st.booleans(), st.integers(0, 2**63))
def test_incremental_likelihood_equals_closed_form(sentences: Any, order: int, sequential: bool, seed: int) -> None:
    model = HPYLM(tree_of(sentences, order, VOCABULARY), seed)
    incremental = model.initialise(sequential)
    assert model.log_likelihood() == pytest.approx(incremental, rel=1e-10)


@settings(max_examples=25, deadline=None)
@given(texts, st.integers(1, 4), st.integers(0, 2**63))
def test_tables_are_customers_of_the_parent_after_every_sweep(sentences: Any, order: int, seed: int) -> None:
    model = model_of(tree_of(sentences, order, VOCABULARY), seed, sequential=False)
    for _ in range(5):
        model.sweep()
        model.check()
        model.resample_hyperparameters()


def test_invariant_on_a_text_with_many_tables() -> None:
    model = model_of(tree_of(zipf_text(1), 3, VOCABULARY))
    for _ in range(30):
        model.step()
        model.check()
    assert max(len(model.table_sizes(0, e)) for e in range(5)) > 3


@pytest.mark.parametrize("order", [1, 2, 4])
def test_equals_reference(order: int) -> None:
    """The same seating in the reference's restaurants has the same likelihood and the same predictions."""
    sentences = zipf_text(2)
    tree = tree_of(sentences, order, VOCABULARY)
    model = model_of(tree, steps=7)
    contexts = contexts_of(tree)
    reference = seating_of(model, tree, contexts)
    assert model.log_likelihood() == pytest.approx(reference.log_likelihood(), rel=1e-12)
    samples = {name: np.zeros((rows, 1), np.float32) for name, rows in model.sample_rows().items()}
    model.collect(samples, 0)
    for k in range(1, order):
        level = tree.level(k)
        for e in range(0, tree.entries(k), 7):
            p = reference.prob(contexts[k][int(level["context"][e])], int(level["word"][e]))
            assert math.exp(samples[f"log_prob.{k}"][e, 0]) == pytest.approx(p, rel=1e-6)
        for c in range(tree.contexts(k)):
            r = reference.at(contexts[k][c])
            weight = (r.discount * r.tables + r.strength) / (r.customers + r.strength)
            assert math.exp(samples[f"log_backoff.{k}"][c, 0]) == pytest.approx(weight, rel=1e-6)
    assert np.exp(samples["unigrams"].astype(float)).sum() == pytest.approx(1.0, abs=1e-6)


def test_add_then_remove_restores_the_reference() -> None:
    """The newest customer of a word in a context that never had it: removing it is certain, so the state must come back."""
    sentences, random = zipf_text(3), Random(1)
    tree = tree_of(sentences, 3, VOCABULARY)
    reference = seating_of(model_of(tree, steps=3), tree, contexts_of(tree))
    before = reference.state()
    for context in [(), (3,), (4, 5), (8, 8)]:
        unseen = VOCABULARY + 1
        reference.increment(context, unseen, random)
        assert reference.state() != before
        reference.decrement(context, unseen, random)
        assert reference.state() == before


def test_removing_every_customer_empties_the_reference() -> None:
    hierarchy, random = Hierarchy([(0.5, 1.0)] * 3, 0.1), Random(4)
    events = events_of(zipf_text(4), 3)
    for event in events:
        hierarchy.increment(*event, random)
    for event in events[::-1]:
        hierarchy.decrement(*event, random)
    assert hierarchy.state() == ()


def test_state_is_the_whole_state() -> None:
    tree = tree_of(zipf_text(5), 3, VOCABULARY)
    model = model_of(tree, steps=10)
    other = HPYLM(tree, seed=99)
    other.restore(model.state())
    assert same(other.state(), model.state())
    for _ in range(5):
        assert other.step() == model.step()
    assert same(other.state(), model.state())


def test_seed_and_chain_decide() -> None:
    tree = tree_of(zipf_text(6), 3, VOCABULARY)
    assert same(model_of(tree, 1, steps=3).state(), model_of(tree, 1, steps=3).state())
    assert not same(model_of(tree, 1, steps=3).state(), model_of(tree, 2, steps=3).state())
    other = HPYLM(tree, 1, chain=1)
    other.initialise(True)
    assert not same(model_of(tree, 1).state(), other.state())


@pytest.mark.parametrize("name", ["tables.0", "tables.2", "sizes.0", "random", "hyperparameters"])
def test_refuses_a_damaged_state(name: str) -> None:
    tree = tree_of(zipf_text(7), 3, VOCABULARY)
    state = model_of(tree, steps=5).state()
    damaged = state | {name: np.concatenate([state[name], state[name][:1]])}
    with pytest.raises(InputError):
        HPYLM(tree, 1).restore(damaged)
    if name.startswith(("tables", "sizes")):
        damaged = state | {name: state[name] + np.uint32(1)}
        with pytest.raises(InputError, match="damaged"):
            HPYLM(tree, 1).restore(damaged)


@pytest.mark.parametrize("values", [[(1.0, 1.0)], [(-0.1, 1.0)], [(0.5, 0.0)], [(0.5, 1.0), (0.5, 1.0)]])
def test_refuses_impossible_hyperparameters(values: list[tuple[float, float]]) -> None:
    model = HPYLM(tree_of([[3]], 1, VOCABULARY), 1)
    with pytest.raises(InputError):
        model.hyperparameters = values
