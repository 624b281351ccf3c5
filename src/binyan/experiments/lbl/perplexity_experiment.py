"""An experiment of chapter 4 on perplexity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import numpy as np

from binyan.experiments.experiment import Experiment
from binyan.experiments.lbl import eltec, models

MAIN_SIZE = "1m"  # the size of the main tables
BASELINE = "mkn"
# Mixtures are fitted to what these kinds of models give to each word: parts of `LanguageModel.weigh_sentences`, as stored.
MIXED_KINDS = ("mkn", "hpylm", "clbl++")
STORED_PARTS = {"share": np.float32, "mass": np.float32, "unknown": np.float32, "features": np.float16}


@dataclass(frozen=True, kw_only=True)
class PerplexityExperiment(Experiment):
    """The perplexity of a model that is trained on novels of one language."""

    study: str = "lbl"
    size: str
    measure: str = "perplexity"

    @property
    def language(self) -> str:
        """The language of the novels."""
        return str(self.data["language"])

    @property
    def kappa(self) -> float:
        """The share of words seen once that is left out of the vocabulary."""
        return float(self.data["kappa"])

    @property
    def penalty(self) -> float | None:
        """The penalty lambda of a log-bilinear model."""
        return self.model.get("l2")

    @property
    def has_usual_penalty(self) -> bool:
        """Whether the penalty is the one that models of its kind have without tuning; of n-gram models always."""
        return self.penalty is None or self.penalty == models.settings(str(self.model["kind"]))["l2"]

    @property
    def setting(self) -> str:
        """The size, kappa where it is not the usual one, and whether the vocabulary is that of a smaller text."""
        kappa = "" if self.kappa == eltec.KAPPA else f"-kappa-{self.kappa:g}"
        return f"{self.size}{kappa}{'-fixed-vocabulary' if self.has_fixed_vocabulary else ''}"

    @property
    def has_fixed_vocabulary(self) -> bool:
        """Whether the vocabulary is that of a smaller text."""
        return "vocabulary_tokens" in self.data

    @property
    def is_fast(self) -> bool:
        """Whether the model scores words without going through the vocabulary."""
        kind = models.KINDS.get(str(self.model["kind"]))
        return kind is None or kind.has_classes

    @property
    def has_similarity(self) -> bool:
        """Whether the vectors are compared with judgements of similarity: those learnt from the most German text."""
        is_large = self.data["text"] == eltec.EUROPARL and self.kappa < eltec.KAPPA
        return is_large and self.label in (*models.KINDS, *models.CHANGED)

    @property
    def has_all_text(self) -> bool:
        """Whether the vectors are learnt from as much text as is at hand."""
        return self.has_similarity

    @property
    def steps(self) -> tuple[str, ...]:
        """The data set, the setting, the label and the penalty."""
        penalty = () if self.penalty is None else (f"l2-{self.penalty:g}",)
        return self.dataset, self.setting, self.label, *penalty

    @property
    def is_analysis(self) -> bool:
        """Whether it works on what other experiments stored."""
        return self.measure == "mixtures"

    @property
    def source(self) -> str:
        """The folder of the novels."""
        return PurePosixPath(self.data["text"]).name

    def against(self, label: str) -> str:
        """The name of the experiment with another model on the same text: Kneser-Ney, or a plain log-bilinear model."""
        if label == BASELINE:
            return replace(self, label=label, model=models.KNESER_NEY).name
        kind = models.WIDE.get(label, label)
        return replace(self, label=label, model={**self.model, "kind": kind, "l2": models.settings(kind)["l2"]}).name
