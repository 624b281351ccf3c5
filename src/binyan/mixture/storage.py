"""A mixture in one model file, and its signature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from binyan import model_file
from binyan.errors import InputError
from binyan.language_model import LanguageModel
from binyan.mixture.member import Member
from binyan.mixture.weights import ContextWeights, WeightFunction
from binyan.model import from_model_file
from binyan.signature import Signature, digest
from binyan.text.vocabulary import END

if TYPE_CHECKING:
    from binyan.mixture.mixture import Mixture

GATE = 2
"""The version of weights by context: in the first, a mixture among the models was one part without features."""


def contents(mixture: Mixture) -> tuple[dict[str, Any], dict[str, model_file.Section]]:
    """Settings and sections for a model file: the models whole, one per section."""
    meta: dict[str, Any] = {"weights": mixture.weights.tolist(), "fields": mixture.fields}
    sections: dict[str, model_file.Section] = {
        f"model/{i}": model_file.to_bytes(m.kind, *m.contents()) for i, m in enumerate(mixture.models)
    }
    if any(m.is_widened for m in mixture.members):
        meta["rest"] = [m.rest for m in mixture.members]
    if mixture.context_weights is not None:
        if not any(m.whole for m in mixture.members):
            meta["gate"] = GATE
        sections["gate/known"] = mixture.context_weights.known.table
        sections["gate/unknown"] = mixture.context_weights.unknown.table
    return meta, sections


def models(file: model_file.ModelFile) -> list[LanguageModel]:
    """The models of a mixture's file."""
    number = len(file.meta["weights"])
    return [from_model_file(model_file.from_bytes(file.blob(f"model/{i}"))).as_language_model() for i in range(number)]


def context_weights(file: model_file.ModelFile) -> ContextWeights | None:
    """The weights by context of a mixture's file, if it has them."""
    if "gate/known" not in file.sections:
        return None
    return ContextWeights(*(WeightFunction(file.array(f"gate/{kind}")) for kind in ("known", "unknown")))


def check_context_weights(weights: ContextWeights, members: Sequence[Member]) -> None:
    """Raise unless the tables of the weights have a row for each part of the models and a column for each feature."""
    parts = [m.weigh(m.model.begin(), END) for m in members]
    features = 1 + sum(p.features.shape[1] for p in parts)
    needed = (sum(len(p.mass) for p in parts), features)
    tables = weights.known.table, weights.unknown.table
    if not all(np.isfinite(table).all() for table in tables):
        raise InputError("a weight of the mixture is not a finite number: mix the models again")
    for given in (table.shape for table in tables):
        if given != needed:
            raise InputError(
                f"the mixture weighs {given[0]} parts of models by {given[1] - 1} features of a context, and its models have "
                f"{needed[0]} parts and {features - 1} features: mix them again"
            )


def signature(mixture: Mixture) -> Signature:
    """The weights, and the digest of each model's own signature."""
    parts = "+".join(
        f"{w:.4f}*{m.signature().fields.get('model', m.kind)}-{m.signature().digest}"
        for w, m in zip(mixture.weights, mixture.models, strict=True)
    )
    by_context = mixture.context_weights
    by: dict[str, Any] = {}
    if by_context is not None:
        by["by_context"] = digest(*(w.table.tobytes() for w in (by_context.known, by_context.unknown)))
    if any(m.is_widened for m in mixture.members):
        by |= {"vocabulary": len(mixture.vocabulary), "rest": "/".join(f"{m.rest:.4f}" for m in mixture.members)}
    by |= {"open": "components"} if mixture.is_open else {}
    by |= {"renormalised": "exact"} if any("renormalised" in m.signature().fields for m in mixture.models) else {}
    return Signature({"model": "mixture", "order": mixture.order, "of": parts, **by, **mixture.fields})
