"""How well roots are found: exact match, and random guessers to compare with (thesis, section 5.8.4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from binyan.evaluation.bootstrap import Interval, bootstrap, known
from binyan.evaluation.gold import GoldWord

Guesser = Literal["uniform", "stem-constrained", "character-constrained", "doubly constrained"]
GUESSERS: tuple[Guesser, ...] = ("uniform", "stem-constrained", "character-constrained", "doubly constrained")


@dataclass(frozen=True)
class RootScore:
    """Exact matches in per cent of the words evaluated."""

    accuracy: float
    evaluated: int
    interval: Interval

    def to_dict(self) -> dict[str, float | int | None]:
        """For JSON."""
        return {
            "accuracy": known(self.accuracy),
            "accuracy_low": known(self.interval.low),
            "accuracy_high": known(self.interval.high),
            "evaluated": self.evaluated,
        }


def surface_realised(root: str, stem: str) -> bool:
    """Whether the radicals stand in the stem, in order.

    Weak radicals that vanish or change do not, and no model of surface strings can find such a root.
    """
    rest = iter(stem)
    return all(radical in rest for radical in root)


def strong_roots(word: GoldWord, length: int) -> list[str]:
    """The gold roots of `length` radicals that the stem shows; empty if the word is not to be evaluated."""
    return [root for root in word.roots if len(root) == length and surface_realised(root, word.stem)]


def score_roots(
    hypothesised: Mapping[str, Collection[str]],
    gold: Iterable[GoldWord],
    length: int = 3,
    roots_that_are_stems: bool = True,
) -> RootScore:
    """The share of words one of whose hypothesised roots is a gold root, among words with a strong root of that length.

    Without `roots_that_are_stems`, words whose stem is nothing but the root are left out.
    """
    column = np.array(_matches(hypothesised, gold, length, roots_that_are_stems)).reshape(-1, 1)
    both = np.hstack([column, np.ones_like(column)])
    accuracy = 100 * float(column.mean()) if len(column) else float("nan")
    return RootScore(accuracy, len(column), bootstrap(both, lambda sums: 100 * float(sums[0] / sums[1])))


def _matches(
    hypothesised: Mapping[str, Collection[str]],
    gold: Iterable[GoldWord],
    length: int,
    roots_that_are_stems: bool = True,
) -> list[float]:
    """1 or 0 for each word that is evaluated."""
    matches = []
    for word in gold:
        truth = strong_roots(word, length)
        if truth and (roots_that_are_stems or word.stem not in truth):
            matches.append(1.0 if set(hypothesised.get(word.word, ())) & set(truth) else 0.0)
    return matches


def partial_matches(
    hypothesised: Mapping[str, Collection[str]], gold: Iterable[GoldWord], length: int
) -> dict[str, int]:
    """Words with a strong root of `length`: how many have a candidate, an exact one, and one that shares all but one radical.

    >>> from binyan.evaluation.gold import GoldWord
    >>> from binyan.segmentation import Part, Segmentation
    >>> word = GoldWord("dahraj", (Segmentation("dahraj", (Part("dahraj", "stem"),)),), ("dhrj",))
    >>> partial_matches({"dahraj": ["dhra"]}, [word], 4)
    {'evaluated': 1, 'with_candidate': 1, 'exact': 0, 'all_but_one': 1}
    """
    counts = dict.fromkeys(("evaluated", "with_candidate", "exact", "all_but_one"), 0)
    for word in gold:
        if not (truth := strong_roots(word, length)):
            continue
        candidates = hypothesised.get(word.word, ())
        shared = max((_shared(one, root) for one in candidates for root in truth), default=0)
        counts["evaluated"] += 1
        counts["with_candidate"] += bool(candidates)
        counts["exact"] += shared == length
        counts["all_but_one"] += shared == length - 1
    return counts


def _shared(one: str, other: str) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for letter in one:
        before = row
        row = [0]
        for i, theirs in enumerate(other):
            row.append(before[i] + 1 if letter == theirs else max(row[i], before[i + 1]))
    return row[-1]


def guess_roots(
    gold: Sequence[GoldWord], length: int = 3, guesser: Guesser = "uniform", seed: int = 1
) -> dict[str, list[str]]:
    """Random roots: characters are struck out of the word, or of its gold stem, until `length` remain.

    The constrained guessers know which characters occur in the roots that count (`strong_roots`): a stray vowel in any other root of
    the list would let that vowel through in all words.
    """
    random = np.random.default_rng(seed)
    radicals = {radical for word in gold for root in strong_roots(word, length) for radical in root}
    guesses = {}
    for word in gold:
        text = word.stem if guesser in ("stem-constrained", "doubly constrained") else word.word
        if guesser in ("character-constrained", "doubly constrained"):
            text = "".join(char for char in text if char in radicals)
        if len(text) >= length:
            kept = sorted(random.choice(len(text), size=length, replace=False))
            guesses[word.word] = ["".join(text[i] for i in kept)]
    return guesses


def guesser_accuracy(gold: Sequence[GoldWord], length: int, guesser: Guesser, repetitions: int = 5) -> float:
    """The accuracy of a random guesser, averaged over repetitions."""
    scores = [
        np.mean(_matches(guess_roots(gold, length, guesser, seed), gold, length)) for seed in range(1, repetitions + 1)
    ]
    return 100 * float(np.mean(scores))
