"""One small model of every kind over one vocabulary, for tests that hold for all models."""

from __future__ import annotations

import tempfile
import warnings
from functools import lru_cache
from pathlib import Path

import binyan
from binyan.language_model import LanguageModel
from binyan.text import Corpus, Preparation, VocabularyPolicy

TEXT = [
    *[
        "das haus hat eine haustür",
        "der hof hat ein hoftor",
        "die tür ist alt",
        "das tor ist neu",
        "ein haus und ein hof",
    ]
    * 3,
    "der selten gesehene garten",
]
PARTS = {"haustür": "haus tür", "hoftor": "hof tor", "haushof": "haus hof", "hoftür": "hof tür"}
# Known words, compounds outside the vocabulary with known components, and words that nobody knows.
HELD_OUT = ["das haus hat ein haushof", "xyz die hoftür ist qrs", "der hof", "<unk> hat ein hoftor"]
OPEN = ("hpylm+c", "hpylm+g", "hpylm+i", "open mixture")
EXTENDED = ("extended",)


@lru_cache(maxsize=1)
def ngram_models() -> dict[str, LanguageModel]:
    """N-gram models of every kind."""
    corpus = Corpus.read(TEXT, Preparation(), VocabularyPolicy(min_count=2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mkn = binyan.KneserNey(order=3).fit(corpus)
        hpylm = binyan.HPYLM(order=3, sweeps=6, samples=2).fit(corpus, progress=False)
        plus_c, plus_g = (
            binyan.CompoundHPYLM(order=3, segmentation=PARTS, sweeps=6, both_ways=both).fit(corpus, progress=False)
            for both in (False, True)
        )
        plus_i = binyan.InflectionHPYLM(order=3, segmentation=PARTS, sweeps=6).fit(corpus, progress=False)
        with tempfile.TemporaryDirectory() as folder:
            mkn.to_arpa(Path(folder) / "m.arpa", progress=False)
            arpa = binyan.load(Path(folder) / "m.arpa")
    models: dict[str, LanguageModel] = {"mkn": mkn, "arpa": arpa, "hpylm": hpylm, "hpylm+c": plus_c, "hpylm+g": plus_g}
    models |= {"hpylm+i": plus_i.opened(), "closed hpylm+i": plus_i}
    return models | {"closed hpylm+c": plus_c.closed(), "closed hpylm+g": plus_g.closed()}


@lru_cache(maxsize=1)
def log_bilinear_models() -> dict[str, LanguageModel]:
    """Log-bilinear and recurrent models, one of them extended; none where PyTorch is not installed."""
    try:
        import torch
    except ImportError:
        return {}
    torch.set_num_threads(1)
    corpus = Corpus.read(TEXT, Preparation(), VocabularyPolicy(min_count=2))
    options = {"order": 3, "dim": 4, "epochs": 2, "batch": 20, "step": 0.06, "l2": 1.0}
    models: dict[str, LanguageModel] = {
        name: binyan.LogBilinear(name, classes=classes, word_map=word_map, **options).fit(corpus, TEXT, progress=False)
        for name, classes, word_map in (("lbl", None, None), ("clbl++", 3, PARTS))
    }
    small = {"dim": 4, "hidden": 5, "epochs": 2, "batch": 20, "order": 3}
    models["lstm++"] = binyan.Recurrent("lstm++", classes=3, word_map=PARTS, **small).fit(corpus, TEXT, progress=False)
    return models | {"extended": models["clbl++"].extended()}


@lru_cache(maxsize=1)
def all_models() -> dict[str, LanguageModel]:
    """All of these, and mixtures of them."""
    single = ngram_models() | log_bilinear_models()
    mixtures = {
        "mixture": binyan.Mixture([single["mkn"], single["hpylm+g"]], [0.5, 0.5]),
        "open mixture": binyan.Mixture([single["hpylm+c"], single["hpylm+g"]], [0.5, 0.5]),
        "by context": binyan.Mixture([single["hpylm"], single["hpylm+c"]], by_context=True).fit(
            HELD_OUT, progress=False
        ),
    }
    return single | mixtures


NAMES = [
    *["mkn", "arpa", "hpylm", "hpylm+c", "hpylm+g", "closed hpylm+c", "closed hpylm+g"],
    *["lbl", "clbl++", "lstm++", "extended", "mixture", "open mixture", "by context"],
]
