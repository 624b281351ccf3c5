"""A log-bilinear model as a native feature of the decoder: each context word's part of the prediction is computed once per position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.text.vocabulary import BEGIN_ID, END_ID, UNKNOWN, UNKNOWN_ID

if TYPE_CHECKING:
    from binyan.log_bilinear.language_model import LogBilinear

_NO_PLACE = 2**32 - 1


def is_native(model: LogBilinear) -> bool:
    """Whether the decoder can score the model itself: it knows no models without context."""
    return model.order > 1


def decoder_feature(model: LogBilinear, vocabulary: Sequence[str]) -> _core.LanguageModelFeature:
    """The feature of `model` for a decoder whose words are `vocabulary`."""
    network, targets = model.network, model.network.targets
    vectors, row, unknown = _words(model, vocabulary)
    begin = _array(model.context_vectors)[BEGIN_ID : BEGIN_ID + 1]  # the row after those of the words
    classes = network.shape.variant.classes
    return _core.LogBilinearFeature(
        order=model.order,
        width=network.shape.dim,
        sigmoid=network.shape.variant.nonlinear,
        context=_by_position(model, np.concatenate([vectors, begin])),
        class_vectors=_flat(network.S) if classes else np.zeros(network.shape.dim, np.float32),
        class_bias=_flat(network.t) if classes else np.zeros(1, np.float32),
        target_vectors=_flat(model.target_vectors),
        target_bias=_flat(network.b),
        first=np.asarray(network.first, np.uint32),
        row=row,
        end_row=int(targets.row_of[END_ID]),
        unknown=unknown,
        **_extension(model, vocabulary),
    )


def decoder_words(model: LogBilinear, words: Sequence[str]) -> tuple[Any, ...]:
    """What the feature of `model` needs of further words: their parts of predictions, target rows, and whether they are unknown."""
    vectors, row, unknown = _words(model, words)
    parts = _by_position(model, vectors), row, unknown
    return (*parts, _places(model, words)) if model.extension else parts


def _extension(model: LogBilinear, words: Sequence[str]) -> dict[str, Any]:
    """How the words that extend the vocabulary share <unk>, and which of `words` they are; nothing where there are none."""
    if not model.extension:
        return {}
    vectors, bias = model.scorer.extension.arrays
    return {"extension_vectors": vectors.reshape(-1), "extension_bias": bias, "place": _places(model, words)}


def _places(model: LogBilinear, words: Sequence[str]) -> NDArray[np.uint32]:
    """The place of each of `words` in the extension: the last for unknown words, none for those of the vocabulary of training."""
    first, rest, index = len(model.closed_vocabulary), len(model.extension), model.vocabulary.index
    ids = (index.get(word, UNKNOWN_ID) for word in words)
    places = (rest if i == UNKNOWN_ID else i - first if i >= first else _NO_PLACE for i in ids)
    return np.fromiter(places, np.uint32, len(words))


def _words(
    model: LogBilinear, words: Sequence[str]
) -> tuple[NDArray[np.float32], NDArray[np.uint32], NDArray[np.uint8]]:
    """Context vector, target row, and whether a word is outside the vocabulary, of each of `words`."""
    index, row_of = model.vocabulary.index, np.asarray(model.network.targets.row_of)
    ids = np.fromiter((index.get(w, UNKNOWN_ID) for w in words), np.int64, len(words))
    unknown = (ids == UNKNOWN_ID).astype(np.uint8)
    vectors = _array(model.context_vectors)[ids]
    factors = _array(model.network.Q)
    for i in np.flatnonzero(unknown).tolist():
        rows = [] if words[i] == UNKNOWN else model.composer.context_rows(words[i])
        if rows:
            vectors[i] = factors[rows].sum(0)
    inside = np.where(ids < len(row_of), ids, UNKNOWN_ID)
    row = np.where(row_of[inside] < 0, row_of[UNKNOWN_ID], row_of[inside])  # <s> is never written
    return vectors, row.astype(np.uint32), unknown


def _by_position(model: LogBilinear, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """What each context vector adds to the prediction at each position, the oldest first; flat."""
    parts = [vectors * c if c.ndim == 1 else vectors @ c for c in _array(model.network.C)]
    return np.ascontiguousarray(np.stack(parts), np.float32).reshape(-1)


def _array(tensor: Any) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.detach().numpy()
    return array


def _flat(tensor: Any) -> NDArray[np.float32]:
    return np.ascontiguousarray(_array(tensor), np.float32).reshape(-1)
