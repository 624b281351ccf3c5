"""Language models as the decoder sees them: in the core where it knows the kind, any other through the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from binyan import _core
from binyan.context_scorer import ContextScorer
from binyan.language_model import END, LanguageModel
from binyan.ngram.backoff import BackoffLanguageModel


def model_feature(model: LanguageModel, vocabulary: Sequence[str]) -> _core.LanguageModelFeature:
    """A language model as a feature of the decoder whose words are `vocabulary`."""
    if isinstance(model, BackoffLanguageModel) and type(model).score is BackoffLanguageModel.score:
        index = model.vocabulary.index
        ids = np.fromiter((index.get(w, 0) for w in vocabulary), np.uint32, len(vocabulary))
        return _core.BackoffFeature(model.native, ids)
    unknown = np.fromiter((w not in model.vocabulary for w in vocabulary), np.uint8, len(vocabulary))
    if model.kind in ("hpylm+c", "hpylm+g"):
        return _compound_feature(model, vocabulary, unknown)
    if model.kind == "log-bilinear" and not model.extension and model.order > 1:  # type: ignore[attr-defined]
        return _log_bilinear_feature(model, vocabulary, unknown)
    return _core.CallbackFeature(model.order, unknown, ContextScorer(model, vocabulary))


def _compound_feature(model: Any, vocabulary: Sequence[str], unknown: Any) -> _core.LanguageModelFeature:
    words = [model._word(w) for w in vocabulary]
    return _core.CompoundFeature(model.native, words, unknown, model.is_renormalised)


def _log_bilinear_feature(model: Any, vocabulary: Sequence[str], unknown: Any) -> _core.LanguageModelFeature:
    """Each context word's part of the prediction vector is computed once, for every position."""
    lbl, targets = model.model, model.model.targets
    index = model.vocabulary.index
    ids = np.fromiter((index.get(w, 0) for w in vocabulary), np.int64, len(vocabulary))
    known = model.context_vectors.detach().numpy()
    context = np.concatenate([known[ids], known[1:2]])  # the last row is <s>
    for i, word in enumerate(vocabulary):
        rows = model.context_rows(word) if unknown[i] else []
        if rows:
            context[i] = lbl.Q.detach().numpy()[rows].sum(0)
    C = lbl.C.detach().numpy()
    parts = [context * position if position.ndim == 1 else context @ position for position in C]
    classes = lbl.shape.variant.classes
    rows = np.asarray(targets.row_of)[ids]
    rows = np.where(rows < 0, targets.row_of[0], rows)  # <s> is never written
    return _core.LogBilinearFeature(
        order=model.order,
        width=lbl.shape.dim,
        sigmoid=lbl.shape.variant.nonlinear,
        context=np.ascontiguousarray(np.stack(parts), np.float32).reshape(-1),
        class_vectors=_flat(lbl.S) if classes else np.zeros(lbl.shape.dim, np.float32),
        class_bias=_flat(lbl.t) if classes else np.zeros(1, np.float32),
        target_vectors=_flat(model.target_vectors),
        target_bias=_flat(lbl.b),
        first=np.asarray(lbl.first, np.uint32),
        row=rows.astype(np.uint32),
        end_row=int(targets.row_of[index[END]]),
        unknown=unknown,
    )


def _flat(tensor: Any) -> Any:
    return np.ascontiguousarray(tensor.detach().numpy(), np.float32).reshape(-1)
