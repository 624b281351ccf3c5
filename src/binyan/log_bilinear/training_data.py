"""The data of a training run: text, development text, and what is known of the words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.clustering import WordClasses
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.history import TrainingHistory
from binyan.log_bilinear.recipe import TrainingPlan
from binyan.log_bilinear.settings import Shape
from binyan.log_bilinear.training_task import TrainingTask
from binyan.segmentation.word_map_file import WordMapTable
from binyan.text import Corpus, Preparation
from binyan.text.vocabulary import UNKNOWN


@dataclass(frozen=True)
class TrainingData:
    """Text and development text; the word map of additive models, and the classes of class-based ones."""

    corpus: Corpus
    development: Corpus
    word_map: WordMapTable | None
    classes: WordClasses | None

    @cached_property
    def class_of(self) -> NDArray[np.uint32] | None:
        """The class of each word of the vocabulary, by id."""
        return None if self.classes is None else self.classes.ids(self.corpus.vocabulary)

    @cached_property
    def factor_map(self) -> FactorMap | None:
        """The factors of each word of the vocabulary, and of those outside that the texts have; None without a word map."""
        if self.word_map is None:
            return None
        outside = (*self.corpus.outside, *self.development.outside)
        return FactorMap.from_segmentations(self.word_map, self.corpus.vocabulary, outside)

    def task(self, shape: Shape) -> TrainingTask:
        """What runs of a model of this shape train on."""
        return TrainingTask(self.corpus, self.development, shape, self.factor_map, self.class_of)

    def fields(self, preparation: Preparation) -> dict[str, Any]:
        """What the signature of a model says of its data."""
        return {
            "train": self.corpus.digest,
            "events": self.corpus.events,
            "vocabulary": len(self.corpus.vocabulary),
            "oov": UNKNOWN,
            "preparation": str(preparation),
            "development": self.development.digest,
            **({"classes": f"{self.classes.classes}-{self.classes.digest}"} if self.classes is not None else {}),
        }


def training_fields(
    training: TrainingPlan, history: TrainingHistory, factor_map: FactorMap, shape: Shape
) -> dict[str, Any]:
    """What the signature of a model says of its training."""
    return {
        **({"map": factor_map.digest} if shape.variant.additive else {}),
        **{name: getattr(training, name) for name in ("step", "l2", "batch", "seed")},
        "epochs": f"{history.best}of{history.epochs}",
        **({"decay": training.epochs} if training.decay else {}),
        **({"warm-up": training.warm_up} if training.warm_up else {}),
        **({} if shape.variant.classes else _normalisation(training)),
    }


def _normalisation(training: TrainingPlan) -> dict[str, Any]:
    """How a model without classes was normalised in training, if at all."""
    if training.noise_samples is not None:
        return {"noise": training.noise_samples}
    return {"softmax-words": training.softmax_words}
