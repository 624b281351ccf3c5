"""Whether the chains of a sampler agree on what they say of words, whether that still moves, and what it means in plain words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from binyan.grammar.compiled import Compiled
from binyan.morphology.history import AnalysisHistory
from binyan.morphology.shown_analyses import Numbers, ShownAnalyses, ShownAnalysis, dispute, most_frequent
from binyan.morphology.word_list import WordList
from binyan.sampling.decisions import decision_effective_sizes, decision_r_hats

LEAST_ROWS = 8
"""Noted sweeps in the second half of a run below which nothing is said."""

SETTLED = 1.1
"""R-hat of a decision below which it is settled."""

_LOW = 0.9  # agreement below which the reason is named
_NAMED = 2  # disputes that are named
_POINTS = 20  # of the trace of agreement
_NUMERALS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}


@dataclass(frozen=True)
class Agreement:
    """The share of words, and of lexicon entries in use, on which all chains agree after a sweep.

    The analysis of a chain is its most frequent one in the second half of the sweeps so far. `steady` is the share of words whose
    analysis is in every chain the one it was half as many sweeps before.
    """

    sweep: int
    words: float
    entries: float
    steady: float


@dataclass(frozen=True)
class Dispute:
    """Something that chains see differently, and in how many words."""

    one: str
    other: str
    words: int


@dataclass(frozen=True)
class Convergence:
    """How far chains agree now and did at half time, and how settled the decisions about words are over the second half.

    A word is settled if each of its decisions (is there a border here, is this the analysis) has an R-hat below 1.1.
    `effective_size` is the median, over words with a decision that varied, of the smallest effective sample size; of `draws`.
    """

    chains: int
    watched: int
    now: Agreement
    half_time: Agreement
    settled: float
    effective_size: float
    draws: int
    disputes: tuple[Dispute, ...]

    @property
    def agreement(self) -> float:
        """The share of words on which chains agree; of a single chain, on which it agrees with itself at half time."""
        return self.now.words if self.chains > 1 else self.now.steady

    @property
    def change(self) -> float:
        """By how much agreement has risen since half time."""
        return self.now.words - self.half_time.words

    @property
    def is_still(self) -> bool:
        """Whether agreement has stopped moving."""
        points = round(100 * self.now.words) - round(100 * self.half_time.words)
        return abs(points) <= 1 or abs(self.change) <= 1.5 / self.watched

    def is_stable(self, least: float) -> bool:
        """Whether agreement is at least this and has stopped moving."""
        return self.agreement >= least and self.is_still

    def sentence(self) -> str:
        """What this means, in plain words."""
        if self.chains == 1:
            return (
                f"One chain: {_per_cent(self.now.steady)} of the words have the analysis they had at half time; "
                "two or more chains would show whether they agree."
            )
        agree = f"The {_NUMERALS.get(self.chains, str(self.chains))} chains agree on {_per_cent(self.now.words)} of the words"
        before = f"it was {100 * self.half_time.words:.0f} at half time"
        if self.is_still and self.now.words >= _LOW:
            return f"{agree}; {before}: stable."
        disagree = f"they disagree on {_per_cent(1 - self.now.words)}{self._named()}"
        if self.is_still:
            return (
                f"{agree}; {before}; {disagree}; more sweeps are unlikely to help: the combined model weighs what the chains say, "
                "and more words, or knowledge of affixes, would decide."
            )
        moving = "rising: more sweeps will help" if self.change > 0 else "falling: it is not stable yet"
        return f"{agree}; {before}: {moving}."

    def _named(self) -> str:
        if not self.disputes:
            return ""
        named = self.disputes[:_NAMED]
        count = sum(d.words for d in named)
        mostly = "mostly" if 2 * count >= self.watched * (1 - self.now.words) else "for example"
        return f", {mostly} about {' and '.join(f'{d.one} or {d.other}' for d in named)}"

    def __str__(self) -> str:
        """The sentence, then the figures."""
        rows = [
            self.sentence(),
            f"Decisions about {_per_cent(self.settled)} of the words are settled (R-hat below {SETTLED} over the second half); "
            f"where they vary, {self.effective_size:.0f} of {self.draws} draws are independent.",
        ]
        if self.chains > 1:
            rows.append(
                f"Lexicon entries that all chains use: {_per_cent(self.now.entries)} of those that any uses; "
                f"{100 * self.half_time.entries:.0f} at half time."
            )
        return "\n".join(rows)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "sentence": self.sentence()}


class ConvergenceJudge:
    """Judges the histories of chains, which watch the same words."""

    def __init__(self, compiled: Compiled, words: WordList) -> None:
        self._shown = ShownAnalyses(compiled, words)

    def judge(self, histories: Sequence[AnalysisHistory], sweep: int) -> Convergence | None:
        """How far the chains have converged after `sweep` sweeps; None while too few of these are noted."""
        late = [self._shown.numbers(history, sweep / 2, sweep) for history in histories]
        if not self._enough(late) or not all(self._noted(history, sweep / 2) for history in histories):
            return None
        rows = min(map(len, late))
        settled, effective_size = self._settled(np.array([numbers[-rows:] for numbers in late]))
        return Convergence(
            len(histories),
            late[0].shape[1],
            self.agreement(histories, sweep),
            self.agreement(histories, sweep // 2),
            settled,
            effective_size,
            rows * len(histories),
            self._disputes([most_frequent(numbers) for numbers in late]),
        )

    def agreement(self, histories: Sequence[AnalysisHistory], sweep: int) -> Agreement:
        """How far the chains agree after `sweep` sweeps, at least two of which are noted."""
        best = [most_frequent(self._shown.numbers(history, sweep / 2, sweep)) for history in histories]
        earlier = [self._shown.numbers(history, sweep / 4, sweep / 2) for history in histories]
        steady = [most_frequent(numbers) == now for numbers, now in zip(earlier, best, strict=True) if len(numbers)]
        entries = [frozenset().union(*(self._shown.analyses[number].entries for number in numbers)) for numbers in best]
        shared = len(frozenset.intersection(*entries)) / max(len(frozenset.union(*entries)), 1)
        same = np.all([numbers == best[0] for numbers in best], axis=0)
        return Agreement(sweep, float(same.mean()), shared, float(np.all(steady, axis=0).mean()) if steady else 0.0)

    def trace(self, histories: Sequence[AnalysisHistory], sweep: int) -> list[Agreement]:
        """How agreement moved over the last three quarters of the sweeps done."""
        points = sorted({sweep * i // _POINTS for i in range(_POINTS // 4, _POINTS + 1)})
        return [
            self.agreement(histories, at) for at in points if all(self._noted(h, at / 2) for h in histories) and at > 1
        ]

    @staticmethod
    def _noted(history: AnalysisHistory, sweep: float) -> bool:
        return any(sweep / 2 < noted <= sweep for noted in history.sweeps)

    @staticmethod
    def _enough(late: Sequence[Numbers]) -> bool:
        return all(len(numbers) >= LEAST_ROWS and numbers.shape[1] for numbers in late)

    def _settled(self, late: Numbers) -> tuple[float, float]:
        """The share of words that are settled, and the median effective sample size of those that vary; chains x draws x words."""
        varied = np.flatnonzero((late != late[:1, :1]).any(axis=(0, 1)))
        if not len(varied):
            return 1.0, float(late.shape[0] * late.shape[1])
        layers, owners = [], []
        for word in varied.tolist():
            of_word = self._decisions(late[:, :, word])
            layers += of_word
            owners += [word] * len(of_word)
        decisions = np.stack(layers, axis=-1)
        unsettled = np.unique(np.array(owners)[~(decision_r_hats(decisions) < SETTLED)])
        smallest = np.full(late.shape[2], np.inf)
        np.minimum.at(smallest, np.array(owners), decision_effective_sizes(decisions))
        return 1.0 - len(unsettled) / late.shape[2], float(np.median(smallest[varied]))

    def _decisions(self, numbers: Numbers) -> list[np.ndarray[Any, np.dtype[np.bool_]]]:
        """The decisions about one word that varied: a border at each place, and the most frequent analysis; chains x draws."""
        used, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        borders = [self._shown.analyses[number].borders for number in used.tolist()]
        unsure = frozenset.union(*borders) - frozenset.intersection(*borders)
        rows = [np.array([place in b for b in borders]) for place in sorted(unsure)]
        rows.append(np.arange(len(used)) == counts.argmax())
        return [row[places].reshape(numbers.shape) for row in rows]

    def _disputes(self, best: Sequence[Numbers]) -> tuple[Dispute, ...]:
        tally: Counter[tuple[str, str]] = Counter()
        for numbers in best[1:]:
            for one, other in zip(best[0].tolist(), numbers.tolist(), strict=True):
                if one != other:
                    tally[dispute(self._reading(one), self._reading(other))] += 1
        return tuple(Dispute(*pair, words) for pair, words in sorted(tally.items(), key=lambda i: (-i[1], i[0]))[:10])

    def _reading(self, number: int) -> ShownAnalysis:
        return self._shown.analyses[number]


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f} per cent"
