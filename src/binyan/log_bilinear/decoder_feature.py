"""A log-bilinear model as a native feature of the decoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from binyan import _core
from binyan.text.vocabulary import BEGIN_ID, END_ID, UNKNOWN_ID

if TYPE_CHECKING:
    from binyan.log_bilinear.language_model import LogBilinear


def decoder_feature(model: LogBilinear, vocabulary: Sequence[str]) -> _core.LanguageModelFeature:
    """The feature of a decoder whose words are `vocabulary`: each context word's part of the prediction vector is computed once,
    for every position.
    """
    network, targets = model.network, model.network.targets
    ids = np.fromiter(map(model.vocabulary.__getitem__, vocabulary), np.int64, len(vocabulary))
    unknown = np.fromiter((w not in model.vocabulary for w in vocabulary), np.uint8, len(vocabulary))
    context = _context_vectors(model, vocabulary, ids, unknown)
    positions = network.C.detach().numpy()
    parts = [context * position if position.ndim == 1 else context @ position for position in positions]
    classes, dim = network.shape.variant.classes, network.shape.dim
    rows = targets.row_of[ids]
    rows = np.where(rows < 0, targets.row_of[UNKNOWN_ID], rows)  # <s> is never written
    return _core.LogBilinearFeature(
        order=model.order,
        width=dim,
        sigmoid=network.shape.variant.nonlinear,
        context=np.ascontiguousarray(np.stack(parts), np.float32).reshape(-1),
        class_vectors=_flat(network.S) if classes else np.zeros(dim, np.float32),
        class_bias=_flat(network.t) if classes else np.zeros(1, np.float32),
        target_vectors=_flat(model.target_vectors),
        target_bias=_flat(network.b),
        first=np.asarray(network.first, np.uint32),
        row=rows.astype(np.uint32),
        end_row=int(targets.row_of[END_ID]),
        unknown=unknown,
    )


def _context_vectors(
    model: LogBilinear, vocabulary: Sequence[str], ids: NDArray[np.int64], unknown: NDArray[np.uint8]
) -> NDArray[np.float32]:
    """The context vector of each word, composed where it is outside the model's vocabulary; the last row is <s>."""
    known = model.context_vectors.numpy()
    context = np.concatenate([known[ids], known[[BEGIN_ID]]])
    factors = model.network.Q.detach().numpy()
    for i in np.flatnonzero(unknown):
        if rows := model.composer.context_rows(vocabulary[i]):
            context[i] = factors[rows].sum(0)
    return context


def _flat(tensor: Tensor) -> NDArray[np.float32]:
    return np.ascontiguousarray(tensor.detach().numpy(), np.float32).reshape(-1)
