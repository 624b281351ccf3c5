"""The settings of the search for the best model."""

from __future__ import annotations

from dataclasses import dataclass

from binyan.errors import SettingsError
from binyan.settings import Settings, setting


@dataclass(frozen=True)
class BudgetSettings(Settings):
    """How long training may take."""

    minutes: float = setting(10.0, "Train what can be trained in about N minutes.", metavar="N")
    seed: int = setting(1, "Random seed.", metavar="S")

    def __post_init__(self) -> None:
        if self.minutes <= 0:
            raise SettingsError(f"a budget is more than 0 minutes, not {self.minutes:g}")
