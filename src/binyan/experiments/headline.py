"""A headline: a figure of ours beside the figure of the thesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from binyan.experiments.results import Result


@dataclass(frozen=True)
class Headline:
    """A figure of ours by its keys in the result, and the thesis's by its keys among the thesis's figures.

    `against` is the name of a baseline experiment. The change against its first headline is shown too: where the data
    differ from the thesis's, such changes are what can be compared.
    """

    what: str
    ours: tuple[str, ...]
    thesis: tuple[str, ...] = ()
    against: str = ""

    def of(self, result: Result) -> float | None:
        """Our figure."""
        return _number(result.figures, self.ours)

    def beside(self, thesis: Mapping[str, Any]) -> float | None:
        """The thesis's figure, where it has one."""
        return _number(thesis, self.thesis) if self.thesis else None


def _number(figures: Any, path: Sequence[str]) -> float | None:
    for key in path:
        figures = figures.get(key) if isinstance(figures, Mapping) else None
    return float(figures) if isinstance(figures, (int, float)) and not isinstance(figures, bool) else None
