"""Mixtures of language models: any models of the toolkit, interpolated with weights fitted on development text."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from binyan import model_file
from binyan.errors import InputError, SettingsError
from binyan.language_model import LanguageModel, MixtureParts, Scores, State, Step, WordScore
from binyan.mixture.settings import MixtureSettings
from binyan.mixture.weights import ContextWeights, WeightFunction, fit_weights
from binyan.model import from_model_file
from binyan.progress import ProgressOption
from binyan.signature import Signature, digest
from binyan.text import Corpus
from binyan.text.reading import Source, read_sentences
from binyan.text.vocabulary import END, UNKNOWN_ID


class Mixture(LanguageModel):
    """P(w | h) = sum over models of weight x P_model(w | h). The models share vocabulary, preparation and events.

    Compound models that are not renormalised know more events than their vocabulary; they are mixed so only with models of the same
    events and with fixed weights. Otherwise the mixture is of the models renormalised over the vocabulary (`closed()`), and sums to one.

    With `weights` the mixture is complete; without, `fit` finds them. `by_context`: weights depend on the context h and on
    whether the word is unknown; `weights` are then the means of those of known words over the development text. Raises
    InputError where vocabulary or preparation differ: the models' words would not be the same events.

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
    fields: dict[str, Any]

    def __init__(
        self,
        models: Sequence[LanguageModel],
        weights: Sequence[float] | None = None,
        *,
        by_context: bool = MixtureSettings.by_context,
    ) -> None:
        check(models)
        self.models, self.settings = _of_one_event_space(models, by_context), MixtureSettings(by_context)
        self.vocabulary, self.preparation = models[0].vocabulary, models[0].preparation
        self.order = max(m.order for m in models)
        if weights is not None:
            if by_context:
                raise SettingsError("weights by context are fitted: leave out the weights, or by_context")
            self._learnt(weights)

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
        scores = [m.score_sentences(sentences) for m in self.models]
        log_probs = np.stack([s.log_prob for s in scores])
        fields = {"development_events": log_probs.shape[1]}
        if not self.settings.by_context:
            return self._learnt(fit_weights(log_probs).tolist(), fields)
        parts = [m.weigh_sentences(sentences) for m in self.models]
        if not any(p.features.shape[1] for p in parts):
            raise SettingsError(
                "weights by context need a model among those mixed that tells something of a context: an n-gram or a "
                "log-bilinear one"
            )
        context_weights = ContextWeights.fit(parts, scores[0].unknown.astype(bool), progress)
        weights = context_weights.mix(parts, np.zeros(log_probs.shape[1], bool))[0].mean(1)
        return self._learnt(weights.tolist(), fields, context_weights)

    def _learnt(
        self,
        weights: Sequence[float],
        fields: dict[str, Any] | None = None,
        context_weights: ContextWeights | None = None,
    ) -> Self:
        """What fitting, a file, or the caller has given."""
        if len(weights) != len(self.models) or not (min(weights) >= 0 and abs(sum(weights) - 1) <= 1e-6):
            raise SettingsError(
                f"{len(self.models)} models need as many weights, not negative and of sum 1, not {list(weights)}"
            )
        if context_weights is not None:
            _check_context_weights(context_weights, [m.weigh(m.begin(), END) for m in self.models])
        self.weights = np.asarray(weights, np.float64) / sum(weights)
        self.fields, self.context_weights = fields or {}, context_weights
        return self

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
        return other

    def has_own_probability(self, word: str) -> bool:
        """Whether a word is an event of its own, as to each model of the mixture."""
        return self.models[0].has_own_probability(word)

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
        scored = [m.score_word(s, word) for m, s in self._pairs(state)]
        unknown = any(s.unknown for s in scored)
        with np.errstate(divide="ignore"):
            log_prob = float(np.log(self._mix(state, word)[1].sum()))
        return WordScore(tuple(s.state for s in scored), log_prob, max(s.matched for s in scored), unknown)

    def advance(self, state: State, word: str) -> State:
        """The state after one more word: one of each model."""
        return tuple(m.advance(s, word) for m, s in self._pairs(state))

    def score_sentences(self, sentences: Iterable[Sequence[str]]) -> Scores:
        """Score prepared sentences in one batch, each with its </s>."""
        listed = [list(s) for s in sentences]
        scores = [m.score_sentences(listed) for m in self.models]
        with np.errstate(divide="ignore"):
            if self.context_weights is None:
                log_probs = np.stack([s.log_prob for s in scores])
                mixed = np.logaddexp.reduce(log_probs + np.log(self.weights)[:, None], axis=0)
            else:
                parts = [m.weigh_sentences(listed) for m in self.models]
                mixed = np.log(self.context_weights.mix(parts, scores[0].unknown.astype(bool))[1].sum(0))
        matched = np.max([s.matched for s in scores], axis=0).astype(np.uint8)
        return Scores(mixed, matched, scores[0].unknown, scores[0].offsets)

    def distribution(self, state: State) -> NDArray[np.float64]:
        """The probability of every word of the vocabulary after `state`, by id."""
        if self.context_weights is None:
            return np.asarray(self.weights @ np.stack([m.distribution(s) for m, s in self._pairs(state)]))
        parts = [m.weigh(s) for m, s in self._pairs(state)]
        return self.context_weights.distribution(parts, np.arange(len(self.vocabulary)) == UNKNOWN_ID)

    def distributions(self, states: Sequence[State]) -> NDArray[np.floating]:  # (states, vocabulary)
        """The same of several states in one batch."""
        by_model: list[tuple[State, ...]] = list(zip(*states, strict=True))
        each = list(zip(self.models, by_model, strict=True))
        if self.context_weights is None:
            return np.asarray(sum(w * m.distributions(s) for w, (m, s) in zip(self.weights, each, strict=True)))
        is_unknown = np.arange(len(self.vocabulary)) == UNKNOWN_ID
        parts = zip(*(m.weigh_each(s) for m, s in each), strict=True)
        return np.stack([self.context_weights.distribution(p, is_unknown) for p in parts])

    def steps(self, state: State, word: str) -> tuple[Step, ...]:
        """What each model adds."""
        weights, shares = self._mix(state, word)
        return tuple(
            Step(m.kind, f"weight {w:.3f}", float(share / w) if w else 0.0, float(share / shares.sum()))
            for m, w, share in zip(self.models, weights, shares, strict=True)
        )

    def _pairs(self, state: State) -> list[tuple[LanguageModel, State]]:
        return list(zip(self.models, state, strict=True))  # type: ignore[call-overload]

    def _mix(self, state: State, word: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # (models,) each
        """The weight of each model, and what it adds to the probability of a word."""
        if self.context_weights is None:
            return self.weights, self.weights * np.exp([m.score_word(s, word).log_prob for m, s in self._pairs(state)])
        parts, unknown = [m.weigh(s, word) for m, s in self._pairs(state)], self.vocabulary[word] == UNKNOWN_ID
        weights, shares = self.context_weights.mix(parts, np.array([unknown]))
        return weights[:, 0], shares[:, 0]

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
        """Those of the first model that has them."""
        return next((c for m in self.models if (c := m.training_counts()) is not None), None)

    def signature(self) -> Signature:
        """The weights, and the digest of each model's own signature."""
        parts = "+".join(
            f"{w:.4f}*{m.signature().fields.get('model', m.kind)}-{m.signature().digest}"
            for w, m in zip(self.weights, self.models, strict=True)
        )
        by_context = self.context_weights
        tables = [w.table.tobytes() for w in (by_context.known, by_context.unknown)] if by_context is not None else []
        by = {"by_context": digest(*tables)} if tables else {}
        by |= {"open": "components"} if self.is_open else {}
        by |= {"renormalised": "exact"} if any("renormalised" in m.signature().fields for m in self.models) else {}
        return Signature({"model": "mixture", "order": self.order, "of": parts, **by, **self.fields})

    def contents(self) -> tuple[dict[str, Any], dict[str, model_file.Section]]:
        """Settings and sections for a model file: the models whole, one per section."""
        sections: dict[str, model_file.Section] = {
            f"model/{i}": model_file.to_bytes(m.kind, *m.contents()) for i, m in enumerate(self.models)
        }
        if self.context_weights is not None:
            sections |= {
                "gate/known": self.context_weights.known.table,
                "gate/unknown": self.context_weights.unknown.table,
            }
        return {"weights": self.weights.tolist(), "fields": self.fields}, sections

    @classmethod
    def from_file(cls, file: model_file.ModelFile) -> Self:
        """The inverse of `contents`."""
        weights = file.meta["weights"]
        models = [from_model_file(model_file.from_bytes(file.blob(f"model/{i}"))) for i in range(len(weights))]
        context_weights = None
        if "gate/known" in file.sections:
            known, unknown = (WeightFunction(file.array(f"gate/{kind}")) for kind in ("known", "unknown"))
            context_weights = ContextWeights(known, unknown)
        mixture = cls(models, by_context=context_weights is not None)
        return mixture._learnt(weights, file.fields(), context_weights)


def _check_context_weights(context_weights: ContextWeights, parts: Sequence[MixtureParts]) -> None:
    """Raise unless the tables of the weights have a row for each part of the models and a column for each feature."""
    features = 1 + sum(p.features.shape[1] for p in parts)
    needed = (sum(len(p.mass) for p in parts), features)
    tables = context_weights.known.table, context_weights.unknown.table
    if not all(np.isfinite(table).all() for table in tables):
        raise InputError("a weight of the mixture is not a finite number: mix the models again")
    for given in (table.shape for table in tables):
        if given != needed:
            raise InputError(
                f"the mixture weighs {given[0]} parts of models by {given[1] - 1} features of a context, and its models have "
                f"{needed[0]} parts and {features - 1} features: mix them again"
            )


def _of_one_event_space(models: Sequence[LanguageModel], by_context: bool) -> tuple[LanguageModel, ...]:
    """The models, renormalised over their vocabulary unless all are open in the same way and the weights fixed."""
    same = len({m.events for m in models}) == 1
    return tuple(models) if same and not by_context else tuple(m.closed() for m in models)


def check(models: Sequence[LanguageModel]) -> None:
    """Raise unless the models can be mixed."""
    if len(models) < 2:
        raise SettingsError("a mixture is of two models or more")
    first = models[0]
    for other in models[1:]:
        if other.vocabulary != first.vocabulary:
            raise InputError(
                f"the models' vocabularies differ ({len(first.vocabulary):,} and {len(other.vocabulary):,} words): their words "
                "are not the same events; train both with the same --vocabulary FILE, or the same text, --kappa and --seed"
            )
        if other.preparation != first.preparation:
            raise InputError(f"the models were trained on text prepared as {first.preparation} and {other.preparation}")
