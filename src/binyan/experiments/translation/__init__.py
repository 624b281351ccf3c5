"""Chapters 3 and 4 in translation: hierarchical systems that differ only in their language models."""

from binyan.experiments.translation.headlines import headlines
from binyan.experiments.translation.report import sections
from binyan.experiments.translation.runs import MEASURES, experiments

TITLE = "Chapters 3 and 4: translation"

__all__ = ["MEASURES", "TITLE", "experiments", "headlines", "sections"]
