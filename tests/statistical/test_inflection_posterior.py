"""The sampler of hpylm+i against enumeration, and Geweke's check of it with all its hyperparameters and weights.

Seeds are fixed; with a sampler that is right, each test fails with probability at most 1e-4.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest
from test_compound_posterior import close, compare
from test_geweke_ngrams import Refused, draw, figures, of_level, prior, seat_next, text_of

from binyan._core import GeneratorForest, GeneratorTree, InflectionHPYLM
from geweke import TIMES, disagreements
from inflection_world import Spec, forest_of, ids, reference, seating
from reference.inflection import Context, InflectionHierarchy
from tiny_world import enumerate_seatings, events_of, exact_posterior, tree_of

# 3 and 4 are two words of one stem; contexts of the second generator know endings alone.
WORDS = [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1)]
STEM_FIRST = Spec(WORDS, range(5))
ENDING_FIRST = Spec([(b, a) for a, b in WORDS], [0, 1, 2, 3, 3], 1)
WHOLE = Spec([(i, 0) for i in range(5)], [a for a, _ in WORDS])
WORLDS: dict[str, tuple[int, list[list[int]], list[Spec]]] = {
    "one way": (2, [[4], [3]], [STEM_FIRST]),
    "two ways": (2, [[3]], [STEM_FIRST, ENDING_FIRST]),
    "whole after stems": (2, [[4], [3]], [WHOLE]),
    "twice": (2, [[], []], [ENDING_FIRST]),
    "shorter": (3, [[], []], [STEM_FIRST]),
}


def levels(order: int, specs: list[Spec]) -> int:
    return order + sum(order + min(order - 1, s.second_context) + 2 for s in specs)


@pytest.mark.parametrize(
    ("world", "sequential"),
    [("one way", True), ("two ways", False), ("whole after stems", False), ("twice", True), ("shorter", False)],
)
def test_enumerated_posterior(world: str, sequential: bool) -> None:
    """All seatings; the weights of the ways are integrated out: Dirichlet(1, ..., 1) by context length."""
    order, sentences, specs = WORLDS[world]
    hyper = [(0.2 + 0.05 * i, 0.5 + 0.1 * i) for i in range(levels(order, specs))]
    tree, trees, forest = forest_of(sentences, order, specs)
    model = InflectionHPYLM(forest, seed=21)
    model.hyperparameters = hyper
    model.initialise(sequential)
    exact_world = reference(hyper, model.weights, order, specs)

    def weigh() -> float:
        log = exact_world.log_likelihood(floors=False)
        for k in range(order):
            tables = exact_world.tables_by_floor(k)
            log += sum(map(math.lgamma, (n + 1 for n in tables))) - math.lgamma(sum(tables) + len(tables))
        return math.exp(log)

    exact = exact_posterior(exact_world, events_of(sentences, order), weigh)
    assert len(exact) > 20
    states = []
    for _ in range(3500):
        for _ in range(2):
            model.sweep()
            model.resample_hyperparameters()
            model.hyperparameters = hyper
        states.append(seating(model, tree, trees, specs).state())
    compare(states, exact)


@pytest.mark.parametrize("sentences", [[[3], [3]], [[3, 4]]])
def test_enumerated_posterior_of_analyses(sentences: list[list[int]]) -> None:
    """Word 3 is (3, 0), as word 4 has (3, 1), or (4, 1): the law of its analysis with all seatings."""
    order, hyper = 1 if len(sentences) == 1 else 2, [(0.2 + 0.05 * i, 0.5 + 0.1 * i) for i in range(9)]
    specs = [[Spec([*WORDS[:3], own, WORDS[4], (4, 1)], [*range(5), 5])] for own in ((3, 0), (4, 1))]
    hyper = hyper[: levels(order, specs[0])]
    # The sixth word is never seen: it makes the reference count the tokens of both analyses.
    tree = tree_of(sentences, order, 6)
    first, second = ids([0, 1, 2, 3, 4, 3, 4]), ids([0, 0, 0, 0, 1, 1, 1])
    generator = GeneratorTree(tree, first, second, ids([0, 1, 2, 3, 5, 6, 7]), ids(range(6)), 0)
    model = InflectionHPYLM(GeneratorForest(tree, [generator]), seed=5)
    model.hyperparameters = hyper
    weights = [[0.3, 0.7]] * order
    model.weights = weights
    model.initialise(True)
    exact: dict[Any, float] = {}
    for analysis, own in enumerate(specs):
        world = reference(hyper, weights, order, own)
        for p in enumerate_seatings(world, events_of(sentences, order)):
            exact[analysis, world.state()] = exact.get((analysis, world.state()), 0.0) + p
    total = sum(exact.values())
    exact = {state: p / total for state, p in exact.items()}
    states = []
    for _ in range(4000):
        model.sweep()
        model.sweep()
        analysis = int(model.analysis[3])
        states.append((analysis, seating(model, tree, [generator], specs[analysis]).state()))
    compare(states, exact)
    shares = np.array([a for a, _ in states], float)
    assert 0.02 < shares.mean() < 0.98
    assert close(shares, sum(p for (a, _), p in exact.items() if a == 1))


# Geweke's check. Stems 3 and 4 with endings 0 and 1, and the empty second token.

FORMS = [(0, 0), (1, 0), (2, 0), *((a, b) for a in (3, 4) for b in (0, 1))]
WAYS = [
    Spec(FORMS, range(7), 1),
    Spec([(b, a) for a, b in FORMS], [0, 1, 2, 3, 4, 3, 4]),
]
WORD_OF = [{tokens: w for w, tokens in enumerate(way.words) if w != 1} for way in WAYS]
NAMES = [
    *(f"{x} of level {i}" for i in range(levels(2, WAYS)) for x in ("discount", "log strength")),
    *(f"{x} of {r}" for r in ("H0", "H1", "G0", "G1", "E0", "E1") for x in ("tables", "ones", "largest")),
    *(f"weight {f} at {k}" for k in range(2) for f in range(3)),
    *(f"tables on floor {f} at {k}" for k in range(2) for f in range(3)),
]


def draw_word(world: InflectionHierarchy, context: Context, random: Random) -> int:
    """The next word, seated."""
    restaurant = world.at(context)
    dish = seat_next(restaurant, random)
    if dish is None:
        [floor] = random.choices(range(3), world.weights[len(context)])
        if floor > 0:
            word = draw_tokens(world, floor - 1, context, random)
        else:
            word = draw_word(world, context[1:], random) if context else random.choice([0, *range(2, 7)])
        dish = word, floor
        restaurant.sit(dish, None)
    return int(dish[0])


def draw_tokens(world: InflectionHierarchy, g: int, context: Context, random: Random) -> int:
    generator = world.generators[g]
    (mapped, _), _ = generator.choices(context, 0)
    firsts, seconds = (max(t) + 1 for t in zip(*generator.words, strict=True))
    first = draw(generator.first, mapped, list(range(firsts)), random)
    given = mapped[len(mapped) - min(len(mapped), generator.second_context) :]
    second = draw(generator.second, (*given, first), list(range(seconds)), random)
    if (first, second) not in WORD_OF[g]:
        raise Refused
    return WORD_OF[g][first, second]


def statistics(world: InflectionHierarchy, hyperparameters: list[tuple[float, float]]) -> list[float]:
    row = [x for a, b in hyperparameters for x in (a, math.log(b))]
    for restaurants in (world.words, *(g.first.restaurants for g in world.generators)):
        for length in range(2):
            row += figures(of_level(restaurants, length))
    row += [w for weights in world.weights for w in weights]
    return row + [n for k in range(2) for n in world.tables_by_floor(k)]


def draws(replicates: int, power: float = 1.0) -> tuple[list[Any], list[Any]]:
    """Forwards and again; the weights are Dirichlet(`power`, ...) forwards."""
    random, forward, again = Random(31), [], []
    while len(forward) < replicates:
        hyperparameters = [prior(random) for _ in range(levels(2, WAYS))]
        weights = []
        for _ in range(2):
            shares = [max(random.gammavariate(power, 1.0), 1e-12) for _ in range(3)]
            weights.append([s / sum(shares) for s in shares])
        world = reference(hyperparameters, weights, 2, WAYS)
        try:
            text = text_of(lambda context, w=world: draw_word(w, context, random), 2, 2, 3)  # type: ignore[misc]
        except Refused:
            continue
        tree, trees, forest = forest_of(text, 2, WAYS)
        model = InflectionHPYLM(forest, seed=29, chain=len(forward))
        model.initialise(True)
        for _ in range(100):
            model.step()
        forward.append(statistics(world, hyperparameters))
        again.append(statistics(seating(model, tree, trees, WAYS), model.hyperparameters))
    return forward, again


def test_the_sampler_draws_from_the_joint_law() -> None:
    assert disagreements(NAMES, *draws(200 * TIMES)) == []


def test_another_prior_of_the_weights_is_noticed() -> None:
    """A check that could not fail would be none."""
    found = disagreements(NAMES, *draws(200, power=8.0))
    assert any(d.statistic.startswith("weight") for d in found), np.array(NAMES)
