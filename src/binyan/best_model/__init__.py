"""The best language model that a budget of minutes allows: what is known to be good is trained, and mixed by context."""

from binyan.best_model.candidates import CANDIDATES, Candidate, TrainingRequest
from binyan.best_model.report import BestModel, TrainedPart
from binyan.best_model.settings import BudgetSettings
from binyan.best_model.training import train_best

__all__ = [
    "CANDIDATES",
    "BestModel",
    "BudgetSettings",
    "Candidate",
    "TrainedPart",
    "TrainingRequest",
    "train_best",
]
