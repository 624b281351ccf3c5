"""Chapters 3 and 4 in translation: hierarchical systems that differ only in their language models."""

from collections.abc import Mapping

from binyan.experiments.experiment import Measure
from binyan.experiments.translation.comparison import measure_neighbours
from binyan.experiments.translation.headlines import headlines
from binyan.experiments.translation.report import sections
from binyan.experiments.translation.runs import COMPARED, experiments
from binyan.experiments.translation.systems import measure_bleu

TITLE = "Chapters 3 and 4: translation"
MEASURES: Mapping[str, Measure] = {"bleu": measure_bleu, COMPARED: measure_neighbours}

__all__ = ["MEASURES", "TITLE", "experiments", "headlines", "sections"]
