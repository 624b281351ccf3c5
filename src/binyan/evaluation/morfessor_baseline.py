"""Morfessor 2.0 (Virpioja et al. 2013) as a baseline of segmentation; needs the extra `morfessor`."""

from __future__ import annotations

import random
from collections.abc import Iterable

from binyan.errors import MissingExtra
from binyan.segmentation import Part, Segmentation, SegmentationTable


def morfessor_segmentations(words: Iterable[str], seed: int = 1) -> SegmentationTable:
    """Train Morfessor Baseline on word types and segment the same words; its segments carry no labels."""
    try:
        import morfessor
        import morfessor.utils
    except ImportError:
        raise MissingExtra("Morfessor", "morfessor") from None
    types = sorted(set(words))
    model = morfessor.BaselineModel()
    model.load_data([(1, tuple(word)) for word in types])
    state, dots = random.getstate(), morfessor.utils.show_progress_bar
    try:
        random.seed(seed)  # Morfessor visits words in an order drawn from the global stream
        morfessor.utils.show_progress_bar = False
        model.train_batch()
    finally:
        random.setstate(state)
        morfessor.utils.show_progress_bar = dots
    morphs = {word: model.viterbi_segment(tuple(word))[0] for word in types}
    return SegmentationTable(
        Segmentation(word, tuple(Part("".join(morph)) for morph in parts)) for word, parts in morphs.items()
    )
