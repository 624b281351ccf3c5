"""The HPYLM sampler of blocks against exact laws.

Seeds are fixed; each z-test alone has a false-alarm rate under 1e-5 (|z| < 4.5), and the check of Geweke one of 1e-4.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest

from block_world import SampledBlocks
from geweke import TIMES, disagreements
from reference.restaurant import Hierarchy
from statistical.test_geweke_ngrams import Refused, draw, figures, of_level, prior, text_of
from statistical.test_hpylm_posterior import SENTENCES, assert_same_law
from tiny_world import BEGIN, contexts_of, events_of, exact_posterior, seating_of, tree_of

ORDER, VOCABULARY = 3, 5
NAMES = [f"{x} of level {k}" for k in range(ORDER) for x in ("discount", "log strength", "tables", "ones", "largest")]


WORLDS = [
    (SENTENCES, [(0.4, 0.8), (0.6, 0.5)]),
    ([[3, 3, 3], [3, 3], [3]], [(0.4, 0.8), (0.6, 0.5), (0.3, 0.9)]),
]


def assert_law_of_world(sentences: Any, hyperparameters: list[tuple[float, float]], draws: int, skip: str = "") -> None:
    order = len(hyperparameters)
    exact = exact_posterior(Hierarchy(hyperparameters, 1 / 5), events_of(sentences, order))
    tree = tree_of(sentences, order, 6)
    contexts = contexts_of(tree)
    model = SampledBlocks(sentences, order, 6, seed=11, borders=[2, 4], skip=skip)
    model.hyperparameters = hyperparameters
    model.initialise(sequential=True)
    states = []
    for _ in range(draws):
        model.sweep()
        model.sweep()
        states.append(seating_of(model, tree, contexts).state())
    assert_same_law(states, exact)


@pytest.mark.parametrize("world", WORLDS)
def test_enumerated_posterior(world: Any) -> None:
    assert_law_of_world(*world, draws=4_000 * TIMES)


@pytest.mark.parametrize("skip", ["upper", "lowest"])
def test_a_step_that_is_left_out_is_noticed(skip: str) -> None:
    """A check that could not fail would be none."""
    with pytest.raises(AssertionError):
        assert_law_of_world(*WORLDS[1], draws=400, skip=skip)


def statistics(hierarchy: Hierarchy) -> list[float]:
    row: list[float] = []
    for k, (a, b) in enumerate(hierarchy.hyperparameters):
        row += [a, math.log(b), *figures(of_level(hierarchy.restaurants, k))]
    return [*row, hierarchy.log_likelihood()]


def draws(replicates: int) -> tuple[list[Any], list[Any]]:
    """Forwards and again."""
    random, forward, again = Random(31), [], []
    dishes = [w for w in range(VOCABULARY) if w != BEGIN]
    while len(forward) < replicates:
        hierarchy = Hierarchy([prior(random) for _ in range(ORDER)], 1 / len(dishes))
        try:
            text = text_of(lambda context, h=hierarchy: draw(h, context, dishes, random), ORDER, 4, 6)  # type: ignore[misc]
        except Refused:
            continue
        tree = tree_of(text, ORDER, VOCABULARY)
        model = SampledBlocks(text, ORDER, VOCABULARY, seed=19, chain=len(forward), borders=[2, 3])
        model.initialise(sequential=False)
        for _ in range(60):
            model.step()
        forward.append(statistics(hierarchy))
        again.append(statistics(seating_of(model, tree, contexts_of(tree))))
    return forward, again


def test_blocks_draw_from_the_joint_law() -> None:
    assert disagreements([*NAMES, "log-likelihood"], *draws(300 * TIMES)) == []
