"""Sentences drawn from a model against the probabilities it gives.

Seeds are fixed; with other seeds the tests of this file would raise a false alarm about once in 1,000 runs.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2

from binyan.ngram.kneser_ney import KneserNey

TEXT = ["a b", "a a b a", "b", "b a b", "a c"]


@pytest.fixture(scope="module")
def model():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return KneserNey(3).fit(TEXT)


def sentences(model, longest):
    """All sentences of at most `longest` words with their probabilities."""
    words = ["<unk>", *model.vocabulary.words[3:]]
    every = [list(s) for n in range(longest + 1) for s in itertools.product(words, repeat=n)]
    return dict(zip(map(tuple, every), np.exp(model.score_sentences(every).sentence_log_prob), strict=True))


def test_probabilities_of_all_sentences_approach_one(model):
    """What the sentences of n words or less leave to longer ones shrinks with n, and is what drawing finds."""
    rest = [1 - sum(sentences(model, n).values()) for n in (1, 3, 5)]
    assert rest[0] > rest[1] > rest[2] > 0
    draws = 4000
    random = np.random.default_rng(11)
    longer = sum(len(model.draw_sentence(random, longest=6)) > 5 for _ in range(draws))
    assert abs(longer - draws * rest[2]) < 3.5 * math.sqrt(draws * rest[2] * (1 - rest[2]))


def test_drawn_sentences_have_the_probabilities_the_model_gives(model):
    draws = 4000
    random = np.random.default_rng(5)
    drawn = Counter(tuple(model.draw_sentence(random)) for _ in range(draws))
    expected = {s: p * draws for s, p in sentences(model, 3).items() if p * draws >= 5}
    cells = [(drawn[s], e) for s, e in expected.items()]
    cells.append((draws - sum(d for d, _ in cells), draws - sum(e for _, e in cells)))
    statistic = sum((d - e) ** 2 / e for d, e in cells)
    assert len(cells) > 20
    assert chi2.sf(statistic, len(cells) - 1) > 5e-4
