"""The HPYLM sampler against exact laws. Seeds are fixed; each z-test below alone has a false-alarm rate under 1e-5 (|z| < 4.5)."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from binyan._core import HPYLM, Random
from reference.restaurant import Hierarchy, Restaurant, log_stirling
from tiny_world import contexts_of, events_of, exact_posterior, seating_of, standard_error, tree_of

SENTENCES = [[3, 4], [3, 3], [4]]
LIMIT = 4.5


def close(mean: float, exact: float, error: float) -> bool:
    return abs(mean - exact) <= LIMIT * max(error, 1e-3)


@pytest.mark.parametrize(("discount", "strength"), [(0.0001, 1.0), (0.5, 0.3), (0.9, 5.0)])
def test_number_of_tables_follows_generalised_stirling_numbers(discount: float, strength: float) -> None:
    """Order 1, one word: P(t) = S(c, t) (b | a)_t / (b | 1)_c, tilted by the base probability of each table's dish."""
    customers, draws = 12, 4000
    tree = tree_of([[3] * customers], 1, 5)
    model = HPYLM(tree, seed=7)
    model.hyperparameters = [(discount, strength)]
    model.initialise(sequential=True)
    entry = tree.find_entry(0, 0, 3)
    counts: Counter[int] = Counter()
    tables = np.empty(draws)
    for i in range(draws):
        for _ in range(3):
            model.sweep()
        tables[i] = sum(n for _, n in model.table_sizes(0, entry))
        counts[int(tables[i])] += 1
    # </s> is one customer at one table beside them.
    logs = [
        value + t * math.log(1 / 4) + sum(math.log(strength + discount * k) for k in range(1, t + 1))
        for t, value in enumerate(log_stirling(customers, discount))
    ]
    law = np.exp(np.array(logs) - max(logs))
    law /= law.sum()
    assert close(tables.mean(), float(law @ np.arange(customers + 1)), standard_error(tables))
    for t in range(1, customers + 1):
        indicator = (tables == t).astype(float)
        assert close(indicator.mean(), law[t], standard_error(indicator)), t


def test_stirling_numbers_count_seatings() -> None:
    restaurant = Restaurant(0.3, 0.7)
    weights: Counter[int] = Counter()

    def seat(left: int, p: float) -> None:
        if left == 0:
            weights[restaurant.tables] += p  # type: ignore[assignment]
            return
        for table, q in list(restaurant.choices("x")):
            restaurant.sit("x", table)
            last = len(restaurant.sizes["x"]) - 1 if table is None else table
            seat(left - 1, p * q)
            restaurant.rise("x", last)

    seat(6, 1.0)
    rising = math.prod(0.7 + i for i in range(6))
    for t, value in enumerate(log_stirling(6, 0.3)):
        expected = math.exp(value) * math.prod(0.7 + 0.3 * k for k in range(t)) / rising
        assert weights[t] == pytest.approx(expected, rel=1e-12)


def run(model: Any, order: int, draws: int, fixed: bool) -> tuple[list[Any], np.ndarray]:
    tree = tree_of(SENTENCES, order, 6)
    contexts = contexts_of(tree)
    states, hyper = [], np.empty((draws, 2 * order))
    for i in range(draws):
        for _ in range(2):
            if fixed:
                model.sweep()
            else:
                model.step()
        states.append(seating_of(model, tree, contexts).state())
        hyper[i] = np.array(model.hyperparameters).ravel()
    return states, hyper


def assert_same_law(states: list[Any], exact: dict[Any, float]) -> None:
    """Frequency of every seating with more than half a per cent, and the mean posterior rank of the rest."""
    assert set(states) <= set(exact), "a seating that cannot be"
    common = [s for s, p in exact.items() if p > 0.005]
    assert len(common) >= 5
    for state in common:
        indicator = np.array([s == state for s in states], float)
        assert close(indicator.mean(), exact[state], standard_error(indicator)), state
    ranks = {s: r for r, s in enumerate(sorted(exact, key=lambda s: -exact[s]))}
    drawn = np.array([ranks[s] for s in states], float)
    assert close(drawn.mean(), sum(exact[s] * ranks[s] for s in exact), standard_error(drawn))


