"""Kneser-Ney estimates checked by hand, and what becomes of odd texts, threads and pickles."""

from __future__ import annotations

import math
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.language_model import load
from binyan.ngram import discounts
from binyan.ngram.kneser_ney import DiscountWarning, KneserNey
from binyan.text import Corpus, Vocabulary, VocabularyPolicy

# Bigrams (left to right):  <s> a 2, <s> b 1, a b 2, a a 1, b </s> 2, b a 1, a </s> 1.
# Words seen to the left:   a: <s> a b -> 3, b: <s> a -> 2, </s>: a b -> 2; in all 7.
# Unigrams have n1 = 0, so D = 0.5, 1, 1.5. Bigrams have n1 = 4, n2 = 3, n3 = 0, so the same.
# The uniform distribution is over <unk>, </s>, a, b and c.
TEXT = ["a b", "a a b a", "b"]
GAMMA = (1.0 + 1.0 + 1.5) / 7  # of the empty context
P_A, P_B, P_END, P_NONE = (3 - 1.5) / 7 + GAMMA / 5, (2 - 1) / 7 + GAMMA / 5, (2 - 1) / 7 + GAMMA / 5, GAMMA / 5


@pytest.fixture
def small():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DiscountWarning)
        return KneserNey(2, policy=VocabularyPolicy(Vocabulary(["a", "b", "c"]))).fit(TEXT)


@pytest.mark.parametrize(
    ("context", "word", "expected", "matched"),
    [
        ("", "a", (2 - 1) / 3 + (1 + 0.5) / 3 * P_A, 2),  # after <s>: a 2, b 1
        ("", "b", (1 - 0.5) / 3 + (1 + 0.5) / 3 * P_B, 2),
        ("", "</s>", (1 + 0.5) / 3 * P_END, 1),
        ("a", "b", (2 - 1) / 4 + (1 + 0.5 + 0.5) / 4 * P_B, 2),  # after a: b 2, a 1, </s> 1
        ("a", "a", (1 - 0.5) / 4 + (1 + 0.5 + 0.5) / 4 * P_A, 2),
        ("a", "c", (1 + 0.5 + 0.5) / 4 * P_NONE, 1),
        ("b", "</s>", (2 - 1) / 3 + (1 + 0.5) / 3 * P_END, 2),  # after b: </s> 2, a 1
        ("b", "zebra", (1 + 0.5) / 3 * P_NONE, 1),
        ("c", "a", P_A, 2 - 1),
        ("c", "zebra", P_NONE, 1),
    ],
)
def test_by_hand(small, context, word, expected, matched):
    state = small.begin()
    for w in context.split():
        state = small.score_word(state, w).state
    score = small.score_word(state, word)
    assert math.exp(score.log_prob) == pytest.approx(expected, rel=1e-6)
    assert (score.matched, score.unknown) == (matched, word == "zebra")


def test_discounts_and_warnings_name_order_and_counts():
    with pytest.warns(DiscountWarning) as caught:
        model = KneserNey(2).fit(TEXT)
    assert [d.origin for d in model.discounts] == ["missing counts"] * 2
    # As lmplz does, the word that first occurs last (b) is counted with its plain count, 3, not with 2.
    assert [d.counts_of_counts for d in model.discounts] == [(0, 1, 2, 0), (4, 3, 0, 0)]
    messages = [str(w.message) for w in caught]
    assert "order 1" in messages[0] and "no 1-gram has adjusted count 1;" in messages[0]
    assert "order 2" in messages[1] and "no 2-gram has adjusted count 3;" in messages[1]
    assert "fallback_orders:1+2" in str(model.signature())


def test_discounts_out_of_range_fall_back():
    # Counts of counts 1, 1, 9: Y = 1/3, D2 = 2 - 3 * Y * 9 / 1 = -7.
    words = "a b b " + " ".join(f"{c} {c} {c}" for c in "cdefghijk")
    with pytest.warns(DiscountWarning, match="n1=2, n2=1, n3=9, n4=0 put them out of range"):
        model = KneserNey(1).fit([words])
    assert model.discounts[0].amounts == (0.5, 1.0, 1.5)
    assert model.distribution(model.begin()).sum() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("order", [1, 2, 5, 9])
