"""How many roots are found: of all words, and apart for strong, weak and geminate roots.

A root is strong in a word whose stem shows all its radicals in order, geminate where its last two radicals are the same and the stem shows
them as one, weak where it hides or changes a radical in another way. Hamza and alif count as one radical, as gold lists write either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from binyan.evaluation.bootstrap import bootstrap
from binyan.evaluation.gold import GoldWord
from binyan.evaluation.roots import RootScore, surface_realised
from binyan.evaluation.table import Column, Table

RootKind = Literal["strong", "weak", "geminate"]
KINDS: tuple[RootKind, ...] = ("strong", "weak", "geminate")

_HAMZA = str.maketrans(dict.fromkeys("Aأإؤئآاٱ>&<}|{", "ء") | {"'": "ء"})


def comparable(root: str) -> str:
    """A root in the form in which roots are compared: hamza on any seat, and alif, are one letter.

    >>> comparable("rAy") == comparable("r>y")
    True
    """
    return root.translate(_HAMZA)


def root_kind(root: str, stem: str) -> RootKind:
    """What a root is in a stem: strong, weak or geminate.

    >>> [root_kind("ktb", "kitAb"), root_kind("qwl", "qAl"), root_kind("mdd", "md")]
    ['strong', 'weak', 'geminate']
    """
    root, stem = comparable(root), comparable(stem)
    if surface_realised(root, stem):
        return "strong"
    return "geminate" if root[-1:] == root[-2:-1] and surface_realised(root[:-1], stem) else "weak"


@dataclass(frozen=True)
class RootScores:
    """Exact matches of roots: of all words with a root of that length, and of each kind. `rootless` are words without a gold root."""

    all: RootScore
    kinds: Mapping[str, RootScore]
    rootless: RootScore

    def to_dict(self) -> dict[str, Any]:
        """For JSON; the figures at the top are those of strong roots, which any model can find."""
        parts: dict[str, Any] = {kind: score.to_dict() for kind, score in self.kinds.items()}
        return {
            **self.kinds["strong"].to_dict(),
            "all": self.all.to_dict(),
            **parts,
            "rootless": self.rootless.to_dict(),
        }

    def table(self, signature: str) -> Table:
        """The same as a table."""
        scores: dict[str, RootScore] = {"all": self.all, **self.kinds, "without a root": self.rootless}
        columns = [Column("roots"), Column("words"), *(Column(name, ".1f") for name in ("found", "low", "high"))]
        rows = [
            (name, score.evaluated, score.accuracy, score.interval.low, score.interval.high)
            for name, score in scores.items()
        ]
        return Table("Roots found, per cent", columns, rows, signature)


def score_root_answers(
    answers: Mapping[str, str | None], gold: Iterable[GoldWord], length: int = 3, short_geminates: bool = False
) -> RootScores:
    """Compare one root per word, or none, with the gold roots of `length` radicals.

    With `short_geminates`, a gold root of one radical less is a geminate one, its last radical written once (`md` for mdd), as in
    Buckwalter's lexicon. A word whose roots all have other lengths is left out; a word without any gold root is right without an answer.
    """
    matches: dict[str, list[float]] = {kind: [] for kind in (*KINDS, "rootless")}
    for word in gold:
        answer = answers.get(word.word)
        if not word.roots:
            matches["rootless"].append(float(answer is None))
            continue
        roots = [_whole(root, length, short_geminates) for root in word.roots]
        truth = [root for root in roots if len(root) == length]
        if truth:
            right = answer is not None and comparable(answer) in {comparable(root) for root in truth}
            matches[root_kind(truth[0], word.stem)].append(float(right))
    kinds: dict[str, RootScore] = {kind: _score(matches[kind]) for kind in KINDS}
    everything = _score([match for kind in KINDS for match in matches[kind]])
    return RootScores(everything, kinds, _score(matches["rootless"]))


def _whole(root: str, length: int, short_geminates: bool) -> str:
    root = root.split("(")[0]  # homonyms are numbered: wrd(1)
    return root + root[-1] if short_geminates and len(root) == length - 1 else root


def _score(matches: list[float]) -> RootScore:
    column = np.array(matches, float).reshape(-1, 1)
    both = np.hstack([column, np.ones_like(column)])
    accuracy = 100 * float(column.mean()) if len(column) else float("nan")
    return RootScore(accuracy, len(column), bootstrap(both, lambda sums: 100 * float(sums[0] / sums[1])))
