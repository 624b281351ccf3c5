"""The evaluations of chapter 3, read back from results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from binyan.evaluation import Evaluation, HeldOutText
from binyan.experiments.hpylm.europarl import segmentation_path, stored_held_out_text
from binyan.experiments.hpylm.runs import NGramExperiment
from binyan.experiments.results import Result, Results
from binyan.language_model import Scores
from binyan.segmentation import SegmentationTable
from binyan.signature import Signature


class EvaluatedModel(NamedTuple):
    """A variant of a model, its name in the report, and its row among the thesis's 4-gram perplexities."""

    label: str
    variant: str
    title: str
    thesis: str | None = None


MODELS = (
    EvaluatedModel("mkn", "plain", "MKN", "MKN"),
    EvaluatedModel("hpylm", "one sample", "HPYLM", "HPYLM"),
    EvaluatedModel("hpylm", "averaged", "HPYLM averaged"),
    EvaluatedModel("hpylm+c-right", "one sample", "HPYLM+c", "HPYLM+c ling"),
    EvaluatedModel("hpylm+c-right", "one sample renormalised", "HPYLM+c renormalised", "HPYLM+c ling renormalised"),
    EvaluatedModel("hpylm+c-right", "averaged renormalised", "HPYLM+c averaged renormalised"),
    EvaluatedModel("hpylm+c-left", "one sample", "HPYLM+c left-headed", "HPYLM+c inv"),
    EvaluatedModel("hpylm+c-left", "one sample renormalised", "HPYLM+c left-headed renormalised"),
    EvaluatedModel("hpylm+g", "one sample renormalised", "hpylm+g renormalised"),
    EvaluatedModel("hpylm+g", "averaged renormalised", "hpylm+g averaged renormalised"),
)


@dataclass(frozen=True)
class StoredEvaluation:
    """An evaluation of a model of some order, trained on a text of some size."""

    size: str
    order: int
    evaluation: Evaluation
    result: Result


class StoredEvaluations:
    """All evaluations that have a result, and the text and segmentations they share."""

    def __init__(self, results: Results, experiments: Sequence[NGramExperiment]) -> None:
        self._cache = results.cache
        self.runs = [(e, r) for e in experiments if (r := results.get(e)) is not None]
        self.missing = [e for e in experiments if results.get(e) is None]

    @cached_property
    def text(self) -> HeldOutText | None:
        """The held-out text, if it is among the prepared texts."""
        return stored_held_out_text(self._cache)

    @cached_property
    def evaluations(self) -> list[StoredEvaluation]:
        """Every variant of every model that scored the held-out text."""
        if self.text is None:
            return []
        return [s for e, r in self.runs if e.measure == "perplexity" for s in self._variants(e, r, self.text)]

    @staticmethod
    def _variants(experiment: NGramExperiment, result: Result, text: HeldOutText) -> Iterator[StoredEvaluation]:
        assert experiment.order is not None
        arrays, figures = result.arrays(), result.figures
        lengths = [len(s) + 1 for s in text.sentences]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64)
        for model in MODELS:
            if model.label == experiment.label and model.variant in figures["variants"]:
                scores = Scores(arrays[f"log_prob.{model.variant}"], arrays["matched"], arrays["unknown"], offsets)
                evaluation = Evaluation(
                    model.title,
                    text,
                    scores,
                    experiment.order,
                    figures["vocabulary"],
                    figures["vocabulary_size"],
                    StoredSignature(figures["variants"][model.variant]["signature"]),
                )
                yield StoredEvaluation(experiment.size, experiment.order, evaluation, result)

    def find(self, size: str, order: int, title: str) -> Evaluation | None:
        """The evaluation of the model with this title."""
        return next(
            (s.evaluation for s in self.evaluations if (s.size, s.order, s.evaluation.name) == (size, order, title)),
            None,
        )

    def segmentation(self, evaluation: Evaluation | None) -> SegmentationTable | None:
        """How the words of an evaluation's vocabulary were split, if an experiment needed to know."""
        if evaluation is None:
            return None
        path = segmentation_path(self._cache, evaluation.vocabulary)
        return SegmentationTable.read(path) if path.exists() else None


class StoredSignature(Signature):
    """A signature read back from a result."""

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "fields", {"text": text})

    def __str__(self) -> str:
        return str(self.fields["text"])
