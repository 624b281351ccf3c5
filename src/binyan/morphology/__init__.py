"""Morphology learnt from a word list: adaptor grammars over contiguous and discontiguous morphemes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from binyan.lazy_names import lazy_names

if TYPE_CHECKING:
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

# name -> the module that has it
_NAMES = {
    "AdaptorSampler": "binyan.morphology.adaptor",
    "Analysis": "binyan.morphology.analysis",
    "ChainState": "binyan.morphology.chain_state",
    "Choice": "binyan.morphology.choice_report",
    "Lexicon": "binyan.morphology.lexicon",
    "LexiconEntry": "binyan.morphology.lexicon",
    "Morphology": "binyan.morphology.morphology",
    "MorphologySettings": "binyan.morphology.settings",
    "RootCandidate": "binyan.morphology.roots",
    "RootOutcomes": "binyan.morphology.roots",
    "SegmentedWords": "binyan.morphology.reports",
    "Snapshot": "binyan.morphology.chain_state",
    "SweepFigures": "binyan.morphology.chain_state",
    "WordAnalyses": "binyan.morphology.reports",
    "WordList": "binyan.morphology.word_list",
    "WordRoots": "binyan.morphology.roots",
    "WordSettings": "binyan.morphology.settings",
    "choose": "binyan.morphology.choice",
}

__getattr__, __dir__ = lazy_names(globals(), _NAMES)
