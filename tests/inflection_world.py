"""Tiny texts of inflected words, and the core's seating of them in the reference's restaurants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from binyan._core import ContextTree, GeneratorForest, GeneratorTree, InflectionHPYLM
from compound_world import _sizes
from reference.inflection import Generator, InflectionHierarchy
from tiny_world import contexts_of, tree_of


class Spec(NamedTuple):
    """A generator: two tokens for each word, what stands for it in a context, and how much of it the second token sees."""

    words: Sequence[tuple[int, int]]
    tokens: Sequence[int]
    second_context: int = 0


def ids(numbers: Sequence[int]) -> np.ndarray:
    return np.array(numbers, np.uint32)


def forest_of(
    sentences: Sequence[Sequence[int]], order: int, specs: Sequence[Spec]
) -> tuple[ContextTree, list[GeneratorTree], GeneratorForest]:
    vocabulary = len(specs[0].words)
    tree = tree_of(sentences, order, vocabulary)
    trees = [
        GeneratorTree(
            tree,
            ids([a for a, _ in s.words]),
            ids([b for _, b in s.words]),
            ids(range(vocabulary + 1)),
            ids(s.tokens),
            s.second_context,
        )
        for s in specs
    ]
    return tree, trees, GeneratorForest(tree, trees)


def reference(
    hyperparameters: list[tuple[float, float]], weights: Sequence[Sequence[float]], order: int, specs: Sequence[Spec]
) -> InflectionHierarchy:
    """An empty reference; hyperparameters in the core's order."""
    left = list(hyperparameters)

    def take(n: int) -> list[tuple[float, float]]:
        taken, left[:n] = left[:n], []
        return taken

    words, generators = take(order), []
    for s in specs:
        first, second, [alone] = take(order), take(min(order - 1, s.second_context) + 1), take(1)
        generators.append(Generator(first, [alone, *second], s.words, s.tokens, s.second_context))
    assert not left
    return InflectionHierarchy(words, generators, weights, len(specs[0].words))


def seating(
    model: InflectionHPYLM, tree: ContextTree, trees: Sequence[GeneratorTree], specs: Sequence[Spec]
) -> InflectionHierarchy:
    """The core's seating in the reference's restaurants."""
    ref, state, contexts = (
        reference(model.hyperparameters, model.weights, tree.order, specs),
        model.state(),
        contexts_of(tree),
    )
    floors = len(specs) + 1
    for k in range(tree.order):
        level = tree.level(k)
        for d, sizes in enumerate(_sizes(state, f"words.{k}")):
            if sizes:
                context = contexts[k][int(level["context"][d // floors])]
                ref.at(context).sizes[int(level["word"][d // floors]), d % floors] = sizes
    for g, generator_tree in enumerate(trees):
        _seat_generator(ref.generators[g], f"generator.{g}.", generator_tree, tree.order, state)
    return ref


def _seat_generator(ref: Generator, prefix: str, tree: GeneratorTree, order: int, state: dict[str, Any]) -> None:
    nodes: list[list[tuple[int, ...]]] = [[()]]
    for k in range(order):
        level = tree.level(k)
        if k > 0:
            pairs = zip(level["token"], level["node_parent"], strict=True)
            nodes.append([(int(t), *nodes[k - 1][int(p)]) for t, p in pairs])
        heads = [(nodes[k][int(n)], int(a)) for n, a in zip(level["head_node"], level["head_first"], strict=True)]
        for (context, first), sizes in zip(heads, _sizes(state, f"{prefix}heads.{k}"), strict=True):
            if sizes:
                ref.first.at(context).sizes[first] = sizes
        if k > ref.second_context:
            continue
        pairs_here = zip(level["pair_head"], level["pair_second"], strict=True)
        for (head, second), sizes in zip(pairs_here, _sizes(state, f"{prefix}pairs.{k}"), strict=True):
            if sizes:
                context, first = heads[int(head)]
                ref.second.at((*context, first)).sizes[int(second)] = sizes
    for second, sizes in enumerate(_sizes(state, f"{prefix}seconds")):
        if sizes:
            ref.second.at(()).sizes[second] = sizes
