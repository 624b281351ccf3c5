"""Adam (Kingma and Ba 2015), in one pass over memory where PyTorch can; its state by parameter name, so that it can be saved."""

from __future__ import annotations

import torch
from torch import Tensor

from binyan.log_bilinear.gradients import Gradients, Rows
from binyan.recurrent.network import RecurrentNetwork

_BETAS = (0.9, 0.999)
_MOMENTS = ("exp_avg", "exp_avg_sq")


class Adam:
    """Steps along the mean gradient of the last minibatches, each number scaled by its own mean square."""

    def __init__(self, network: RecurrentNetwork, step: float) -> None:
        self.step = step
        self.parameters = dict(network.named_parameters())
        on_cpu = all(p.is_cpu for p in self.parameters.values())
        self._adam = torch.optim.Adam(list(self.parameters.values()), lr=step, betas=_BETAS, fused=on_cpu or None)
        self._begin()

    def _begin(self) -> None:
        for p in self.parameters.values():
            p.grad = torch.zeros_like(p)
        self._adam.param_groups[0]["lr"] = 0.0
        self._adam.step()  # makes the state, and changes nothing
        self._adam.zero_grad(set_to_none=True)
        for p in self.parameters.values():
            self._adam.state[p]["step"].zero_()

    def update(self, gradients: Gradients, shrink: float) -> None:
        """One step of `shrink` times the step size."""
        self._adam.param_groups[0]["lr"] = self.step * shrink
        for name, gradient in gradients.items():
            p = self.parameters[name]
            p.grad = gradient.dense(len(p)) if isinstance(gradient, Rows) else gradient
        self._adam.step()
        self._adam.zero_grad(set_to_none=True)

    @property
    def state(self) -> dict[str, Tensor]:
        """All that the next step needs: for each parameter the moments of its gradient, and the number of steps."""
        states = ((name, self._adam.state[p]) for name, p in self.parameters.items())
        return {f"{what} {name}": state[what] for name, state in states for what in (*_MOMENTS, "step")}
