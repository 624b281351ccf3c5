"""What all n-gram models share: queries to the core's back-off model, and its sections of a model file."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError, ModelFileError
from binyan.files import PathLike
from binyan.language_model import MixtureParts, Scores, State, Step, WordScore
from binyan.mixture.source import CoreSource
from binyan.model_file import ModelFile, Section
from binyan.ngram import quantisation
from binyan.ngram.backoff_settings import BackoffSettings
from binyan.ngram.walked_states import WalkedStates
from binyan.progress import Progress, ProgressOption
from binyan.settings import gather, takes_settings
from binyan.signature import Signature
from binyan.text import Corpus, Preparation, Vocabulary
from binyan.text.reading import Source
from binyan.text.vocabulary import END, END_ID, UNKNOWN_ID, refuse_boundaries

_SECTIONS = ("context_base", "word", "next", "log_prob", "first_entry", "left_word", "suffix", "log_backoff")
_AT_ONCE = 1 << 22  # words that are counted, so that little memory is taken beside the text
_SMALLEST_BACKOFF = 1e-6  # as a feature: a context may leave nothing to shorter ones


class BackoffLanguageModel(WalkedStates):
    """An n-gram model with back-off. A state is a number: the longest context that matters.

    `fields` say how the model was made and become its signature; `counts` has how often each word of the vocabulary was
    seen in training, where that is known.
    """

    interpolated: ClassVar[bool] = True  # a probability is a sum over lengths of contexts
    native: _core.BackoffModel
    fields: dict[str, Any]
    counts: NDArray[np.uint32] | None

    def _learnt(
        self,
        native: _core.BackoffModel,
        vocabulary: Vocabulary,
        preparation: Preparation,
        fields: dict[str, Any],
        counts: NDArray[np.uint32] | None = None,
    ) -> Self:
        """What training, or a file, has given."""
        if native.vocabulary_size != len(vocabulary):
            raise InputError(f"{len(vocabulary)} words for a model of {native.vocabulary_size}")
        self.native, self.order = native, native.order
        self.vocabulary, self.preparation = vocabulary, preparation
        self.fields, self.counts = fields, counts
        for name in ("_single_words", "_decoded"):
            vars(self).pop(name, None)
        return self

    @property
    def is_fitted(self) -> bool:
        """Whether the model has learnt something."""
        return "native" in vars(self)

    def begin(self) -> State:
        """The state at the start of a sentence."""
        return self.native.begin()

    def nowhere(self) -> State:
        """The empty context."""
        return 0

    def score_word(self, state: State, word: str) -> WordScore:
        """Score one word (or "</s>") after `state`."""
        refuse_boundaries((word,), allowed=END)
        number = self.vocabulary[word]
        return WordScore(*self.native.score(state, number), number == UNKNOWN_ID)  # type: ignore[arg-type]

    def score_sentences(self, sentences: Iterable[Sequence[str]]) -> Scores:
        """Score prepared sentences in one batch, each with its </s>."""
        return self.score_corpus(Corpus.encode(sentences, self.vocabulary))

    def score_text(self, source: Source, threads: int = 1) -> Scores:
        """Score a text file, or sentences, prepared as the training text was: the fastest way to score a text."""
        return self.score_corpus(Corpus.encode_text(source, self.vocabulary, self.preparation), threads)

    def score_corpus(self, corpus: Corpus, threads: int = 1) -> Scores:
        """Score a corpus over the model's vocabulary."""
        log_prob, matched = self.native.score_sentences(corpus.words, corpus.offsets, threads)
        offsets = np.add(corpus.offsets, np.arange(len(corpus.offsets)), dtype=np.uint64, casting="unsafe")
        unknown = np.insert(corpus.words == UNKNOWN_ID, corpus.offsets[1:].astype(np.int64), False)
        return Scores(log_prob.astype(np.float64), matched, unknown, offsets)

    def distribution(self, state: State) -> NDArray[np.float64]:
        """The probability of every word of the vocabulary after `state`, by id; sums to one."""
        return self.native.distribution(state)  # type: ignore[arg-type]

    def steps(self, state: State, word: str) -> tuple[Step, ...]:
        """What each context length adds to the probability, the longest context first."""
        context = self.context(state)
        shares = self.native.shares(np.array([state], np.uint32), np.array([self.vocabulary[word]], np.uint32)).tolist()
        total = sum(shares)
        return tuple(
            Step(f"{k + 1}-gram", " ".join([*context[len(context) - k :], word]), shares[k], shares[k] / total)
            for k in reversed(range(len(context) + 1))
            if total > 0
        )

    def context(self, state: State) -> list[str]:
        """The words that a state remembers, in the order of the text."""
        return [self.vocabulary.words[w] for w in self.native.context(state)]  # type: ignore[arg-type]

    def weigh(self, state: State, word: str | None = None) -> MixtureParts:
        """One part for each length of context, where the model is interpolated.

        Features: for each length from 1 to n - 1, whether the longest seen context has it; then, for each such length, the log
        back-off weights of that context and of all shorter ones, which are small where a context was seen often and before few
        words. All but those of the length at hand are 0.
        """
        refuse_boundaries(() if word is None else (word,), allowed=END)
        one = np.array([state], np.uint32)
        if word is not None:
            return self._parts(one, np.array([self.vocabulary[word]]))
        shares = self._shares_of_all(state)  # type: ignore[arg-type]
        return replace(self._parts(one, np.array([UNKNOWN_ID])), share=self._by_length(shares))

    def mixture_source(self, vocabulary: Sequence[str]) -> CoreSource:
        """The model as the core weighs it."""
        (ids,) = self.decoder_words(vocabulary)
        return CoreSource(_core.BackoffSource(self.native, ids, self.interpolated))

    def weigh_sentences(self, sentences: Iterable[Sequence[str]]) -> MixtureParts:
        """The parts of every event of prepared sentences."""
        states, words, matched = self._states(sentences)
        return replace(self._parts(states, words), matched=matched)

    def _parts(self, states: NDArray[np.uint32], words: NDArray[np.int64]) -> MixtureParts:
        """Of as many states as words, or of one state."""

        def shares(states: NDArray[np.uint32], words: NDArray[np.int64]) -> NDArray[np.float64]:
            return self._by_length(self.native.shares(states, words.astype(np.uint32)).reshape(-1, self.order).T)

        masses = self.native.masses(states).reshape(-1, self.order).T
        unknown = shares(states, np.full(len(states), UNKNOWN_ID))
        each = np.resize(states, len(words))
        return MixtureParts(shares(each, words), self._by_length(masses), unknown, self._features(states))

    def _by_length(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:  # (lengths, events) -> (parts, events)
        # Rounding may take a share below 0.
        return np.maximum(rows, 0.0) if self.interpolated else rows.sum(0)[None]

    def _shares_of_all(self, state: int) -> NDArray[np.float64]:  # -> (order, vocabulary)
        """What contexts of each length add to the probability of every word: of single words to all, of others to few."""
        arrays, columns = self._arrays, self.native.columns
        log_prob = arrays["log_prob"].reshape(-1, columns)
        backoff = arrays["log_backoff"].reshape(-1, columns)
        first, word, suffix = arrays["first_entry"], arrays["word"], arrays["suffix"]
        shares = np.zeros((self.order, len(self.vocabulary)))
        weight = np.full(columns, 1.0 / columns)
        length = int(np.searchsorted(arrays["context_base"], state, side="right")) - 1
        for k in range(length, 0, -1):
            entries, shorter = slice(first[state], first[state + 1]), int(suffix[state])
            base = int(first[shorter])
            below = base + np.searchsorted(word[base : first[shorter + 1]], word[entries])
            left = np.exp(backoff[state].astype(np.float64))
            own = np.exp(log_prob[entries].astype(np.float64)) - left * np.exp(log_prob[below].astype(np.float64))
            shares[k, word[entries]] = own @ weight
            weight, state = weight * left, shorter
        shares[0] = self._single_words @ weight
        return shares

    @property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays of the model; those of a quantised one are decoded once."""
        return self._decoded if self.native.is_quantised else self.native.arrays

    @cached_property
    def _decoded(self) -> dict[str, NDArray[Any]]:
        return self.native.arrays

    @cached_property
    def _single_words(self) -> NDArray[np.float64]:  # (vocabulary, columns)
        size = len(self.vocabulary) * self.native.columns
        chances = np.exp(self._arrays["log_prob"][:size].astype(np.float64))
        return np.asarray(chances.reshape(-1, self.native.columns))

    def _features(self, states: NDArray[np.uint32]) -> NDArray[np.float64]:
        arrays, longest = self._arrays, self.order - 1
        backoff = arrays["log_backoff"].reshape(-1, self.native.columns)
        features = np.zeros((len(states), longest + longest * (longest + 1) // 2))
        events = np.flatnonzero(states)
        contexts = states[events].astype(np.int64)
        lengths = np.searchsorted(arrays["context_base"], contexts, side="right") - 1
        features[events, lengths - 1] = 1.0
        for k in range(longest):  # words fewer than in the longest seen context
            column = longest + lengths * (lengths - 1) // 2 + k
            left = np.exp(backoff[contexts].astype(np.float64)).mean(1)
            features[events, column] = np.log(np.maximum(left, _SMALLEST_BACKOFF))
            contexts = arrays["suffix"][contexts].astype(np.int64)
            events, contexts, lengths = (a[contexts > 0] for a in (events, contexts, lengths))
        return features

    def training_counts(self) -> NDArray[np.uint32] | None:
        """How often each word of the vocabulary was seen in training, by id; None where that is not known."""
        return self.counts

    def signature(self) -> Signature:
        """How the model was made."""
        return Signature({"model": self.kind, "order": self.order, **self.fields})

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file."""
        meta = {
            "order": self.order,
            "columns": self.native.columns,
            "preparation": self.preparation.to_dict(),
            "fields": self.fields,
        }
        sections: dict[str, Section] = {"vocabulary": self.vocabulary.to_bytes()}
        arrays = self._arrays
        if bits := self.fields.get("quantised"):
            sections |= quantisation.sections_of(quantisation.coded(arrays, _rows(arrays, self.native.columns), bits))
            arrays = self.native.structure
        sections |= {f"backoff/{name}": arrays[name] for name in _SECTIONS if name in arrays}
        if self.counts is not None:
            sections["counts"] = self.counts
        return meta, sections

    def quantised(self, bits: int = 8) -> Self:
        """The model with probabilities and back-off weights of 2 to 16 bits, in a smaller file; probabilities sum to one no longer exactly."""
        quantisation.check_bits(bits)
        structure, columns = self.native.structure, self.native.columns
        values: dict[str, Any] = {**quantisation.coded(self._arrays, _rows(structure, columns), bits)}
        other = copy.copy(self)
        native = _core.BackoffModel.quantised(columns, **structure, **values)
        return other._learnt(native, self.vocabulary, self.preparation, self.fields | {"quantised": bits}, self.counts)

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`."""
        native, vocabulary = native_from(file), Vocabulary.from_bytes(file.blob("vocabulary"))
        if native.vocabulary_size != len(vocabulary):
            raise ModelFileError(
                f"{file.path}: section 'vocabulary' has {len(vocabulary)} words, the n-grams have {native.vocabulary_size}"
            )
        return cls.__new__(cls)._learnt(
            native,
            vocabulary,
            Preparation.from_dict(file.meta["preparation"]),
            file.fields(),
            vocabulary.checked_counts(file.counts("counts")) if "counts" in file.sections else None,
        )

    @takes_settings(BackoffSettings)
    def to_backoff(
        self,
        text: Corpus | Source | None = None,
        *,
        extend: Iterable[str] | PathLike | None = None,
        progress: ProgressOption = None,
        **settings: Any,
    ) -> BackoffLanguageModel:
        """The model itself, pruned as `settings` say; of an average of samples, the model nearest to it over the same n-grams.

        `text`, best the training text, says how frequent contexts are; without it the model itself says so, less well.
        """
        from binyan.ngram.backoff_export import pruned

        [asked] = gather("to_backoff", settings, BackoffSettings)
        return pruned(self, text, asked, extend)

    @takes_settings(BackoffSettings)
    def to_arpa(
        self,
        path: PathLike,
        text: Corpus | Source | None = None,
        *,
        approximate: bool = False,
        extend: Iterable[str] | PathLike | None = None,
        progress: ProgressOption = None,
        **settings: Any,
    ) -> BackoffLanguageModel:
        """Write an ARPA file; exact for a model of one column, which Kneser-Ney and one sample of an HPYLM are.

        The average of several samples is refused with SettingsError, or, where `approximate`, written so that the probabilities
        of all stored n-grams are exact and back-off weights make every context sum to one. With settings or words to `extend` it by, the model
        of `to_backoff` is written. Returns the model that was written.
        """
        from binyan.ngram.arpa import write_arpa

        if settings or extend is not None:
            return super().to_arpa(path, text, extend=extend, progress=progress, **settings)
        write_arpa(self.native, self.vocabulary, path, approximate, progress)
        return self

    def decoder_feature(self, vocabulary: Sequence[str]) -> _core.LanguageModelFeature:
        """The model as a native feature of the decoder whose words are `vocabulary`."""
        return _core.BackoffFeature(self.native, *self.decoder_words(vocabulary))

    def decoder_words(self, words: Sequence[str]) -> tuple[Any, ...]:
        """What `decoder_feature` needs of further words: their ids."""
        return (np.fromiter(map(self.vocabulary.__getitem__, words), np.uint32, len(words)),)

    @property
    def is_average(self) -> bool:
        """Whether the model averages several posterior samples."""
        return int(self.native.columns) > 1

    @property
    def description(self) -> str:
        """The model in a few words: its kind and size."""
        return f"{super().description}, {sum(self.ngrams):,} n-grams"

    def summary(self) -> dict[str, Any]:
        """What there is to say of a model that was just trained, for JSON."""
        return {**super().summary(), "ngrams": self.ngrams}

    @property
    def ngrams(self) -> list[int]:
        """How many n-grams the model stores, by length."""
        arrays = self.native.structure
        bounds = arrays["first_entry"][arrays["context_base"]]
        return [int(b - a) for a, b in pairwise(bounds)]


def native_from(file: ModelFile) -> _core.BackoffModel:
    """The core's model in an opened model file."""
    try:
        if "backoff/log_prob" in file.sections:
            arrays = {name: file.mapped(f"backoff/{name}") for name in _SECTIONS}
            return _core.BackoffModel(file.meta["columns"], **arrays, region=file.region)
        structure: dict[str, Any] = {n: file.mapped(f"backoff/{n}") for n in _SECTIONS if n not in quantisation.NAMES}
        structure |= quantisation.coded_in(file, _rows(structure, file.meta["columns"]))
        native: _core.BackoffModel = _core.BackoffModel.quantised(file.meta["columns"], **structure, region=file.region)
        return native
    except InputError as error:
        raise ModelFileError(f"{file.path}: {error}") from error


def _rows(arrays: Mapping[str, NDArray[Any]], columns: int) -> dict[str, list[int]]:
    """Where, among log-probabilities and back-off weights, those of each length of n-gram end."""
    contexts = arrays["context_base"][1:].astype(np.int64)
    entries = arrays["first_entry"].astype(np.int64)[contexts]
    return {"log_prob": (entries * columns).tolist(), "log_backoff": (contexts * columns).tolist()}


def training_fields(corpus: Corpus, preparation: Preparation, **more: Any) -> dict[str, Any]:
    """The part of a signature all models that are trained on a corpus share."""
    fields = {
        "train": corpus.digest,
        "events": corpus.events,
        "vocabulary": len(corpus.vocabulary),
        "oov": "<unk>",
        "preparation": str(preparation),
    }
    return fields | {name: value for name, value in more.items() if value}


def word_counts(corpus: Corpus) -> NDArray[np.uint32]:
    """How often each word of the vocabulary occurs in a corpus; </s> once per sentence."""
    counts = np.zeros(len(corpus.vocabulary), np.uint32)
    for start in range(0, len(corpus.words), _AT_ONCE):
        counts += np.bincount(corpus.words[start : start + _AT_ONCE], minlength=len(counts)).astype(np.uint32)
    counts[END_ID] = corpus.sentences
    return counts


def context_tree(corpus: Corpus, order: int, progress: ProgressOption = None) -> _core.ContextTree:
    """All n-grams of a corpus up to `order` words."""
    with Progress("levels of n-grams", order, progress) as bar:
        return _core.ContextTree.build(
            corpus.words, corpus.offsets, order, len(corpus.vocabulary), lambda level: bar.advance()
        )


def training_corpus(text: Corpus | Source | Sequence[Source], preparation: Preparation, **options: Any) -> Corpus:
    """`text` itself where it is a corpus, else read; `options` are those of `Corpus.read`."""
    return text if isinstance(text, Corpus) else Corpus.read(text, preparation, **options)
