"""The compound splitter: a log-linear model over the ways to split a word, trained by maximum conditional likelihood."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from binyan import model_file
from binyan.errors import InputError, ModelFileError
from binyan.progress import Progress, ProgressOption
from binyan.segmentation import frequency_splitter
from binyan.segmentation.frequency_splitter import FrequencySplitter
from binyan.segmentation.gold import simplex_words
from binyan.segmentation.hyphens import join_pieces, lowered, pieces
from binyan.segmentation.lattice import Floats
from binyan.segmentation.part_counts import PartCounts, components_with_links
from binyan.segmentation.segmentation import Part, Segmentation
from binyan.segmentation.split_batch import Batch, SplitFeatures
from binyan.segmentation.table import SegmentationTable

KIND = "compound-splitter"
_BATCH = 20_000


@dataclass(frozen=True)
class CompoundSplitter:
    """A trained splitter. Words are looked at in lowercase and segmented as they are written."""

    features: SplitFeatures
    weights: Floats
    settings: Mapping[str, Any]

    @classmethod
    def train(
        cls,
        gold: SegmentationTable,
        frequencies: Mapping[str, int] | None = None,
        *,
        simplex: Iterable[str] | None = None,
        penalty: float = 1.0,
        min_link: int = 5,
        max_iterations: int = 150,
        max_words: int = 100_000,
        seed: int = 1,
        progress: ProgressOption = None,
    ) -> CompoundSplitter:
        """Train on gold segmentations.

        `frequencies`: words of a text with their counts. `simplex`: words that must not be split; by default those parts
        of gold compounds that the gold never splits. `penalty`: weight of the squared weights. `min_link`: how many
        gold words a linking element must occur in. `max_words`: where there are more, all are counted in the part_counts,
        and weights are fitted to so many, drawn by `seed`. All words are lowercased.
        """
        rows = _training_rows(gold, simplex)
        table = SegmentationTable(rows)
        links = _linking_elements(table, min_link)
        counts = Counter[str]()
        for word, count in (frequencies or {}).items():
            counts[word.lower()] += count
        part_counts = PartCounts.count(table, counts, links)
        if len(rows) > max_words:
            drawn = np.sort(np.random.default_rng(seed).permutation(len(rows))[:max_words])
            rows = [rows[i] for i in drawn]
        words = [row.word for row in rows]
        letters = Counter(letter for word in words for letter in word)
        alphabet = "".join(letter for letter, _ in letters.most_common(253))
        features = SplitFeatures(part_counts, alphabet, np.zeros(0, np.uint64))
        keys, seen, at_gold = features.context_counts(words, rows)
        features = SplitFeatures(part_counts, alphabet, keys[((at_gold >= 2) | (seen >= 20)) & (keys > 0)])
        batch = features.batch(words, rows).merged()
        weights, likelihood = _maximise(batch, features.size, penalty, max_iterations, progress)
        settings = {
            "links": list(links),
            "penalty": penalty,
            "listed": len(table),
            "words": len(words),
            "compounds": sum(not row.is_simplex for row in rows),
            "unreachable": int(len(words) - _reachable(batch).sum()),
            "log_likelihood": likelihood,
            "gold": table.digest,
            "text_words": sum(counts.values()),
        }
        return cls(features, weights, settings)

    def split(self, words: Iterable[str], progress: ProgressOption = None) -> SegmentationTable:
        """The best segmentation of each word, in their order; hyphens always split."""
        table = SegmentationTable()
        todo = iter(dict.fromkeys(words))
        with Progress("words split", show=progress) as shown:
            while some := list(islice(todo, _BATCH)):
                for segmentation in self._split(some):
                    table.add(segmentation)
                shown.advance(len(some))
        return table

    def segment(self, word: str, n: int = 1) -> list[tuple[Segmentation, float]]:
        """The `n` best segmentations of one word with their probabilities, best first."""
        joined: list[tuple[list[Segmentation], float]] = [([], 1.0)]
        for piece in pieces(word):
            if not _has_letters(piece):
                joined = [([*before, Segmentation.simplex(piece)], p) for before, p in joined]
                continue
            batch = self.features.batch([lowered(piece)])
            scores = batch.scores(self.weights)
            total = float(batch.lattices.log_partition(scores)[0])
            ways = [
                (_segmentation(piece, batch, path), float(np.exp(score - total)))
                for score, path in batch.lattices.best_of(0, scores, n)
            ]
            joined = [([*before, way], p * q) for before, p in joined for way, q in ways]
            joined = sorted(joined, key=lambda item: -item[1])[:n]
        return [(join_pieces(word, ways), p) for ways, p in joined]

    def _split(self, words: Sequence[str]) -> list[Segmentation]:
        split = [pieces(word) for word in words]
        todo = list({piece: None for of_word in split for piece in of_word if _has_letters(piece)})
        batch = self.features.batch([lowered(piece) for piece in todo])
        paths = batch.lattices.best(batch.scores(self.weights))
        best = {piece: _segmentation(piece, batch, path) for piece, path in zip(todo, paths, strict=True)}
        return [
            join_pieces(word, [best.get(piece) or Segmentation.simplex(piece) for piece in of_word])
            for word, of_word in zip(words, split, strict=True)
        ]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save to a model file."""
        sections = {
            **self.features.part_counts.to_sections(),
            "alphabet": self.features.alphabet.encode(),
            "contexts": self.features.contexts,
            "weights": self.weights,
        }
        model_file.save(path, KIND, dict(self.settings), sections)

    @classmethod
    def from_file(cls, file: model_file.ModelFile) -> CompoundSplitter:
        """From a model file that is read already."""
        part_counts = PartCounts.from_file(file, tuple(file.meta["links"]))
        features = SplitFeatures(part_counts, file.blob("alphabet").decode(), file.array("contexts"))
        return cls(features, file.array("weights"), file.meta)


