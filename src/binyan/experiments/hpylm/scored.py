"""The scores that chapter 3's experiments kept of the test text, for analyses that compare models word by word."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from binyan.evaluation import Evaluation, HeldOutText
from binyan.experiments.hpylm.variants import MODELS
from binyan.experiments.results import Result
from binyan.language_model import Scores
from binyan.signature import Signature


def evaluations(result: Result, order: int, text: HeldOutText) -> Iterator[Evaluation]:
    """An evaluation of each variant of a result's model that tables compare."""
    figures = result.figures
    arrays = result.kept_arrays()
    offsets = np.concatenate([[0], np.cumsum([len(s) + 1 for s in text.sentences])]).astype(np.uint64)
    for model in MODELS:
        if model.label == result.experiment.label and model.variant in figures["variants"]:
            scores = Scores(arrays[f"log_prob.{model.variant}"], arrays["matched"], arrays["unknown"], offsets)
            signature = StoredSignature(figures["variants"][model.variant]["signature"])
            sizes = figures["vocabulary"], figures["vocabulary_size"]
            yield Evaluation(model.title, text, scores, order, *sizes, signature)


class StoredSignature(Signature):
    """A signature read back from a result."""

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "fields", {"text": text})

    def __str__(self) -> str:
        return str(self.fields["text"])
