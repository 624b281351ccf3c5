"""Hierarchical decoding with any language models as features (Chiang 2007)."""

from __future__ import annotations

import math
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.language_model import LanguageModel
from binyan.progress import Progress, ProgressOption
from binyan.settings import Settings, setting
from binyan.translation.rule_table import GAPS, RuleTable
from binyan.translation.target_words import EncodedSentences, TargetWords

DECODER_FEATURES = ("Glue", "PassThrough", "Words", "Rules")
# Where tuning starts, whatever the languages and the text: what is usual in phrase-based systems. Other features start at 0.
_START = {
    "TargetGivenSource": 0.2,
    "LexTargetGivenSource": 0.2,
    "LexSourceGivenTarget": 0.2,
    "PassThrough": -1.0,
    "Words": 0.5,
}
_BATCH = 200  # words between two chances to interrupt, per thread
_MOST_COPIED = 4_000_000  # characters of words that were copied, until they are forgotten
_MOST_KEPT = 2_000_000_000  # bytes, about, of the words of different translations: k times the square of the length of a sentence
_LONGEST = 3000  # words of a sentence; the core refuses longer ones
_FEW = 0.1  # share of a rule table's words below which a language model must be of something else
_JUDGED = 20  # words a rule table must write before its language models are judged by them


class VocabularyWarning(UserWarning):
    """A language model knows few of the words the rules write."""


@dataclass(frozen=True)
class SearchSettings(Settings):
    """How far the decoder searches."""

    max_span: int = setting(10, "Maximum number of source words a rule covers; longer spans are joined by glue rules.")
    pop_limit: int = setting(200, "Hypotheses kept per span by cube pruning.")
    rule_limit: int = setting(0, "Target sides tried per source side (0: all).", on_command_line=False)

    def __post_init__(self) -> None:
        if self.max_span < 1 or self.pop_limit < 1 or self.rule_limit < 0:
            raise SettingsError("the span and pop limits are 1 or more, the rule limit 0 (none) or more")


