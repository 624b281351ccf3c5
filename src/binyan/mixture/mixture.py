"""Mixtures of language models: any models of the toolkit, interpolated with weights fitted on development text."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from binyan import _core, model_file
from binyan.errors import InputError, SettingsError
from binyan.language_model import LanguageModel, MixtureParts, Scores, State, Step, WordScore
from binyan.mixture import in_core, storage
from binyan.mixture.member import Ids, Member, fitted_rest, union
from binyan.mixture.settings import MixtureSettings
from binyan.mixture.weights import ContextWeights, fit_weights
from binyan.progress import ProgressOption
from binyan.signature import Signature
from binyan.text import Corpus
from binyan.text.reading import Source, read_sentences
from binyan.text.vocabulary import END_ID, UNKNOWN_ID, refuse_boundaries

if TYPE_CHECKING:
    from binyan.ngram.backoff import BackoffLanguageModel

UNFITTED_REST = 0.5


class Mixture(LanguageModel):
    """P(w | h) = sum over models of weight x P_model(w | h). The models share preparation and events.

    Where vocabularies differ, the mixture has the words of all. A model's probability of <unk> is then shared out: `rest` of it, by default what
    the development text says (a half without one), is kept for words that no model knows, and words that only others know divide the rest equally.

    Compound models that are not renormalised know more events than their vocabulary; they are mixed so only with models of the same
    events and with fixed weights. Otherwise the mixture is of the models renormalised over the vocabulary (`closed()`), and sums to one.

    With `weights` the mixture is complete; without, `fit` finds them. `by_context`: weights depend on the context h and on
    whether the word is unknown; `weights` are then the means of those of known words over the development text. Raises
    InputError where preparation differs: the models' words would not be the same events.

    >>> import warnings; warnings.simplefilter("ignore")  # so small a text takes the fallback discounts
    >>> from binyan.ngram.kneser_ney import KneserNey
    >>> text = ["der hund sah die katze", "die katze sah den hund"]
    >>> mixture = Mixture([KneserNey(order=1).fit(text), KneserNey(order=2).fit(text)]).fit(["die katze sah den hund"])
    >>> mixture.weights.round(2).tolist()
    [0.0, 1.0]
    """

    kind = "mixture"
    models: tuple[LanguageModel, ...]
    settings: MixtureSettings
    weights: NDArray[np.float64]
    context_weights: ContextWeights | None
    members: tuple[Member, ...]
    fields: dict[str, Any]

    def __init__(
        self,
        models: Sequence[LanguageModel],
        weights: Sequence[float] | None = None,
        *,
        by_context: bool = MixtureSettings.by_context,
        rest: float | None = MixtureSettings.rest,
    ) -> None:
        check(models)
        self.settings = MixtureSettings(by_context, rest)
        self.vocabulary, self.preparation = union(models), models[0].preparation
        self.models = _of_one_event_space(models, by_context)
        self.order = max(m.order for m in models)
        if weights is not None:
            if by_context:
                raise SettingsError("weights by context are fitted: leave out the weights, or by_context")
            self._learnt(weights, self._members(lambda model: UNFITTED_REST))

    @property
    def is_fitted(self) -> bool:
        """Whether the mixture has weights."""
        return "weights" in vars(self)

    def fit(self, development: Source, *, progress: ProgressOption = None) -> Self:
        """Find the weights that make a development text, a file or sentences, most probable.

        They are found by EM from equal weights and, where they depend on the context, by gradient from EM's. Raises SettingsError
        where weights are by context and no model has features of contexts, as n-gram and log-bilinear models have.
        """
        sentences = list(read_sentences(development, self.preparation))
        if not sentences:
            raise InputError("no development text to fit the weights on")
        members = self._members(lambda model: fitted_rest(model, self.vocabulary, sentences))
        words, _ = self._events(sentences)
        fields = {"development_events": len(words)}
        if not self.settings.by_context:
            log_probs = np.stack([m.score_sentences(sentences, words)[0] for m in members])
            return self._learnt(fit_weights(log_probs).tolist(), members, fields)
        parts = [m.weigh_sentences(sentences, words) for m in members]
        if not any(p.features.shape[1] for p in parts):
            raise SettingsError(
                "weights by context need a model among those mixed that tells something of a context: an n-gram or a "
                "log-bilinear one"
            )
        context_weights = ContextWeights.fit(parts, words == UNKNOWN_ID, progress)
        weights = context_weights.mix(parts, np.zeros(len(words), bool))[0].mean(1)
        return self._learnt(weights.tolist(), members, fields, context_weights)

    def _members(self, rest: Any, whole: bool = False) -> tuple[Member, ...]:
        """The models over the mixture's vocabulary. `whole`: mixtures among them are weighed as they were before they had parts."""
        asked = self.settings.rest
        return tuple(
            Member(m, self.vocabulary, rest(m) if asked is None else asked, whole and isinstance(m, Mixture))
            for m in self.models
        )

    def _learnt(
        self,
        weights: Sequence[float],
        members: tuple[Member, ...],
        fields: dict[str, Any] | None = None,
        context_weights: ContextWeights | None = None,
    ) -> Self:
        """What fitting, a file, or the caller has given."""
        if len(weights) != len(self.models) or not (min(weights) >= 0 and abs(sum(weights) - 1) <= 1e-6):
            raise SettingsError(
                f"{len(self.models)} models need as many weights, not negative and of sum 1, not {list(weights)}"
            )
        if context_weights is not None:
            storage.check_context_weights(context_weights, members)
        self.weights = np.asarray(weights, np.float64) / sum(weights)
        self.members, self.fields, self.context_weights = members, fields or {}, context_weights
        vars(self).pop("core_scorer", None)
        return self

    @cached_property
    def core_scorer(self) -> _core.MixtureScorer | None:
        """The mixture in the core; None where one of its models is not there."""
        return in_core.scorer(self.members, self.vocabulary, self.weights, self.context_weights)

    @property
    def events(self) -> str:
        """What words outside the vocabulary are to all models of the mixture."""
        return self.models[0].events

    def closed(self) -> Self:
        """The mixture, with the same weights, of the models renormalised over their vocabulary; itself where it sums to one."""
        if not self.is_open:
            return self
        other = copy.copy(self)
        other.models = tuple(m.closed() for m in self.models)
        members = tuple(Member(m, self.vocabulary) for m in other.models)  # open models have one vocabulary
        return other._learnt(self.weights.tolist(), members, self.fields, self.context_weights)

    def has_own_probability(self, word: str) -> bool:
        """Whether a word is an event of its own to the mixture."""
        return (word in self.vocabulary and self.vocabulary[word] != UNKNOWN_ID) or self.models[0].has_own_probability(
            word
        )

    def further_words(self) -> Iterable[str]:
        """Words outside the vocabulary with probabilities of their own, which each model of the mixture has."""
        return self.models[0].further_words()

    def begin(self) -> State:
        """The state at the start of a sentence: one of each model."""
        return tuple(m.begin() for m in self.models)

    def nowhere(self) -> State:
        """The state that knows of no words before: one of each model."""
        return tuple(m.nowhere() for m in self.models)

    def score_word(self, state: State, word: str) -> WordScore:
        """Score one word (or "</s>") after `state`."""
        if self.core_scorer is not None:
            return WordScore(*self.core_scorer.score(state, word))  # type: ignore[arg-type]
        scored = [m.score_word(s, word) for m, s in self._pairs(state)]
        unknown = any(s.unknown for s in scored)
        with np.errstate(divide="ignore"):
            log_prob = float(np.log(self._mix(state, word)[1].sum()))
        return WordScore(tuple(s.state for s in scored), log_prob, max(s.matched for s in scored), unknown)

    def advance(self, state: State, word: str) -> State:
        """The state after one more word: one of each model."""
        return tuple(m.model.advance(s, word) for m, s in self._pairs(state))

    def score_sentences(self, sentences: Iterable[Sequence[str]]) -> Scores:
        """Score prepared sentences in one batch, each with its </s>."""
        listed = [list(s) for s in sentences]
        if self.core_scorer is not None:
            log_prob, matched, unknown, offsets = self.core_scorer.score_sentences(listed)
            return Scores(log_prob, matched, unknown.astype(bool), offsets)
        words, offsets = self._events(listed)
        with np.errstate(divide="ignore"):
            if self.context_weights is None:
                scores = [m.score_sentences(listed, words) for m in self.members]
                log_probs, lengths = np.stack([s[0] for s in scores]), [s[1] for s in scores]
                mixed = np.logaddexp.reduce(log_probs + np.log(self.weights)[:, None], axis=0)
            else:
                parts = [m.weigh_sentences(listed, words) for m in self.members]
                mixed = np.log(self.context_weights.mix(parts, words == UNKNOWN_ID)[1].sum(0))
                lengths = [p.matched for p in parts if p.matched is not None]
        matched = np.max([np.zeros(len(words), np.uint8), *lengths], axis=0).astype(np.uint8)
        return Scores(mixed, matched, words == UNKNOWN_ID, offsets)

    def _events(self, sentences: Sequence[Sequence[str]]) -> tuple[Ids, NDArray[np.uint64]]:
        """The id of every event, and where the events of each sentence begin."""
        for sentence in sentences:
            refuse_boundaries(sentence)
        ids = [i for s in sentences for i in (*map(self.vocabulary.__getitem__, s), END_ID)]
        return np.array(ids, np.int64), np.cumsum([0, *(len(s) + 1 for s in sentences)]).astype(np.uint64)

    def distribution(self, state: State) -> NDArray[np.float64]:
        """The probability of every word of the vocabulary after `state`, by id."""
        return np.asarray(self.distributions([state])[0], np.float64)

    def distributions(self, states: Sequence[State]) -> NDArray[np.floating]:  # (states, vocabulary)
        """The same of several states in one batch."""
        by_model: list[tuple[State, ...]] = list(zip(*states, strict=True))
        each = list(zip(self.members, by_model, strict=True))
        if self.context_weights is None:
            return np.asarray(sum(w * m.distributions(s) for w, (m, s) in zip(self.weights, each, strict=True)))
        parts = zip(*(m.weigh_each(s) for m, s in each), strict=True)
        return np.stack([self.context_weights.distribution(p, self._is_unknown) for p in parts])

    @cached_property
    def _is_unknown(self) -> NDArray[np.bool_]:
        return np.asarray(np.arange(len(self.vocabulary)) == UNKNOWN_ID)

    def steps(self, state: State, word: str) -> tuple[Step, ...]:
        """What each model adds."""
        weights, shares = self._mix(state, word)
        return tuple(
            Step(m.kind, f"weight {w:.3f}", float(share / w) if w else 0.0, float(share / shares.sum()))
            for m, w, share in zip(self.models, weights, shares, strict=True)
        )

    def _pairs(self, state: State) -> list[tuple[Member, State]]:
        return list(zip(self.members, state, strict=True))  # type: ignore[call-overload]

    def _mix(self, state: State, word: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # (models,) each
        """The weight of each model, and what it adds to the probability of a word."""
        if self.context_weights is None:
            return self.weights, self.weights * np.exp([m.score_word(s, word).log_prob for m, s in self._pairs(state)])
        parts, unknown = [m.weigh(s, word) for m, s in self._pairs(state)], self.vocabulary[word] == UNKNOWN_ID
        weights, shares = self.context_weights.mix(parts, np.array([unknown]))
        return weights[:, 0], shares[:, 0]

    # As one of the models of another mixture: its parts are those of its models.

    def weigh(self, state: State, word: str | None = None) -> MixtureParts:
        """The parts of all models with the weights they have here, and all their features."""
        parts = [m.weigh(s, word) for m, s in self._pairs(state)]
        return self._weighed(
            parts, self._is_unknown if word is None else np.array([self.vocabulary[word] == UNKNOWN_ID])
        )

    def weigh_each(self, states: Sequence[State]) -> list[MixtureParts]:
        """The parts of every word after each of several states."""
        by_model: list[tuple[State, ...]] = list(zip(*states, strict=True))
        each = zip(*(m.weigh_each(s) for m, s in zip(self.members, by_model, strict=True)), strict=True)
        return [self._weighed(parts, self._is_unknown) for parts in each]

    def weigh_sentences(self, sentences: Iterable[Sequence[str]]) -> MixtureParts:
        """The parts of every event of prepared sentences."""
        listed = [list(s) for s in sentences]
        words, _ = self._events(listed)
        return self._weighed([m.weigh_sentences(listed, words) for m in self.members], words == UNKNOWN_ID)

    def _weighed(self, parts: Sequence[MixtureParts], is_unknown: NDArray[np.bool_]) -> MixtureParts:
        if self.context_weights is not None:
            return self.context_weights.weighed(parts, is_unknown)
        return MixtureParts.sum(parts, self.weights.tolist())

    # What its models have.

    def to_ngram(self) -> BackoffLanguageModel:
        """One n-gram model nearest to a mixture of n-gram models with fixed weights: all their n-grams, each with the mixture's probability.

        Back-off weights make every context sum to one, as SRILM's static interpolation does. Raises SettingsError for other mixtures,
        which `to_backoff` approximates.
        """
        from binyan.mixture.merging import merged

        self._require_fitted()
        return merged(self)

    def training_text(self) -> Corpus | None:
        """That of the first model that has kept it."""
        return next((text for m in self.models if (text := m.training_text()) is not None), None)

    def opened(self, words: Sequence[str]) -> LanguageModel:
        """The mixture where it is open, else the first of its models that can be."""
        if self.is_open:
            return self
        for model in self.models:
            with contextlib.suppress(SettingsError):
                return model.opened(words)
        raise SettingsError("none of the mixed models gives words outside the vocabulary probabilities of their own")

    def training_counts(self) -> NDArray[Any] | None:
        """Those of the first model that has them and knows all words."""
        counts = (m.training_counts() for m in self.models if m.vocabulary == self.vocabulary)
        return next((c for c in counts if c is not None), None)

    def signature(self) -> Signature:
        """The weights, and the digest of each model's own signature."""
        return storage.signature(self)

    def contents(self) -> tuple[dict[str, Any], dict[str, model_file.Section]]:
        """Settings and sections for a model file: the models whole, one per section."""
        return storage.contents(self)

    @classmethod
    def from_file(cls, file: model_file.ModelFile) -> Self:
        """The inverse of `contents`."""
        weights, context_weights = file.meta["weights"], storage.context_weights(file)
        mixture = cls(storage.models(file), by_context=context_weights is not None)
        rests = iter(file.meta.get("rest", [UNFITTED_REST] * len(weights)))
        members = mixture._members(lambda model: next(rests), whole="gate" not in file.meta)
        return mixture._learnt(weights, members, file.fields(), context_weights)


def _of_one_event_space(models: Sequence[LanguageModel], by_context: bool) -> tuple[LanguageModel, ...]:
    """The models, renormalised over their vocabulary unless all are open in the same way and the weights fixed."""
    same = len({m.events for m in models}) == 1 and all(m.vocabulary == models[0].vocabulary for m in models)
    return tuple(models) if same and not by_context else tuple(m.closed() for m in models)


def check(models: Sequence[LanguageModel]) -> None:
    """Raise unless the models can be mixed."""
    if len(models) < 2:
        raise SettingsError("a mixture is of two models or more")
    first = models[0]
    for other in models[1:]:
        if other.preparation != first.preparation:
            raise InputError(f"the models were trained on text prepared as {first.preparation} and {other.preparation}")
