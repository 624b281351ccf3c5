"""Data-parallel training over processes and machines, by torchrun and DistributedDataParallel; one process needs neither."""

from __future__ import annotations

import os
from typing import Any

import torch
from torch import Tensor, distributed

from binyan.log_bilinear.gradients import Gradients, Loss, LossModule
from binyan.log_bilinear.network import LogBilinearNetwork


class Processes:
    """The processes torchrun started, of which this is one; or this one alone."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size
        self._wrapped: Any = None

    @classmethod
    def join(cls) -> Processes:
        """Meet the other processes, where torchrun's variables say there are any."""
        size = int(os.environ.get("WORLD_SIZE", "1"))
        if size == 1:
            return cls(0, 1)
        if not distributed.is_initialized():
            distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
        return cls(distributed.get_rank(), size)

    @property
    def first(self) -> bool:
        """Whether this process writes the files."""
        return self.rank == 0

    def wrap(self, model: LogBilinearNetwork) -> None:
        """Make the gradients of `model` those of all processes."""
        if self.size > 1:
            self._wrapped = torch.nn.parallel.DistributedDataParallel(LossModule(model))

    def part(self, chosen: Tensor) -> Tensor:
        """This process's share of a minibatch."""
        return chosen[self.rank :: self.size] if self.size > 1 else chosen

    def gradients(self, loss: Loss, model: LogBilinearNetwork) -> tuple[Tensor, Gradients]:
        """The loss and its gradient, summed over the processes."""
        if self.size == 1:
            return loss(model)
        model.zero_grad(set_to_none=True)
        value = self._wrapped(loss)
        value.backward()
        total = value.detach().clone()
        distributed.all_reduce(total)
        # DistributedDataParallel averages; the objective is a sum.
        return total, {name: p.grad * self.size for name, p in model.named_parameters() if p.grad is not None}
