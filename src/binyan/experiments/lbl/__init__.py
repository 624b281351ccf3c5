"""Chapter 4: log-bilinear models with morpheme vectors, on the first million tokens of six languages."""

from binyan.experiments.lbl.derived import comparisons
from binyan.experiments.lbl.headlines import headlines
from binyan.experiments.lbl.report import sections
from binyan.experiments.lbl.runs import MEASURES, experiments

TITLE = "Chapter 4: rich morphology in distributed language models"

__all__ = ["MEASURES", "TITLE", "comparisons", "experiments", "headlines", "sections"]