@pytest.mark.parametrize("text", [["a"], ["a a a a"], ["a b c"] * 50, [[]], [list("abab"), []]])
def test_tiny_and_odd_texts_give_proper_models(text, order):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DiscountWarning)
        model = KneserNey(order).fit(
            Corpus.encode(text if isinstance(text[0], list) else [t.split() for t in text], Vocabulary("abcd"))
        )
    for state in range(model.native.states):
        chances = model.distribution(state)
        assert chances.sum() == pytest.approx(1, abs=1e-5)
        assert (np.delete(chances, 1) > 0).all() and chances[1] == 0


def test_a_vocabulary_may_leave_out_every_word():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DiscountWarning)
        model = KneserNey(2, policy=VocabularyPolicy(min_count=9)).fit(TEXT)
    scores = model.score_sentences([["a", "b"], []])
    assert scores.unknown.tolist() == [True, True, False, False] and np.isfinite(scores.log_prob).all()


def test_words_with_line_ends_are_refused():
    with pytest.raises(InputError, match="line end"):
        KneserNey(2).fit([["a\nb", "c"]])


def test_progress_is_told_and_may_stop_the_work():
    told = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DiscountWarning)
        KneserNey(3).fit(TEXT, progress=lambda done, total, figures: told.append((done, total)))
    assert told[-2:] == [(1, 2), (2, 2)]  # a block of n-grams is counted, then estimated

    def interrupt(done, total, figures):
        if (done, total) == (1, 2):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        KneserNey(3).fit(TEXT, progress=interrupt)


def test_settings_are_checked():
    for order in (0, -3):
        with pytest.raises(SettingsError, match=f"not {order}"):
            KneserNey(order).fit(TEXT)
    for prune in ([1], [0, 2, 1], [0, -1], [0, 0, 1]):
        with pytest.raises(SettingsError, match="pruning thresholds"):
            KneserNey(2, prune=prune).fit(TEXT)
    for fallback in ([0, 1, 1], [0.5, 1, 4], [0.5]):
        with pytest.raises(SettingsError, match="fallback"):
            KneserNey(2, fallback=fallback).fit(TEXT)
    with pytest.raises(InputError, match="no sentence"):
        KneserNey(2).fit([])


def test_saved_loaded_and_pickled_models_are_the_same(small, tmp_path):
    small.save(tmp_path / "m")
    for again in (load(tmp_path / "m"), pickle.loads(pickle.dumps(small))):
        assert type(again) is KneserNey
        assert again.signature() == small.signature()
        assert again.discounts == small.discounts
        assert again.training_counts().tolist() == small.training_counts().tolist() == [0, 0, 3, 4, 3, 0]
        for name, values in small.native.arrays.items():
            assert np.array_equal(again.native.arrays[name], values), name


def test_several_threads_may_ask_at_once(small):
    sentences = [list("abacab"), list("cab"), []] * 300
    expected = small.score_sentences(sentences).log_prob
    with ThreadPoolExecutor(4) as pool:
        for scores in pool.map(lambda _: small.score_sentences(sentences), range(16)):
            assert np.array_equal(scores.log_prob, expected)


def test_states_are_hashable_and_say_their_context(small):
    a = small.score_word(small.begin(), "a").state
    assert small.context(a) == ["a"] and small.context(small.begin()) == ["<s>"]
    assert {a: 1}[small.score_word(small.score_word(small.begin(), "b").state, "a").state] == 1
    with pytest.raises(InputError, match="another model"):
        small.score_word(10**6, "a")


