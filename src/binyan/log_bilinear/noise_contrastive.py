"""Noise-contrastive estimation of the models without classes (thesis, section 4.4.1; Mnih and Teh 2012).

Each event is distinguished from k noise words drawn from the unigram distribution; the normaliser is taken to be one, which the
biases, log-unigrams at the start, nearly give. Events are cut into blocks that share their noise words, so that scores are
dense products.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from binyan.log_bilinear.gradients import FactorGather, Gradients, Rows
from binyan.log_bilinear.network import LogBilinearNetwork

BLOCK = 32


def noise_words(log_unigram: Tensor, events: int, samples: int, generator: torch.Generator) -> Tensor:
    """Noise rows for `events` events: (blocks, samples)."""
    blocks = math.ceil(events / BLOCK)
    cumulative = torch.cumsum(log_unigram.double().exp(), 0)
    draws = torch.rand(blocks, samples, generator=generator, dtype=torch.float64) * cumulative[-1].cpu()
    return torch.searchsorted(cumulative, draws.to(cumulative.device)).clamp_(max=len(log_unigram) - 1)


def contrast(
    model: LogBilinearNetwork, contexts: Tensor, rows: Tensor, noise: Tensor, log_unigram: Tensor
) -> tuple[Tensor, Gradients]:
    """-sum over events of log P(data | w) + sum over its noise words of log P(noise | v), and its gradient."""
    size = len(model.context_map.offsets) - 1
    near = FactorGather.of(contexts, model.context_map, size, len(model.Q))
    outputs = FactorGather.of(torch.cat([rows, noise.reshape(-1)]), model.target_map, model.targets.rows, len(model.R))
    with torch.enable_grad():
        Q = model.Q.detach()[near.touched].requires_grad_()
        R = model.R.detach()[outputs.touched].requires_grad_()
        C = model.C.detach().requires_grad_()
        b = model.b.detach().requires_grad_()
        q = near.compose(Q)[near.place]
        x = (q * C).sum(1) if model.shape.diagonal else torch.einsum("bjd,jde->be", q, C)
        p = model.activate(x)  # (B, d)
        vectors = outputs.compose(R)
        log_k = math.log(noise.shape[1])
        place, noise_place = outputs.place[: len(rows)], outputs.place[len(rows) :].reshape(noise.shape)
        data = (p * vectors[place]).sum(1) + b[rows] - log_k - log_unigram[rows]
        blocks, samples = noise.shape
        padded = torch.cat([p, p.new_zeros(blocks * BLOCK - len(p), p.shape[1])]).reshape(blocks, BLOCK, -1)
        false = torch.bmm(padded, vectors[noise_place].transpose(1, 2))  # (blocks, BLOCK, k)
        false = false + (b[noise] - log_k - log_unigram[noise])[:, None, :]
        false = false.reshape(blocks * BLOCK, samples)[: len(p)]
        loss = -(torch.nn.functional.logsigmoid(data).sum() + torch.nn.functional.logsigmoid(-false).sum())
        dQ, dR, dC, db = torch.autograd.grad(loss, (Q, R, C, b))
    return loss.detach(), {"Q": Rows(near.touched, dQ), "R": Rows(outputs.touched, dR), "C": dC, "b": db}
