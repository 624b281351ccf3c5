"""A log-bilinear model with classes as the core weighs it in a mixture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.log_bilinear.composer import Composer
from binyan.mixture.source import CoreSource
from binyan.text.vocabulary import UNKNOWN_ID

if TYPE_CHECKING:
    from binyan.log_bilinear.language_model import LogBilinear


def mixture_source(model: LogBilinear, vocabulary: Sequence[str]) -> CoreSource | None:
    """The model for a mixture whose words are `vocabulary`; None without classes, and where the model is extended.

    Without classes every word takes a sum over the vocabulary, which PyTorch does faster for many contexts at once.
    """
    network, index = model.network, model.vocabulary.index
    if model.extension or not network.shape.variant.classes:
        return None
    compose = _composing(model.composer)
    number = np.fromiter((index.get(word, UNKNOWN_ID) for word in vocabulary), np.int64, len(vocabulary))
    row_of = np.asarray(network.targets.row_of)[number]
    row = np.where(row_of < 0, network.targets.row_of[UNKNOWN_ID], row_of)  # <s> is never predicted
    vectors, composed = [_array(model.context_vectors)], list[str]()
    for place in np.flatnonzero(number == UNKNOWN_ID)[1:].tolist():
        vector = compose(vocabulary[place])
        if vector is not None:
            number[place] = len(index) + len(composed)
            vectors.append(vector[None])
            composed.append(vocabulary[place])
    native = _core.LogBilinearSource(
        order=model.order,
        width=network.shape.dim,
        sigmoid=network.shape.variant.nonlinear,
        diagonal=network.shape.diagonal,
        context_vectors=_flat(np.concatenate(vectors)),
        positions=_flat(_array(network.C)),
        class_vectors=_flat(_array(network.S)),
        class_bias=_flat(_array(network.t)),
        target_vectors=_flat(_array(model.target_vectors)),
        target_bias=_flat(_array(network.b)),
        first=np.asarray(network.first, np.uint32),
        number=number.astype(np.uint32),
        row=row.astype(np.uint32),
    )
    return CoreSource(native, compose if network.shape.variant.context else None, tuple(composed))


def _composing(composer: Composer) -> Callable[[str], NDArray[np.float32] | None]:
    def compose(word: str) -> NDArray[np.float32] | None:
        vector = composer.context_vector(word)
        return None if vector is None else _array(vector)

    return compose


def _array(tensor: Any) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.detach().numpy()
    return array


def _flat(array: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.ascontiguousarray(array, np.float32).reshape(-1)
