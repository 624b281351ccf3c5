"""The loss of a minibatch and its gradients: autograd goes through the layers, the rest is by hand.

Only the vectors of the words that a minibatch has as input are looked at, and the softmax goes over classes, then over words of
those classes that occur.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from binyan.log_bilinear.gradients import FactorGather, Gradients, Rows, class_likelihood
from binyan.recurrent.network import Hidden, RecurrentNetwork


@dataclass(frozen=True)
class Minibatch:
    """Parallel sentences: `inputs` (T, B) are input rows, padded at the end; at the places `events`, flat, target `rows` follow."""

    inputs: Tensor
    events: Tensor
    rows: Tensor


class Dropout:
    """Leaves out a `share` of numbers, drawn by a generator of its own, and makes the others larger; a share of 0 changes nothing."""

    def __init__(self, share: float, seed: int, device: torch.device) -> None:
        self.keep, self.generator = 1 - share, torch.Generator(device).manual_seed(seed)

    def __call__(self, values: Tensor) -> Tensor:
        """The values that are left."""
        if self.keep == 1:
            return values
        return values * torch.empty_like(values).bernoulli_(self.keep, generator=self.generator).div_(self.keep)


def likelihood(
    network: RecurrentNetwork, batch: Minibatch, hidden: Hidden | None = None, dropout: Dropout | None = None
) -> tuple[Tensor, Gradients, Hidden]:
    """-sum log P over the events of a minibatch, its gradients by parameter name, and the hidden state after it."""
    composition = network.context_map
    gather = FactorGather.of(batch.inputs, composition, len(composition.offsets) - 1, len(network.Q))
    words = gather.compose(network.Q.detach().index_select(0, gather.touched))
    vectors = nn.functional.embedding(gather.place, words).requires_grad_()  # (T, B, d)
    states, last = network.recur(dropout(vectors) if dropout else vectors, hidden)
    states = dropout(states) if dropout else states
    p = network.out(states.flatten(0, 1).index_select(0, batch.events))  # (E, d)

    classes = network.class_of_row[batch.rows]
    order = torch.argsort(classes, stable=True)
    target_vectors = network.target_map(network.R.detach())
    loss, dp, output = class_likelihood(network, p.detach()[order], batch.rows[order], classes[order], target_vectors)
    inner = [(f"layers.{n}", w) for n, w in network.layers.named_parameters()]
    inner += [(f"out.{n}", w) for n, w in network.out.named_parameters()]
    d_vectors, *found = torch.autograd.grad(
        p, [vectors, *(w for _, w in inner)], torch.empty_like(dp).index_copy_(0, order, dp)
    )

    d_words = words.new_zeros(words.shape).index_add_(0, gather.place.flatten(), d_vectors.flatten(0, 1))
    inputs = Rows(gather.touched, gather.back(d_words))
    gradients: Gradients = {name: g for (name, _), g in zip(inner, found, strict=True)}
    gradients |= {name: output[name] for name in ("b", "S", "t")}
    d_targets = network.target_map.back(output["R"])
    if network.shape.tied:
        gradients["Q"] = d_targets.index_add_(0, inputs.index, inputs.values)
    else:
        gradients |= {"Q": inputs, "R": d_targets}
    return loss, gradients, tuple(h.detach() for h in last)
