"""An extended event space: words outside the vocabulary that have known morphemes share the probability of <unk>.

They share it with the rest of all unknown words, by a softmax over p . r~_w with r~_w the sum of the known morphemes of w:

    P(w | h) = P(<unk> | h) exp(s_w) / (sum over extension words v of exp(s_v) + exp(s_rest)),

where s_w = p . r~_w + log((1 - rest) / E), s_rest = p . (mean of the r~) + log(rest), E is the number of extension words and
`rest` the prior share of words outside the extension too. <unk> keeps the last term; all sums to one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from binyan.errors import SettingsError
from binyan.log_bilinear.composer import Composer
from binyan.log_bilinear.predictions import log_softmax


class Extension:
    """The `words` that extend a vocabulary, and how they share <unk>; false where there are none."""

    def __init__(self, words: Sequence[str], rest: float, composer: Composer) -> None:
        if not 0 < rest < 1:
            raise SettingsError(f"the share of the rest is between 0 and 1, not {rest}")
        self.words, self.rest = tuple(words), rest
        self._vectors, self._bias = torch.zeros(1, composer.network.shape.dim), torch.zeros(1)
        if self.words:
            vectors = torch.stack([composer.target_vector(w) for w in self.words])
            self._bias = torch.full((len(vectors) + 1,), float(np.log((1 - rest) / len(vectors))))
            self._bias[-1] = float(np.log(rest))
            self._vectors = torch.cat([vectors, vectors.mean(0, keepdim=True)])

    def __len__(self) -> int:
        return len(self.words)

    @property
    def arrays(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Vectors and biases of the extension words, then of the rest."""
        return np.ascontiguousarray(self._vectors.numpy(), np.float32), self._bias.numpy().astype(np.float32)

    def log_shares(self, p: NDArray[np.float32]) -> NDArray[np.float64]:
        """Logarithms of the shares of P(<unk> | h) after one context: of the extension words, then of the rest."""
        return log_softmax((self._vectors.numpy() @ p + self._bias.numpy()).astype(np.float64))

    def log_shares_of(self, p: Tensor, places: Tensor) -> Tensor:  # (B, d), (B,) -> (B,)
        """The same for one word per context; place len(self) is the rest."""
        shares = torch.log_softmax(p @ self._vectors.T + self._bias, 1)
        return shares.gather(1, places[:, None])[:, 0]
