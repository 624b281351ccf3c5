"""Who learns the word map of a language model from its training text: our own morphology, or Morfessor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal

from binyan.clustering import word_frequencies
from binyan.files import PathLike
from binyan.progress import ProgressOption
from binyan.segmentation import SegmentationTable
from binyan.segmentation.word_map_file import WordMapTable
from binyan.text import Corpus

Learner = Literal["own", "morfessor"]
OWN: Learner = "own"
MORFESSOR: Learner = "morfessor"

SegmentationSource = SegmentationTable | Mapping[str, str] | PathLike
"""Segmentations as they are, in a file or in a mapping; or the name of who learns them."""


def learner_named(given: object) -> Learner | None:
    """Who learns, where `given` names them; None for anything else."""
    return next((name for name in (OWN, MORFESSOR) if isinstance(given, str) and given == name), None)


def segmentation_source(given: SegmentationSource) -> SegmentationTable | Learner:
    """A table that is given or in a file, or who is to learn one."""
    return learner_named(given) or SegmentationTable.of_any(given)


def learn_factors(learner: Learner, corpus: Corpus, seed: int, progress: ProgressOption = None) -> WordMapTable:
    """The word map of an additive model, learnt from the words of a text."""
    if learner == MORFESSOR:
        return _by_morfessor(corpus, seed, progress)
    from binyan.morphology.map_learning import learn_map

    return learn_map(_counts(corpus), seed=seed, progress=progress).factors


def learn_segmentations(
    source: SegmentationTable | Learner, corpus: Corpus, seed: int, progress: ProgressOption = None
) -> SegmentationTable:
    """A table that is given, or one learnt from the words of a text, for models of parts that spell the word."""
    if isinstance(source, SegmentationTable):
        return source
    if source == MORFESSOR:
        return _by_morfessor(corpus, seed, progress)
    from binyan.morphology.map_learning import learn_map

    return learn_map(_counts(corpus), seed=seed, progress=progress).segmentations


def _by_morfessor(corpus: Corpus, seed: int, progress: ProgressOption) -> SegmentationTable:
    from binyan.segmentation.morfessor import learn

    return learn({w: n for w, n in word_frequencies(corpus).items() if n}, seed=seed, progress=progress)


def _counts(corpus: Corpus) -> Counter[str]:
    """How often each word stands in a text, also those outside the vocabulary."""
    return Counter({w: int(n) for w, n in word_frequencies(corpus).items() if n}) + Counter(corpus.outside)
