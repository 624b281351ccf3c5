"""The thesis's experiments as a declarative list: run, resumed, and reported beside the thesis's own figures.

`listing`, `status`, `run` and `report` do what the commands of `binyan reproduce` do. Each study has a folder of its own.
"""

from binyan.experiments.reproduce import (
    ExperimentStatus,
    ListedExperiment,
    RunSummary,
    listing,
    report,
    results_folder,
    run,
    status,
    tables,
)
from binyan.experiments.studies import STUDIES

__all__ = [
    "STUDIES",
    "ExperimentStatus",
    "ListedExperiment",
    "RunSummary",
    "listing",
    "report",
    "results_folder",
    "run",
    "status",
    "tables",
]
