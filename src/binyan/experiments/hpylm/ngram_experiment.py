"""An experiment of chapter 3."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from binyan.experiments.experiment import Experiment
from binyan.experiments.hpylm import models

BASELINE = "mkn"


@dataclass(frozen=True, kw_only=True)
class NGramExperiment(Experiment):
    """An n-gram model on a text of a certain size, or the components of the text's words."""

    study: str = "hpylm"
    dataset: str = "europarl-de"
    size: str

    @property
    def order(self) -> int | None:
        """The order of the model; None where none is trained."""
        return self.model.get("order")

    @property
    def steps(self) -> tuple[str, ...]:
        """The data set, the size, the order and the label."""
        order = () if self.order is None else (f"order-{self.order}",)
        return self.dataset, self.size, *order, self.label

    @property
    def source(self) -> str:
        """The folder of the text."""
        return PurePosixPath(self.data["text"]).name

    @property
    def is_analysis(self) -> bool:
        """Whether it compares what other experiments scored."""
        return self.measure == "subsets"

    @property
    def is_compound(self) -> bool:
        """Whether the model knows the parts of words."""
        return self.model.get("kind") in models.COMPOUND_KINDS

    @property
    def baseline(self) -> str:
        """The name of the Kneser-Ney experiment of the same size and order."""
        return replace(self, label=BASELINE).name