@pytest.mark.parametrize("initialisation", ["random", "sequential"])
def test_enumerated_posterior_with_fixed_hyperparameters(initialisation: str) -> None:
    order = 2
    hyperparameters = [(0.4, 0.8), (0.6, 0.5)]
    exact = exact_posterior(Hierarchy(hyperparameters, 1 / 5), events_of(SENTENCES, order))
    model = HPYLM(tree_of(SENTENCES, order, 6), seed=11)
    model.hyperparameters = hyperparameters
    model.initialise(sequential=initialisation == "sequential")
    states, _ = run(model, order, 20_000, fixed=True)
    assert_same_law(states, exact)


def test_enumerated_posterior_with_sampled_hyperparameters() -> None:
    """Discounts and strengths integrated out on a grid: a ~ Beta(1, 1), b ~ Gamma(shape 0.1, scale 10), by level.

    With b = u^10 the prior of u is proportional to exp(-u^10 / 10), smooth on the grid.
    """
    order = 2
    a = (np.arange(40) + 0.5) / 40
    u = (np.arange(120) + 0.5) / 120 * 1.65
    b = u**10
    prior = np.ones((40, 1)) * np.exp(-b / 10)[None, :]
    prior /= prior.sum()
    hierarchy = Hierarchy([(0.5, 1.0), (0.5, 1.0)], 1 / 5)
    levels: dict[Any, np.ndarray] = {}

    def level_posterior(seatings: tuple[Any, ...]) -> np.ndarray:
        if seatings not in levels:
            logs = np.zeros(prior.shape)
            for restaurant in seatings:
                sizes = [s for _, tables in restaurant for s in tables]
                for k in range(1, len(sizes)):
                    logs += np.log(a[:, None] * k + b[None, :])
                for s in sizes:
                    logs += np.log(np.arange(1, s)[:, None, None] - a[None, :, None]).sum(axis=0)
                logs -= np.log(np.arange(1, sum(sizes))[:, None] + b[None, :]).sum(axis=0)[None, :]
            levels[seatings] = prior * np.exp(logs)
        return levels[seatings]

    discounts: dict[Any, list[float]] = {}

    def split(state: Any) -> list[np.ndarray]:
        by_level: list[list[Any]] = [[], []]
        for context, restaurant in state:
            by_level[len(context)].append(restaurant)
        return [level_posterior(tuple(sorted(r))) for r in by_level]

    def weigh() -> float:
        state = hierarchy.state()
        grids = split(state)
        discounts[state] = [float((g * a[:, None]).sum() / g.sum()) for g in grids]
        return math.prod(float(g.sum()) for g in grids) * (1 / 5) ** hierarchy.at(()).tables

    exact = exact_posterior(hierarchy, events_of(SENTENCES, order), weigh)
    model = HPYLM(tree_of(SENTENCES, order, 6), seed=5)
    model.initialise(sequential=True)
    states, hyper = run(model, order, 20_000, fixed=False)
    assert_same_law(states, exact)
    for k in range(order):
        expected = sum(p * discounts[s][k] for s, p in exact.items())
        assert close(hyper[:, 2 * k].mean(), expected, standard_error(hyper[:, 2 * k]))


def test_reference_follows_the_same_posterior() -> None:
    hyperparameters = [(0.4, 0.8), (0.6, 0.5)]
    events = events_of(SENTENCES, 2)
    exact = exact_posterior(Hierarchy(hyperparameters, 1 / 5), events)
    hierarchy, random = Hierarchy(hyperparameters, 1 / 5), Random(3)
    for event in events:
        hierarchy.increment(*event, random)
    states = []
    for _ in range(4000):
        for event in events:
            hierarchy.decrement(*event, random)
            hierarchy.increment(*event, random)
        states.append(hierarchy.state())
    assert_same_law(states, exact)
