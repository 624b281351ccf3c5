"""What language models answer: scores of words and sentences, the next words, and how a probability was made."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from binyan.text.vocabulary import Vocabulary

State = Hashable


@dataclass(frozen=True, slots=True)
class WordScore:
    """One word in one context.

    The state after it, its natural log-probability, the length of the longest n-gram of the training text that ends in it (the
    thesis's hit length; 0 where the model has no such notion), and whether it is unknown.
    """

    state: State
    log_prob: float
    matched: int
    unknown: bool


@dataclass(frozen=True)
class Scores:
    """Scores of sentences, one element per event: the words of each sentence, then its </s>.

    The events of sentence i are [offsets[i], offsets[i + 1]).
    """

    log_prob: NDArray[np.float64]
    matched: NDArray[np.uint8]
    unknown: NDArray[np.bool_]
    offsets: NDArray[np.uint64]

    @property
    def tokens(self) -> int:
        """Number of events, sentence ends included."""
        return len(self.log_prob)

    @property
    def perplexity(self) -> float:
        """Over all events, unknown words scored as <unk> (or as the model's open vocabulary scores them)."""
        return perplexity(self.log_prob)

    @property
    def perplexity_known(self) -> float:
        """Over events whose word is in the vocabulary."""
        return perplexity(self.log_prob[~self.unknown])

    @property
    def perplexity_unknown(self) -> float:
        """Over events whose word is outside the vocabulary; NaN where there are none."""
        return perplexity(self.log_prob[self.unknown])

    @property
    def sentence_log_prob(self) -> NDArray[np.float64]:
        """One natural log-probability per sentence."""
        if len(self.offsets) < 2:
            return np.zeros(0)
        return np.add.reduceat(self.log_prob, self.offsets[:-1].astype(np.int64))  # each sentence has its </s>


@dataclass(frozen=True)
class Step:
    """One step in how a probability was made.

    What was looked up, its own probability or weight, and how much of the word's probability came by it (`share`; the shares of
    a word's steps sum to one where all are given).
    """

    name: str
    detail: str = ""
    probability: float | None = None
    share: float | None = None


@dataclass(frozen=True)
class MixtureParts:
    """What a mixture may weigh a model by, at each of some events.

    The parts that its probabilities are sums of, and features of the contexts h. Over the parts `share` sums to P(word | h),
    `mass` to 1 and `unknown` to P(<unk> | h). How many parts and features a model has never changes; both may be as few as one part and no
    feature. `matched`: how many words the longest stored n-gram of each event has; none where a model has no such notion.
    """

    share: NDArray[np.floating]  # (parts, events)
    mass: NDArray[np.floating]
    unknown: NDArray[np.floating]
    features: NDArray[np.floating]  # (events, features)
    matched: NDArray[np.uint8] | None = None

    @classmethod
    def sum(cls, models: Sequence[MixtureParts], weights: Sequence[float]) -> MixtureParts:
        """Of the sum of models with fixed weights: the parts of all."""
        share, mass, unknown = (
            np.concatenate([w * getattr(p, name) for w, p in zip(weights, models, strict=True)])
            for name in ("share", "mass", "unknown")
        )
        return cls(share, mass, unknown, np.concatenate([p.features for p in models], axis=1))

    @classmethod
    def whole(
        cls, chances: NDArray[np.floating], unknown: NDArray[np.floating], features: NDArray[np.floating] | None = None
    ) -> MixtureParts:
        """Of a model with one part: P(word | h) and P(<unk> | h) of each event."""
        none = np.zeros((len(unknown), 0))
        return cls(chances[None], np.ones((1, len(unknown))), unknown[None], none if features is None else features)


@dataclass(frozen=True)
class Explanation:
    """One word of a sentence: its score, and the steps that led to it."""

    word: str
    log_prob: float
    matched: int
    unknown: bool
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        notes = [f"{self.matched}-gram match"] * (self.matched > 0) + ["not in the vocabulary"] * self.unknown
        remark = f"  ({', '.join(notes)})" if notes else ""
        lines = [f"{self.word}\t{math.exp(self.log_prob):.4g}{remark}"]
        for step in self.steps:
            probability = "" if step.probability is None else f"{step.probability:.4g}"
            share = "" if step.share is None else f"{step.share:7.1%}"
            lines.append(f"    {step.name:<12} {step.detail:<40} {probability:>12} {share}")
        return "\n".join(lines)


def perplexity(log_prob: NDArray[np.float64]) -> float:
    """Exp of the mean negative log-probability; NaN for no events."""
    return math.exp(-float(np.mean(log_prob))) if len(log_prob) else math.nan


class NextWords(Mapping[str, float]):
    """The probability of every word of the vocabulary after a context: a mapping from words to probabilities.

    >>> after = NextWords(Vocabulary(["haus", "hof"]), np.array([0.1, 0.0, 0.2, 0.6, 0.1]))
    >>> after.most_common(2), after["hof"]
    ([('haus', 0.6), ('</s>', 0.2)], 0.1)
    """

    def __init__(self, vocabulary: Vocabulary, probabilities: NDArray[np.float64]) -> None:
        self.vocabulary, self.probabilities = vocabulary, probabilities

    def __getitem__(self, word: str) -> float:
        if word not in self.vocabulary:
            raise KeyError(word)
        return float(self.probabilities[self.vocabulary[word]])

    def __iter__(self) -> Iterator[str]:
        return iter(self.vocabulary.words)

    def __len__(self) -> int:
        return len(self.vocabulary)

    def most_common(self, n: int = 10) -> list[tuple[str, float]]:
        """The n most probable words with their probabilities, best first."""
        order = np.argsort(-self.probabilities, kind="stable")[:n]
        return [(self.vocabulary.words[i], float(self.probabilities[i])) for i in order]

    def __repr__(self) -> str:
        best = ", ".join(f"{word} {p:.3g}" for word, p in self.most_common(3))
        return f"<NextWords of {len(self):,}: {best} ...>"
