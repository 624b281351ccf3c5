"""The gradient of the likelihood of class-based models, by hand: events grouped by class, dense products, sparse context rows.

Tests compare it with autograd and with finite differences. For DistributedDataParallel, `ByHand` hands the same gradients to
autograd.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from binyan.log_bilinear.network import Composition, LogBilinearNetwork
from binyan.log_bilinear.output import OutputLayer


@dataclass(frozen=True)
class Rows:
    """A gradient that is zero outside the rows `index`."""

    index: Tensor
    values: Tensor

    def dense(self, rows: int) -> Tensor:
        """With its zeros."""
        return self.values.new_zeros(rows, self.values.shape[1]).index_copy_(0, self.index, self.values)


Gradients = dict[str, Tensor | Rows]
Loss = Callable[[LogBilinearNetwork], tuple[Tensor, Gradients]]


@dataclass(frozen=True)
class FactorGather:
    """The words among some ids, their factor vectors, and how the two belong together."""

    place: Tensor  # ids -> words
    touched: Tensor  # (T,) factors of the words, each once
    where: Tensor  # entries of M's rows -> touched
    owner: Tensor  # entries of M's rows -> words
    words: int

    @classmethod
    def of(cls, ids: Tensor, composition: Composition, size: int, factors: int) -> FactorGather:
        """The words among `ids`, which are below `size`, and their factors, which are below `factors`."""
        unique, place = distinct(ids, size)
        entries, owner = composition.rows(unique)
        touched, where = (entries, owner) if composition.identity else distinct(entries, factors)
        return cls(place, touched, where, owner, len(unique))

    def compose(self, vectors: Tensor) -> Tensor:  # (T, d) -> (words, d)
        """The vectors of the words from those of the touched factors."""
        if len(self.where) == self.words == len(self.touched):
            return vectors
        return vectors.new_zeros(self.words, vectors.shape[1]).index_add(
            0, self.owner, vectors.index_select(0, self.where)
        )

    def back(self, gradient: Tensor) -> Tensor:  # (words, d) -> (T, d)
        """The gradient of the touched factors from that of the words."""
        if len(self.where) == self.words == len(self.touched):
            return gradient
        return gradient.new_zeros(len(self.touched), gradient.shape[1]).index_add_(
            0, self.where, gradient.index_select(0, self.owner)
        )


def distinct(ids: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """The different ids, ascending, and the place of each id among them; `ids` are below `size`."""
    seen = torch.zeros(size, dtype=torch.bool, device=ids.device)
    seen[ids.reshape(-1)] = True
    return seen.nonzero()[:, 0], (torch.cumsum(seen, 0) - 1)[ids]


@torch.no_grad()
def class_likelihood(
    model: OutputLayer, p: Tensor, rows: Tensor, classes: Tensor, target_vectors: Tensor
) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
    """-sum log P(w | p) of target rows, sorted by class, and its gradients: by p, and by R, b, S and t."""
    R = target_vectors  # (V', d), perhaps with further rows
    present, counts = torch.unique_consecutive(classes, return_counts=True)
    by_class = torch.log_softmax(torch.addmm(model.t, p, model.S.T), 1)  # (B, K)
    loss = -by_class.gather(1, classes[:, None]).sum()
    error = by_class.exp_()
    error.scatter_add_(1, classes[:, None], error.new_full((len(rows), 1), -1.0))
    dp = error @ model.S
    dS, dt = error.T @ p, error.sum(0)

    dR, db = torch.zeros_like(R), torch.zeros_like(model.b)
    sizes = counts.tolist()
    target_place = (rows - torch.from_numpy(model.targets.first).to(rows.device)[classes])[:, None]
    minus = p.new_full((len(rows), 1), -1.0)
    losses = [loss]
    by_class_parts = (torch.split(x, sizes) for x in (p, dp, target_place, minus))
    parts = zip(present.tolist(), *by_class_parts, strict=True)
    for c, pc, dpc, row, minus_one in parts:
        first, last = model.first[c], model.first[c + 1]
        if last - first > 1:
            vectors = R[first:last]
            scores = torch.log_softmax(torch.addmm(model.b[first:last], pc, vectors.T), 1)  # (n, |C_c|)
            losses.append(-scores.gather(1, row).sum())
            error = scores.exp_().scatter_add_(1, row, minus_one)
            dpc.addmm_(error, vectors)
            torch.mm(error.T, pc, out=dR[first:last])
            torch.sum(error, 0, out=db[first:last])
    return torch.stack(losses).sum(), dp, {"R": dR, "b": db, "S": dS, "t": dt}


@torch.no_grad()
def likelihood(model: LogBilinearNetwork, contexts: Tensor, rows: Tensor) -> tuple[Tensor, Gradients]:
    """-sum log P(w | h) over the events of a class-based model, and its gradient; `rows` are target rows."""
    classes = model.class_of_row[rows]
    order = torch.argsort(classes, stable=True)
    contexts, rows, classes = contexts[order], rows[order], classes[order]

    near = FactorGather.of(contexts, model.context_map, len(model.context_map.offsets) - 1, len(model.Q))
    q = nn.functional.embedding(near.place, near.compose(model.Q.index_select(0, near.touched)))  # (B, n-1, d)
    p = model.predict(q)  # (B, d)
    loss, dp, output = class_likelihood(model, p, rows, classes, model.target_map(model.R))

    dq, dC = model.back(dp, p, q)
    d_words = dq.new_zeros(near.words, dq.shape[2]).index_add_(0, near.place.reshape(-1), dq.reshape(-1, dq.shape[2]))
    gradients: Gradients = {"Q": Rows(near.touched, near.back(d_words)), "C": dC, **output}
    return loss, gradients | {"R": model.target_map.back(output["R"])}


class ByHand(torch.autograd.Function):
    """A loss with its gradients as one differentiable operation, so that autograd and what hooks into it see them."""

    @staticmethod
    def forward(ctx: Any, loss: Loss, model: LogBilinearNetwork, *parameters: Tensor) -> Tensor:
        """The loss; its gradients are kept."""
        value, gradients = loss(model)
        names = [name for name, _ in model.named_parameters()]
        ctx.gradients = [
            g.dense(len(parameter)) if isinstance(g := gradients[name], Rows) else g
            for name, parameter in zip(names, parameters, strict=True)
        ]
        return value

    @staticmethod
    def backward(ctx: Any, *outputs: Tensor) -> tuple[Tensor | None, ...]:
        """The kept gradients, none for loss and model."""
        return None, None, *(g * outputs[0] for g in ctx.gradients)


class LossModule(nn.Module):
    """A model as DistributedDataParallel wants it: called, it gives a loss that autograd knows the gradients of."""

    def __init__(self, model: LogBilinearNetwork) -> None:
        super().__init__()
        self.model = model

    def forward(self, loss: Loss) -> Tensor:
        """The loss of the model."""
        value: Tensor = ByHand.apply(loss, self.model, *self.model.parameters())  # type: ignore[no-untyped-call]
        return value
