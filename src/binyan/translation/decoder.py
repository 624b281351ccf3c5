"""Hierarchical decoding with any language models as features (Chiang 2007)."""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.language_model import LanguageModel
from binyan.progress import Progress, ProgressOption
from binyan.translation.grammar import Grammar
from binyan.translation.model_features import model_feature

DECODER_FEATURES = ("Glue", "PassThrough", "Words", "Rules")
# Where tuning starts: near what English to German captions were tuned to.
_START = {
    "TargetGivenSource": 0.4,
    "LexTargetGivenSource": 0.05,
    "LexSourceGivenTarget": 0.5,
    "LogCount": 0.2,
    "Singleton": -0.5,
    "LogSourceCount": -0.2,
    "SingletonSource": -0.3,
    "Coherence": 0.2,
    "Glue": 0.2,
    "PassThrough": -1.0,
    "Words": 0.6,
}
_BATCH = 200  # words between two chances to interrupt, for each thread
_FEW = 0.1  # share of a grammar's words below which a language model is of something else


class VocabularyWarning(UserWarning):
    """A language model knows few of the words the grammar writes."""


@dataclass(frozen=True)
class DecoderSettings:
    """`max_span`: source words a rule covers; longer stretches are joined by glue. `pop_limit`: hypotheses kept of a span by
    cube pruning. `rule_limit`: target sides of a source side that are tried (0: all). `consensus`: of how many best
    translations that one is taken which agrees best with the others (1: the best itself)."""

    max_span: int = 10
    pop_limit: int = 200
    rule_limit: int = 0
    consensus: int = 1

    def __post_init__(self) -> None:
        if self.max_span < 1 or self.pop_limit < 1 or self.rule_limit < 0 or self.consensus < 1:
            raise SettingsError("the span and pop limits and consensus are 1 or more, the rule limit 0 (none) or more")


@dataclass(frozen=True)
class Hypothesis:
    """A translation: its words, its score, and the features whose weighted sum the score is."""

    words: tuple[str, ...]
    score: float
    features: NDArray[np.float64]


@dataclass(frozen=True)
class HypothesisLists:
    """The k best of many sentences, flat: hypothesis h is of sentence `sentence[h]` and has the words
    `words[offsets[h]:offsets[h + 1]]`, ids of `vocabulary`."""

    sentence: NDArray[np.uint32]
    score: NDArray[np.float64]
    words: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    features: NDArray[np.float64]
    vocabulary: list[str]

    def text(self, h: int) -> tuple[str, ...]:
        """The words of hypothesis h."""
        ids = self.words[int(self.offsets[h]) : int(self.offsets[h + 1])]
        return tuple(self.vocabulary[i] for i in ids)


