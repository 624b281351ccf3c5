"""The recurrent network, whole: word vectors go through LSTM or GRU layers, and what comes out predicts the next word.

The vector of an input word, and that of a predicted word, is its own or the sum of its factor vectors (surface form and
morphemes). The last layer's output h gives the prediction vector p = h A + a; a word w of class c has the probability
softmax over classes (p . s_c + t_c) times softmax over the words of c (p . r_w + b_w). The hidden state is zero at the start of
each sentence. Shapes: T words of each of B sentences, E events, V words, F factors, K classes, d dimensions.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.network import Composition
from binyan.log_bilinear.output import Side, Targets, VectorNetwork
from binyan.recurrent.settings import RecurrentShape
from binyan.text.vocabulary import BEGIN_ID, UNKNOWN_ID

Hidden = tuple[Tensor, ...]
"""Of an LSTM (h, c), of a GRU (h,): each (layers, B, hidden)."""
_BOUND = 0.05  # of the first vectors


class RecurrentNetwork(VectorNetwork):
    """The parameters and the distributions they define.

    Factors are numbered alike on both sides: the predicted words by row of `targets`, then <s>, then the morphemes; where vectors
    are tied, both sides have the same. `input_row_of` has the row of each word id as input; words outside the vocabulary that
    the map has are numbered after those inside.
    """

    def __init__(self, shape: RecurrentShape, targets: Targets, factor_map: FactorMap, seed: int = 1) -> None:
        super().__init__(targets, with_classes=True)
        self.shape, self.seed, variant = shape, seed, shape.variant
        words, morphemes = factor_map.words, len(factor_map.morphemes)
        self.use_contexts(factor_map)
        plain = FactorMap.identity(words)
        self.target_map = Composition(by_row(factor_map.inside, targets) if variant.output else plain)
        self.Q = self._vectors(0, words, morphemes if variant.context or (shape.tied and variant.output) else 0)
        self.R = self.Q if shape.tied else self._vectors(2, words, morphemes if variant.output else 0)
        self.b = nn.Parameter(torch.zeros(targets.rows))
        self.S = nn.Parameter(self._uniform(4, _BOUND, targets.classes, shape.dim))
        self.t = nn.Parameter(torch.zeros(targets.classes))
        self.layers = (nn.LSTM if shape.cell == "lstm" else nn.GRU)(shape.dim, shape.hidden, shape.layers)
        self.out = nn.Linear(shape.hidden, shape.dim)
        self._start_layers()

    def _uniform(self, item: int, bound: float, *size: int) -> Tensor:
        """First values: a random stream for each matrix, so that what morphemes add leaves the words' draws as they are."""
        generator = torch.Generator().manual_seed(self.seed * 1000 + item)
        return (torch.rand(size, generator=generator) * 2 - 1) * bound

    def _vectors(self, item: int, words: int, morphemes: int) -> nn.Parameter:  # (F, d)
        parts = [self._uniform(item + i, _BOUND, n, self.shape.dim) for i, n in enumerate((words, morphemes))]
        return nn.Parameter(torch.cat(parts))

    @torch.no_grad()
    def _start_layers(self) -> None:
        """First values of the layers; the forget gates of an LSTM start open."""
        units = self.shape.hidden
        for i, (name, p) in enumerate([*self.layers.named_parameters(), *self.out.named_parameters()]):
            p.copy_(self._uniform(10 + i, units**-0.5, *p.shape))
            if name.startswith("bias"):
                p.zero_()
            if name.startswith("bias_ih") and self.shape.cell == "lstm":
                p[units : 2 * units] = 1.0

    def use_contexts(self, factor_map: FactorMap) -> None:
        """Take the rows of another map of the same factors as inputs: with words outside the vocabulary, or without."""
        rows, words = factor_map.words + len(factor_map.outside), factor_map.words
        if not self.shape.variant.context:
            factor_map, rows = FactorMap.identity(words), words
        self.context_map = Composition(by_row(factor_map, self.targets)).to(self.class_of_row.device)
        order = np.concatenate([self.targets.word_of, [BEGIN_ID], np.arange(words, rows)])
        self.input_row_of: NDArray[np.int64] = np.argsort(order)
        self.unknown_row = int(self.input_row_of[UNKNOWN_ID])

    def first_morpheme(self, side: Side) -> int:
        """The row of Q or R that is the vector of the first morpheme."""
        return self.targets.rows + 1  # after <s>

    def predict(self, vectors: Tensor, hidden: Hidden | None = None) -> tuple[Tensor, Hidden]:  # (T, B, d) -> (T, B, d)
        """The prediction vector p after each input word, and the hidden state after the last."""
        states, hidden = self.recur(vectors, hidden)
        return self.out(states), hidden

    def recur(self, vectors: Tensor, hidden: Hidden | None = None) -> tuple[Tensor, Hidden]:  # -> (T, B, hidden)
        """The output of the last layer after each input word, and the hidden state after the last."""
        if self.shape.cell == "gru":
            states, last = self.layers(vectors, None if hidden is None else hidden[0])
            return states, (last,)
        return self.layers(vectors, hidden)  # type: ignore[no-any-return]

    def compiled(self) -> tuple[Tensor, Tensor]:
        """Composed vectors of input words, by word id, and of predicted words, by row: with them all variants cost the same."""
        rows = torch.from_numpy(self.input_row_of).to(self.Q.device)
        return self.context_map(self.Q)[rows], self.target_map(self.R)[: self.targets.rows]


def by_row(factor_map: FactorMap, targets: Targets) -> FactorMap:
    """The map of the predicted words by row of `targets`, then <s>, then the words outside; surface factors are numbered likewise."""
    words = factor_map.words
    order = np.append(targets.word_of, BEGIN_ID)
    number = np.concatenate([np.argsort(order), np.arange(words, factor_map.size)])
    starts, ends = factor_map.offsets[:-1], factor_map.offsets[1:]
    rows = np.concatenate([order, np.arange(words, len(starts))])
    lengths = (ends - starts)[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(offsets[-1]) + np.repeat(starts[rows] - offsets[:-1], lengths)
    return FactorMap(number[factor_map.factors[places]], offsets, factor_map.morphemes, factor_map.outside)