def load_splitter(path: str | os.PathLike[str]) -> CompoundSplitter | FrequencySplitter:
    """Load a splitter of either kind from its model file."""
    file = model_file.load(path)
    if file.kind == KIND:
        return CompoundSplitter.from_file(file)
    if file.kind == frequency_splitter.KIND:
        return FrequencySplitter.from_file(file)
    raise ModelFileError(f"{path}: is a model of kind {file.kind!r}, not a compound splitter")


def _training_rows(gold: SegmentationTable, simplex: Iterable[str] | None) -> list[Segmentation]:
    """Gold words between hyphens and words that are not split, lowercase, each once."""
    rows: dict[str, Segmentation] = {}
    for row in gold.values():
        for piece in _between_hyphens(row):
            rows.setdefault(piece.word, piece)
    table = SegmentationTable(rows.values())
    for word in simplex_words(table) if simplex is None else simplex:
        rows.setdefault(word.lower(), Segmentation.simplex(word.lower()))
    if not any(not row.is_simplex for row in rows.values()):
        raise InputError("the gold list splits no word: a splitter is learnt from words with two parts or more")
    return list(rows.values())


def _between_hyphens(row: Segmentation) -> list[Segmentation]:
    groups: list[list[Part]] = [[]]
    for part in row:
        if part.linking and not pieces(part.text):
            groups.append([])
        else:
            groups[-1].append(Part(part.text.lower(), linking=part.linking))
    return [
        Segmentation("".join(part.text for part in group), tuple(group))
        for group in groups
        if any(not part.linking for part in group)
    ]


def _linking_elements(table: SegmentationTable, min_link: int) -> tuple[str, ...]:
    counts = Counter(link for row in table.values() for _, link in components_with_links(row) if link)
    return ("", *sorted((link for link in counts if counts[link] >= min_link), key=lambda link: (-counts[link], link)))


def _reachable(batch: Batch) -> Any:
    """Which words have their gold path in the lattice."""
    gold = batch.is_gold
    lengths = (batch.lattices.target - batch.lattices.source)[gold]
    covered = np.bincount(batch.lattices.word[gold], lengths, len(batch.lattices.lengths))
    return covered == batch.lattices.lengths


def _maximise(
    batch: Batch, size: int, penalty: float, max_iterations: int, progress: ProgressOption
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

    with Progress("iterations", max_iterations, progress) as shown:
        result = minimize(
            loss,
            np.zeros(size),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": max_iterations, "maxcor": 10},
            callback=lambda _: shown.advance(),
        )
    return result.x, -float(result.fun)


def log_likelihood(batch: Batch, weights: Floats, usable: Any, observed: Floats) -> tuple[float, Floats]:
    """The conditional log-likelihood of the gold paths of `usable` words, and its gradient: observed less expected."""
    scores = batch.scores(weights)
    totals, marginals = batch.lattices.marginals(scores)
    of_edge = usable[batch.lattices.word]
    value = float(scores[batch.is_gold & of_edge].sum() - totals[usable].sum())
    return value, observed - batch.totals(marginals * of_edge, len(weights))


def _has_letters(piece: str) -> bool:
    return any(map(str.isalpha, piece))


def _segmentation(piece: str, batch: Batch, path: list[int]) -> Segmentation:
    parts: list[Part] = []
    for edge in path:
        i, j, k = (int(column[edge]) for column in (batch.lattices.source, batch.end, batch.lattices.target))
        parts.append(Part(piece[i:j]))
        if k > j:
            parts.append(Part(piece[j:k], linking=True))
    return Segmentation(piece, tuple(parts))
