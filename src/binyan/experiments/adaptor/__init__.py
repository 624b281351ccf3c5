"""Chapter 5: adaptor grammars on word lists of Arabic and Hebrew."""

from binyan.experiments.adaptor.headlines import headlines
from binyan.experiments.adaptor.report import sections
from binyan.experiments.adaptor.runs import MEASURES, experiments

TITLE = "Chapter 5: morphology learnt from word lists"

__all__ = ["MEASURES", "TITLE", "experiments", "headlines", "sections"]
