"""From text to a trained log-bilinear language model: the one call that joins corpus, classes, word map and training."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from binyan.clustering import WordClasses, brown
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.language_model import LogBilinearLM
from binyan.log_bilinear.network import Shape, Variant
from binyan.log_bilinear.training import Trainer, TrainingHistory, TrainingSettings
from binyan.progress import ProgressOption
from binyan.segmentation import SegmentationTable
from binyan.text import Corpus, Preparation, VocabularyPolicy, read_sentences
from binyan.text.reading import Source


def train(
    text: Corpus | Source | Sequence[Source],
    development: Source,
    variant: str = "clbl++",
    *,
    order: int = 4,
    dim: int = 100,
    diagonal: bool = False,
    classes: WordClasses | int | None = None,
    segmentations: SegmentationTable | None = None,
    settings: TrainingSettings | None = None,
    preparation: Preparation | None = None,
    policy: VocabularyPolicy | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: ProgressOption = None,
    after_epoch: Callable[[TrainingHistory], None] | None = None,
) -> LogBilinearLM:
    """Train a model called `variant` (lbl, clbl++, nclbl+o ...) on `text`, stopping by perplexity on `development`.

    `classes`: a clustering, or how many Brown classes to make (the root of the vocabulary by default). `segmentations`: the
    word map of additive models; it may hold words outside the vocabulary, whose vectors are composed when they are met. A
    run with a `checkpoint` that exists goes on from there.
    """
    shape = Shape(Variant.parse(variant), order, dim, diagonal)
    settings = settings or TrainingSettings()
    prepared = preparation or Preparation()
    corpus = text if isinstance(text, Corpus) else Corpus.read(text, prepared, policy, progress)
    vocabulary = corpus.vocabulary
    held_out = Corpus.encode(read_sentences(development, prepared), vocabulary)
    clustering: WordClasses | None = None
    if shape.variant.classes:
        clustering = classes if isinstance(classes, WordClasses) else brown(corpus, classes, progress=progress)
    class_of = None if clustering is None else clustering.ids(vocabulary)
    additive = shape.variant.additive and segmentations is not None
    word_map: FactorMap | None = None
    if additive and segmentations is not None:
        word_map = FactorMap.from_segmentations(segmentations, vocabulary, (*corpus.outside, *held_out.outside))
    trainer = Trainer(corpus, held_out, shape, settings, word_map, class_of)
    course = trainer.run(checkpoint, progress, after_epoch)
    word_map = trainer.word_map.inside
    trainer.model.use_contexts(word_map)
    fields: dict[str, Any] = {
        "train": corpus.digest,
        "events": corpus.events,
        "vocabulary": len(vocabulary),
        "oov": "<unk>",
        "preparation": str(prepared),
        "development": held_out.digest,
        **({"classes": f"{clustering.classes}-{clustering.digest}"} if clustering else {}),
        **({"map": word_map.digest} if additive else {}),
        **{k: getattr(settings, k) for k in ("step", "l2", "batch", "seed")},
        "epochs": f"{course.best}of{course.epochs}",
        **({"decay": settings.epochs} if settings.decay else {}),
        **({"warm-up": settings.warm_up} if settings.warm_up else {}),
    }
    if not shape.variant.classes:
        fields["noise"] = settings.noise_samples
    model = LogBilinearLM(
        trainer.model,
        word_map,
        class_of,
        vocabulary,
        prepared,
        fields,
        trainer.counts,
        segmentations if additive else None,
    )
    model.history = course
    return model
