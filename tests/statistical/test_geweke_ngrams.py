"""Geweke's check of the n-gram samplers: HPYLM, HPYLM+c and hpylm+g with all their hyperparameters.

Seeds are fixed; with a sampler that is right each test fails with probability at most 1e-4. `make laws` takes more replicates
(BINYAN_LAWS times as many). Texts are drawn with the word drawn last seated at once, and drawn again until every sentence is short and
made of words of the vocabulary: that is a condition on the text alone, so the posterior given the text stays what it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from binyan._core import HPYLM, CompoundHPYLM
from compound_world import Components, compound_tree, seating
from geweke import TIMES, disagreements
from reference.compounds import DECOMPOSED, SHORTENED, CompoundHierarchy
from reference.restaurant import Hierarchy, Restaurant
from tiny_world import BEGIN, END, contexts_of, seating_of, tree_of

Context = tuple[int, ...]
Draw = Callable[[Context], int]


class Refused(Exception):
    """A text that is not short enough, or has a word outside the vocabulary."""


def prior(random: Random, scale: float = 10.0) -> tuple[float, float]:
    """A discount and a strength: Beta(1, 1), and Gamma of shape 0.1 and scale 10."""
    return random.random(), max(random.gammavariate(0.1, scale), 1e-80)


def seat_next(restaurant: Restaurant, random: Random) -> Any:
    """Seat a customer whose dish is not known yet at a table; None where a new one is to be opened."""
    left = random.random() * (restaurant.customers + restaurant.strength)
    for dish, sizes in restaurant.sizes.items():
        for table, size in enumerate(sizes):
            left -= size - restaurant.discount
            if left < 0:
                sizes[table] += 1
                return dish
    return None


def draw(hierarchy: Hierarchy, context: Context, dishes: list[int], random: Random) -> int:
    """The next dish of a hierarchy, seated."""
    restaurant = hierarchy.at(context)
    dish = seat_next(restaurant, random)
    if dish is None:
        dish = draw(hierarchy, context[1:], dishes, random) if context else random.choice(dishes)
        restaurant.sit(dish, None)
    return int(dish)


def text_of(draw_word: Draw, order: int, sentences: int, longest: int) -> list[list[int]]:
    """Sentences, each up to its end."""
    result = []
    for _ in range(sentences):
        words = [BEGIN]
        while (word := draw_word(tuple(words[max(0, len(words) - order + 1) :]) if order > 1 else ())) != END:
            if len(words) > longest:
                raise Refused
            words.append(word)
        result.append(words[1:])
    return result


def figures(restaurants: Iterator[Restaurant] | list[Restaurant]) -> list[float]:
    """Tables, tables of one, and the largest table."""
    sizes = [s for r in restaurants for tables in r.sizes.values() for s in tables]
    return [len(sizes), sum(s == 1 for s in sizes), max(sizes, default=0)]


def of_level(restaurants: dict[Any, Restaurant], length: int) -> list[Restaurant]:
    return [r for context, r in restaurants.items() if len(context) == length]


# The HPYLM.

ORDER, VOCABULARY = 2, 6
NAMES = [f"{x} of level {k}" for k in range(ORDER) for x in ("discount", "log strength", "tables", "ones", "largest")]


def hpylm_statistics(hierarchy: Hierarchy) -> list[float]:
    row: list[float] = []
    for k, (a, b) in enumerate(hierarchy.hyperparameters):
        row += [a, math.log(b), *figures(of_level(hierarchy.restaurants, k))]
    return [*row, hierarchy.log_likelihood()]


def hpylm_draws(replicates: int, scale: float = 10.0, forget: bool = False) -> tuple[list[Any], list[Any]]:
    """Forwards and again. `scale` is that of the strength's prior forwards; to `forget` is to leave the hyperparameters as they were."""
    random, forward, again = Random(17), [], []
    dishes = [w for w in range(VOCABULARY) if w != BEGIN]
    while len(forward) < replicates:
        hierarchy = Hierarchy([prior(random, scale) for _ in range(ORDER)], 1 / len(dishes))
        try:
            text = text_of(lambda context, h=hierarchy: draw(h, context, dishes, random), ORDER, 4, 6)  # type: ignore[misc]
        except Refused:
            continue
        tree = tree_of(text, ORDER, VOCABULARY)
        model = HPYLM(tree, seed=19, chain=len(forward))
        if forget:
            model.hyperparameters = [(0.5, 1.0)] * ORDER
        model.initialise(sequential=True)
        for _ in range(150):
            if forget:
                model.sweep()
            else:
                model.step()
        forward.append(hpylm_statistics(hierarchy))
        again.append(hpylm_statistics(seating_of(model, tree, contexts_of(tree))))
    return forward, again


