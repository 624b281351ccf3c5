"""The context tree against a naive construction from Python dictionaries."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from binyan._core import ContextTree
from binyan.errors import InputError

BEGIN, END, FIRST = 1, 2, 3
sentences_strategy = st.lists(st.lists(st.integers(FIRST, FIRST + 3), max_size=6), min_size=1, max_size=8)


def build(sentences: list[list[int]], order: int, vocabulary_size: int = 8) -> ContextTree:
    words = np.array([w for s in sentences for w in s], dtype=np.uint32)
    offsets = np.cumsum([0] + [len(s) for s in sentences]).astype(np.uint64)
    return ContextTree.build(words, offsets, order, vocabulary_size)


def events(sentences: list[list[int]], order: int) -> list[tuple[tuple[int, ...], int]]:
    """(longest context, word) of every event; contexts are in the order of the text."""
    result = []
    for sentence in sentences:
        text = [BEGIN, *sentence, END]
        for i in range(1, len(text)):
            result.append((tuple(text[max(0, i - order + 1) : i]), text[i]))
    return result


def contexts_of(tree: ContextTree) -> list[list[tuple[int, ...]]]:
    """The words of every context of every level, read off the links."""
    result: list[list[tuple[int, ...]]] = [[()]]
    for k in range(1, tree.order):
        level = tree.level(k)
        result.append(
            [(int(w), *result[k - 1][int(p)]) for w, p in zip(level["left_word"], level["context_parent"], strict=True)]
        )
    return result


@settings(max_examples=60, deadline=None)
@given(sentences_strategy, st.integers(1, 4))
def test_equals_naive_construction(sentences: list[list[int]], order: int) -> None:
    tree = build(sentences, order)
    all_events = events(sentences, order)
    contexts = contexts_of(tree)
    assert tree.events == len(all_events)
    for k in range(order):
        level = tree.level(k)
        expected = Counter((u[len(u) - k :], w) for u, w in all_events if len(u) >= k)
        found = {
            (contexts[k][int(c)], int(w)): int(n)
            for c, w, n in zip(level["context"], level["word"], level["count"], strict=True)
        }
        assert found == expected
        assert len(contexts[k]) == len(set(contexts[k])) == tree.contexts(k)
        direct = Counter((u, w) for u, w in all_events if len(u) == k)
        for e in range(tree.entries(k)):
            key = (contexts[k][int(level["context"][e])], int(level["word"][e]))
            assert tree.direct(k, e) == direct[key]
            assert tree.find_entry(k, int(level["context"][e]), key[1]) == e
            if k > 0:
                below = tree.level(k - 1)
                parent = int(level["parent"][e])
                assert (contexts[k - 1][int(below["context"][parent])], int(below["word"][parent])) == (
                    key[0][1:],
                    key[1],
                )
        if k + 1 < order:
            for c, context in enumerate(contexts[k]):
                for w in range(8):
                    child = tree.find_child(k, c, w)
                    longer = (w, *context)
                    assert (child != 2**32 - 1) == (longer in contexts[k + 1])


def test_a_sentence_begins_with_one_mark() -> None:
    tree = build([[3, 4]], 3)
    assert contexts_of(tree) == [[()], [(1,), (3,), (4,)], [(1, 3), (3, 4)]]


@pytest.mark.parametrize(
    ("sentences", "order", "message"),
    [([[3]], 0, "order"), ([[1]], 2, "not a word"), ([[9]], 2, "not a word")],
)
def test_refuses(sentences: list[list[int]], order: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build(sentences, order)
