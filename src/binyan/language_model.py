"""The one protocol of all language models. Perplexity, rescoring, the decoder and the web page use this and nothing else."""

from __future__ import annotations

import importlib
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from binyan import model_file
from binyan.errors import ModelFileError
from binyan.signature import Signature
from binyan.text.preparation import Preparation
from binyan.text.vocabulary import BEGIN, END, UNKNOWN, Vocabulary

State = Hashable


@dataclass(frozen=True, slots=True)
class WordScore:
    """One word in one context: the state after it, its natural log-probability, the length of the longest n-gram of the
    training text that ends in it (the thesis's hit length; 0 where the model has no such notion), and whether it is unknown."""

    state: State
    log_prob: float
    matched: int
    unknown: bool


@dataclass(frozen=True)
class Scores:
    """Scores of sentences, one element an event: the words of each sentence, then its </s>.

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
    def sentence_log_prob(self) -> NDArray[np.float64]:
        """One natural log-probability a sentence."""
        sums = np.concatenate([[0.0], np.cumsum(self.log_prob)])
        return sums[self.offsets[1:]] - sums[self.offsets[:-1]]


@dataclass(frozen=True)
class Step:
    """One step in how a probability was made: what was looked up, its own probability or weight, and how much of the
    word's probability came by it (`share`; the shares of a word's steps sum to one where all are given)."""

    name: str
    detail: str = ""
    probability: float | None = None
    share: float | None = None


@dataclass(frozen=True)
class Parts:
    """What a mixture may weigh a model by, at each of some events: the parts that its probabilities are sums of, and features of the
    contexts h. Over the parts `share` sums to P(word | h), `mass` to 1 and `unknown` to P(<unk> | h)."""

    share: NDArray[np.floating]  # (parts, events)
    mass: NDArray[np.floating]
    unknown: NDArray[np.floating]
    features: NDArray[np.floating]  # (events, features)

    @classmethod
    def whole(
        cls, chances: NDArray[np.floating], unknown: NDArray[np.floating], features: NDArray[np.floating] | None = None
    ) -> Parts:
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


def perplexity(log_prob: NDArray[np.float64]) -> float:
    """exp of the mean negative log-probability; NaN for no events."""
    return math.exp(-float(np.mean(log_prob))) if len(log_prob) else math.nan


class LanguageModel(ABC):
    """A distribution over sentences, word by word. Queries change nothing and may come from several threads."""

    kind: ClassVar[str]
    order: int
    vocabulary: Vocabulary
    preparation: Preparation

    @abstractmethod
    def begin(self) -> State:
        """The state at the start of a sentence."""

    @abstractmethod
    def score(self, state: State, word: str) -> WordScore:
        """Score one word (or "</s>") after `state`."""

    @abstractmethod
    def score_sentences(self, sentences: Iterable[Sequence[str]]) -> Scores:
        """Score prepared sentences in one batch, each with its </s>: the fast path."""

    @abstractmethod
    def next_words(self, state: State) -> NDArray[np.float64]:
        """The probability of every word of the vocabulary after `state`, by id; <s> has 0.

        Sums to one, but for what an open-vocabulary model keeps for words outside the vocabulary.
        """

    def explain(self, sentence: Sequence[str]) -> list[Explanation]:
        """How the probability of each word of a prepared sentence, and of its </s>, was made."""
        explanations: list[Explanation] = []
        state = self.begin()
        for word in (*sentence, END):
            scored = self.score(state, word)
            steps = self.steps(state, word)
            explanations.append(Explanation(word, scored.log_prob, scored.matched, scored.unknown, steps))
            state = scored.state
        return explanations

    def steps(self, state: State, word: str) -> tuple[Step, ...]:
        """The steps behind `score(state, word)`; none where a model has nothing to tell."""
        return ()

    def parts(self, state: State, word: str | None = None) -> Parts:
        """The parts of the probability of one word after `state`; of every word of the vocabulary, by id, where none is named. One
        part and no features where a model has no such notion."""
        chances = self.next_words(state) if word is None else np.exp([self.score(state, word).log_prob])
        return Parts.whole(chances, np.exp([self.score(state, UNKNOWN).log_prob]))

    def sentence_parts(self, sentences: Iterable[Sequence[str]]) -> Parts:
        """The parts of every event of prepared sentences."""
        chances, unknown = list[float](), list[float]()
        for sentence in sentences:
            state = self.begin()
            for word in (*sentence, END):
                scored = self.score(state, word)
                chances.append(scored.log_prob)
                unknown.append(self.score(state, UNKNOWN).log_prob)
                state = scored.state
        return Parts.whole(np.exp(chances), np.exp(unknown))

    @abstractmethod
    def signature(self) -> Signature:
        """How the model was made."""

    @abstractmethod
    def contents(self) -> tuple[dict[str, Any], dict[str, model_file.Section]]:
        """Settings and sections for a model file."""

    @classmethod
    @abstractmethod
    def from_file(cls, file: model_file.ModelFile) -> LanguageModel:
        """The inverse of `contents`."""

    def training_counts(self) -> NDArray[Any] | None:
        """How often each word of the vocabulary, by id, was an event of the training text; None where the model has not kept it."""
        return None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file."""
        model_file.save(path, self.kind, *self.contents())

    def sample(self, random: np.random.Generator, longest: int = 100) -> list[str]:
        """Draw a sentence of at most `longest` words."""
        words: list[str] = []
        state = self.begin()
        while len(words) < longest:
            chances = self.next_words(state)
            word = self.vocabulary.words[int(random.choice(len(chances), p=chances / chances.sum()))]
            if word == END:
                break
            words.append(word)
            state = self.score(state, word).state
        return words

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.signature()}>"

    def __copy__(self) -> Self:
        """A shallow copy; without this, `copy.copy` would go through the container and double the memory."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def to_bytes(self) -> bytes:
        """The model file as bytes, for databases and other processes; `from_bytes` is the inverse. Pickling uses it."""
        return model_file.to_bytes(self.kind, *self.contents())

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return from_bytes, (self.to_bytes(),)


# kind in the model file -> where its class lives; imported only when such a file is loaded.
KINDS: dict[str, str] = {
    "mkn": "binyan.ngram.kneser_ney:KneserNey",
    "arpa": "binyan.ngram.arpa:ArpaModel",
    "hpylm": "binyan.ngram.hpylm:HPYLM",
    "log-bilinear": "binyan.log_bilinear.language_model:LogBilinearLM",
    "mixture": "binyan.mixture:Mixture",
    "hpylm+c": "binyan.ngram.compound:CompoundHPYLM",
    "hpylm+g": "binyan.ngram.compound:BothWaysHPYLM",
}


# What other kinds of models are for.
_HINTS = {
    "adaptor": "; 'binyan morph' has the commands for it",
    "compound-splitter": "; 'binyan compounds' has the commands for it",
    "frequency-splitter": "; 'binyan compounds' has the commands for it",
}


def load(path: str | os.PathLike[str]) -> LanguageModel:
    """Load a language model of any kind."""
    return from_model_file(model_file.load(path))


def from_model_file(file: model_file.ModelFile) -> LanguageModel:
    """The language model in an opened model file."""
    if file.kind not in KINDS:
        raise ModelFileError(
            f"{file.path}: holds a model of kind {file.kind!r}, which is not a language model{_HINTS.get(file.kind, '')}"
        )
    module, name = KINDS[file.kind].split(":")
    model: LanguageModel = getattr(importlib.import_module(module), name).from_file(file)
    return model


def from_bytes(data: bytes) -> LanguageModel:
    """The language model of `LanguageModel.to_bytes`."""
    return from_model_file(model_file.from_bytes(data))


__all__ = [
    "BEGIN",
    "END",
    "KINDS",
    "Explanation",
    "LanguageModel",
    "Scores",
    "State",
    "Step",
    "WordScore",
    "from_bytes",
    "from_model_file",
    "load",
    "perplexity",
]
