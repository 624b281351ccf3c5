"""Probabilistic models that see inside words.

The names below are all a user needs; each is imported when it is first used, so that `import binyan` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0.dev0"

# name -> the module that has it
_NAMES = {
    "ArpaModel": "binyan.ngram.arpa",
    "CompoundHPYLM": "binyan.ngram.compound",
    "CompoundSplitter": "binyan.segmentation.compound_splitter",
    "Grammar": "binyan.grammar",
    "HPYLM": "binyan.ngram.hpylm",
    "InflectionHPYLM": "binyan.ngram.inflection",
    "KneserNey": "binyan.ngram.kneser_ney",
    "LogBilinear": "binyan.log_bilinear",
    "Mixture": "binyan.mixture",
    "Morphology": "binyan.morphology",
    "OpenVocabulary": "binyan.open_vocabulary",
    "Recurrent": "binyan.recurrent",
    "Rescorer": "binyan.translation.rescoring",
    "Translator": "binyan.translation.translator",
    "WordClasses": "binyan.clustering",
    "WordMap": "binyan.segmentation.word_map",
    "compare": "binyan.evaluation",
    "evaluate": "binyan.evaluation",
    "load": "binyan.model",
    "train_best": "binyan.best_model",
}

if TYPE_CHECKING:
    from binyan import datasets
    from binyan.best_model import train_best
    from binyan.clustering import WordClasses
    from binyan.evaluation import compare, evaluate
    from binyan.grammar import Grammar
    from binyan.log_bilinear import LogBilinear
    from binyan.mixture import Mixture
    from binyan.model import load
    from binyan.morphology import Morphology
    from binyan.ngram.arpa import ArpaModel
    from binyan.ngram.compound import CompoundHPYLM
    from binyan.ngram.hpylm import HPYLM
    from binyan.ngram.inflection import InflectionHPYLM
    from binyan.ngram.kneser_ney import KneserNey
    from binyan.open_vocabulary import OpenVocabulary
    from binyan.recurrent import Recurrent
    from binyan.segmentation.compound_splitter import CompoundSplitter
    from binyan.segmentation.word_map import WordMap
    from binyan.translation.rescoring import Rescorer
    from binyan.translation.translator import Translator

__all__ = [
    "HPYLM",
    "ArpaModel",
    "CompoundHPYLM",
    "CompoundSplitter",
    "Grammar",
    "InflectionHPYLM",
    "KneserNey",
    "LogBilinear",
    "Mixture",
    "Morphology",
    "OpenVocabulary",
    "Recurrent",
    "Rescorer",
    "Translator",
    "WordClasses",
    "WordMap",
    "__version__",
    "compare",
    "datasets",
    "evaluate",
    "load",
    "train_best",
]


def __getattr__(name: str) -> Any:
    if name == "datasets":
        return importlib.import_module("binyan.datasets")
    if name not in _NAMES:
        raise AttributeError(f"module 'binyan' has no attribute {name!r}")
    value = getattr(importlib.import_module(_NAMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES})
