"""Factors with weights, for the comparison of word maps: a word map that lists a factor several times gives it so many shares of a whole one.

The toolkit's own models have no such weights, since they gain too little (docs/models.md, Word maps).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from binyan.log_bilinear.composer import Composer
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.gradients import FactorGather
from binyan.log_bilinear.network import Composition
from binyan.segmentation import factor_table

SHARES = 8  # of a whole factor


@contextmanager
def shares_of_factors(words: int) -> Iterator[None]:
    """Within it, each time that a word has a factor counts as one share; the first `words` factors, the surface forms, count whole."""
    start = Composition.__init__

    def weights(factors: Tensor, whole: int) -> Tensor:
        return torch.where(factors < whole, 1.0, 1.0 / SHARES)

    def remember(self: Composition, factor_map: FactorMap) -> None:
        start(self, factor_map)
        self.weights = weights(self.factors, factor_map.words)
        self.owner_weights = self.weights[torch.from_numpy(np.argsort(factor_map.factors, kind="stable"))]

    def total(rows: Tensor, vectors: Tensor, offsets: Tensor, counted: Tensor) -> Tensor:
        return embedding_bag(
            rows, vectors, offsets, mode="sum", include_last_offset=True, per_sample_weights=counted.to(vectors.dtype)
        )

    def forward(self: Composition, vectors: Tensor) -> Tensor:
        return vectors if self.identity else total(self.factors, vectors, self.offsets, self.weights)

    def back(self: Composition, gradient: Tensor) -> Tensor:
        return gradient if self.identity else total(self.owners, gradient, self.owner_offsets, self.owner_weights)

    def gathered(self: FactorGather, vectors: Tensor) -> Tensor:
        weighted = vectors[self.where] * weights(self.touched, words)[self.where, None]
        return vectors.new_zeros(self.words, vectors.shape[1]).index_add(0, self.owner, weighted)

    def gathered_back(self: FactorGather, gradient: Tensor) -> Tensor:
        weighted = gradient[self.owner] * weights(self.touched, words)[self.where, None]
        return gradient.new_zeros(len(self.touched), gradient.shape[1]).index_add(0, self.where, weighted)

    def context_vector(self: Composer, word: str) -> Tensor | None:
        rows = torch.tensor(self.context_rows(word), dtype=torch.long)
        return (self.network.Q[rows] * weights(rows, words)[:, None]).sum(0).detach() if len(rows) else None

    with (
        patch.multiple(Composition, __init__=remember, forward=forward, back=back),
        patch.multiple(FactorGather, compose=gathered, back=gathered_back),
        patch.object(Composer, "context_vector", context_vector),
        patch.object(factor_table, "MOST_FACTORS", SHARES * factor_table.MOST_FACTORS),
    ):
        yield