@dataclass(frozen=True)
class DecoderSettings(SearchSettings):
    """How far the decoder searches, and which of the best translations it takes."""

    consensus: int = setting(
        1, "Write the one of the K best translations that agrees best with the others.", metavar="K"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.consensus < 1:
            raise SettingsError("consensus is taken over 1 translation or more")


@dataclass(frozen=True)
class TranslationSettings(DecoderSettings):
    """The same, as translation systems have it: consensus is the default, and 1 takes the translation with the best score."""

    consensus: int = setting(
        100,
        "Write the one of the K best translations that agrees best with the others; 1: the one with the best score.",
        metavar="K",
    )


@dataclass(frozen=True)
class Hypothesis:
    """A translation: its words, its score, and the features whose weighted sum the score is."""

    words: tuple[str, ...]
    score: float
    features: NDArray[np.float64]


@dataclass(frozen=True)
class HypothesisLists:
    """The k best of many sentences, flat.

    Hypothesis h is of sentence `sentence[h]` and has the words `words[offsets[h]:offsets[h + 1]]`, ids of `vocabulary`.
    """

    sentence: NDArray[np.uint32]
    score: NDArray[np.float64]
    words: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    features: NDArray[np.float64]
    vocabulary: Sequence[str]

    def text(self, h: int) -> tuple[str, ...]:
        """The words of hypothesis h."""
        ids = self.words[int(self.offsets[h]) : int(self.offsets[h + 1])]
        return tuple(self.vocabulary[i] for i in ids)

    def hypothesis(self, h: int) -> Hypothesis:
        """Hypothesis h as an object of its own."""
        return Hypothesis(self.text(h), float(self.score[h]), self.features[h])

    @classmethod
    def joined(cls, parts: Sequence[tuple[Any, ...]], width: int, vocabulary: Sequence[str]) -> HypothesisLists:
        """The lists of the core, (sentence, score, words, offsets, features) for some sentences each, as one."""
        offsets, base = [np.zeros(1, np.uint64)], np.uint64(0)
        for part in parts:
            offsets.append(part[3][1:] + base)
            base += np.uint64(len(part[2]))
        sentence, score, words, features = (
            np.concatenate([part[i] for part in parts]) if parts else np.zeros(0) for i in (0, 1, 2, 4)
        )
        return cls(
            sentence.astype(np.uint32),
            score,
            words.astype(np.uint32),
            np.concatenate(offsets),
            features.reshape(-1, width),
            vocabulary,
        )


@dataclass(frozen=True)
class DerivationLists:
    """The k best translations of one sentence and how they were made.

    Hypothesis h is made of the edges `edges[offsets[h]:offsets[h + 1]]` of `graph`, heads first and tails left to right. Features and target
    sides are those of each such edge alone. Rules that were made for the sentence are numbered after those of the rule table.
    """

    lists: HypothesisLists
    graph: _core.Hypergraph
    edges: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    features: NDArray[np.float64]
    target_symbols: NDArray[np.uint32]
    target_offsets: NDArray[np.uint64]

    def target_side(self, edge: int) -> tuple[str | int, ...]:
        """What the rule of an edge writes, by the place of the edge in `edges`; gaps are numbers."""
        symbols = self.target_symbols[int(self.target_offsets[edge]) : int(self.target_offsets[edge + 1])].tolist()
        return tuple(GAPS[s] if s in GAPS else self.lists.vocabulary[s] for s in symbols)


class Decoder:
    """Translates sentences with rules and language models under given weights.

    `weights` are by feature name (see `feature_names`); those not given start at reasonable values, or 0. What the models have
    answered is remembered from call to call, so that sentences may come one by one.
    """

    more_features: ClassVar[tuple[str, ...]] = ()
    """Features of rules that the rule table does not have."""
    sentences_at_once: ClassVar[int] = sys.maxsize
    """How many sentences are made ready together."""

    def __init__(
        self,
        rules: RuleTable,
        models: Sequence[LanguageModel] = (),
        weights: Mapping[str, float] | None = None,
        settings: DecoderSettings | None = None,
    ) -> None:
        self.rules, self.models = rules, list(models)
        self.settings = settings or DecoderSettings()
        self.feature_names = feature_names((*rules.features, *self.more_features), len(self.models))
        self.weights = {**start_weights(self.feature_names), **(weights or {})}
        strange = [name for name in self.weights if name not in self.feature_names]
        if strange:
            raise SettingsError(f"no feature is called {strange[0]!r}; there are {', '.join(self.feature_names)}")
        if broken := [name for name, weight in self.weights.items() if not math.isfinite(weight)]:
            raise SettingsError(f"the weight of {broken[0]} is a finite number, not {self.weights[broken[0]]}")
        for i, model in enumerate(self.models, 1):
            _check_vocabulary(model, rules, i)
        self._renewing = threading.Lock()
        self._target = TargetWords(rules, self.models)
        self._native = self._make_native()

    def changed(self, weights: Mapping[str, float] | None = None, settings: DecoderSettings | None = None) -> Decoder:
        """The decoder under other weights or settings; rules, models and words are shared with this one."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.weights = {**self.weights, **(weights or {})}
        other.settings = settings or self.settings
        other._native = other._make_native()
        return other

    def translate(
        self, sentences: Sequence[Sequence[str]], threads: int = 1, progress: ProgressOption = None
    ) -> list[Hypothesis]:
        """The best translation of each prepared sentence; that of an empty sentence is empty.

        With `consensus` in the settings, the one of the K best that has the highest expected BLEU, nearly: the highest BLEU
        against expected n-gram counts (DeNero, Chiang and Knight 2009), scores being logarithms of probabilities.
        """
        best: list[Hypothesis] = [Hypothesis((), 0.0, np.zeros(len(self.feature_names)))] * len(sentences)
        k = self.settings.consensus
        lists = self.k_best(sentences, k, k > 1, threads=threads, progress=progress)
        for h in _core.consensus(lists.words, lists.offsets, lists.sentence, lists.score):
            best[lists.sentence[h]] = lists.hypothesis(int(h))
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
        longest = max(map(len, sentences), default=0)
        if distinct and longest_sentence(k) < longest <= _LONGEST:
            raise InputError(
                f"the {k:,} best translations of a line of {longest:,} words would take too much memory; "
                "split it into sentences, or ask for fewer"
            )
        parts: list[tuple[Any, ...]] = []
        with Progress("sentences", len(sentences), progress) as bar:
            vocabulary: Sequence[str] = ()
            for begin in range(0, len(sentences), self.sentences_at_once):
                some = sentences[begin : begin + self.sentences_at_once]
                native, (words, copies, offsets, vocabulary, rules) = self._ready(some)
                for first, last in _stretches(offsets, threads):
                    own = words, copies, offsets[first : last + 1]
                    lists = native.translate(*own, k, distinct, threads, rules, first)
                    parts.append((lists[0] + np.uint32(begin + first), *lists[1:]))
                    bar.advance(last - first)
        return HypothesisLists.joined(parts, len(self.feature_names), vocabulary)

    def hypergraph(self, sentence: Sequence[str]) -> _core.Hypergraph:
        """The packed translations of one sentence of one word or more."""
        native, (words, copies, _, _, rules) = self._ready([sentence])
        return native.hypergraph(words, copies, rules)

    def derivations(self, sentence: Sequence[str], k: int) -> DerivationLists:
        """The k best translations of one sentence of one word or more, all different, with the edges they are made of."""
        native, (words, copies, _, vocabulary, rules) = self._ready([sentence])
        graph = native.hypergraph(words, copies, rules)
        lists, edges, offsets = native.derivations(graph, k, distinct=True)
        width = len(self.feature_names)
        return DerivationLists(
            HypothesisLists.joined([lists], width, vocabulary),
            graph,
            edges,
            offsets,
            native.edge_features(graph, edges).reshape(-1, width),
            *native.edge_targets(graph, edges),
        )

    def _ready(self, sentences: Sequence[Sequence[str]]) -> tuple[_core.Decoder, EncodedSentences]:
        """The decoder of the core for some sentences, and these as it takes them.

        After very many new words it is begun anew, so that memory stays bounded.
        """
        with self._renewing:
            if self._target.copied > _MOST_COPIED:
                self._target = TargetWords(self.rules, self.models)
                self._native = self._make_native()
            native, target = self._native, self._target
        return native, target.encode(sentences)

    def _make_native(self) -> _core.Decoder:
        weights = np.array([self.weights[name] for name in self.feature_names], np.float32)
        s, more = self.settings, len(self.more_features)
        return _core.Decoder(
            self.rules.native, self._target.models, weights, s.max_span, s.pop_limit, s.rule_limit, more
        )


def longest_sentence(k: int) -> int:
    """How many words a sentence may have whose k best translations are wanted, all different."""
    return _LONGEST if k == 1 else min(_LONGEST, math.isqrt(_MOST_KEPT // k))


def feature_names(of_rules: Sequence[str], models: int) -> tuple[str, ...]:
    """Names of all features of a decoder, in the order of its weights."""
    of_models = [name for i in range(1, models + 1) for name in (f"LanguageModel{i}", f"Unknown{i}")]
    return (*of_rules, *DECODER_FEATURES, *of_models)


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


def _stretches(offsets: NDArray[np.uint64], threads: int) -> Iterator[tuple[int, int]]:
    """(first, last) of stretches of sentences that are short enough to wait for."""
    first, count = 0, len(offsets) - 1
    while first < count:
        last = first + threads
        while last < count and offsets[last + 1] - offsets[first] <= _BATCH * threads:
            last += 1
        last = min(last, count)
        yield first, last
        first = last


def _check_vocabulary(model: LanguageModel, rules: RuleTable, number: int) -> None:
    words = rules.target.own_words
    if len(words) < _JUDGED:
        return
    known = sum(w in model.vocabulary for w in words)
    message = f"language model {number} knows {known:,} of the {len(words):,} words the rules write"
    if known < _FEW * len(words):
        raise InputError(
            f"{message}: is it of another language, or was its text prepared otherwise (case, tokenisation)?"
        )
    if known < 0.5 * len(words):
        warnings.warn(message, VocabularyWarning, stacklevel=3)
