"""The log-bilinear model and its variants, whole (thesis, sections 4.2 and 4.3).

A context of n - 1 words predicts a vector p (equation 4.2); a word w scores p . r_w + b_w (equation 4.3), normalised over
the vocabulary, or over classes and then over the words of a class. Shapes: B events, V words, F factors, K classes, d
dimensions, n order.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.output import Side, Targets, VectorNetwork
from binyan.log_bilinear.settings import Shape
from binyan.text.vocabulary import UNKNOWN_ID

HEIGHT = 4.0  # of the centred sigmoid, which then has slope 1 at 0, as the linear models have


class Composition(nn.Module):
    """Word vectors as sums of factor vectors: R = M R^(f), by the rows of the sparse matrix M."""

    offsets: Tensor
    factors: Tensor
    owners: Tensor
    owner_offsets: Tensor

    def __init__(self, factor_map: FactorMap) -> None:
        super().__init__()
        self.identity = factor_map.words == len(factor_map.factors)
        owners, owner_offsets = factor_map.transposed
        for name, array in (
            ("factors", factor_map.factors),
            ("offsets", factor_map.offsets),
            ("owners", owners),
            ("owner_offsets", owner_offsets),
        ):
            self.register_buffer(name, torch.from_numpy(array), persistent=False)

    def forward(self, vectors: Tensor) -> Tensor:  # (F, d) -> (V, d)
        """All word vectors."""
        return vectors if self.identity else _sums(self.factors, vectors, self.offsets)

    def back(self, gradient: Tensor) -> Tensor:  # (V, d) -> (F, d)
        """M transposed times the gradient of the word vectors: the gradient of the factor vectors."""
        return gradient if self.identity else _sums(self.owners, gradient, self.owner_offsets)

    def rows(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """The factors of `words`, one after another, and for each the place in `words` it belongs to."""
        if self.identity:
            return words, torch.arange(len(words), device=words.device)
        starts = self.offsets[words]
        counts = self.offsets[words + 1] - starts
        owner = torch.repeat_interleave(counts)
        ends = torch.cumsum(counts, 0)
        return self.factors[
            torch.arange(len(owner), device=words.device) - (ends - counts)[owner] + starts[owner]
        ], owner


def _sums(indices: Tensor, vectors: Tensor, offsets: Tensor) -> Tensor:
    return nn.functional.embedding_bag(indices, vectors, offsets, mode="sum", include_last_offset=True)


class LogBilinearNetwork(VectorNetwork):
    """The parameters Theta and the distributions they define. Contexts are word ids (B, n - 1), nearest word last."""

    unknown_row = UNKNOWN_ID

    def __init__(
        self, shape: Shape, targets: Targets, factor_map: FactorMap, seed: int = 1, scale: float = 0.1
    ) -> None:
        super().__init__(targets, shape.variant.classes)
        variant, d = shape.variant, shape.dim
        self.shape = shape
        self.centred = False
        words = factor_map.words
        context_map = factor_map if variant.context else FactorMap.identity(words)
        target_map = (factor_map if variant.output else FactorMap.identity(words)).permuted(targets.word_of)
        self.context_map, self.target_map = Composition(context_map), Composition(target_map)

        def gaussian(item: int, *size: int) -> nn.Parameter:
            # A stream for each matrix, and rows drawn in order: what the morphemes add leaves the words' draws as they are.
            return nn.Parameter(torch.randn(size, generator=torch.Generator().manual_seed(seed * 1000 + item)) * scale)

        self.Q = _stacked(gaussian(0, words, d), gaussian(1, context_map.size - words, d))  # (F, d)
        self.R = _stacked(gaussian(2, targets.rows, d), gaussian(3, target_map.size - targets.rows, d))  # (F', d)
        self.C = gaussian(4, shape.order - 1, d) if shape.diagonal else gaussian(4, shape.order - 1, d, d)
        self.b = nn.Parameter(torch.zeros(targets.rows))  # (V',)
        if variant.classes:
            self.S = gaussian(5, targets.classes, d)  # (K, d)
            self.t = nn.Parameter(torch.zeros(targets.classes))  # (K,)

    def first_morpheme(self, side: Side) -> int:
        """The row of Q or R that is the vector of the first morpheme."""
        return self.targets.rows + (side == "context")  # which has <s> too

    def use_contexts(self, factor_map: FactorMap) -> None:
        """Take the rows of another map of the same factors as context words: with words outside the vocabulary, or without."""
        if self.shape.variant.context:
            self.context_map = Composition(factor_map).to(self.Q.device)

    def predict(self, q: Tensor) -> Tensor:  # (B, n-1, d) -> (B, d)
        """The prediction vector p = eta(sum_j q_j C_j)."""
        C = self.C
        p = (q * C).sum(1) if self.shape.diagonal else q.reshape(len(q), -1) @ C.reshape(-1, C.shape[2])
        return self.activate(p)

    def back(self, dp: Tensor, p: Tensor, q: Tensor) -> tuple[Tensor, Tensor]:
        """The gradients of q and C from that of p = `predict(q)`."""
        if self.shape.variant.nonlinear:
            dp = dp * self.slope(p)
        if self.shape.diagonal:
            return dp[:, None] * self.C, (q * dp[:, None]).sum(0)
        flat = q.reshape(len(q), -1)  # (B, (n-1) d)
        dC = (flat.T @ dp).reshape(self.C.shape)
        return (dp @ self.C.reshape(-1, dp.shape[1]).T).reshape(q.shape), dC

    def activate(self, x: Tensor) -> Tensor:
        """eta: the identity or the sigmoid; where `centred`, HEIGHT (sigmoid - 1/2), which is 0 at 0."""
        if not self.shape.variant.nonlinear:
            return x
        return HEIGHT / 2 * torch.tanh(x / 2) if self.centred else torch.sigmoid(x)

    def slope(self, p: Tensor) -> Tensor:
        """The derivative of a sigmoidal eta, from its value p."""
        return HEIGHT / 4 - p**2 / HEIGHT if self.centred else p * (1 - p)

    @torch.no_grad()
    def uncentre(self) -> None:
        """From the centred sigmoid to the thesis's: r . h (sigmoid - 1/2) + b = h r . sigmoid + (b - h/2 sum r); classes too."""
        self.R.mul_(HEIGHT)
        self.b.sub_(self.target_map(self.R).sum(1) / 2)
        if self.shape.variant.classes:
            self.S.mul_(HEIGHT)
            self.t.sub_(self.S.sum(1) / 2)
        self.centred = False

    def compiled(self) -> tuple[Tensor, Tensor]:
        """Composed context vectors, by word id, and target vectors, by row: with them all variants cost the same."""
        return self.context_map(self.Q), self.target_map(self.R)


def _stacked(words: nn.Parameter, morphemes: nn.Parameter) -> nn.Parameter:
    return nn.Parameter(torch.cat([words.detach(), morphemes.detach()]))
