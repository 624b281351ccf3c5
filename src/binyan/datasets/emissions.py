"""What a recogniser's network might give for a text: log-probabilities of labels, made from its letters with noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray


def emissions(
    text: str,
    labels: Sequence[str],
    blank: str,
    confusion: Mapping[str, str] | None = None,
    noise: float = 0.0,
    seed: int = 1,
) -> NDArray[np.float64]:
    """Two frames and a blank for each letter; `confusion` makes letters sound a little more like others than like themselves."""
    random = np.random.default_rng(seed)
    rows = []
    for letter in text:
        row = np.full(len(labels), -8.0)
        row[labels.index(letter)] = -0.7
        if confusion and letter in confusion:
            row[labels.index(confusion[letter])] = -0.6
        between = np.full(len(labels), -8.0)
        between[labels.index(blank)] = -0.01
        rows += [row, row, between]
    logits = np.array(rows) + noise * random.normal(size=(len(rows), len(labels)))
    normalised: NDArray[np.float64] = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    return normalised
