"""Geweke's check of the HPYLM over a model of spelling: words, strings and all hyperparameters drawn forwards and by the sampler.

Seeds are fixed; with a sampler that is right each test fails with probability at most 1e-4. Words are strings of a and b of at most three
letters; texts with others are drawn again, which is a condition on the text alone.
"""

from __future__ import annotations

import itertools
import math
from random import Random
from typing import Any

import numpy as np
from test_geweke_ngrams import Context, Refused, draw, figures, of_level, prior, seat_next, text_of

from binyan._core import ContextTree, OpenHPYLM, Strings
from geweke import TIMES, disagreements
from reference.restaurant import Hierarchy
from tiny_world import BEGIN, END, contexts_of, tree_of

ORDER, LETTERS, LONGEST = 2, (3, 4), 3
WORDS = [tuple(w) for n in range(1, LONGEST + 1) for w in itertools.product(LETTERS, repeat=n)]
WORD_OF = {letters: number for number, letters in enumerate(WORDS, 3)}
VOCABULARY = 3 + len(WORDS)
SYMBOLS = [END, *LETTERS]
NAMES = [
    f"{x} of {what} {k}"
    for what in ("words", "symbols")
    for k in range(ORDER)
    for x in ("discount", "log strength", "tables", "ones", "largest")
]


def symbol_tree() -> ContextTree:
    return tree_of([list(word) for word in WORDS], ORDER, 5)


def strings() -> Strings:
    parts = [(), (), (), *WORDS]
    offsets = np.cumsum([0, *map(len, parts)]).astype(np.uint64)
    symbols = np.array([letter for word in parts for letter in word], np.uint32)
    return Strings(symbol_tree(), symbols, offsets, len(SYMBOLS))


def draw_string(spelling: Hierarchy, random: Random) -> int:
    """A word, letter by letter, each seated at once."""
    letters = [BEGIN]
    while (letter := draw(spelling, tuple(letters[-(ORDER - 1) :]), SYMBOLS, random)) != END:
        letters.append(letter)
        if len(letters) > LONGEST + 1:
            raise Refused
    if len(letters) == 1:
        raise Refused
    return WORD_OF[tuple(letters[1:])]


def draw_word(words: Hierarchy, spelling: Hierarchy, context: Context, random: Random) -> int:
    """A word or the end of a sentence; the empty context has it from the base: an end, or a string."""
    restaurant = words.at(context)
    dish = seat_next(restaurant, random)
    if dish is None:
        if context:
            dish = draw_word(words, spelling, context[1:], random)
        else:
            ends, tables = len(restaurant.sizes.get(END, ())), restaurant.tables
            is_end = random.random() * (tables + 2) < ends + 1
            dish = END if is_end else draw_string(spelling, random)
        restaurant.sit(dish, None)
    return int(dish)


def statistics(hierarchies: tuple[Hierarchy, Hierarchy]) -> list[float]:
    row: list[float] = []
    for hierarchy in hierarchies:
        for k, (a, b) in enumerate(hierarchy.hyperparameters):
            row += [a, math.log(b), *figures(of_level(hierarchy.restaurants, k))]
    return row


def seating(sizes: Any, hyperparameters: Any, tree: ContextTree) -> Hierarchy:
    hierarchy, contexts = Hierarchy(hyperparameters, 1.0), contexts_of(tree)
    for k in range(tree.order):
        level = tree.level(k)
        for e in range(tree.entries(k)):
            restaurant = hierarchy.at(contexts[k][int(level["context"][e])])
            restaurant.sizes[int(level["word"][e])] = [s for s, n in sizes(k, e) for _ in range(n)]
    return hierarchy


def draws(replicates: int, scale: float = 10.0) -> tuple[list[Any], list[Any]]:
    """Forwards and again. `scale` is that of the prior of the strengths of symbols forwards."""
    random, forward, again = Random(31), [], []
    known = strings()
    while len(forward) < replicates:
        words = Hierarchy([prior(random) for _ in range(ORDER)], 1.0)
        spelling = Hierarchy([prior(random, scale) for _ in range(ORDER)], 1 / len(SYMBOLS))
        try:
            text = text_of(lambda context, w=words, s=spelling: draw_word(w, s, context, random), ORDER, 4, 5)  # type: ignore[misc]
        except Refused:
            continue
        tree = tree_of(text, ORDER, VOCABULARY)
        model = OpenHPYLM(tree, known, seed=37, chain=len(forward))
        model.initialise(sequential=True)
        for _ in range(100):
            model.step()
        model.check()
        pairs = model.hyperparameters
        forward.append(statistics((words, spelling)))
        seated = (
            seating(model.table_sizes, pairs[:ORDER], tree),
            seating(model.symbol_table_sizes, pairs[ORDER:], symbol_tree()),
        )
        again.append(statistics(seated))
    return forward, again


def test_the_hpylm_over_spelling_draws_from_the_joint_law() -> None:
    assert disagreements(NAMES, *draws(300 * TIMES)) == []


def test_another_prior_of_the_symbols_is_noticed() -> None:
    """A check that could not fail would be none."""
    assert disagreements(NAMES, *draws(200, scale=1.0))
