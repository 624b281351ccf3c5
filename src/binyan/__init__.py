"""Probabilistic models that see inside words.

The names below are all a user needs; each is imported when it is first used, so that `import binyan` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from binyan.lazy_names import lazy_names

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
    "datasets": "binyan.datasets",
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

__getattr__, __dir__ = lazy_names(globals(), _NAMES)
