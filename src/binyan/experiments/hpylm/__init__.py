"""Chapter 3: Kneser-Ney, the HPYLM and its compound variants on German Europarl."""

from binyan.experiments.hpylm.headlines import headlines
from binyan.experiments.hpylm.report import sections
from binyan.experiments.hpylm.runs import MEASURES, experiments

TITLE = "Chapter 3: language models of compounding"

__all__ = ["MEASURES", "TITLE", "experiments", "headlines", "sections"]
