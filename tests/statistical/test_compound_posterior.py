"""The compound models' sampler against enumeration. Seeds are fixed; each z-test alone has a false-alarm rate under 1e-5."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from binyan._core import CompoundHPYLM
from compound_world import Components, compound_tree, reference, seating
from tiny_world import events_of, exact_posterior, standard_error

LIMIT = 4.5
# 3 hof, 4 schulhof. "repeated" has the compound hofhof, whose modifier meets its own head; "twice" has dishes of two
# customers at the longest contexts, "shorter" has them below.
WORLDS: dict[str, tuple[int, list[list[int]], Components]] = {
    "compound": (2, [[4], [3]], [[0], [1], [2], [3], [3, 4]]),
    "repeated": (2, [[3], [3]], [[0], [1], [2], [3, 3, 4]]),
    "twice": (2, [[3], [3]], [[0], [1], [2], [3, 4]]),
    "shorter": (3, [[], [], []], [[0], [1], [2]]),
}
HYPER = {
    2: [(0.3, 0.9), (0.5, 0.6), (0.4, 1.1), (0.6, 0.7), (0.5, 0.8), (0.2, 1.3)],
    3: [(0.3, 0.9), (0.5, 0.6), (0.6, 0.5), (0.4, 1.1), (0.6, 0.7), (0.3, 0.4), (0.5, 0.8), (0.2, 1.3)],
}


def close(values: np.ndarray, exact: float) -> bool:
    return abs(values.mean() - exact) <= LIMIT * max(standard_error(values), 1e-3)


def compare(states: list[Any], exact: dict[Any, float]) -> None:
    assert set(states) <= set(exact), "a seating that cannot be"
    common = sorted(exact, key=lambda s: -exact[s])[:25]
    for state in common:
        assert close(np.array([s == state for s in states], float), exact[state]), state
    ranks = {s: r for r, s in enumerate(sorted(exact, key=lambda s: -exact[s]))}
    assert close(np.array([ranks[s] for s in states], float), sum(exact[s] * ranks[s] for s in exact))


@pytest.mark.parametrize(
    ("world", "both_ways", "sequential"),
    [
        ("compound", False, False),
        ("compound", True, True),
        ("repeated", False, True),
        ("twice", True, True),
        ("shorter", True, False),
    ],
)
def test_enumerated_posterior(world: str, both_ways: bool, sequential: bool) -> None:
    """All seatings of H, G and F; in hpylm+g the weight of shortening is integrated out: Beta(1, 1) by context length."""
    order, sentences, components = WORLDS[world]
    tree, compounds = compound_tree(sentences, order, components)
    model = CompoundHPYLM(compounds, both_ways, seed=21)
    model.hyperparameters = HYPER[order]
    model.initialise(sequential)
    exact_world = reference(model, order, components)

    def weigh() -> float:
        beta = 0.0
        for k in range(1, order if both_ways else 1):
            decomposed, shortened = exact_world.tables_by_floor(k)
            beta += math.lgamma(decomposed + 1) + math.lgamma(shortened + 1) - math.lgamma(decomposed + shortened + 2)
        return math.exp(exact_world.log_likelihood(floors=False) + beta)

    exact = exact_posterior(exact_world, events_of(sentences, order), weigh)
    assert len(exact) > 20
    states, shortening = [], []
    for _ in range(5000):
        for _ in range(2):
            model.sweep()
            if both_ways:
                model.resample_hyperparameters()
                model.hyperparameters = HYPER[order]
        states.append(seating(model, tree, compounds, components).state())
        shortening.append(model.shortening[1])
    compare(states, exact)
    if both_ways:
        floors = {}
        for s in exact:
            tables = [(dish[1], len(sizes)) for context, r in s[0] if len(context) == 1 for dish, sizes in r]
            by_floor = [sum(n for f, n in tables if f == floor) for floor in (0, 1)]
            floors[s] = (by_floor[1] + 1) / (sum(by_floor) + 2)
        assert close(np.array(shortening), sum(p * floors[s] for s, p in exact.items()))


def test_sequential_seating_weights_add_up() -> None:
    """The joint probability of enumerated seatings is the product of choices: sums over all seatings of F are consistent."""
    _, sentences, components = WORLDS["repeated"]
    _, compounds = compound_tree(sentences, 2, components)
    model = CompoundHPYLM(compounds, False, seed=1)
    model.hyperparameters = HYPER[2]
    world = reference(model, 2, components)
    for event in events_of(sentences, 2):
        total = 0.0
        for p in world.seatings(*event):
            assert p > 0
            total += p
        assert 0 < total < 1
