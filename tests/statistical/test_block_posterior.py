"""The HPYLM sampler of blocks against exact laws and against the sampler of the whole tree.

Seeds are fixed; each z-test alone has a false-alarm rate under 1e-5 (|z| < 4.5).
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest

from binyan._core import HPYLM
from block_world import SampledBlocks
from geweke import TIMES, disagreements
from reference.restaurant import Hierarchy
from statistical.test_geweke_ngrams import NAMES, ORDER, VOCABULARY, Refused, draw, hpylm_statistics, prior, text_of
from statistical.test_hpylm_posterior import SENTENCES, assert_same_law, close
from tiny_world import BEGIN, contexts_of, events_of, exact_posterior, seating_of, standard_error, tree_of


@pytest.mark.parametrize(
    ("sentences", "hyperparameters"),
    [(SENTENCES, [(0.4, 0.8), (0.6, 0.5)]), ([[3, 3, 3], [3, 3], [3]], [(0.4, 0.8), (0.6, 0.5), (0.3, 0.9)])],
)
@pytest.mark.parametrize("sequential", [False, True])
def test_enumerated_posterior(sentences: Any, hyperparameters: list[tuple[float, float]], sequential: bool) -> None:
    order = len(hyperparameters)
    exact = exact_posterior(Hierarchy(hyperparameters, 1 / 5), events_of(sentences, order))
    tree = tree_of(sentences, order, 6)
    model = SampledBlocks(sentences, order, 6, seed=11, borders=[2, 4])
    model.hyperparameters = hyperparameters
    model.initialise(sequential)
    states = []
    for _ in range(12_000):
        model.sweep()
        model.sweep()
        states.append(seating_of(model, tree, contexts_of(tree)).state())
    assert_same_law(states, exact)