class Decoder:
    """Translates sentences with a grammar and language models under given weights.

    `weights` are by feature name (see `feature_names`); those not given start at reasonable values, or 0.
    """

    def __init__(
        self,
        grammar: Grammar,
        models: Sequence[LanguageModel] = (),
        weights: Mapping[str, float] | None = None,
        settings: DecoderSettings | None = None,
    ) -> None:
        self.grammar, self.models = grammar, list(models)
        self.settings = settings or DecoderSettings()
        self.feature_names = feature_names(grammar, len(self.models))
        self.weights = {**start_weights(self.feature_names), **(weights or {})}
        strange = [name for name in self.weights if name not in self.feature_names]
        if strange:
            raise SettingsError(f"no feature is called {strange[0]!r}; there are {', '.join(self.feature_names)}")
        for i, model in enumerate(self.models, 1):
            _check_vocabulary(model, grammar, i)

    def reweighted(self, weights: Mapping[str, float]) -> Decoder:
        """The same decoder under other weights."""
        other = object.__new__(Decoder)
        other.__dict__.update(self.__dict__, weights={**self.weights, **weights})
        return other

    def translate(
        self, sentences: Sequence[Sequence[str]], threads: int = 1, progress: ProgressOption = None
    ) -> list[Hypothesis]:
        """The best translation of each prepared sentence; that of an empty sentence is empty.

        With `consensus` in the settings, the one of so many best that has the highest expected BLEU, nearly: the highest BLEU
        against expected n-gram counts (DeNero, Chiang and Knight 2009), scores being logarithms of probabilities.
        """
        best: list[Hypothesis] = [Hypothesis((), 0.0, np.zeros(len(self.feature_names)))] * len(sentences)
        lists = self.k_best(
            sentences, self.settings.consensus, self.settings.consensus > 1, threads=threads, progress=progress
        )
        for h in _core.consensus(lists.words, lists.offsets, lists.sentence, lists.score):
            best[lists.sentence[h]] = Hypothesis(lists.text(h), float(lists.score[h]), lists.features[h])
        return best

    def k_best(
        self,
        sentences: Sequence[Sequence[str]],
        k: int,
        distinct: bool = False,
        threads: int = 1,
        progress: ProgressOption = None,
    ) -> HypothesisLists:
        """The k best derivations of each sentence (with `distinct`, translations), best first."""
        if k < 1 or threads < 1:
            raise SettingsError("k and the number of threads are 1 or more")
        words, copies, offsets, vocabulary = self._encode(sentences)
        native = self._native(vocabulary)
        parts: list[tuple[Any, ...]] = []
        first = 0
        with Progress("sentences", len(sentences), progress) as shown:
            while first < len(sentences):
                last = first + threads
                while last < len(sentences) and offsets[last + 1] - offsets[first] <= _BATCH * threads:
                    last += 1
                last = min(last, len(sentences))
                found = native.translate(words, copies, offsets[first : last + 1], k, distinct, threads)
                parts.append((found[0] + np.uint32(first), *found[1:]))
                shown.advance(last - first)
                first = last
        word_offsets, base = [np.zeros(1, np.uint64)], np.uint64(0)
        for part in parts:
            word_offsets.append(part[3][1:] + base)
            base += np.uint64(len(part[2]))
        joined = [np.concatenate([p[i] for p in parts]) if parts else np.zeros(0) for i in (0, 1, 2, 4)]
        features = joined[3].reshape(-1, len(self.feature_names))
        return HypothesisLists(
            joined[0].astype(np.uint32), joined[1], joined[2].astype(np.uint32), np.concatenate(word_offsets), features, vocabulary
        )  # fmt: skip

    def hypergraph(self, sentence: Sequence[str]) -> _core.Hypergraph:
        """The packed translations of one sentence of one word or more."""
        words, copies, _, vocabulary = self._encode([sentence])
        return self._native(vocabulary).hypergraph(words, copies)

    def _encode(self, sentences: Sequence[Sequence[str]]) -> tuple[Any, Any, Any, list[str]]:
        vocabulary, known = list(self.grammar.target.words), dict(self.grammar.target.index)
        words, copies, offsets = array("I"), array("I"), array("Q", [0])
        source = self.grammar.source.index
        for sentence in sentences:
            for word in sentence:
                words.append(source.get(word, 0))
                if word not in known:
                    known[word] = len(vocabulary)
                    vocabulary.append(word)
                copies.append(known[word])
            offsets.append(len(words))
        as_array = lambda a, kind: np.frombuffer(a.tobytes(), kind)  # noqa: E731
        return as_array(words, np.uint32), as_array(copies, np.uint32), as_array(offsets, np.uint64), vocabulary

    def _native(self, vocabulary: list[str]) -> _core.Decoder:
        features = [model_feature(model, vocabulary) for model in self.models]
        weights = np.array([self.weights[name] for name in self.feature_names], np.float32)
        s = self.settings
        native = _core.Decoder(self.grammar.native, features, weights, s.max_span, s.pop_limit, s.rule_limit)
        return native


def feature_names(grammar: Grammar, models: int) -> tuple[str, ...]:
    """Names of all features of a decoder, in the order of its weights."""
    of_models = [name for i in range(1, models + 1) for name in (f"LanguageModel{i}", f"Unknown{i}")]
    return (*grammar.features, *DECODER_FEATURES, *of_models)


def start_weights(names: Sequence[str]) -> dict[str, float]:
    """Weights to begin tuning from."""
    models = sum(name.startswith("LanguageModel") for name in names)
    start = dict.fromkeys(names, 0.0)
    for name in names:
        if name.startswith("LanguageModel"):
            start[name] = 0.5 / models
        elif name.startswith("Unknown"):
            start[name] = -1.0 / models
        else:
            start[name] = _START.get(name, 0.0)
    return start


def _check_vocabulary(model: LanguageModel, grammar: Grammar, number: int) -> None:
    words = grammar.target.words[3:]
    known = sum(w in model.vocabulary for w in words)
    if len(words) < 20:  # too few to judge by
        return
    if known < _FEW * len(words):
        raise InputError(
            f"language model {number} knows {known:,} of the {len(words):,} words the grammar writes: "
            "is it of another language, or was its text prepared otherwise (case, tokenisation)?"
        )
    if known < 0.5 * len(words):
        warnings.warn(
            f"language model {number} knows {known:,} of the {len(words):,} words the grammar writes", VocabularyWarning, stacklevel=3
        )  # fmt: skip
