"""Morphology learnt from a word list: adaptor grammars over contiguous and discontiguous morphemes."""

from binyan.morphology.adaptor import AdaptorSampler
from binyan.morphology.analysis import Analysis
from binyan.morphology.chain_state import ChainState, Snapshot, SweepFigures
from binyan.morphology.choice import choose
from binyan.morphology.choice_report import Choice
from binyan.morphology.lexicon import Lexicon, LexiconEntry
from binyan.morphology.morphology import Morphology
from binyan.morphology.reports import SegmentedWords, WordAnalyses
from binyan.morphology.roots import RootCandidate, RootOutcomes, WordRoots
from binyan.morphology.settings import MorphologySettings, WordSettings
from binyan.morphology.word_list import WordList

__all__ = [
    "AdaptorSampler",
    "Analysis",
    "ChainState",
    "Choice",
    "Lexicon",
    "LexiconEntry",
    "Morphology",
    "MorphologySettings",
    "RootCandidate",
    "RootOutcomes",
    "SegmentedWords",
    "Snapshot",
    "SweepFigures",
    "WordAnalyses",
    "WordList",
    "WordRoots",
    "WordSettings",
    "choose",
]
