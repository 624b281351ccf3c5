"""All that training runs of one model share, as a value that can be sent to other processes and machines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import model_file
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.history import TrainingHistory
from binyan.log_bilinear.memory_needed import TrainingSizes, check_training_memory
from binyan.log_bilinear.recipe import TrainingPlan, plan
from binyan.log_bilinear.settings import Shape, TrainingSettings
from binyan.log_bilinear.training import Trainer, TrainingError, use_threads
from binyan.model_file import Section
from binyan.text import Corpus, Vocabulary

_KIND = "log-bilinear-task"


@dataclass(frozen=True)
class TrainingTask:
    """Texts, shape, factors and classes; called with settings, it makes a training run."""

    corpus: Corpus
    development: Corpus
    shape: Shape
    factor_map: FactorMap | None = None
    class_of: NDArray[np.uint32] | None = None

    def __call__(self, settings: TrainingSettings) -> Trainer:
        """The training run of these settings. Raises NoMemoryError where it would not fit into memory."""
        chosen = self.plan(settings)
        if chosen.device == "cpu":
            check_training_memory(self.shape, chosen, self.sizes)
        return Trainer(self.corpus, self.development, self.shape, chosen, self.factor_map, self.class_of)

    def plan(self, settings: TrainingSettings) -> TrainingPlan:
        """The settings, those that are not given chosen for the text and the word map."""
        return plan(settings, self.shape, self.corpus, self.factor_map)

    def of_shape(self, **changes: Any) -> TrainingTask:
        """The task of a model of another order or dimension."""
        return replace(self, shape=replace(self.shape, **changes))

    @property
    def sizes(self) -> TrainingSizes:
        """What the memory of a run depends on."""
        variant, words = self.shape.variant, len(self.corpus.vocabulary)
        classes = int(self.class_of.max()) + 1 if variant.classes and self.class_of is not None else 0
        factors = self.factor_map.size if self.factor_map is not None else words
        return TrainingSizes(self.corpus.events, self.development.events, words, factors, classes)

    def to_bytes(self) -> bytes:
        """As a container."""
        sections: dict[str, Section] = {"vocabulary": self.corpus.vocabulary.to_bytes()}
        for name, text in (("corpus", self.corpus), ("development", self.development)):
            sections |= {f"{name}/words": text.words, f"{name}/offsets": text.offsets}
            sections[f"{name}/outside"] = "\n".join(text.outside).encode()
        if self.factor_map is not None:
            sections |= self.factor_map.sections()
        if self.class_of is not None:
            sections["classes"] = self.class_of
        return model_file.to_bytes(_KIND, {"shape": self.shape.to_dict()}, sections)

    @classmethod
    def from_bytes(cls, data: bytes) -> TrainingTask:
        """The inverse of `to_bytes`."""
        file = model_file.from_bytes(data)
        vocabulary = Vocabulary.from_bytes(file.blob("vocabulary"))
        corpus, development = (
            Corpus(
                file.array(f"{name}/words"),
                file.array(f"{name}/offsets"),
                vocabulary,
                tuple(filter(None, file.blob(f"{name}/outside").decode().split("\n"))),
            )
            for name in ("corpus", "development")
        )
        factor_map = FactorMap.from_file(file) if "map/factors" in file.sections else None
        class_of = file.array("classes") if "classes" in file.sections else None
        return cls(corpus, development, Shape.from_dict(file.meta["shape"]), factor_map, class_of)


def train_elsewhere(job: tuple[bytes, dict[str, Any], dict[str, Any], int | None]) -> list[float] | None:
    """The development perplexity after each epoch of a task with changes to its shape and with settings, trained in N threads.

    N None: as many threads as PyTorch takes. The result is None where training diverged.
    """
    task, shape, settings, threads = job
    if threads is not None:
        use_threads(threads)
    try:
        run = TrainingTask.from_bytes(task).of_shape(**shape)(TrainingSettings.from_dict(settings))
        history: TrainingHistory = run.run(progress=False)
    except TrainingError:
        return None
    return history.perplexity
