"""Pruning by relative entropy, against divergences that are summed over the whole vocabulary."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from binyan.errors import SettingsError
from binyan.ngram.kneser_ney import KneserNey
from binyan.ngram.ngram_table import NONE, NgramTable
from binyan.ngram.pruning import (
    history_frequencies,
    history_probabilities,
    prune,
    removal_costs,
    with_dependents,
)
from binyan.text import Corpus

TEXT = ["a b a c", "a b b d", "c a b a", "d", "a c a b", "b a c d a", "e a b"]


@pytest.fixture(scope="module")
def corpus():
    return Corpus.read(TEXT)


@pytest.fixture(scope="module")
def model(corpus):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return KneserNey(order=3).fit(corpus)


@pytest.fixture(scope="module")
def parts(model):
    arrays = model.native.arrays
    table = NgramTable.of_model(model.native)
    return table, *table.normalised(np.exp(arrays["log_prob"].astype(float)))


def words_of(native, state):
    return tuple(native.context(state))


def divergence(one, other, contexts):
    """Sum over contexts of P(u) D(one(. | u) || other(. | u)); states of the two models are found by their words."""
    total = 0.0
    for words, chance in contexts.items():
        p, q = (native.distribution(state_of(native, words)) for native in (one, other))
        at = p > 0
        total += chance * float((p[at] * np.log(p[at] / q[at])).sum())
    return total


def state_of(native, words):
    found = [s for s in range(native.states) if words_of(native, s) == words]
    return found[0] if found else state_of(native, words[1:])


def test_the_table_has_the_links_of_the_model(model, parts):
    table, p, weights = parts
    native = model.native
    keys = {(words_of(native, int(table.context[e])), int(table.word[e])): e for e in range(len(table))}
    for (context, word), e in keys.items():
        if context:
            assert table.shorter[e] == keys[context[1:], word]
        if table.extension[e] != NONE:
            assert words_of(native, int(table.extension[e])) == (*context, word)
            assert table.prefix[table.extension[e]] == e
    again = table.native(p, weights)
    for name, values in native.arrays.items():
        assert np.allclose(again.arrays[name], values, atol=1e-6), name


def test_counts_are_those_of_the_text(corpus, parts):
    table, counts = NgramTable.of_corpus(corpus, 3)
    assert len(table) == len(parts[0])
    assert counts[corpus.vocabulary["a"]] == sum(line.split().count("a") for line in TEXT)
    frequencies = history_frequencies(table, counts)
    after_a = [
        c for c in range(len(table.suffix)) if table.left_word[c] == corpus.vocabulary["a"] and not table.suffix[c]
    ]
    assert frequencies[after_a[0]] == pytest.approx(counts[corpus.vocabulary["a"]] / corpus.events)


def test_the_cost_of_one_ngram_is_the_divergence_without_it(parts):
    table, p, weights = parts
    histories = history_probabilities(table, p)
    costs, whole = removal_costs(table, p, weights, histories), table.native(p, weights)
    removable = [e for e in range(table.vocabulary_size, len(table)) if with_dependents(table, costs)[e] == costs[e]]
    assert len(removable) > 20
    checked = 0
    for e in removable:
        keep = np.arange(len(table)) != e
        is_needed = np.isin(e, table.shorter) or (
            table.extension[e] != NONE and np.isin(table.extension[e], table.context)
        )
        if is_needed:
            continue
        small = table.kept(keep)
        context = int(table.context[e])
        q = small.native(*small.normalised(p[keep]))
        exact = divergence(whole, q, {words_of(whole, context): histories[context]})
        assert costs[e] == pytest.approx(exact, abs=2e-7), e
        checked += 1
    assert checked > 10


def test_pruned_models_have_the_size_and_sum_to_one(parts):
    table, p, weights = parts
    for size in (len(table), len(table) - 1, 25, 15, table.vocabulary_size):
        small, q, left = prune(table, p, weights, size=size)
        assert len(small) == min(size, len(table))
        native = small.native(q, left)
        for state in range(native.states):
            assert native.distribution(state).sum() == pytest.approx(1, abs=1e-6)
    assert small.order == 1


def test_a_larger_model_is_nearer(parts):
    table, p, weights = parts
    histories, whole = history_probabilities(table, p), table.native(p, weights)
    full = {words_of(whole, s): histories[s] for s in range(whole.states) if whole.context(s)}
    sizes = [table.vocabulary_size, 15, 20, 30, len(table)]
    far = [divergence(whole, (lambda t: t[0].native(*t[1:]))(prune(table, p, weights, size=n)), full) for n in sizes]
    assert far == sorted(far, reverse=True) and far[-1] == pytest.approx(0, abs=1e-6) and far[0] > 0.05


def test_a_threshold_keeps_what_costs_as_much_and_what_that_needs(parts):
    table, p, weights = parts
    costs = with_dependents(table, removal_costs(table, p, weights, history_probabilities(table, p)))
    small, _, _ = prune(table, p, weights, threshold=0.005)
    assert len(small) == int((np.expm1(np.minimum(costs, 700)) >= 0.005).sum()) < len(table)
    assert len(prune(table, p, weights, threshold=0.0)[0]) == len(table)


def test_what_cannot_be_is_refused(parts):
    table, p, weights = parts
    with pytest.raises(SettingsError, match="single words alone are 8"):
        prune(table, p, weights, size=7)
    with pytest.raises(SettingsError, match="not by both"):
        prune(table, p, weights, size=20, threshold=0.1)
    with pytest.raises(SettingsError, match="0 or more"):
        prune(table, p, weights, threshold=-1.0)
