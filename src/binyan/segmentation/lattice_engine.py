"""Splitting learnt from gold compounds: a log-linear model over the ways to split a word, trained by maximum conditional likelihood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.model_file import ModelFile, Section
from binyan.progress import Progress, ProgressOption
from binyan.segmentation.gold import simplex_words
from binyan.segmentation.hyphens import between_hyphens, lowered
from binyan.segmentation.lattice import Floats
from binyan.segmentation.part_counts import PartCounts, components_with_links
from binyan.segmentation.segmentation import Part, Segmentation
from binyan.segmentation.split_batch import LatticeBatch, SplitFeatures
from binyan.segmentation.splitter_settings import SplitterSettings
from binyan.segmentation.table import SegmentationTable

_LETTERS = 253  # with a code of their own


@dataclass(frozen=True)
class LatticeEngine:
    """Weights of features of the ways to split a word; `fields` say how they were learnt."""

    features: SplitFeatures
    weights: Floats
    fields: Mapping[str, Any]
    kind: ClassVar[str] = "compound-splitter"

    @classmethod
    def train(
        cls,
        gold: SegmentationTable,
        frequencies: Mapping[str, int],
        simplex: Iterable[str] | None,
        settings: SplitterSettings,
        progress: ProgressOption = None,
    ) -> Self:
        """Train on gold segmentations, with the counts of words of a text.

        `simplex` words must not be split; by default those parts of gold compounds that the gold never splits.
        """
        rows = _training_rows(gold, simplex)
        table = SegmentationTable(rows)
        links = _linking_elements(table, settings.min_link)
        counts = Counter[str]()
        for word, count in frequencies.items():
            counts[word.lower()] += count
        part_counts = PartCounts.count(table, counts, links)
        if len(rows) > settings.max_words:
            drawn = np.sort(np.random.default_rng(settings.seed).permutation(len(rows))[: settings.max_words])
            rows = [rows[i] for i in drawn]
        features = _features(part_counts, rows)
        words = [row.word for row in rows]
        batch = features.batch(words, rows).merged()
        weights, likelihood = _maximise(batch, features.size, settings.penalty, settings.iterations, progress)
        fields = {
            "links": list(links),
            "penalty": settings.penalty,
            "listed": len(table),
            "words": len(words),
            "compounds": sum(not row.is_simplex for row in rows),
            "unreachable": int(len(words) - _reachable(batch).sum()),
            "log_likelihood": likelihood,
            "gold": table.digest,
            "text_words": sum(counts.values()),
        }
        return cls(features, weights, fields)

    @property
    def description(self) -> str:
        """In a few words."""
        compounds, links = self.fields["compounds"], " ".join(self.fields["links"][1:])
        return (
            f"learnt from {compounds:,} compounds and {self.fields['words'] - compounds:,} simplex words; "
            f"linking elements: {links or 'none'}"
        )

    def takes(self, piece: str) -> bool:
        """Whether a piece of a word may be split: it has a letter."""
        return any(map(str.isalpha, piece))

    def split(self, pieces: Sequence[str]) -> list[Segmentation]:
        """The best segmentation of each piece of a word between hyphens."""
        batch = self.features.batch([lowered(piece) for piece in pieces])
        paths = batch.lattices.best(batch.scores(self.weights))
        return [_segmentation(piece, batch, path) for piece, path in zip(pieces, paths, strict=True)]

    def segmentations(self, piece: str, n: int) -> list[Segmentation]:
        """The `n` best segmentations of a piece with their probabilities, best first."""
        batch = self.features.batch([lowered(piece)])
        scores = batch.scores(self.weights)
        total = float(batch.lattices.log_partition(scores)[0])
        return [
            _segmentation(piece, batch, path, float(np.exp(score - total)))
            for score, path in batch.lattices.best_of(0, scores, n)
        ]

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file."""
        return dict(self.fields), {
            **self.features.part_counts.to_sections(),
            "alphabet": self.features.alphabet.encode(),
            "contexts": self.features.contexts,
            "weights": self.weights,
        }

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`."""
        part_counts = PartCounts.from_file(file, file.texts("links"))
        features = SplitFeatures(part_counts, file.blob("alphabet").decode(), file.array("contexts"))
        weights = file.array("weights")
        if weights.shape != (features.size,) or not np.isfinite(weights).all():
            raise InputError(f"the section 'weights' must hold {features.size} numbers")
        return cls(features, weights, file.meta)


def _training_rows(gold: SegmentationTable, simplex: Iterable[str] | None) -> list[Segmentation]:
    """Gold words between hyphens and words that are not split, lowercase, each once."""
    rows: dict[str, Segmentation] = {}
    for row in gold.values():
        for piece in between_hyphens(row):
            rows.setdefault(piece.word, piece)
    table = SegmentationTable(rows.values())
    for word in simplex_words(table) if simplex is None else simplex:
        rows.setdefault(word.lower(), Segmentation.simplex(word.lower()))
    if not any(not row.is_simplex for row in rows.values()):
        raise InputError("the gold list splits no word: a splitter is learnt from words with two parts or more")
    return list(rows.values())


def _linking_elements(table: SegmentationTable, min_link: int) -> tuple[str, ...]:
    counts = Counter(link for row in table.values() for _, link in components_with_links(row) if link)
    return ("", *sorted((link for link in counts if counts[link] >= min_link), key=lambda link: (-counts[link], link)))


def _features(part_counts: PartCounts, rows: Sequence[Segmentation]) -> SplitFeatures:
    """Features with the letter contexts that are often at gold boundaries, or often anywhere."""
    words = [row.word for row in rows]
    letters = Counter(letter for word in words for letter in word)
    alphabet = "".join(letter for letter, _ in letters.most_common(_LETTERS))
    features = SplitFeatures(part_counts, alphabet, np.zeros(0, np.uint64))
    keys, seen, at_gold = features.context_counts(words, rows)
    return SplitFeatures(part_counts, alphabet, keys[((at_gold >= 2) | (seen >= 20)) & (keys > 0)])


def _reachable(batch: LatticeBatch) -> NDArray[np.bool_]:
    """Which words have their gold path in the lattice."""
    gold = batch.is_gold
    lengths = (batch.lattices.target - batch.lattices.source)[gold]
    covered = np.bincount(batch.lattices.word[gold], lengths, len(batch.lattices.lengths))
    return np.asarray(covered == batch.lattices.lengths)


def _maximise(
    batch: LatticeBatch, size: int, penalty: float, max_iterations: int, progress: ProgressOption
) -> tuple[Floats, float]:
    """L-BFGS on the conditional log-likelihood less `penalty` / 2 times the squared weights."""
    from scipy.optimize import minimize

    usable = _reachable(batch)
    of_edge = usable[batch.lattices.word].astype(float)
    observed = batch.totals(of_edge * batch.is_gold, size)

    def loss(weights: Floats) -> tuple[float, Floats]:
        value, gradient = log_likelihood(batch, weights, usable, observed)
        gradient -= penalty * weights
        gradient[0] = 0.0
        return -value + penalty / 2 * float(weights @ weights), -gradient

    with Progress("iterations", max_iterations, progress) as bar:
        result = minimize(
            loss,
            np.zeros(size),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": max_iterations, "maxcor": 10},
            callback=lambda _: bar.advance(),
        )
    return result.x, -float(result.fun)


def log_likelihood(
    batch: LatticeBatch, weights: Floats, usable: NDArray[np.bool_], observed: Floats
) -> tuple[float, Floats]:
    """The conditional log-likelihood of the gold paths of `usable` words, and its gradient: observed less expected."""
    scores = batch.scores(weights)
    totals, marginals = batch.lattices.marginals(scores)
    of_edge = usable[batch.lattices.word]
    value = float(scores[batch.is_gold & of_edge].sum() - totals[usable].sum())
    return value, observed - batch.totals(marginals * of_edge, len(weights))


def _segmentation(piece: str, batch: LatticeBatch, path: list[int], probability: float | None = None) -> Segmentation:
    parts: list[Part] = []
    for edge in path:
        i, j, k = (int(column[edge]) for column in (batch.lattices.source, batch.end, batch.lattices.target))
        parts.append(Part(piece[i:j]))
        if k > j:
            parts.append(Part(piece[j:k], linking=True))
    return Segmentation(piece, tuple(parts), probability)
