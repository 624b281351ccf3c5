"""Word similarity: how well cosines of word vectors order pairs of words as people do (thesis, section 4.4.5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from binyan.errors import InputError
from binyan.files import PathLike
from binyan.number_text import finite_number
from binyan.text.reading import read_lines


@dataclass(frozen=True)
class WordPair:
    """Two words and the similarity people gave them."""

    one: str
    other: str
    score: float


@dataclass(frozen=True)
class SimilarityResult:
    """Spearman's rho over all pairs, and how many pairs have a word without a vector of its own or of its morphemes."""

    rho: float
    pairs: int
    uncovered: int
    signature: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        figures = {
            "spearman": None if math.isnan(self.rho) else self.rho,
            "pairs": self.pairs,
            "uncovered_pairs": self.uncovered,
        }
        return figures | ({"signature": self.signature} if self.signature else {})

    def __str__(self) -> str:
        rho = "-" if math.isnan(self.rho) else f"{100 * self.rho:.1f}"
        return f"rho {rho}  pairs {self.pairs}  not covered {self.uncovered}"


def read_pairs(path: PathLike, lowercase: bool = False) -> list[WordPair]:
    """Pairs from a file of three columns, word, word, score, separated by tabs, commas, semicolons or spaces.

    A first line whose third column is no number is a heading.
    """
    pairs = []
    for number, line in read_lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        mark = next((m for m in ("\t", ";", ",") if m in line), None)
        fields = [f.strip() for f in line.split(mark)]
        try:
            one, other, score = fields[0], fields[1], finite_number(fields[2])
        except (IndexError, ValueError) as error:
            if number == 1 and not str(error).endswith("finite number"):
                continue
            raise InputError(f"{path}:{number}: {line[:80]!r} is not: word, word, score: {error}") from None
        pairs.append(WordPair(one.lower(), other.lower(), score) if lowercase else WordPair(one, other, score))
    if len(pairs) < 2:
        raise InputError(f"{path}: holds {len(pairs)} pairs; a rank correlation needs more")
    return pairs


def evaluate_similarity(
    pairs: Sequence[WordPair],
    similarity: Callable[[str, str], float],
    known: Callable[[str], bool],
    signature: str = "",
) -> SimilarityResult:
    """Spearman's rank correlation of `similarity` with the scores of `pairs`; ties share their rank.

    NaN, shown as a dash, where either has one value alone: there is then no order to compare.
    """
    from scipy.stats import spearmanr

    cosines = [similarity(p.one, p.other) for p in pairs]
    scores = [p.score for p in pairs]
    constant = len(set(cosines)) < 2 or len(set(scores)) < 2
    rho = math.nan if constant else spearmanr(cosines, scores).statistic
    uncovered = sum(not (known(p.one) and known(p.other)) for p in pairs)
    return SimilarityResult(float(rho), len(pairs), uncovered, signature)
