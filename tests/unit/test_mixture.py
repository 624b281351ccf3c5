"""Mixtures: weights that EM finds, sums to one, files, models that cannot be mixed."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import binyan
from binyan import language_model, model_file
from binyan.errors import InputError, ModelFileError, NotFittedError, SettingsError
from binyan.language_model import MixtureParts
from binyan.mixture import Mixture
from binyan.mixture.weights import PRECISION, ContextWeights, WeightFunction, fit_weights
from binyan.model import from_bytes
from binyan.ngram.kneser_ney import KneserNey
from binyan.text import Corpus

TEXT = ["der hund sah die katze", "die katze sah den hund", "der hund", "die maus sah den hund", "der igel schlief"]


def models() -> list[KneserNey]:
    corpus = Corpus.read(TEXT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [KneserNey(order).fit(corpus) for order in (1, 3)]


@given(st.integers(0, 1000), st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_em_finds_the_maximum(seed: int, number: int) -> None:
    random = np.random.default_rng(seed)
    log_probs = np.log(random.uniform(0.01, 1, (number, 40)))
    weights = fit_weights(log_probs)
    assert weights.sum() == pytest.approx(1)

    def likelihood(w: np.ndarray) -> float:
        return float(np.log(w @ np.exp(log_probs)).sum())

    best = likelihood(weights)
    for _ in range(50):
        assert likelihood(random.dirichlet(np.ones(number))) <= best + 40 * 1.1e-6


def test_em_is_not_slow_where_models_are_alike() -> None:
    """Nearly equal models, one always a little better: all the weight belongs to it."""
    one = np.log(np.random.default_rng(1).uniform(0.01, 1, 500))
    assert fit_weights(np.stack([one - 1e-4, one]))[1] > 0.95


@given(st.integers(0, 1000), st.integers(2, 3))
@settings(max_examples=20, deadline=None)
def test_a_weight_function_is_at_its_maximum(seed: int, number: int) -> None:
    random = np.random.default_rng(seed)
    log_probs, features = np.log(random.uniform(0.01, 1, (number, 60))), 10 * random.normal(size=(60, 2))

    def objective(table: np.ndarray) -> float:
        mixed = np.logaddexp.reduce(log_probs + WeightFunction(table).log_weights(features), axis=0)
        return float(mixed.sum() - 0.5 * PRECISION * (table[:, 1:] ** 2).sum())

    start = np.log(np.maximum(fit_weights(log_probs), 1e-4))
    fitted = WeightFunction.fit(np.exp(log_probs), features, start)
    assert np.exp(fitted.log_weights(features)).sum(0) == pytest.approx(1)
    best = objective(fitted.table)
    assert best >= objective(np.column_stack([start, np.zeros((number, 2))])) - 1e-9
    for _ in range(30):
        step = random.normal(size=fitted.table.shape) * 0.01
        step[0] = 0
        assert objective(fitted.table + step) <= best + 1e-4


def test_weights_learn_where_a_model_knows_the_context() -> None:
    """The first model is right in contexts with the feature and wrong in the others."""
    known = np.arange(40_000) % 2
    chances = np.stack([np.where(known, 0.9, 0.1), np.full(len(known), 0.5)])
    weights = np.exp(WeightFunction.fit(chances, known[:, None].astype(float), np.zeros(2)).log_weights(np.eye(1)))
    assert weights[0, 0] > 0.9


def test_a_weight_function_is_the_best_under_its_prior_whatever_the_scale_of_features() -> None:
    random = np.random.default_rng(0)
    features = random.normal(size=(300, 3)) @ np.array([[100.0, 99.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.01]])
    log_probs = np.log(random.uniform(0.01, 1, (3, 300)))

    def objective(table: np.ndarray) -> float:
        mixed = np.logaddexp.reduce(log_probs + WeightFunction(table).log_weights(features), axis=0)
        return float(mixed.sum() - 0.5 * PRECISION * (table[:, 1:] ** 2).sum())

    found = WeightFunction.fit(np.exp(log_probs), features, np.zeros(3)).table
    assert (found[0] == 0).all()
    for row in (1, 2):
        for column in range(4):
            for step in (-1e-3, 1e-3):
                moved = found.copy()
                moved[row, column] += step
                assert objective(moved) < objective(found) + 1e-4


@pytest.mark.parametrize("by_context", [False, True])
def test_a_mixture_is_a_language_model(by_context: bool, tmp_path: Path) -> None:
    development = [["der", "hund", "sah", "den", "igel", "unbekannt"], ["die", "katze", "schlief"]]
    mixture = Mixture(models(), by_context=by_context).fit(development)
    assert (mixture.context_weights is not None) == by_context
    scores = mixture.score_sentences([*development, ["der", "unbekannte"]])
    each = [m.score_sentences(development).log_prob.sum() for m in mixture.models]
    assert mixture.score_sentences(development).log_prob.sum() >= max(each)
    state = mixture.begin()
    single = []
    for word in (*development[0], "</s>"):
        chances = mixture.distribution(state)
        assert chances.sum() == pytest.approx(1)
        scored = mixture.score_word(state, word)
        assert math.exp(scored.log_prob) == pytest.approx(chances[mixture.vocabulary[word]])
        assert sum(step.share or 0 for step in mixture.steps(state, word)) == pytest.approx(1)
        single.append(scored.log_prob)
        state = scored.state
    assert np.allclose(single, scores.log_prob[: len(single)]) and scores.unknown.sum() == 2
    mixture.save(tmp_path / "mixture")
    again = language_model.load(tmp_path / "mixture")
    assert np.array_equal(again.score_sentences(development).log_prob, mixture.score_sentences(development).log_prob)
    assert str(again.signature()) == str(mixture.signature())


def test_unknown_words_are_mixed_by_weights_of_their_own() -> None:
    """The first model is right about which words are unknown, the second about which known word comes."""
    unknown = np.arange(400) % 2 == 0
    chance = np.log(np.stack([np.where(unknown, 0.9, 0.1), np.full(400, 0.5)]))
    words = np.log1p(-np.exp(chance)) + np.log([[0.1], [0.9]])
    log_probs = np.where(unknown, chance, words)
    parts = [
        MixtureParts.whole(np.exp(p), np.exp(u), np.zeros((400, 1))) for p, u in zip(log_probs, chance, strict=True)
    ]
    mixed = ContextWeights.fit(parts, unknown).mix(parts, unknown)[1].sum(0)
    assert mixed[unknown] == pytest.approx(0.9, abs=0.02) and mixed[~unknown] == pytest.approx(0.9 * 0.9, abs=0.02)


@pytest.mark.parametrize("order", [0, 1])
def test_parts_sum_to_single_scores(order: int) -> None:
    model, sentences = models()[order], [["der", "hund", "unbekannt", "sah"], ["die"], []]
    expected = language_model.LanguageModel.weigh_sentences(model, sentences)
    parts = model.weigh_sentences(sentences)
    assert parts.unknown.shape == (model.order, 8) and np.allclose(parts.unknown.sum(0), expected.unknown[0])
    assert np.allclose(parts.share.sum(0), expected.share[0]) and np.allclose(parts.mass.sum(0), 1)


def test_weights_may_trust_one_length_of_context() -> None:
    """Trigrams are right, the bigrams and single words of the same model are not, and the other model is between them."""
    events = 500
    share = np.array([[0.001], [0.001], [0.3]]) * np.ones(events)
    ngram = MixtureParts(share, np.full((3, events), 1 / 3), np.zeros((3, events)), np.zeros((events, 1)))
    other = MixtureParts.whole(np.full(events, 0.4), np.zeros(events))
    unknown = np.zeros(events, bool)
    weights, shares = ContextWeights.fit([ngram, other], unknown).mix([ngram, other], unknown)
    assert shares.sum(0) == pytest.approx(0.9, abs=0.01) and weights[0] == pytest.approx(1, abs=0.02)


def test_a_length_of_context_may_know_best_what_is_unknown() -> None:
    """Single words say how often words are unknown, which two words before do not."""
    events = 2000
    unknown = np.arange(events) % 4 == 0
    ngram = MixtureParts(
        np.where(unknown, [[0.02], [0.0]], 0.1),
        np.full((2, events), 0.5),
        np.array([[0.02], [0.0]]) * np.ones(events),
        np.zeros((events, 1)),
    )
    other = MixtureParts.whole(np.where(unknown, 0.001, 0.2), np.full(events, 0.001))
    mixed = ContextWeights.fit([ngram, other], unknown).mix([ngram, other], unknown)[1].sum(0)
    assert mixed[unknown] == pytest.approx(0.04, abs=1e-3)  # all that single words can give, 0.02 of 0.5


@pytest.mark.parametrize("order", [1, 3])
def test_gates_that_weigh_nothing_leave_models_as_they_are(order: int) -> None:
    """The weights that lengths of context have before they are weighed are those of the model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, other = (KneserNey(n).fit(Corpus.read(TEXT * 2)) for n in (order, 2))
    parts = [m.weigh_sentences([["der", "hund", "unbekannt"], ["die"]]) for m in (one, other)]
    table = np.zeros((sum(len(p.mass) for p in parts), 1 + sum(p.features.shape[1] for p in parts)))
    table[len(parts[0].mass) :, 0] = -50.0  # all to the first
    unknown = np.array([False, False, True, False, False, False])
    weights, shares = ContextWeights(WeightFunction(table), WeightFunction(table)).mix(parts, unknown)
    assert np.allclose(weights[0], 1) and np.allclose(shares.sum(0), parts[0].share.sum(0))


