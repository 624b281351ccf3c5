"""Averages of what samples of a model give to a text, where samples are scored one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.evaluation import Evaluation
from binyan.files import replacing


@dataclass
class SampleAverage:
    """The mean of the probabilities that samples of a model give to a text, sample by sample."""

    last: Evaluation | None = None
    total: NDArray[np.float64] | float = 0.0
    samples: int = 0

    def add(self, evaluation: Evaluation) -> None:
        """One more sample."""
        self.last, self.samples = evaluation, self.samples + 1
        self.total = self.total + np.exp(evaluation.scores.log_prob)

    def mean(self, **fields: Any) -> Evaluation:
        """The average, with these fields in its signature."""
        assert self.last is not None
        scores = replace(self.last.scores, log_prob=np.log(self.total / self.samples))
        return replace(self.last, scores=scores, signature=self.last.signature.extended(**fields))

    @property
    def evaluations(self) -> dict[str, Evaluation]:
        """The last sample alone, and the average."""
        assert self.last is not None
        return {"one sample": self.last, "averaged": self.mean(samples=self.samples)}


class ChainAverages:
    """The mean of what several chains give to each of some texts, and the traces of the chains."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.averages = {name: SampleAverage() for name in texts}
        self.traces: list[list[float]] = []

    @property
    def chains(self) -> int:
        """How many chains were added."""
        return len(self.traces)

    def add(self, evaluations: Mapping[str, Evaluation], trace: list[float]) -> None:
        """One more chain: its evaluation of each text."""
        for name, evaluation in evaluations.items():
            self.averages[name].add(evaluation)
        self.traces.append(trace)

    def evaluations(self, first_seed: int) -> dict[str, dict[str, Evaluation]]:
        """The average over all chains, by text."""
        fields = {"chains": self.chains, "seed": f"{first_seed}-{first_seed + self.chains - 1}"}
        return {name: {"averaged": average.mean(**fields)} for name, average in self.averages.items()}

    def write(self, path: Path) -> None:
        """Keep the sums, so that chains that are done need not be sampled again."""
        totals: dict[str, Any] = {f"total.{name}": average.total for name, average in self.averages.items()}
        with replacing(path) as part, open(part, "wb") as file:
            np.savez(file, traces=self.traces, **totals)

    @classmethod
    def read(cls, path: Path, texts: Iterable[str]) -> ChainAverages:
        """What `write` has kept, or nothing yet."""
        averages = cls(texts)
        if path.exists():
            with np.load(path, allow_pickle=False) as kept:
                averages.traces = kept["traces"].tolist()
                for name, average in averages.averages.items():
                    average.total, average.samples = kept[f"total.{name}"], averages.chains
        return averages
