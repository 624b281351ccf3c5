"""Any language model with an open vocabulary: words that it does not know by name are spelt."""

from __future__ import annotations

import copy
import inspect
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError, ModelFileError, SettingsError
from binyan.files import PathLike
from binyan.language_model import STRINGS, LanguageModel, Scores, State, Step, WordScore
from binyan.model import KINDS, from_model_file
from binyan.model_file import ModelFile, Section
from binyan.ngram.spelling import SpellingModel, SpellingSettings
from binyan.open_vocabulary.calibration import Calibration, unknown_rate
from binyan.progress import ProgressOption
from binyan.settings import gather, takes_settings
from binyan.signature import Signature
from binyan.text import Corpus
from binyan.text.corpus import each_sentence, source_files
from binyan.text.reading import Source, read_sentences
from binyan.text.vocabulary import BEGIN, END, OPEN, UNKNOWN, UNKNOWN_ID, refuse_boundaries

if TYPE_CHECKING:
    from binyan.log_bilinear.vectors import Vectors
    from binyan.ngram.backoff import BackoffLanguageModel

_META = "open_vocabulary"
_CALIBRATION_EVENTS = 20_000  # of the training text
_TRIES = 100_000  # strings that are drawn until one is outside the vocabulary


class _WithUnknown(Sequence[str]):
    """<unk>, then words, which may become more."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    def __len__(self) -> int:
        return len(self.words) + 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return [UNKNOWN, *self.words][place]
        number = range(len(self))[place]
        return UNKNOWN if number == 0 else self.words[number - 1]


class OpenVocabulary(LanguageModel):
    """A language model of any kind, with a probability for every string.

    P(w | h) of a word w outside the vocabulary V is P(<unk> | h) x S(w) / (1 - S(V)), where S is a model of spelling. This sums to one over
    all strings, and <unk> is all strings outside V together. S is learnt from the words of the training text; that of an HPYLM
    that knows all these words is learnt with it, as its base distribution. Unless `calibrated` is False, P(<unk> | h) is made to agree with
    how often unknown words come: in the training text, or in the development text of `fit`.

    >>> from binyan import HPYLM
    >>> model = OpenVocabulary(HPYLM(order=2, sweeps=20)).fit(["der hund sah die katze", "die katze sah den hund"])
    >>> model.score("der hund sah die katzen") > model.score("der hund sah die xqz")
    True
    """

    kind = "open"
    model: LanguageModel
    spelling: SpellingModel
    calibration: Calibration
    fields: dict[str, Any]

    @takes_settings(SpellingSettings)
    def __init__(self, model: LanguageModel, *, calibrated: bool = True, **settings: Any) -> None:
        [self.settings] = gather("OpenVocabulary", settings, SpellingSettings)
        self.is_calibrated = calibrated
        if isinstance(model, OpenVocabulary):
            raise SettingsError("the vocabulary of this model is open already")
        policy = getattr(model, "policy", None)
        if policy is not None and policy.vocabulary is None and not model.is_fitted:
            model.policy = replace(policy, vocabulary=OPEN)  # type: ignore[attr-defined]
        self.model = model.closed() if model.is_fitted else model

    def fit(
        self,
        text: Corpus | Source | Sequence[Source],
        development: Source | None = None,
        *,
        progress: ProgressOption = None,
        **training: Any,
    ) -> Self:
        """Train the model, unless it is trained already, and learn how unknown words are spelt and how often they come.

        `text`: its training text. `development`: a text like those that the model will meet, to which P(<unk>) is fitted, and whatever
        else a model of its kind fits to such a text. `training`: what `fit` of the model takes.
        """
        if not isinstance(text, (Corpus, str, os.PathLike, list, tuple)):
            text = list(text)
        if not self.model.is_fitted:
            if development is not None and "development" in inspect.signature(self.model.fit).parameters:
                training["development"] = development
            self.model.fit(text, progress=progress, **training)
        inner = self.model.closed()
        if isinstance(text, Corpus):
            corpus = text
        else:
            corpus = Corpus.encode(each_sentence(source_files(text), inner.preparation), inner.vocabulary)
        words = list(dict.fromkeys([*inner.vocabulary.own_words, *corpus.outside]))
        spelling = inner.own_spelling or SpellingModel.learn(words, self.settings, progress)
        self._learnt(inner, spelling, Calibration(), {})
        if self.is_calibrated:
            self._calibrate(corpus, development)
        return self

    def _learnt(
        self, model: LanguageModel, spelling: SpellingModel, calibration: Calibration, fields: dict[str, Any]
    ) -> Self:
        """What training, or a file, has given."""
        self.model, self.spelling, self.calibration, self.fields = model, spelling, calibration, fields
        self.order, self.vocabulary, self.preparation = model.order, model.vocabulary, model.preparation
        vars(self).pop("_log_mass_outside", None)
        return self

    def _calibrate(self, corpus: Corpus, development: Source | None) -> None:
        every = max(corpus.events // _CALIBRATION_EVENTS, 1)
        sample = [corpus.decode(i) for i in range(0, corpus.sentences, every)]
        rate = unknown_rate(corpus)
        self.fields = {"unknown_rate": round(rate, 6)}
        self.calibration = Calibration.to_rate(self.model.unknown_chances(sample)[0], rate)
        if development is None:
            return
        held_out = list(read_sentences(development, self.preparation))
        if not held_out:
            raise InputError("the development text holds no sentence to see unknown words in")
        chances, lengths = self.model.unknown_chances(held_out)
        unknown = np.array([w not in self.vocabulary for s in held_out for w in (*s, END)])
        self.calibration = self.calibration.fitted(chances, lengths, unknown)
        self.fields = {"unknown_rate": round(float(unknown.mean()), 6)}

    @property
    def is_fitted(self) -> bool:
        """Whether the model has learnt something."""
        return "spelling" in vars(self)

    # What every model answers.

    @cached_property
    def _log_mass_outside(self) -> float:
        return float(np.log(self.spelling.mass_outside(self.vocabulary.words)))

    def _log_spelt(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Log of the share of each word outside the vocabulary in P(<unk>); <unk> itself is all of them."""
        log_prob = self.spelling.log_probs(words) - self._log_mass_outside
        return np.where([w == UNKNOWN for w in words], 0.0, log_prob)

    def begin(self) -> State:
        """The state at the start of a sentence."""
        return self.model.begin()

    def nowhere(self) -> State:
        """The state that knows of no words before."""
        return self.model.nowhere()

    def score_word(self, state: State, word: str) -> WordScore:
        """Score one word (or "</s>") after `state`."""
        scored = self.model.score_word(state, word)
        is_unknown = word == UNKNOWN or word not in self.vocabulary
        log_prob = scored.log_prob
        if not self.calibration.is_none:
            chance, length = self.model.unknown_chance(state)
            unknown, rest = self.calibration.apply(np.array([chance]), np.array([length]))
            log_prob = float(unknown[0]) if is_unknown else log_prob + float(rest[0])
        if is_unknown:
            log_prob += float(self._log_spelt([word])[0])
        return WordScore(scored.state, log_prob, scored.matched, is_unknown)

    def advance(self, state: State, word: str) -> State:
        """The state after one more word."""
        return self.model.advance(state, word)

    def score_sentences(self, sentences: Iterable[Sequence[str]]) -> Scores:
        """Score prepared sentences in one batch, each with its </s>."""
        listed = [list(s) for s in sentences]
        scores = self.model.score_sentences(listed)
        log_prob = np.array(scores.log_prob, np.float64)
        words = [w for sentence in listed for w in (*sentence, END)]
        places = [i for i, w in enumerate(words) if w == UNKNOWN or w not in self.vocabulary]
        unknown = np.zeros(len(words), bool)
        unknown[places] = True
        if not self.calibration.is_none and words:
            of_unknown, rest = self.calibration.apply(*self.model.unknown_chances(listed))
            log_prob = np.where(unknown, of_unknown, log_prob + rest)
        log_prob[places] += self._log_spelt([words[i] for i in places])
        return Scores(log_prob, scores.matched, unknown, scores.offsets)

    def distribution(self, state: State) -> NDArray[np.float64]:
        """The probability of every word of the vocabulary after `state`, by id, and of all other strings together, which is that of <unk>."""
        chances = np.array(self.model.distribution(state), np.float64)
        if not self.calibration.is_none:
            chance, length = self.model.unknown_chance(state)
            unknown, rest = self.calibration.apply(np.array([chance]), np.array([length]))
            chances *= np.exp(rest[0])
            chances[UNKNOWN_ID] = np.exp(unknown[0])
        return chances

    def draw_sentence(self, random: np.random.Generator, longest: int = 100) -> list[str]:
        """Draw the words of one sentence, at most `longest`; those outside the vocabulary are spelt."""
        words: list[str] = []
        state = self.begin()
        while len(words) < longest:
            chances = self.distribution(state)
            word = self.vocabulary.words[int(random.choice(len(chances), p=chances / chances.sum()))]
            if word == END:
                break
            words.append(self.draw_word(random) if word == UNKNOWN else word)
            state = self.advance(state, words[-1])
        return words

    def draw_word(self, random: np.random.Generator) -> str:
        """Draw a word outside the vocabulary by its spelling."""
        for _ in range(_TRIES):
            if (word := self.spelling.draw(random)) not in self.vocabulary:
                return word
        raise InputError("the model of spelling gives hardly any word outside the vocabulary")

    def decoder_feature(self, vocabulary: Sequence[str]) -> _core.LanguageModelFeature:
        """The model as a feature of the decoder whose words are `vocabulary`: that of the closed model, with spelling behind it."""
        offsets = () if self.calibration.is_none else self.calibration.offsets
        closed = self.model.decoder_feature(_WithUnknown(vocabulary))
        return _core.OpenFeature(closed, self._spelt(vocabulary), np.array(offsets, np.float64))

    def decoder_words(self, words: Sequence[str]) -> tuple[Any, ...]:
        """What `decoder_feature` needs of further words: the share of each in P(<unk>), and what the closed model needs."""
        return self._spelt(words), self.model.decoder_words(words)

    def _spelt(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Log of the share of each unknown word in P(<unk>), and 0 for the others."""
        spelt = np.zeros(len(words), np.float32)
        unknown = [i for i, word in enumerate(words) if self.vocabulary[word] == UNKNOWN_ID]
        spelt[unknown] = self._log_spelt([words[i] for i in unknown])
        return spelt

    # What open vocabularies are.

    @property
    def events(self) -> str:
        """Every string is an event of its own, so that models of all vocabularies can be compared."""
        return STRINGS

    def closed(self) -> LanguageModel:
        """The model over its vocabulary, with all other words as <unk>, as it was before it was calibrated."""
        return self.model

    def opened(self, words: Sequence[str]) -> Self:
        """The model itself: every word has a probability of its own."""
        return self

    def has_own_probability(self, word: str) -> bool:
        """True of all words but <unk> and <s>."""
        return word not in (UNKNOWN, BEGIN)

    # What the model itself can do.

    @property
    def own_spelling(self) -> SpellingModel:
        """The model of spelling."""
        return self.spelling

    def parts_of(self, word: str) -> tuple[str, ...] | None:
        """The parts of a word as the model sees them."""
        return self.model.parts_of(word)

    def steps(self, state: State, word: str) -> tuple[Step, ...]:
        """The steps of a known word; of another its chance to be unknown, and its share of that."""
        refuse_boundaries((word,), allowed=END)
        if word in self.vocabulary and word != UNKNOWN:
            return self.model.steps(state, word)
        log_unknown = self.score_word(state, UNKNOWN).log_prob
        share = float(np.exp(self._log_spelt([word])[0]))
        return Step("unknown", "a word outside the vocabulary", float(np.exp(log_unknown))), Step("spelt", word, share)

    @property
    def vectors(self) -> Vectors:
        """The word and morpheme vectors, where the model has them."""
        return self.model.vectors

    @property
    def trace(self) -> list[NDArray[np.float64]]:
        """The trace of each chain of a sampled model."""
        return self.model.trace

    @property
    def is_average(self) -> bool:
        """Whether the model averages several posterior samples."""
        return self.model.is_average

    def one_sample(self) -> Self:
        """The last posterior sample as a model of its own, with the same calibration."""
        one = self.model.one_sample()
        return copy.copy(self)._learnt(one, one.own_spelling or self.spelling, self.calibration, self.fields)

    def training_text(self) -> Corpus | None:
        """The training text, where the model has kept it."""
        return self.model.training_text()

    def training_counts(self) -> NDArray[Any] | None:
        """How often each word of the vocabulary was an event of the training text."""
        return self.model.training_counts()

    def to_backoff(self, text: Any = None, *, extend: Any = None, **settings: Any) -> BackoffLanguageModel:
        """The back-off model nearest to the model over its vocabulary; with words to `extend` that by, these are spelt."""
        if extend is None:
            return self.model.to_backoff(text, **settings)
        return super().to_backoff(text, extend=extend, **settings)

    @property
    def description(self) -> str:
        """The model in a few words: its kind and size."""
        return f"{self.model.description}; open, words of {len(self.spelling.alphabet.characters):,} characters spelt"

    def summary(self) -> dict[str, Any]:
        """What there is to say of a model that was just trained, for JSON."""
        offsets = list(self.calibration.offsets)
        return {**self.model.summary(), "open": True, "unknown_offsets": offsets, **self.fields}

    # Signature and files.

    def signature(self) -> Signature:
        """How the model was made."""
        offsets = "-".join(f"{x:.4f}" for x in self.calibration.offsets)
        calibrated = None if self.calibration.is_none else offsets
        fields = {"oov": "spelt", "spelling": self.spelling.digest, "unknown_offsets": calibrated, **self.fields}
        return self.model.signature().extended(**fields)

    def save(self, path: PathLike, reduced: bool = False) -> None:
        """Write the model to one file: whole, or only what queries need."""
        whole = self.model
        try:
            if reduced and getattr(whole, "sampling", None) is not None:
                self.model = copy.copy(whole)
                self.model.sampling = None  # type: ignore[attr-defined]
            super().save(path)
        finally:
            self.model = whole

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file: those of the model, and ours beside them."""
        meta, sections = self.model.contents()
        own = {"kind": self.model.kind, "offsets": list(self.calibration.offsets), "fields": self.fields}
        return meta | {_META: own}, sections | self.spelling.sections()

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`."""
        own = file.fields(_META)
        if own.get("kind") not in KINDS or own["kind"] == cls.kind:
            raise ModelFileError(f"{file.path}: the vocabulary of a {own.get('kind')!r} model cannot be open")
        spelling = SpellingModel.from_file(file)
        if spelling is None:
            raise ModelFileError(f"{file.path}: has no model of spelling")
        meta = {name: value for name, value in file.meta.items() if name != _META}
        inner = from_model_file(replace(file, kind=own["kind"], meta=meta)).as_language_model()
        model = cls(inner.closed())
        return model._learnt(inner.closed(), spelling, Calibration.from_list(own["offsets"]), dict(own["fields"]))