def test_context_features_are_what_is_left_to_shorter_contexts() -> None:
    text = ["der hund sah die katze", "die katze sah den hund", "der hund schlief", "der igel schlief", "die maus"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KneserNey(3).fit(text)
    sentence = ["der", "hund", "sah"]
    rows = model.weigh_sentences([sentence]).features
    state = model.begin()
    for row, word in zip(rows, (*sentence, "</s>"), strict=True):
        assert np.array_equal(row, model.weigh(state, word).features[0])
        length = len(model.context(state))
        assert row[:2].tolist() == [length == 1, length == 2]
        unseen, left, context = "maus", [], state  # the word follows none of these contexts
        for _ in range(length):
            shorter = int(model.native.arrays["suffix"][context])
            left.append(model.score_word(context, unseen).log_prob - model.score_word(shorter, unseen).log_prob)
            context = shorter
        expected = [*left, 0, 0] if length == 1 else [0, *left]
        assert row[2:] == pytest.approx(expected, abs=1e-5)
        state = model.score_word(state, word).state


def drawn(seed: int, sentences: int, words: int) -> list[list[str]]:
    """Sentences of words drawn by Zipf's law, each often followed by the next."""
    random = np.random.default_rng(seed)
    chances = 1 / np.arange(1, words + 1)
    text = []
    for _ in range(sentences):
        sentence = [int(random.choice(words, p=chances / chances.sum()))]
        while len(sentence) < 8:
            follows = random.uniform() < 0.5
            sentence.append(
                (sentence[-1] + 1) % words if follows else int(random.choice(words, p=chances / chances.sum()))
            )
        text.append([f"w{i}" for i in sentence])
    return text


@pytest.mark.parametrize("prune", [(), (0, 0, 1)])
def test_discounts_fitted_to_development_text_are_the_best(prune):
    corpus, development = Corpus.read(drawn(1, 300, 60)), drawn(2, 60, 80)
    estimated = KneserNey(3, prune=prune).fit(corpus)
    fitted = KneserNey(3, prune=prune).fit(corpus, development=development)
    assert {d.origin for d in fitted.discounts} == {"given"} and "discounts_fitted_to:" in str(fitted.signature())
    tree = _core.ContextTree.build(corpus.words, corpus.offsets, 3, len(corpus.vocabulary))
    held_out = Corpus.encode(development, corpus.vocabulary)

    def loss(discounts: np.ndarray) -> float:
        native, _ = _core.estimate_kneser_ney(tree, prune, [0.5, 1, 1.5], corpus.words, given=discounts.tolist())
        return -float(native.score_sentences(held_out.words, held_out.offsets)[0].mean(dtype=float))

    best = np.array([d.amounts for d in fitted.discounts])
    assert loss(best) == pytest.approx(math.log(fitted.score_sentences(development).perplexity), abs=1e-6)
    assert loss(best) < loss(np.array([d.amounts for d in estimated.discounts])) - 1e-3
    for k in range(3):
        for j in range(3):
            for step in (-0.03, 0.03):
                moved = best.copy()
                moved[k, j] += step
                if 0.01 <= moved[k, j] <= j + 1:
                    assert loss(moved) > loss(best) - 1e-6
    for state in range(0, fitted.native.states, 7):
        assert fitted.distribution(state).sum() == pytest.approx(1, abs=1e-5)


def test_derivatives_of_discounts():
    corpus = Corpus.read(drawn(3, 80, 30))
    tree = _core.ContextTree.build(corpus.words, corpus.offsets, 3, len(corpus.vocabulary))
    levels = discounts._levels(tree, Corpus.encode(drawn(4, 10, 40), corpus.vocabulary), [0, 0, 1])
    amounts = np.array([[0.5, 0.9, 1.2], [0.7, 1.1, 1.3], [0.8, 1.3, 1.9]])
    _, gradient = discounts.probabilities(levels, amounts, 0.01)
    for k in range(3):
        for j in range(3):
            step = np.zeros((3, 3))
            step[k, j] = 1e-6
            one, other = (discounts.probabilities(levels, amounts + s, 0.01)[0] for s in (step, -step))
            assert (one - other) / 2e-6 == pytest.approx(gradient[k, j], abs=1e-7)


def test_given_discounts_are_checked():
    corpus = Corpus.read(TEXT)
    tree = _core.ContextTree.build(corpus.words, corpus.offsets, 2, len(corpus.vocabulary))
    for given, seen in (([[0.5, 1, 1.5]], "for each order"), ([[0.5, 1, 1.5], [0, 1, 1]], "count 1 is above 0")):
        with pytest.raises(InputError, match=seen):
            _core.estimate_kneser_ney(tree, [], [0.5, 1, 1.5], corpus.words, given=given)
    with pytest.raises(InputError, match="no sentence"):
        KneserNey(2).fit(TEXT, development=[])
