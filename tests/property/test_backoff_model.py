"""The core's back-off model and Kneser-Ney estimates against slow, readable ones."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from binyan import _core

BEGIN, END = 1, 2
FALLBACK = (0.5, 1.0, 1.5)
texts = st.lists(st.lists(st.integers(3, 8), max_size=8), min_size=1, max_size=12)


def packed(sentences):
    words = np.array([w for s in sentences for w in s], np.uint32)
    offsets = np.cumsum([0] + [len(s) for s in sentences]).astype(np.uint64)
    return words, offsets


def kneser_ney(sentences, order, vocabulary):
    """Returns P(w, context) for interpolated modified Kneser-Ney, straight from its definition."""
    counts = defaultdict(Counter)  # (context) -> words
    for s in sentences:
        line = [BEGIN, *s, END]
        for i in range(1, len(line)):
            for k in range(order):
                if k <= i:
                    counts[tuple(line[i - k : i])][line[i]] += 1
    adjusted = defaultdict(dict)
    for u, seen in counts.items():
        for w in seen:
            if len(u) == order - 1 or u[:1] == (BEGIN,):
                adjusted[u][w] = seen[w]
            else:
                adjusted[u][w] = sum(1 for v in counts if len(v) == len(u) + 1 and v[1:] == u and w in counts[v])
    discounts = []
    for k in range(order):
        n = Counter(c for u in adjusted if len(u) == k for c in adjusted[u].values())
        amounts = FALLBACK
        if n[1] and n[2] and n[3]:
            y = n[1] / (n[1] + 2 * n[2])
            estimated = [j - (j + 1) * y * n[j + 1] / n[j] for j in (1, 2, 3)]
            if all(0 < d <= j for j, d in zip((1, 2, 3), estimated, strict=True)):
                amounts = estimated
        discounts.append(amounts)

    def probability(w, u):
        u = u[len(u) - min(len(u), order - 1) :]
        if u not in adjusted:
            return probability(w, u[1:])
        total = sum(adjusted[u].values())
        d = [0.0, *discounts[len(u)]]
        gamma = sum(d[min(c, 3)] for c in adjusted[u].values()) / total
        c = adjusted[u].get(w, 0)
        lower = 1 / (vocabulary - 1) if u == () else probability(w, u[1:])
        return (c - d[min(c, 3)]) / total + gamma * lower

    return probability


@settings(max_examples=40, deadline=None)
@given(texts, st.integers(1, 4))
def test_kneser_ney_equals_its_definition(sentences, order):
    vocabulary = 10  # one word more than the text can hold
    words, offsets = packed(sentences)
    tree = _core.ContextTree.build(words, offsets, order, vocabulary)
    model, _ = _core.estimate_kneser_ney(tree, [], FALLBACK, np.zeros(0, np.uint32))
    expected = kneser_ney(sentences, order, vocabulary)
    for s in [*sentences, [3, 9, 4], [0, 5]]:
        state, line = model.begin(), [BEGIN]
        for w in [*s, END]:
            chances = model.distribution(state)
            assert chances.sum() == pytest.approx(1, abs=1e-6)
            assert chances[BEGIN] == 0
            for v in range(vocabulary):
                if v != BEGIN:
                    p = expected(v, tuple(line))
                    assert chances[v] == pytest.approx(p, rel=1e-5)
                    assert model.score(state, v)[1] == pytest.approx(math.log(p), abs=1e-5)
            state = model.score(state, w)[0]
            line.append(w)


def random_model(rng, order=3, columns=1, vocabulary=9):
    sentences = [list(rng.integers(3, vocabulary - 1, rng.integers(0, 9))) for _ in range(20)]
    words, offsets = packed(sentences)
    tree = _core.ContextTree.build(words, offsets, order, vocabulary)
    draw = lambda n: np.log(rng.uniform(0.1, 0.9, n * columns)).astype(np.float32)  # noqa: E731
    levels = range(1, order)
    model = _core.BackoffModel.freeze(
        tree,
        columns,
        draw(vocabulary),
        [draw(tree.entries(k)) for k in levels],
        [draw(tree.contexts(k)) for k in levels],
    )
    return model, sentences


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_batch_equals_single_queries_at_any_number_of_threads(order, columns):
    model, sentences = random_model(np.random.default_rng(7), order, columns)
    sentences = [*sentences, [], [8, 0, 3], *[[3, 4, 5, 6, 7] * 3] * 200]
    words, offsets = packed(sentences)
    log_prob, matched = model.score_sentences(words, offsets)
    single = []
    for s in sentences:
        state = model.begin()
        for w in [*s, END]:
            state, p, length = model.score(state, w)
            single.append((p, length))
    assert np.allclose(log_prob, [p for p, _ in single], atol=1e-6)
    assert list(matched) == [length for _, length in single]
    for threads in (2, 3):
        again = model.score_sentences(words, offsets, threads)
        assert np.array_equal(again[0], log_prob) and np.array_equal(again[1], matched)


def test_columns_are_averaged_as_probabilities():
    rng = np.random.default_rng(3)
    mixed, _ = random_model(rng, 3, 4)
    a = mixed.arrays
    single = []
    for column in range(4):
        arrays = {name: np.array(x) for name, x in a.items()}
        for name in ("log_prob", "log_backoff"):
            arrays[name] = np.ascontiguousarray(arrays[name].reshape(-1, 4)[:, column])
        single.append(_core.BackoffModel(1, **arrays))
    for u in itertools.product(range(3, 9), repeat=2):
        states = [m.begin() for m in (mixed, *single)]
        for w in u:
            states = [m.score(s, w)[0] for m, s in zip((mixed, *single), states, strict=True)]
        expected = np.mean([m.distribution(s) for m, s in zip(single, states[1:], strict=True)], axis=0)
        assert np.allclose(mixed.distribution(states[0]), expected, rtol=1e-6)
        assert math.exp(mixed.score(states[0], 4)[1]) == pytest.approx(expected[4], rel=1e-5)


def test_states_recombine():
    words, offsets = packed([[3, 4, 5], [6, 4, 7]])
    model, _ = _core.estimate_kneser_ney(_core.ContextTree.build(words, offsets, 3, 9), [], FALLBACK, words)
    state = model.score(model.score(model.begin(), 7)[0], 4)[0]  # <s> 7 4: only 4 was seen before a word
    assert model.context(state) == [4]
    assert state == model.score(model.score(model.begin(), 5)[0], 4)[0]
    assert model.context(model.score(state, 8)[0]) == []


def test_arrays_rebuild_the_model_and_damage_is_refused():
    model, _ = random_model(np.random.default_rng(1))
    arrays = {name: np.array(x) for name, x in model.arrays.items()}
    again = _core.BackoffModel(1, **arrays)
    assert all(np.array_equal(x, again.arrays[name]) for name, x in arrays.items())
    from binyan.errors import InputError

    for name, x in arrays.items():
        with pytest.raises(InputError):
            _core.BackoffModel(1, **{**arrays, name: x[:-1]})
        if x.dtype == np.uint32:
            with pytest.raises(InputError):
                damaged = x.copy()
                damaged[-1] = 2**31
                _core.BackoffModel(1, **{**arrays, name: damaged})


@settings(max_examples=40, deadline=None)
@given(texts, st.integers(2, 4), st.integers(1, 2))
def test_pruned_models_sum_to_one_and_keep_frequent_ngrams(sentences, order, threshold):
    words, offsets = packed(sentences)
    tree = _core.ContextTree.build(words, offsets, order, 10)
    model, _ = _core.estimate_kneser_ney(tree, [0, threshold], FALLBACK, words)
    counts = Counter()
    for s in sentences:
        line = [BEGIN, *s, END]
        counts.update(tuple(line[i:j]) for i in range(len(line)) for j in range(i + 2, min(i + order, len(line)) + 1))
    kept = sum(c > threshold for c in counts.values())
    assert len(model.arrays["word"]) == 10 + kept
    for state in range(model.states):
        assert model.distribution(state).sum() == pytest.approx(1, abs=1e-6)