def test_the_hpylm_draws_from_the_joint_law() -> None:
    assert disagreements([*NAMES, "log-likelihood"], *hpylm_draws(500 * TIMES)) == []


@pytest.mark.parametrize("wrong", [{"scale": 1.0}, {"forget": True}])
def test_another_prior_or_hyperparameters_that_stay_are_noticed(wrong: dict[str, Any]) -> None:
    """A check that could not fail would be none: the same with a sampler that does not fit the model."""
    assert disagreements([*NAMES, "log-likelihood"], *hpylm_draws(400, **wrong))


# The compound models. Components 3 and 4, and words of up to three of them.

COMPONENTS: Components = [
    *([0], [1], [2], [3], [4]),
    *([a, b] for a in (3, 4) for b in (3, 4)),
    *([a, b, c] for a in (3, 4) for b in (3, 4) for c in (3, 4)),
]
WORD_OF = {tuple(parts): word for word, parts in enumerate(COMPONENTS) if word != BEGIN}
COUNT = 5
COMPOUND_NAMES = [
    *(f"{x} of {r}" for r in ("H0", "H1", "G0", "G1", "Fc", "F") for x in ("discount", "log strength")),
    *(f"{x} of {r}" for r in ("H0", "H1", "G0", "G1", "F", "Fc") for x in ("tables", "ones", "largest")),
    *("shortening", "decomposed tables", "shortened tables"),
]


def draw_compound(world: CompoundHierarchy, context: Context, random: Random) -> int:
    """The next word of the compound models, seated."""
    restaurant = world.at(context)
    dish = seat_next(restaurant, random)
    if dish is None:
        if context and random.random() < world.shortening[len(context)]:
            dish = draw_compound(world, context[1:], random), SHORTENED
        else:
            parts = [draw(world.heads, context, list(range(COUNT)), random)]
            while (part := draw(world.modifiers, (parts[-1],), list(range(COUNT + 1)), random)) != world.end:
                parts.append(part)
                if tuple(parts) not in WORD_OF:
                    raise Refused
            if tuple(parts) not in WORD_OF:
                raise Refused
            dish = WORD_OF[tuple(parts)], DECOMPOSED
        restaurant.sit(dish, None)
    return int(dish[0])


def compound_statistics(world: CompoundHierarchy, hyperparameters: list[tuple[float, float]]) -> list[float]:
    row = [x for a, b in hyperparameters for x in (a, math.log(b))]
    for restaurants in (world.words, world.heads.restaurants, world.modifiers.restaurants):
        for length in range(2):
            row += figures(of_level(restaurants, length))
    return [*row, world.shortening[1], *world.tables_by_floor(1)]


def compound_draws(both_ways: bool, replicates: int, power: int = 1) -> tuple[list[Any], list[Any]]:
    """Forwards and again; the weight of shortening is uniform to the `power` forwards."""
    random, forward, again = Random(23), [], []
    while len(forward) < replicates:
        hyperparameters = [prior(random) for _ in range(6)]
        h, g, f = (hyperparameters[i : i + 2] for i in (0, 2, 4))
        shortening = [0.0, random.random() ** power if both_ways else 0.0]
        world = CompoundHierarchy(h, g, f, dict(enumerate(COMPONENTS)), COUNT, shortening)
        try:
            text = text_of(lambda context, w=world: draw_compound(w, context, random), 2, 2, 3)  # type: ignore[misc]
        except Refused:
            continue
        tree, compounds = compound_tree(text, 2, COMPONENTS)
        model = CompoundHPYLM(compounds, both_ways, seed=29, chain=len(forward))
        model.initialise(True)
        for _ in range(150):
            model.step()
        forward.append(compound_statistics(world, hyperparameters))
        again.append(compound_statistics(seating(model, tree, compounds, COMPONENTS), model.hyperparameters))
    return forward, again


@pytest.mark.parametrize("both_ways", [False, True])
def test_compound_models_draw_from_the_joint_law(both_ways: bool) -> None:
    forward, again = compound_draws(both_ways, 200 * TIMES)
    assert disagreements(COMPOUND_NAMES, forward, again) == []
    if both_ways:
        assert np.mean([row[-1] > 0 for row in forward]) > 0.1, (
            "hardly any table is shortened: the floors are not tried"
        )


def test_another_prior_of_shortening_is_noticed() -> None:
    found = disagreements(COMPOUND_NAMES, *compound_draws(True, 200, power=3))
    assert "shortening" in {d.statistic for d in found}
