"""A small text of stems and suffixes that agree, with its morphemes and classes: what the log-bilinear tests train on."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the neural extra is not installed")
torch.set_num_threads(1)

from binyan.clustering import brown  # noqa: E402
from binyan.log_bilinear.factor_map import FactorMap  # noqa: E402
from binyan.log_bilinear.language_model import LogBilinear  # noqa: E402
from binyan.log_bilinear.settings import Variant  # noqa: E402
from binyan.segmentation import Segmentation, SegmentationTable  # noqa: E402
from binyan.text import Corpus  # noqa: E402
from binyan.text.vocabulary import SPECIALS  # noqa: E402


def text(sentences: int = 60, seed: int = 0) -> list[list[str]]:
    """Words of a stem and a suffix, the suffix agreeing with that of the word before."""
    random = np.random.default_rng(seed)
    out = []
    for _ in range(sentences):
        suffix = random.choice(["en", "st", "t"])
        out.append([f"{random.choice(['haus', 'hof', 'geh', 'lauf'])}{suffix}" for _ in range(random.integers(2, 6))])
    return out


def word_map_of(words: list[str]) -> SegmentationTable:
    rows = []
    for w in words:
        for suffix in ("en", "st", "t"):
            if w.endswith(suffix):
                rows.append(Segmentation.parse(w, f"{w[: -len(suffix)]}/STM {suffix}/SUF"))
                break
    return SegmentationTable(rows)


CORPUS = Corpus.read(text())
DEVELOPMENT = Corpus.encode(text(20, 1), CORPUS.vocabulary)
TABLE = word_map_of([*CORPUS.vocabulary.words[len(SPECIALS) :], "zaunen", "hofest", "baumst"])
MAP = FactorMap.from_segmentations(TABLE, CORPUS.vocabulary)
CLASSES = brown(CORPUS, 4)
CLASS_OF = CLASSES.ids(CORPUS.vocabulary)


def lm(name: str = "clbl++", **more: object) -> LogBilinear:
    """A small model called `name`, trained on the text."""
    variant = Variant.parse(name)
    options: dict[str, object] = {
        **{"order": 3, "dim": 6, "epochs": 2, "batch": 50, "noise_samples": 10, "step": 0.1, "l2": 2.0},
        "classes": CLASSES if variant.classes else None,
        "word_map": TABLE if variant.additive else None,
    }
    return LogBilinear(name, **(options | more)).fit(CORPUS, text(20, 1), progress=False)
