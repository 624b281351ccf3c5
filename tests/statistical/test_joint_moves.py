"""Families of words, and of cached trees, drawn together: exact on tiny worlds, exact in their counts, resumed bit for bit, and worth their while.

Frequencies are compared by a chi-square statistic on thinned draws; the threshold lies beyond the 0.01 per cent point, and seeds are
fixed. In the reference world the moves are the only ones that can cross, so a wrong acceptance ratio shows.
"""

from __future__ import annotations

import numpy as np
import pytest
from test_adaptor_chain import NESTED, WORLDS, agreement, start

from binyan import _core
from binyan.grammar.notation import load_grammar, read_grammar

# Sequences of suffixes as items of the word, not below an adapted symbol: "xy" is one suffix or two.
SEQUENCES = (
    "W -> Stem Sufs | Stem\nSufs -> Suf Sufs | Suf\n@Stem[a=0.2, b=0.5] -> 'z'\n@Suf[a=0.1, b=0.3] -> 'x' | 'y' | 'xy'"
)
MORE = {**WORLDS, "sequences": (SEQUENCES, ["zxy", "zxyxy", "zxy"])}
# The same below an adapted symbol: the sequences are trees of the cache, and words share them.
CACHED = (
    "W -> Stem Sufs | Stem\n@Sufs[a=0.2, b=0.6] -> Suf+\n@Stem[a=0.2, b=0.5] -> 'z' | 'zx'\n"
    "@Suf[a=0.1, b=0.3] -> 'x' | 'y' | 'xy'"
)
WITH_TREES_ABOVE_OTHERS = {
    "affixes": (CACHED, ["zxy", "zxyy", "zyxy"]),
    **{name: WORLDS[name] for name in ("nested", "discontiguous", "underlying")},
}


@pytest.mark.parametrize("others", [1, 0])
@pytest.mark.parametrize("world", MORE)
def test_frequencies_equal_the_exact_posterior(world: str, others: int) -> None:
    """With the steps of single words, and by draws of families nearly alone: eight times as many of them."""

    def step(chain: _core.Chain) -> None:
        for _ in range(2):
            chain.sweep(relabel=bool(others), hyperparameters=False, joint=1.0 if others else 8.0)

    assert agreement(MORE[world], 6_000, step) > 1e-4


@pytest.mark.parametrize("world", WITH_TREES_ABOVE_OTHERS)
def test_frequencies_with_families_of_trees_equal_the_exact_posterior(world: str) -> None:
    """Eight trees drawn together for each step of a word; cached trees are not resampled otherwise."""
    changed = 0

    def step(chain: _core.Chain) -> None:
        nonlocal changed
        for _ in range(2):
            changed += chain.sweep(hyperparameters=False, trees=8.0).trees_changed

    assert agreement(WITH_TREES_ABOVE_OTHERS[world], 4_000, step) > 1e-4
    assert changed > 4_000


@pytest.mark.parametrize("world", MORE)
def test_counts_are_those_of_the_trees(world: str) -> None:
    text, words = MORE[world]
    _, chain = start(read_grammar(text), words * 4)
    chain.initialise(True)
    proposals = 0
    for _ in range(60):
        proposals += chain.sweep(relabel=True, joint=1.0, trees=1.0).joint_proposals
        chain.check()
    assert proposals >= 60 * len(words)


def test_a_refused_draw_leaves_no_trace() -> None:
    """Near temperature 0 hardly a draw is accepted."""
    _, chain = start(read_grammar(NESTED), ["xyxy", "yyxy", "xyyy", "xxyy"] * 3)
    chain.initialise(True)
    for _ in range(50):
        chain.sweep(temperature=1e-3, hyperparameters=False, joint=2.0, trees=2.0)
        chain.check()
    info = chain.sweep(temperature=1e-3, hyperparameters=False, joint=2.0, trees=2.0)
    assert info.joint_changed == info.trees_changed == 0 < info.tree_proposals
    joint = chain.log_joint
    chain.sweep(temperature=1e-3, hyperparameters=False, joint=2.0, trees=2.0)
    assert chain.log_joint == joint


def test_a_restored_chain_goes_on_bit_for_bit() -> None:
    words = ["xyxy", "yyxy", "xyyy", "xxyy"] * 3
    _, chain = start(read_grammar(NESTED), words)
    chain.initialise(True)
    for _ in range(5):
        chain.sweep(relabel=True, joint=0.5, trees=0.5)
    _, other = start(read_grammar(NESTED), words)
    other.restore(chain.state())
    for _ in range(10):
        chain.sweep(relabel=True, joint=0.5, trees=0.5)
        other.sweep(relabel=True, joint=0.5, trees=0.5)
    assert np.array_equal(chain.state(), other.state())


def test_chains_that_steps_of_single_words_cannot_bring_together_meet() -> None:
    """Four chains: single steps leave them more than 20 nats apart, families drawn together bring all to the same place."""
    stems = ("walk", "talk", "jump", "look", "play", "call", "help", "turn", "pull", "push")
    words = [stem + ending for stem in stems for ending in ("", "s", "ed", "ing")]
    spread, best = {}, {}
    for joint in (0.0, 0.5):
        ends = []
        for number in range(4):
            _, chain = start(load_grammar("concat"), words, seed=1, chain=number)
            chain.initialise(False)
            for _ in range(150):
                chain.sweep(relabel=True, joint=joint)
            ends.append(np.mean([(chain.sweep(relabel=True, joint=joint), chain.log_joint)[1] for _ in range(50)]))
        spread[joint], best[joint] = max(ends) - min(ends), min(ends)
    assert spread[0.0] > 20 and spread[0.5] < 10 and best[0.5] > best[0.0] + 20
