"""AdaGrad (Duchi et al. 2011) on dense gradients and on gradients of single rows, with the penalty 0.5 lambda |theta|^2."""

from __future__ import annotations

import torch
from torch import Tensor

from binyan.log_bilinear.gradients import Gradients, Rows
from binyan.log_bilinear.network import LogBilinearNetwork

_EPSILON = 1e-8
BIASES = ("b", "t")  # not penalised: they carry the unigram distribution


class AdaGrad:
    """Keeps the sum of squared gradients of each parameter; `sums` is its whole state.

    A row that few minibatches touch is penalised only when touched, by as much more as touches are rare, so that the expected
    gradient is that of the whole objective. `touch_share` gives, for each parameter with row gradients, the share of
    minibatches that touch a row.
    """

    def __init__(self, model: LogBilinearNetwork, step: float, l2: float, touch_share: dict[str, Tensor]) -> None:
        self.step, self.l2, self.touch_share = step, l2, touch_share
        self.parameters = dict(model.named_parameters())
        # PyTorch's optimiser makes the dense update in one pass over memory where it can.
        self._dense = {
            name: torch.optim.Adagrad([p], lr=step, eps=_EPSILON, fused=(p.is_cpu and p.dtype == torch.float32) or None)
            for name, p in self.parameters.items()
        }
        self.sums: dict[str, Tensor] = {name: self._dense[name].state[p]["sum"] for name, p in self.parameters.items()}

    @torch.no_grad()
    def update(self, gradients: Gradients, share: float, shrink: float = 1.0) -> None:
        """One step; `share` is the part of the training events in the minibatch, `shrink` multiplies the step size."""
        step = self.step * shrink
        for name, gradient in gradients.items():
            parameter, sums = self.parameters[name], self.sums[name]
            decay = 0.0 if name in BIASES else self.l2 * share
            if isinstance(gradient, Rows):
                values = parameter.index_select(0, gradient.index)
                g = gradient.values
                if decay:
                    g = g + values * (decay / self.touch_share[name][gradient.index])[:, None]
                squares = sums.index_select(0, gradient.index).addcmul_(g, g)
                sums.index_copy_(0, gradient.index, squares)
                values.addcdiv_(g, squares.sqrt_().add_(_EPSILON), value=-step)
                parameter.index_copy_(0, gradient.index, values)
            else:
                dense = self._dense[name]
                dense.param_groups[0] |= {"weight_decay": decay, "lr": step}
                parameter.grad = gradient
                dense.step()
                parameter.grad = None
