"""A headline: a figure of ours, beside the thesis's where both are the same quantity, and its change beside the thesis's change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from binyan.experiments.results import Result

Keys = tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """The change of a figure against a baseline experiment: in per cent, or in points where figures are percentages or BLEU.

    `baseline` is the name of that experiment and `ours` the keys of the figure in its result. `thesis` has the keys of
    the two figures that make the thesis's change, the baseline last: where data differ, changes can be compared and figures cannot.
    `stated` has the keys of the change itself, where the thesis states it.
    """

    baseline: str
    ours: Keys
    thesis: tuple[Keys, Keys] | None = None
    unit: Literal["%", "points"] = "%"
    stated: Keys = ()

    @property
    def keys(self) -> Keys:
        """The keys of what stands in the thesis: the change, or the first of its two figures."""
        return self.stated or (self.thesis[0] if self.thesis else ())

    def of(self, figure: float, baseline: Result) -> float | None:
        """Our change."""
        return self._between(figure, _number(baseline.figures, self.ours))

    def beside(self, thesis: Mapping[str, Any]) -> float | None:
        """The thesis's change, where it states it or has both figures."""
        if self.stated and (stated := _number(thesis, self.stated)) is not None:
            return stated
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
    kind of test data and the same amount of training data. `more`: changes against further baselines. A figure that is not on
    the `front` page is compared only where the thesis's tables and figures are gone through.
    """

    what: str
    ours: Keys
    thesis: Keys = ()
    change: Change | None = None
    more: tuple[Change, ...] = ()
    front: bool = True

    @property
    def changes(self) -> tuple[Change, ...]:
        """All changes."""
        return (*((self.change,) if self.change else ()), *self.more)

    def of(self, result: Result) -> float | None:
        """Our figure."""
        return _number(result.figures, self.ours)

    def beside(self, thesis: Mapping[str, Any]) -> float | None:
        """The thesis's figure, where it is the same quantity."""
        return _number(thesis, self.thesis) if self.thesis else None


class Comparison(NamedTuple):
    """A figure or change of ours and the thesis's, with the keys of the latter."""

    experiment: str
    what: str
    keys: Keys
    ours: float
    theirs: float


def _number(figures: Any, path: Sequence[str]) -> float | None:
    for key in path:
        if isinstance(figures, (list, tuple)) and key.isdigit() and int(key) < len(figures):
            figures = figures[int(key)]
        else:
            figures = figures.get(key) if isinstance(figures, Mapping) else None
    return float(figures) if isinstance(figures, (int, float)) and not isinstance(figures, bool) else None