def test_models_that_cannot_be_mixed() -> None:
    one, other = models()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stranger = KneserNey(2, lowercase=True).fit(["ganz andere worte"])
    with pytest.raises(InputError, match="prepared as"):
        Mixture([one, stranger], [0.5, 0.5])
    with pytest.raises(SettingsError, match="from 0 to 1"):
        Mixture([one, other], [0.5, 0.5], rest=1.5)
    with pytest.raises(SettingsError, match="sum 1"):
        Mixture([one, other], [0.5, 0.6])
    with pytest.raises(SettingsError, match="two models"):
        Mixture([one], [1.0])
    with pytest.raises(SettingsError, match="tells something of a context"):
        Mixture([one, one], by_context=True).fit([["der", "hund"]])  # of one word, which has no contexts
    with pytest.raises(SettingsError, match="are fitted"):
        Mixture([one, other], [0.5, 0.5], by_context=True)
    with pytest.raises(InputError, match="no development text"):
        Mixture([one, other]).fit([])


def test_weights_of_other_models_are_refused() -> None:
    """A file whose tables were made for models with fewer parts."""
    one, other = models()
    small = Mixture([one, other], by_context=True).fit([["der", "hund"]])
    large = Mixture([other, other], by_context=True).fit([["der", "hund"]])
    meta, sections = large.contents()
    sections |= {name: section for name, section in small.contents()[1].items() if name.startswith("gate/")}
    with pytest.raises(
        ModelFileError,
        match="weighs 4 parts of models by 5 features of a context, and its models have 6 parts and 10 features",
    ):
        from_bytes(model_file.to_bytes(large.kind, meta, sections))


