"""Transliteration between scripts: pieces of a word are written by pieces of another, from left to right.

A pair of words is a sequence of pairs of pieces, each drawn independently; the probabilities of pairs of pieces are learnt by
expectation maximisation over all ways to divide the two words. Word pairs that are explained no better than by chance are left out.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from binyan.errors import InputError
from binyan.text.scripts import script
from binyan.translation.alignment import Alignments
from binyan.translation.bitext import Bitext

# Letters of the source and of the target in one pair of pieces.
SHAPES = ((1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (1, 0), (0, 1))
LONGEST_WORD = 30
FEWEST_PAIRS = 10
_MOST_PAIRS = 2000
_ITERATIONS = 8
_ROUNDS = 2  # of learning and leaving out
_LEAST_PROBABILITY = 1e-4  # of a pair of pieces, given the piece of the source
_LARGER = 0.1  # prior weight of pieces for each letter beyond one on either side, so that they stay small
_EMPTY = 0.02  # prior weight of letters that are left out or put in
_LEAST_EXPECTED = 1e-8
_BEAM = 20

Pair = tuple[str, str]
Weights = dict[Pair, float]


@dataclass(frozen=True)
class Transliterator:
    """What is written for the pieces of words: `pieces[source][target]` is a probability. One source script, one target script.

    >>> pairs = [("nina", "нина"), ("anna", "анна"), ("ivan", "иван"), ("dina", "дина"), ("vadim", "вадим")]
    >>> Transliterator.learn(pairs * 3)("vanda")
    'ванда'
    """

    pieces: Mapping[str, Mapping[str, float]]
    source_script: str
    target_script: str
    pairs: int = 0

    @classmethod
    def learn(cls, pairs: Iterable[Pair]) -> Self:
        """Learn from words and how they are written in the other script. Raises InputError where they are too few."""
        known = [(s, t) for s, t in pairs if 0 < len(s) <= LONGEST_WORD and 0 < len(t) <= LONGEST_WORD][:_MOST_PAIRS]
        weights: Weights = {}
        for _ in range(_ROUNDS):
            if len(known) < FEWEST_PAIRS:
                raise InputError(
                    f"{len(known)} pairs of words are too few to learn a transliteration from; {FEWEST_PAIRS} are needed"
                )
            weights = _maximised(known)
            known = _explained(known, weights)
        source, target = (main_script(word for pair in known for word in pair[side : side + 1]) for side in (0, 1))
        return cls(_conditional(weights), source or "", target or "", len(known))

    def __call__(self, word: str) -> str:
        """The word in the target script. Raises InputError for one of another script, or with letters never seen."""
        own = main_script([word])
        if own != self.source_script:
            raise InputError(
                f"{word!r} is written in the script {own}; a transliteration was learnt from {self.source_script} "
                f"to {self.target_script}"
            )
        ends: list[dict[str, float]] = [{"": 0.0}] + [{} for _ in word]
        for place in range(len(word)):
            best = sorted(ends[place].items(), key=lambda item: -item[1])[:_BEAM]
            for length in (1, 2, 3):
                for piece, p in self.pieces.get(word[place : place + length], {}).items():
                    if place + length <= len(word):
                        reached = ends[place + length]
                        for before, total in best:
                            score = total + math.log(p)
                            if score > reached.get(before + piece, -math.inf):
                                reached[before + piece] = score
        if not ends[-1]:
            raise InputError(f"{word!r} has letters that no pair of words has shown in the script {self.target_script}")
        return max(ends[-1].items(), key=lambda item: (item[1], item[0]))[0]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        pieces = {source: dict(targets) for source, targets in self.pieces.items()}
        return {"source": self.source_script, "target": self.target_script, "pairs": self.pairs, "pieces": pieces}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        pieces = {str(s): {str(t): float(p) for t, p in of.items()} for s, of in stored["pieces"].items()}
        if any(not 0 < p <= 1 for of in pieces.values() for p in of.values()):
            raise InputError("a transliteration has probabilities above 0 and up to 1")
        return cls(pieces, str(stored["source"]), str(stored["target"]), int(stored["pairs"]))

    @cached_property
    def table(self) -> str:
        """The most probable writing of each piece, for people."""
        rows = [(s, max(of, key=lambda t: (of[t], t))) for s, of in sorted(self.pieces.items())]
        return "\n".join(f"{s}\t{t or '-'}\t{self.pieces[s][t]:.3f}" for s, t in rows)


def main_script(words: Iterable[str]) -> str | None:
    """The script of most letters of some words; None where they have no letters."""
    found = Counter(own for word in words for own in map(script, word) if own)
    return found.most_common(1)[0][0] if found else None


def likely_names(bitext: Bitext, alignments: Alignments, most: int = _MOST_PAIRS) -> list[Pair]:
    """Pairs of words in different scripts that are aligned with each other alone, the rarest words first.

    A pair must be the commonest of either of its words: names have one translation.
    """
    source, target = (
        main_script(w for sentence in side[:2000] for w in sentence) for side in (bitext.source, bitext.target)
    )
    if source is None or target is None or source == target:
        return []
    counts: Counter[Pair] = Counter(_single_links(bitext, alignments))
    best: dict[str, Pair] = {}
    for pair, _ in sorted(counts.items(), key=lambda item: (item[1], item[0])):
        best[pair[0]] = best["\0" + pair[1]] = pair
    words = Counter(w for sentence in bitext.source for w in sentence)
    pairs = [
        p for p in counts if best[p[0]] == best["\0" + p[1]] == p and _all_in(p[0], source) and _all_in(p[1], target)
    ]
    return sorted(pairs, key=lambda p: (words[p[0]], p))[:most]


def _all_in(word: str, own: str) -> bool:
    return len(word) >= 3 and {script(letter) for letter in word} == {own}


def _single_links(bitext: Bitext, alignments: Alignments) -> Iterator[Pair]:
    for n, (left, right) in enumerate(zip(bitext.source, bitext.target, strict=True)):
        links = alignments[n]
        of_source, of_target = Counter(s for s, _ in links), Counter(t for _, t in links)
        for s, t in links:
            if of_source[s] == of_target[t] == 1:
                yield left[s], right[t]


def _maximised(pairs: Sequence[Pair]) -> Weights:
    weights: Weights = {}
    for source, target in pairs:
        for _, _, piece in _steps(source, target):
            weights.setdefault(piece, _prior(piece))
    weights = _normalised(weights)
    for _ in range(_ITERATIONS):
        expected: defaultdict[Pair, float] = defaultdict(float)
        for source, target in pairs:
            _expect(source, target, weights, expected)
        weights = _normalised({piece: w * _prior(piece) for piece, w in expected.items() if w > _LEAST_EXPECTED})
    return weights


def _prior(piece: Pair) -> float:
    return _LARGER ** (len(piece[0]) + len(piece[1]) - 2) if all(piece) else _EMPTY


def _normalised(weights: Mapping[Pair, float]) -> Weights:
    total = sum(weights.values())
    return {pair: weight / total for pair, weight in weights.items()}


def _steps(source: str, target: str) -> Iterator[tuple[tuple[int, int], tuple[int, int], Pair]]:
    """All pairs of pieces of two words: where each begins, where it ends, and the pieces; in an order that sums can follow."""
    for i in range(len(source) + 1):
        for j in range(len(target) + 1):
            for m, n in SHAPES:
                if i + m <= len(source) and j + n <= len(target):
                    yield (i, j), (i + m, j + n), (source[i : i + m], target[j : j + n])


def _forward(steps: Sequence[Any], weights: Weights) -> dict[tuple[int, int], float]:
    sums = defaultdict(float, {(0, 0): 1.0})
    for begin, end, piece in steps:
        if sums[begin]:
            sums[end] += sums[begin] * weights.get(piece, 0.0)
    return sums


def _expect(source: str, target: str, weights: Weights, expected: defaultdict[Pair, float]) -> None:
    steps = list(_steps(source, target))
    before, last = _forward(steps, weights), (len(source), len(target))
    total = before[last]
    if total <= 0:
        return
    after = defaultdict(float, {last: 1.0})
    for begin, end, piece in reversed(steps):
        if after[end]:
            joint = weights.get(piece, 0.0) * after[end]
            expected[piece] += before[begin] * joint / total
            after[begin] += joint


def _explained(pairs: Sequence[Pair], weights: Weights) -> list[Pair]:
    """The pairs that are more probable together than their letters drawn at random."""
    letters = [Counter(letter for pair in pairs for letter in pair[side]) for side in (0, 1)]
    totals = [counts.total() for counts in letters]
    kept = []
    for pair in pairs:
        together = _forward(list(_steps(*pair)), weights)[len(pair[0]), len(pair[1])]
        apart = sum(math.log(letters[side][x] / totals[side]) for side in (0, 1) for x in pair[side])
        if together > 0 and math.log(together) > apart + 0.5 * sum(map(len, pair)):
            kept.append(pair)
    return kept


def _conditional(weights: Weights) -> dict[str, dict[str, float]]:
    """Probabilities of the target's pieces given the source's; longer pieces of the source weigh what they did in the pairs.

    A piece of n letters competes with n pieces of one letter, so probabilities are those of the pair among all divisions that
    begin with its first letter.
    """
    totals: defaultdict[str, float] = defaultdict(float)
    for (source, _), weight in weights.items():
        totals[source[:1]] += weight
    table: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for (source, target), weight in sorted(weights.items()):
        if source and weight / totals[source[0]] >= _LEAST_PROBABILITY:
            table[source][target] = weight / totals[source[0]]
    return dict(table)
