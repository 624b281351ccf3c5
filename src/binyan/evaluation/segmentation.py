"""How well words are segmented: segment borders against a gold standard (thesis, section 5.8.3), and morphemes per word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from binyan.evaluation.bootstrap import Interval, bootstrap, known
from binyan.evaluation.gold import GoldWord
from binyan.evaluation.table import Cell, Chart, Column, Table
from binyan.segmentation import Part, Segmentation

Granularity = Literal["fine", "coarse"]


@dataclass(frozen=True)
class BorderScore:
    """Precision, recall and F1 of segment borders in per cent, micro-averaged over words, with an interval of F1."""

    precision: float
    recall: float
    f1: float
    words: int
    exact: float
    interval: Interval
    missing: int = 0

    def to_dict(self) -> dict[str, float | int | None]:
        """For JSON."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "f1_low": known(self.interval.low),
            "f1_high": known(self.interval.high),
            "exact": self.exact,
            "words": self.words,
            "missing": self.missing,
        }


def borders(segmentation: Segmentation) -> frozenset[int]:
    """Where the contiguous pieces of a word meet, in characters from its start."""
    ends, place = [], 0
    for part in segmentation.contiguous():
        place += len(part.text)
        ends.append(place)
    return frozenset(ends[:-1])


def coarse(segmentation: Segmentation) -> Segmentation:
    """The contiguous pieces with all that stands before, between and after stems joined: borders of stems only."""
    joined: list[Part] = []
    for part in segmentation.contiguous():
        if joined and joined[-1].label != "stem" and part.label != "stem":
            joined[-1] = Part(joined[-1].text + part.text, joined[-1].label)
        else:
            joined.append(part)
    return Segmentation(segmentation.word, tuple(joined))


def score_segmentation(
    predicted: Mapping[str, Segmentation],
    gold: Iterable[GoldWord],
    granularity: Granularity = "fine",
    least_morphemes: int = 1,
) -> BorderScore:
    """Compare predictions with the gold standard; of several gold segmentations the closest counts.

    Only words with `least_morphemes` segments or more are compared. A word without a prediction counts as whole.
    """
    rows, exact, missing = [], 0, 0
    for word in gold:
        alternatives = [a for a in word.segmentations if len(a.parts) >= least_morphemes]
        if not alternatives:
            continue
        guessed_parts = predicted.get(word.word) or Segmentation.simplex(word.word)
        missing += word.word not in predicted
        if granularity == "coarse":
            guessed_parts, alternatives = coarse(guessed_parts), [coarse(a) for a in alternatives]
        guess = borders(guessed_parts)
        truths = [borders(a) for a in alternatives]
        truth = max(truths, key=lambda t: _f1(np.array([len(guess & t), len(guess), len(t)], float)))
        exact += guess == truth
        rows.append((len(guess & truth), len(guess), len(truth)))
    counts = np.array(rows, dtype=np.float64).reshape(-1, 3)
    hits, guessed, true = counts.sum(axis=0)
    return BorderScore(
        100 * float(hits / guessed) if guessed else 0.0,
        100 * float(hits / true) if true else 0.0,
        100 * _f1(counts.sum(axis=0)),
        len(counts),
        100 * exact / max(len(counts), 1),
        bootstrap(counts, lambda sums: 100 * _f1(sums)),
        missing,
    )


def _f1(counts: NDArray[np.float64]) -> float:
    """2 hits / (guessed + true); two empty sets agree."""
    hits, guessed, true = counts
    return float(2 * hits / (guessed + true)) if guessed + true else 1.0


def morphemes_per_word(
    predicted: Mapping[str, Mapping[str, Segmentation]], gold: Sequence[GoldWord], signature: str
) -> Table:
    """How many morphemes words have, by the gold standard and by each model, as shares in per cent (thesis, figure 5.2)."""
    counts = {"gold": Counter(len(word.segmentations[0].parts) for word in gold)}
    for name, analyses in predicted.items():
        lengths = {word: len(segmentation.contiguous().parts) for word, segmentation in analyses.items()}
        counts[name] = Counter(lengths.get(word.word, 1) for word in gold)
    longest = max(max(counter) for counter in counts.values())
    total = max(len(gold), 1)
    rows: list[list[Cell]] = [
        [str(n), *(100 * counter[n] / total for counter in counts.values())] for n in range(1, longest + 1)
    ]
    means = ", ".join(f"{n} {sum(k * v for k, v in c.items()) / total:.2f}" for n, c in counts.items())
    columns = [Column("morphemes"), *(Column(name, ".1f") for name in counts)]
    chart = Chart("bars", "morphemes", list(counts), y_title="words (per cent)")
    return Table("Morphemes per word", columns, rows, signature, f"Means: {means}.", chart)
