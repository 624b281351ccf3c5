"""How good a learnt lexicon is, as a set and as a ranking (thesis, section 5.8.5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from binyan.evaluation.bootstrap import known
from binyan.evaluation.gold import GoldWord
from binyan.evaluation.roots import strong_roots
from binyan.evaluation.table import Cell, Chart, Column, Table

_DRAWN = 400  # points of a curve


@dataclass(frozen=True)
class LexiconScore:
    """A lexicon as a set, in per cent, and the area under the ROC curve of its ranking."""

    precision: float
    recall: float
    f1: float
    auc: float
    entries: int
    gold: int

    def to_dict(self) -> dict[str, float | int | None]:
        """For JSON; an area that cannot be told is null."""
        return {**vars(self), "auc": known(self.auc)}


def gold_lexicon(gold: Iterable[GoldWord], category: str) -> set[str]:
    """The strings of a category: a label of the gold segments (pre, stem, suf), or root3, root4."""
    if category.startswith("root"):
        length = int(category.removeprefix("root") or 3)
        return {root for word in gold for root in strong_roots(word, length)}
    return {part.text for word in gold for part in word.segmentations[0] if part.label == category}


def score_lexicon(predicted: Mapping[str, float], gold: Collection[str]) -> LexiconScore:
    """Compare a lexicon, strings with their probabilities, with the gold set."""
    truth = set(gold)
    hits = len(truth & set(predicted))
    precision = hits / len(predicted) if predicted else 0.0
    recall = hits / len(truth) if truth else 0.0
    f1 = 2 * hits / (len(predicted) + len(truth)) if predicted or truth else 0.0
    area = area_under(roc_curve(predicted, truth))
    return LexiconScore(100 * precision, 100 * recall, 100 * f1, area, len(predicted), len(truth))


def roc_curve(predicted: Mapping[str, float], gold: Collection[str]) -> list[tuple[float, float]]:
    """Points (false positive rate, true positive rate) as the threshold falls.

    The rates are of the strings that the model proposes: it has no probability for others. Strings of equal probability enter
    together.
    """
    truth = set(gold)
    positives = sum(string in truth for string in predicted)
    negatives = len(predicted) - positives
    points, hits, misses, last = [(0.0, 0.0)], 0, 0, None
    for string, probability in sorted(predicted.items(), key=lambda item: -item[1]):
        if last is not None and probability != last:
            points.append((misses / max(negatives, 1), hits / max(positives, 1)))
        hits, misses, last = hits + (string in truth), misses + (string not in truth), probability
    if predicted:
        points.append((misses / max(negatives, 1), hits / max(positives, 1)))
    return points


def area_under(curve: list[tuple[float, float]]) -> float:
    """By the trapezium rule; not a number unless there are positives and negatives."""
    x, y = np.array(curve).T
    if x[-1] < 1 or y[-1] < 1:
        return float("nan")
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))


def thinned(curve: Sequence[tuple[float, float]], most: int) -> list[tuple[float, float]]:
    """At most `most` points of an ROC curve, both ends among them, evenly spread along it.

    >>> thinned([(0.0, 0.0), (0.1, 0.1), (0.2, 0.3), (0.5, 0.7), (1.0, 1.0)], most=3)
    [(0.0, 0.0), (0.5, 0.7), (1.0, 1.0)]
    """
    if len(curve) <= most:
        return list(curve)
    places = np.sum(curve, axis=1)
    kept = np.searchsorted(places, np.linspace(0, places[-1], most))
    return [curve[i] for i in np.unique(kept)]


def roc_table(
    curves: Mapping[str, list[tuple[float, float]]],
    title: str,
    signature: str,
    areas: Mapping[str, float] | None = None,
) -> Table:
    """ROC curves of several models as a table that can be drawn, with their areas in the names.

    `areas`: those of the whole curves, where these are thinned.
    """
    rows: list[list[Cell]] = []
    for name, curve in curves.items():
        area = area_under(curve) if areas is None else areas[name]
        rows.extend([f"{name} ({area:.2f})", x, y] for x, y in thinned(curve, _DRAWN))
    columns = [Column("model"), Column("false positive rate", ".4f"), Column("true positive rate", ".4f")]
    chart = Chart("lines", "false positive rate", ["true positive rate"], series="model")
    return Table(title, columns, rows, signature, "In brackets the area under the curve; 0.5 is chance.", chart)