def test_a_mixture_is_complete_with_weights_and_fitted_without(tmp_path: Path) -> None:
    unfitted = binyan.Mixture(models())
    assert not unfitted.is_fitted and "not fitted" in repr(unfitted)
    for use in (lambda: unfitted.score("der hund"), unfitted.signature, lambda: unfitted.save(tmp_path / "m")):
        with pytest.raises(NotFittedError, match="call fit first"):
            use()
    given = binyan.Mixture(models(), weights=[0.25, 0.75])
    assert given.is_fitted and given.score("der hund") < 0 and given.context_weights is None
    (tmp_path / "dev.txt").write_text("\n".join(TEXT) + "\n")
    from_file = unfitted.fit(tmp_path / "dev.txt")
    assert from_file is unfitted and unfitted.is_fitted
    assert np.array_equal(from_file.weights, Mixture(models()).fit(TEXT).weights)
    assert np.array_equal(from_file.weights, Mixture(models()).fit([line.split() for line in TEXT]).weights)


def test_a_model_that_helps_in_few_contexts_alone_is_found_out() -> None:
    """With fixed weights it would have none: it is better in a tenth of the contexts, and hopeless in the others."""
    helped = np.random.default_rng(1).random(20_000) < 0.1
    ones = np.ones((1, len(helped)))
    first = MixtureParts(0.3 * ones, ones, 0.01 * ones, helped[:, None].astype(float))
    second = MixtureParts(np.where(helped, 0.9, 0.001)[None], ones, 0.01 * ones, np.zeros((len(helped), 0)))
    known = np.zeros(len(helped), bool)
    weights = ContextWeights.fit([first, second], known).mix([first, second], known)[0]
    assert weights[1, helped].mean() > 0.8 and weights[1, ~helped].mean() < 0.02
