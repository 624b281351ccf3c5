"""How much memory the training of a log-bilinear model takes, and a plain refusal before it begins where that is too much."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from binyan import memory
from binyan.log_bilinear.noise_contrastive import BLOCK
from binyan.log_bilinear.recipe import TrainingPlan
from binyan.log_bilinear.settings import Shape
from binyan.log_bilinear.training import events_at_once

_COPIES = 6  # of each parameter: itself, sum of squares, gradient, best so far, both as they last were good
_FLOAT = 4


@dataclass(frozen=True)
class TrainingSizes:
    """What the memory of a training run depends on beside its shape and settings."""

    events: int
    development: int
    words: int
    factors: int  # of additive models; else the words
    classes: int  # of class-based models; else 0


def training_bytes(shape: Shape, settings: TrainingPlan, sizes: TrainingSizes) -> int:
    """About how much memory training takes beside the texts and PyTorch itself."""
    dim, history = shape.dim, shape.order - 1
    contexts = sizes.factors if shape.variant.context else sizes.words
    targets = sizes.factors if shape.variant.output else sizes.words
    parameters = (contexts + targets + sizes.classes) * dim + history * dim * (1 if shape.diagonal else dim)
    composed = (shape.variant.context + 2 * shape.variant.output) * sizes.words * dim
    events = (8 * history + 36) * (sizes.events + sizes.development)
    at_once = min(sizes.development, events_at_once(shape.variant.classes, sizes.words))
    outputs = sizes.classes or sizes.words
    scoring = at_once * (history * dim + 2 * outputs)
    return events + _FLOAT * (_COPIES * parameters + composed + _minibatch(shape, settings, sizes) + scoring)


def _minibatch(shape: Shape, settings: TrainingPlan, sizes: TrainingSizes) -> int:
    """Numbers that a minibatch takes."""
    batch, dim, history = min(settings.batch, sizes.events), shape.dim, shape.order - 1
    compared = sizes.classes or settings.noise_samples or min(sizes.words, settings.softmax_words)
    per_event = 3 * history * dim + 2 * dim + 2 * compared
    noise = 0 if shape.variant.classes else 3 * math.ceil(batch / BLOCK) * (settings.noise_samples or 0) * dim
    return batch * per_event + noise


def check_training_memory(shape: Shape, settings: TrainingPlan, sizes: TrainingSizes) -> None:
    """Raise NoMemoryError where training needs more memory than there is, with what would fit."""
    available = memory.available_memory()
    if available is None or (needed := training_bytes(shape, settings, sizes)) <= available:
        return
    dim = largest(shape.dim, lambda n: training_bytes(replace(shape, dim=n), settings, sizes) <= available)
    batch = largest(settings.batch, lambda n: training_bytes(shape, replace(settings, batch=n), sizes) <= available)
    fits = [f"vectors of {dim} dimensions"] if dim else []
    fits += [f"minibatches of {batch} events"] if batch else []
    raise memory.no_memory(f"{shape.variant} with vectors of {shape.dim} dimensions", needed, available, fits)


def largest(value: int, fits: Callable[[int], bool]) -> int:
    """A value that fits, at most a quarter smaller than need be; 0 where none does."""
    while value > 0 and not fits(value):
        value = value * 3 // 4
    return value
