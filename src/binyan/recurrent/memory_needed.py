"""How much memory the training of a recurrent model takes, and a plain refusal before it begins where that is too much."""

from __future__ import annotations

from dataclasses import replace

from binyan import memory
from binyan.log_bilinear.memory_needed import TrainingSizes, largest
from binyan.log_bilinear.training import SCORED_AT_ONCE
from binyan.recurrent.settings import RecurrentShape, RecurrentTraining

_COPIES = 8  # of each parameter: itself, gradient, two moments, best so far, and what training goes back to (three)
_FLOAT = 4
_GATES = {"lstm": 4, "gru": 3}


def training_bytes(shape: RecurrentShape, settings: RecurrentTraining, sizes: TrainingSizes) -> int:
    """About how much memory training takes beside the texts and PyTorch itself."""
    dim, gates = shape.dim, _GATES[shape.cell]
    both = [sizes.factors if additive else sizes.words for additive in (shape.variant.context, shape.variant.output)]
    vectors = (max(both) if shape.tied else sum(both)) + sizes.classes
    layers = gates * shape.hidden * (dim + (2 * shape.layers - 1) * shape.hidden)
    parameters = (vectors + shape.hidden) * dim + layers
    composed = 2 * sizes.words * dim
    per_event = 3 * dim + (gates + 4) * shape.layers * shape.hidden
    training = min(settings.batch, sizes.events) * (2 * per_event + 2 * sizes.classes)
    scoring = min(SCORED_AT_ONCE, sizes.development) * (per_event + 2 * sizes.classes)
    texts = 3 * 8 * (sizes.events + sizes.development)
    return texts + _FLOAT * (_COPIES * parameters + composed + max(training, scoring))


def check_training_memory(shape: RecurrentShape, settings: RecurrentTraining, sizes: TrainingSizes) -> None:
    """Raise NoMemoryError where training needs more memory than there is, with what would fit."""
    available = memory.available_memory()
    if available is None or (needed := training_bytes(shape, settings, sizes)) <= available:
        return
    dim = largest(shape.dim, lambda n: training_bytes(replace(shape, dim=n), settings, sizes) <= available)
    hidden = largest(shape.hidden, lambda n: training_bytes(replace(shape, hidden=n), settings, sizes) <= available)
    fits = [f"vectors of {dim} dimensions"] if dim else []
    fits += [f"layers of {hidden} units"] if hidden else []
    raise memory.no_memory(f"{shape.variant} with vectors of {shape.dim} dimensions", needed, available, fits)
