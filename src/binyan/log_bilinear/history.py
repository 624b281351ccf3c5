"""The history of a training run."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class TrainingHistory:
    """One entry per epoch: mean training loss in nats per event, development perplexity, and the share of the step size left.

    The share is 1 unless steps were too large and were halved.
    """

    loss: list[float] = field(default_factory=list)
    perplexity: list[float] = field(default_factory=list)
    step_share: list[float] = field(default_factory=list)

    @property
    def epochs(self) -> int:
        """Epochs done."""
        return len(self.loss)

    @property
    def best(self) -> int:
        """The epoch, from 1, of the lowest development perplexity; 0 before the first."""
        return self.perplexity.index(min(self.perplexity)) + 1 if self.perplexity else 0

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON and model files."""
        return asdict(self)
