"""What follows from the size of the text and of the word map where a setting is not given: the best recipe known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.settings import Shape, TrainingSettings
from binyan.settings import Settings
from binyan.text import Corpus

STEPS_PER_EPOCH = 200  # minibatches, whatever the size of the text
LEAST_BATCH, LARGEST_BATCH = 50, 20_000


@dataclass(frozen=True)
class TrainingPlan(Settings):
    """How a model is trained, every setting a number: see TrainingSettings, whose fields it has."""

    step: float
    l2: float
    batch: int
    epochs: int
    patience: int
    noise_samples: int | None
    softmax_words: int
    seed: int
    device: str
    decay: bool
    warm_up: float


def plan(
    settings: TrainingSettings | TrainingPlan, shape: Shape, corpus: Corpus, factor_map: FactorMap | None = None
) -> TrainingPlan:
    """The settings, those that are not given chosen for the text and the map."""
    factors = factors_per_token(corpus, factor_map) if factor_map is not None and shape.variant.additive else 1.0
    chosen = {
        "step": 0.2 / factors**0.5,
        "l2": 30.0 * min(factors, 2.0),
        "batch": int(min(max(corpus.events // STEPS_PER_EPOCH, LEAST_BATCH), LARGEST_BATCH)),
        "epochs": 3,
        "decay": True,
        "warm_up": 0.2 if shape.variant.classes or settings.noise_samples is None else 0.5,
    }
    given = {name: value for name, value in settings.to_dict().items() if value is not None}
    return TrainingPlan(**({"noise_samples": None} | chosen | given))


def factors_per_token(corpus: Corpus, factor_map: FactorMap) -> float:
    """How many vectors that of a word of running text is the sum of, on average."""
    counts = np.bincount(corpus.words, minlength=len(corpus.vocabulary))[: factor_map.words]
    lengths = np.diff(factor_map.offsets)[: factor_map.words]
    return float(counts @ lengths / max(1, counts.sum()))
