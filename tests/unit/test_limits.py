"""Input that is too long or too deep is refused with a message: nothing overflows the stack or an index."""

from __future__ import annotations

import time

import numpy as np
import pytest

from binyan import _core
from binyan.errors import InputError
from binyan.morphology import Morphology
from binyan.morphology.adaptor import AdaptorSampler
from binyan.morphology.word_list import WordList
from binyan.translation import Decoder
from binyan.translation.rule_text import read_rules


def chain_of_symbols(n: int) -> list[tuple]:
    """S0 -> S1 -> ... -> the atom 0."""
    return [*((i, [[(0, 0)]], [i + 1], 1.0) for i in range(n - 1)), (n - 1, [[(-1, 0)]], [], 1.0)]


def test_a_chain_of_many_symbols_is_refused():
    with pytest.raises(InputError, match="100000 symbols"):
        _core.CompiledGrammar(100_000, 1, 0, chain_of_symbols(100_000), [False] * 100_000)


def test_a_deep_grammar_compiles_and_derivations_are_bounded():
    grammar = _core.CompiledGrammar(9_000, 1, 0, chain_of_symbols(9_000), [False] * 9_000)
    with pytest.raises(InputError, match="nested too deeply"):
        _core.WordForests(grammar, [[0]], 1 << 30)


def test_rules_of_many_parts_are_refused():
    wide = [(0, [[(i, 0) for i in range(2000)]], [1] * 2000, 1.0), (1, [[(-1, 0)]], [], 1.0)]
    with pytest.raises(InputError, match="more than 1000 symbols"):
        _core.CompiledGrammar(2, 1, 0, wide, [False] * 2)


def test_lengths_do_not_wrap():
    """Every symbol is twice as long as the next: the shortest word of the first has 2^40 atoms."""
    rules = [(i, [[(0, 0), (1, 0)]], [i + 1, i + 1], 1.0) for i in range(40)] + [(40, [[(-1, 0)]], [], 1.0)]
    grammar = _core.CompiledGrammar(41, 1, 0, rules, [False] * 41)
    assert not _core.WordForests(grammar, [[0] * 8], 1 << 30).parses(0)


def test_words_of_thirty_thousand_characters_are_refused():
    model = Morphology("concat", sweeps=2, burn_in=1).fit(["ab", "ba", "aab"], progress=False)
    for ask in (model.analyses, model.segmentations, lambda w: model.segment_words([w])):
        with pytest.raises(InputError, match="30,000 characters"):
            ask("ab" * 15_000)
    with pytest.raises(InputError, match="30,000 characters"):
        WordList.of(["a" * 30_000])


def test_long_lines_are_not_translated(tmp_path):
    (tmp_path / "rules").write_text("[X] ||| a ||| A ||| f=-1\n")
    decoder = Decoder(read_rules(tmp_path / "rules"))
    with pytest.raises(InputError, match="60000 words: at most 3000"):
        decoder.translate([["a"] * 60_000])


def test_questions_about_what_is_not_there():
    tree = _core.ContextTree.build(np.array([3, 4], np.uint32), np.array([0, 2], np.uint64), 2, 5)
    for ask in (
        lambda: tree.find_entry(0, 99, 3),
        lambda: tree.find_child(0, 99, 3),
        lambda: tree.direct(0, 99),
        lambda: _core.HPYLM(tree, 1).customers(0, 99),
        lambda: _core.HPYLM(tree, 1).table_sizes(7, 0),
        lambda: _core.ContextTree.build(np.array([], np.uint32), np.array([0, 0], np.uint64), 2, 2),
    ):
        with pytest.raises(InputError):
            ask()


@pytest.mark.parametrize("strength", [float("inf"), float("nan"), 0.0, -1.0])
def test_strengths_that_are_none_are_refused(strength):
    tree = _core.ContextTree.build(np.array([3, 4], np.uint32), np.array([0, 2], np.uint64), 2, 5)
    chain = _core.HPYLM(tree, 1)
    with pytest.raises(InputError, match="strength"):
        chain.hyperparameters = [(0.5, strength)] * 2


def test_batch_initialisation_takes_linear_time():
    """Four times the words take much less than sixteen times as long; most yields occur once."""
    random = np.random.default_rng(1)
    words = ["".join(random.choice(list("abcdefghij"), 12)) for _ in range(12_000)]

    def seconds(n: int) -> float:
        sampler = AdaptorSampler(Morphology("mconcat").grammar, WordList.of(words[:n]), initialisation("batch"))
        start = time.perf_counter()
        sampler.init()
        return time.perf_counter() - start

    seconds(1000)
    assert seconds(12_000) < 9 * max(seconds(3_000), 0.02)


def test_initialisation_can_be_interrupted():
    sampler = AdaptorSampler(Morphology("concat").grammar, WordList.of(["ab", "ba"]), initialisation("batch"))
    state = sampler.empty(0)

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        state.core.initialise(False, interrupt)
    state.core.initialise(False)
    state.core.check()
    assert state.core.state().tolist() == sampler.init().core.state().tolist()


def initialisation(how: str):
    from binyan.morphology.settings import MorphologySettings

    return MorphologySettings(initialisation=how)
