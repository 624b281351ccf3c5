"""Tiny texts with compounds, and the core's seating of them in the reference's restaurants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from binyan._core import CompoundHPYLM, CompoundTree, ContextTree
from reference.compounds import CompoundHierarchy
from tiny_world import contexts_of, tree_of

# Words 0 1 2 are <unk> <s> </s>; components 0 1 2 stand for them.
Components = Sequence[Sequence[int]]


def compound_tree(
    sentences: Sequence[Sequence[int]], order: int, components: Components
) -> tuple[ContextTree, CompoundTree]:
    tree = tree_of(sentences, order, len(components))
    flat = np.array([c for parts in components for c in parts], np.uint32)
    offsets = np.cumsum([0] + [len(parts) for parts in components]).astype(np.uint32)
    return tree, CompoundTree(tree, flat, offsets, int(flat.max()) + 1)


def reference(model: CompoundHPYLM, order: int, components: Components) -> CompoundHierarchy:
    """An empty reference with the hyperparameters of a chain."""
    h = model.hyperparameters
    count = max(c for parts in components for c in parts) + 1
    return CompoundHierarchy(
        h[:order], h[order : 2 * order], h[2 * order :], dict(enumerate(components)), count, model.shortening
    )


def _sizes(state: dict[str, Any], name: str) -> Iterator[list[int]]:
    pairs = iter(state[f"{name}.sizes"].reshape(-1, 2).tolist())
    for c, t in zip(state[f"{name}.customers"].tolist(), state[f"{name}.tables"].tolist(), strict=True):
        if t in (0, 1):
            yield [c] * t
        elif t == c:
            yield [1] * t
        else:
            sizes: list[int] = []
            while len(sizes) < t:
                size, tables = next(pairs)
                sizes += [size] * tables
            yield sizes


def seating(
    model: CompoundHPYLM, tree: ContextTree, compounds: CompoundTree, components: Components
) -> CompoundHierarchy:
    """The core's seating in the reference's restaurants."""
    ref, state, contexts = reference(model, tree.order, components), model.state(), contexts_of(tree)
    floors = len(state["words.0.customers"]) // tree.entries(0)
    for k in range(tree.order):
        level, heads = tree.level(k), compounds.head_level(k)
        for d, sizes in enumerate(_sizes(state, f"words.{k}")):
            if sizes:
                context = contexts[k][int(level["context"][d // floors])]
                ref.at(context).sizes[int(level["word"][d // floors]), d % floors] = sizes
        for a, sizes in enumerate(_sizes(state, f"heads.{k}")):
            if sizes:
                ref.heads.at(contexts[k][int(heads["context"][a])]).sizes[int(heads["head"][a])] = sizes
    pairs = sorted({(given, then) for parts in components for given, then in _choices(parts, ref.end)})
    for (given, then), sizes in zip(pairs, _sizes(state, "pairs"), strict=True):
        if sizes:
            ref.modifiers.at((given,)).sizes[then] = sizes
    for then, sizes in enumerate(_sizes(state, "nexts")):
        if sizes:
            ref.modifiers.at(()).sizes[then] = sizes
    return ref


def _choices(parts: Sequence[int], end: int) -> list[tuple[int, int]]:
    return list(zip(parts, [*parts[1:], end], strict=True))
