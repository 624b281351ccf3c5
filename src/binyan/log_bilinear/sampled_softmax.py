"""The likelihood of the models without classes, normalised over a sample of words per minibatch.

The frequent words, which have most of the probability, are in every sample. Of the others some are drawn evenly, and each stands
for as many as were not drawn: complementary sum sampling (Botev, Zheng and Barber 2017). The estimate of a normaliser is unbiased,
and exact where the sample holds all words.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from binyan.log_bilinear.gradients import FactorGather, Gradients, Rows
from binyan.log_bilinear.network import LogBilinearNetwork

_FREQUENT = 0.5  # of a sample


@dataclass(frozen=True)
class WordSample:
    """Target rows, each once and ascending, and the logarithm of how many words each of them stands for."""

    rows: Tensor  # (S,)
    log_weight: Tensor  # (S,)


class WordSampler:
    """Draws samples of `size` target rows, given the counts of the words of each row."""

    def __init__(self, counts: NDArray[np.int64], size: int, device: torch.device) -> None:
        order = torch.from_numpy(np.argsort(-counts, kind="stable"))
        frequent = len(order) if size >= len(order) else max(1, int(size * _FREQUENT))
        self.frequent, self.rare = order[:frequent], order[frequent:]
        self.drawn = min(len(self.rare), max(1, size - frequent)) if len(self.rare) else 0
        self.device = device

    def draw(self, generator: torch.Generator) -> WordSample:
        """One sample."""
        chosen = self.rare[torch.randperm(len(self.rare), generator=generator)[: self.drawn]]
        rows, place = torch.sort(torch.cat([self.frequent, chosen]))
        stands_for = math.log(len(self.rare) / self.drawn) if self.drawn else 0.0
        return WordSample(
            rows.to(self.device), torch.where(place < len(self.frequent), 0.0, stands_for).to(self.device)
        )


@torch.no_grad()
def sampled_likelihood(
    model: LogBilinearNetwork, contexts: Tensor, rows: Tensor, sample: WordSample
) -> tuple[Tensor, Gradients]:
    """-sum over events of log P(w | h), P normalised over the sample and w itself, and its gradient; `rows` are target rows."""
    near = FactorGather.of(contexts, model.context_map, len(model.context_map.offsets) - 1, len(model.Q))
    q = near.compose(model.Q.index_select(0, near.touched))[near.place]  # (B, n-1, d)
    p = model.predict(q)  # (B, d)
    R = model.target_map(model.R)  # (V', d)
    vectors = R.index_select(0, sample.rows)  # (S, d)

    place = torch.searchsorted(sample.rows, rows).clamp_(max=len(sample.rows) - 1)
    inside = sample.rows[place] == rows
    own = (p * R.index_select(0, rows)).sum(1) + model.b[rows]  # (B,)
    scores = torch.addmm(model.b[sample.rows] + sample.log_weight, p, vectors.T)  # (B, S)
    scores[inside.nonzero()[:, 0], place[inside]] = -math.inf  # the word itself is counted once, below
    top = torch.maximum(scores.max(1).values, own)
    error = scores.sub_(top[:, None]).exp_()
    of_word = (own - top).exp_()
    normaliser = error.sum(1).add_(of_word)
    loss = (normaliser.log() + top - own).sum()
    error.div_(normaliser[:, None])
    of_word.div_(normaliser).sub_(1.0)  # (B,)

    dp = torch.addmm(of_word[:, None] * R.index_select(0, rows), error, vectors)
    dR = torch.zeros_like(R).index_add_(0, rows, of_word[:, None] * p).index_add_(0, sample.rows, error.T @ p)
    db = torch.zeros_like(model.b).index_add_(0, rows, of_word).index_add_(0, sample.rows, error.sum(0))
    dq, dC = model.back(dp, p, q)
    d_words = dq.new_zeros(near.words, dq.shape[2]).index_add_(0, near.place.reshape(-1), dq.reshape(-1, dq.shape[2]))
    return loss, {"Q": Rows(near.touched, near.back(d_words)), "R": model.target_map.back(dR), "C": dC, "b": db}
