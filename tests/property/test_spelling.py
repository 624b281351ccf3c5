"""The model of spelling: sums to one over all strings, unknown characters, scripts of every direction, files, and the sampler."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from binyan import _core, model_file
from binyan.errors import InputError, ModelFileError, SettingsError
from binyan.ngram.spelling import ALPHABET, CODE_POINTS, Alphabet, SpellingModel, SpellingSettings, strings_of
from binyan.text import Vocabulary

WORDS = ["ab", "abba", "ba", "bab", "aab", "b"]


def learn(words: list[str], order: int = 3) -> SpellingModel:
    return SpellingModel.learn(
        words, SpellingSettings(spelling_order=order, spelling_sweeps=6, spelling_samples=2), progress=False
    )


def test_all_strings_of_a_small_alphabet_and_the_rest_sum_to_one() -> None:
    """Strings of a and b up to ten letters, strings in which a character never seen comes first at some place, and longer ones."""
    spelling = learn(WORDS)
    total = 0.0
    going_on = 0.0
    for length in range(11):
        strings = ["".join(s) for s in itertools.product("ab", repeat=length)]
        ended = spelling.probabilities(strings)
        total += float(ended.sum())
        unseen = 0.0
        for string, p_end in zip(strings, ended, strict=True):
            state, log_prob = spelling.native.begin(), 0.0
            for symbol in (3 + "ab".index(c) for c in string):
                state, p, _ = spelling.native.score(state, symbol)
                log_prob += p
            chances = spelling.native.distribution(state)
            assert chances.sum() == pytest.approx(1.0, abs=1e-6)
            assert math.exp(log_prob) * chances[2] == pytest.approx(p_end, rel=1e-4)
            unseen += math.exp(log_prob) * chances[0]
            if length == 10:
                going_on += math.exp(log_prob) * chances[3:].sum()
        total += unseen
    assert total + going_on == pytest.approx(1.0, abs=1e-5)
    assert going_on < 0.2


def test_characters_never_seen_share_what_is_left_for_them() -> None:
    spelling = learn(WORDS)
    first = spelling.native.distribution(spelling.native.begin())
    one, other = spelling.probabilities(["xa", "日a"])
    assert one == pytest.approx(other, rel=1e-6)
    # P(x) of one character never seen, times how many there are, is the probability of any of them.
    after = spelling.native.score(spelling.native.begin(), 0)[0]
    state, log_a, _ = spelling.native.score(after, 3)
    p_end = spelling.native.distribution(state)[2]
    assert one * spelling.alphabet.never_seen == pytest.approx(first[0] * math.exp(log_a) * p_end, rel=1e-4)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(st.characters(codec=None), max_size=8), max_size=6))
def test_every_string_has_a_probability(strings: list[str]) -> None:
    """Also empty ones, right-to-left scripts, combining marks, control characters and lone surrogates."""
    spelling = learn(WORDS)
    log_probs = spelling.log_probs(strings)
    assert np.isfinite(log_probs).all() and (log_probs < 0).all()
    assert [spelling.log_prob(s) for s in strings] == pytest.approx(log_probs.tolist())


def test_scripts_and_marks() -> None:
    words = ["שלום", "שָׁלוֹם", "كتاب", "كِتَاب", "cafe\u0301", "café"]
    spelling = learn(words)
    assert all(spelling.log_prob(w) > spelling.log_prob(w[::-1]) for w in words)
    assert spelling.log_prob("cafe\u0301") != spelling.log_prob("café")


def test_drawn_strings_have_the_frequencies_of_their_probabilities() -> None:
    spelling, random = learn(WORDS, order=2), np.random.default_rng(5)
    drawn = [spelling.draw(random) for _ in range(4000)]
    for string in ("b", "ab", "ba", ""):
        p = float(spelling.probabilities([string])[0])
        assert abs(drawn.count(string) / len(drawn) - p) < 5 * math.sqrt(p * (1 - p) / len(drawn)) + 1e-9


def test_known_and_new_components_share_the_base() -> None:
    spelling = learn(WORDS)
    assert spelling.probabilities(WORDS).sum() + spelling.mass_outside(WORDS) == pytest.approx(1.0)


def test_a_file_holds_the_model(tmp_path: Path) -> None:
    spelling = learn([*WORDS, "\ud800x"])
    model_file.save(tmp_path / "s", "open", {}, spelling.sections())
    loaded = SpellingModel.from_file(model_file.load(tmp_path / "s"))
    assert loaded is not None and loaded.digest == spelling.digest
    assert loaded.log_probs(["abab", "xyz"]).tolist() == spelling.log_probs(["abab", "xyz"]).tolist()
    sections = spelling.sections() | {"spelling/alphabet": b"abc"}
    model_file.save(tmp_path / "bad", "open", {}, sections)
    with pytest.raises((ModelFileError, InputError)):
        SpellingModel.from_file(model_file.load(tmp_path / "bad"))


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="needs words"):
        learn([])
    with pytest.raises(SettingsError, match="1 to 32"):
        SpellingSettings(spelling_order=0)
    with pytest.raises(InputError, match="twice"):
        Alphabet("aa")


# The HPYLM over a model of spelling, in the core.


def chain_of(text: list[str], order: int = 3, spelling_order: int = 3) -> tuple[Any, Any]:
    sentences = [s.split() for s in text]
    vocabulary = Vocabulary(sorted({w for s in sentences for w in s}))
    words = np.array([vocabulary[w] for s in sentences for w in s], np.uint32)
    offsets = np.cumsum([0, *map(len, sentences)]).astype(np.uint64)
    tree = _core.ContextTree.build(words, offsets, order, len(vocabulary))
    _, _, strings = strings_of(vocabulary, spelling_order)
    return _core.OpenHPYLM(tree, strings, 3, 0), strings


TEXT = ["ab ba ab", "ba ab abba", "bab ab ba", "ab ab ab b"] * 4


@pytest.mark.parametrize("sequential", [True, False])
def test_tables_of_the_empty_context_are_strings_after_every_sweep(sequential: bool) -> None:
    chain, _ = chain_of(TEXT)
    assert chain.initialise(sequential) == pytest.approx(chain.log_likelihood())
    for _ in range(30):
        chain.step()
        chain.check()
        bases = chain.bases()
        assert bases.sum() == pytest.approx(1.0) and (bases[[0, *range(2, len(bases))]] > 0).all()


def test_a_chain_is_resumed_bit_for_bit() -> None:
    chain, _ = chain_of(TEXT)
    chain.initialise(True)
    for _ in range(5):
        chain.step()
    other, _ = chain_of(TEXT)
    other.restore(chain.state())
    other.check()
    for _ in range(5):
        assert chain.step() == other.step()
    assert all(np.array_equal(a, other.state()[name]) for name, a in chain.state().items())


def test_a_damaged_state_is_refused() -> None:
    chain, _ = chain_of(TEXT)
    chain.initialise(True)
    state = chain.state()
    state["spelling.tables.0"] = state["spelling.tables.0"] + np.uint32(1)
    with pytest.raises(InputError, match="damaged"):
        chain_of(TEXT)[0].restore(state)


def test_unknown_words_and_foreign_strings_are_refused() -> None:
    _, strings = chain_of(TEXT)
    tree = _core.ContextTree.build(np.array([0], np.uint32), np.array([0, 1], np.uint64), 2, 8)
    with pytest.raises(InputError, match="unknown words"):
        _core.OpenHPYLM(tree, strings, 1, 0)
    small = _core.ContextTree.build(np.array([3], np.uint32), np.array([0, 1], np.uint64), 2, 5)
    with pytest.raises(InputError, match="every word"):
        _core.OpenHPYLM(small, strings, 1, 0)
    with pytest.raises(InputError, match="does not have"):
        four = np.array([0, 0, 0, 0, 1], np.uint64)
        _core.OpenHPYLM(small, _core.Strings(small, np.array([4], np.uint32), four, ALPHABET), 1, 0)
    assert ALPHABET == CODE_POINTS + 1 == 1_114_113
