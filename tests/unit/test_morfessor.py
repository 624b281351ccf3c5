"""Morphs with categories are those that FlatCat itself finds."""

from __future__ import annotations

from itertools import product

import pytest

flatcat = pytest.importorskip("flatcat", reason="the morfessor extra is not installed")

from binyan.segmentation.morfessor import _best_morphs  # noqa: E402

STEMS = ("haus", "hof", "geh", "steh", "land", "schul")
WORDS = [
    f"{prefix}{stem}{suffix}" for prefix, stem, suffix in product(("", "un", "ver"), STEMS, ("", "en", "st", "ern"))
]


def test_as_flatcat_itself_analyses() -> None:
    flatcat.utils.show_progress_bar = False
    model = flatcat.FlatcatModel(flatcat.MorphUsageProperties(ppl_threshold=5))
    parts = [(p, stem, s) for p, stem, s in product(("", "un", "ver"), STEMS, ("", "en", "st", "ern"))]
    model.add_corpus_data([(1, tuple(filter(None, word))) for word in parts])
    model.initialize_hmm()
    for word in (*WORDS, "hausland", "unverstehenst", "landeshof", "x", "hausx"):  # the last three cannot be derived
        theirs = model.viterbi_analyze(word)[0]
        assert [(m.morph, m.category) for m in _best_morphs(model, word)] == [(m.morph, m.category) for m in theirs]
