"""A mixture in the core, where all its models are there: no Python for a word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.mixture.member import Member
from binyan.mixture.weights import ContextWeights
from binyan.text import Vocabulary


def scorer(
    members: Sequence[Member],
    vocabulary: Vocabulary,
    weights: NDArray[np.float64],
    context_weights: ContextWeights | None,
) -> _core.MixtureScorer | None:
    """The mixture of these models; None where one of them is not in the core."""
    found = []
    for member in members:
        source = member.core_source()
        if source is None:
            return None
        found.append(source)
    sources = [source for source, _ in found]
    gate = None
    if context_weights is not None:
        gate = context_weights.gate([source.native.parts for source in sources])
    return _core.MixtureScorer(
        [source.native for source in sources],
        [widening for _, widening in found],
        weights.tolist(),
        gate,
        vocabulary.native,
        _composing([source.compose for source in sources]),
        [list(source.composed) for source in sources],
    )


def _composing(functions: Sequence[Callable[[str], Any] | None]) -> Callable[[str], list[Any]] | None:
    """The vector that each model composes for a word; None where none of them can."""
    if not any(functions):
        return None
    return lambda word: [function(word) if function is not None else None for function in functions]
