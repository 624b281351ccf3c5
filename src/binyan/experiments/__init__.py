"""The thesis's experiments as a declarative list: run, resumed, and reported beside the thesis's own figures.

`listing`, `run` and `report` do what the commands of `binyan reproduce` do. Each study has a folder of its own.
"""

from binyan.experiments.reproduce import ListedExperiment, RunSummary, listing, report, run
from binyan.experiments.studies import STUDIES

__all__ = ["STUDIES", "ListedExperiment", "RunSummary", "listing", "report", "run"]
