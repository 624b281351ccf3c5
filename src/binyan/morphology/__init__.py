"""Morphology learnt from a word list: adaptor grammars over contiguous and discontiguous morphemes."""

from binyan.morphology.adaptor import AdaptorSampler, ChainState, SweepFigures, learn
from binyan.morphology.analysis import Analysis
from binyan.morphology.lexicon import Entry, Lexicon
from binyan.morphology.segmenter import Segmenter, Snapshot
from binyan.morphology.settings import Settings
from binyan.morphology.splitter import MorphemeSplitter
from binyan.morphology.storage import load_sampler, load_segmenter, save_sampler
from binyan.morphology.word_list import WordList

__all__ = [
    "AdaptorSampler",
    "Analysis",
    "ChainState",
    "Entry",
    "Lexicon",
    "MorphemeSplitter",
    "Segmenter",
    "Settings",
    "Snapshot",
    "SweepFigures",
    "WordList",
    "learn",
    "load_sampler",
    "load_segmenter",
    "save_sampler",
]
