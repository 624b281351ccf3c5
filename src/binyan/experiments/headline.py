"""A headline: a figure of ours, beside the thesis's where both are the same quantity, and its change beside the thesis's change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from binyan.experiments.results import Result

Keys = tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """The change of a figure against a baseline experiment: in per cent, or in points where figures are percentages or BLEU.

    `baseline` is the name of that experiment and `ours` the keys of the figure in its result. `thesis` has the keys of
    the two figures that make the thesis's change, the baseline last: where data differ, changes can be compared and figures cannot.
    """

    baseline: str
    ours: Keys
    thesis: tuple[Keys, Keys] | None = None
    unit: Literal["%", "points"] = "%"

    def of(self, figure: float, baseline: Result) -> float | None:
        """Our change."""
        return self._between(figure, _number(baseline.figures, self.ours))

    def beside(self, thesis: Mapping[str, Any]) -> float | None:
        """The thesis's change, where it has both figures."""
        if self.thesis is None:
            return None
        figure, baseline = (_number(thesis, keys) for keys in self.thesis)
        return self._between(figure, baseline)

    def _between(self, value: float | None, base: float | None) -> float | None:
        if value is None or base is None or (self.unit == "%" and not base):
            return None
        return value - base if self.unit == "points" else 100 * (value - base) / base


@dataclass(frozen=True)
class Headline:
    """A figure of ours by its keys in the result.

    `thesis` has the keys of the thesis's figure. It is given only where that figure is the same quantity: the same measure on the same
    kind of test data and the same amount of training data.
    """

    what: str
    ours: Keys
    thesis: Keys = ()
    change: Change | None = None

    def of(self, result: Result) -> float | None:
        """Our figure."""
        return _number(result.figures, self.ours)

    def beside(self, thesis: Mapping[str, Any]) -> float | None:
        """The thesis's figure, where it is the same quantity."""
        return _number(thesis, self.thesis) if self.thesis else None


def _number(figures: Any, path: Sequence[str]) -> float | None:
    for key in path:
        figures = figures.get(key) if isinstance(figures, Mapping) else None
    return float(figures) if isinstance(figures, (int, float)) and not isinstance(figures, bool) else None
