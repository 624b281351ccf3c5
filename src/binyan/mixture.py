"""Mixtures of language models: any models of the toolkit, interpolated with weights fitted on development text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import model_file
from binyan.errors import InputError, SettingsError
from binyan.gate import Gate
from binyan.language_model import LanguageModel, Scores, State, Step, WordScore, from_model_file
from binyan.signature import Signature, digest

_GAP = 1e-6  # nats an event that the weights may be short of the best
_STEPS = 5000


class Mixture(LanguageModel):
    """P(w | h) = sum over models of weight x P_model(w | h). The models share vocabulary and preparation.

    With a `gate` the weights depend on the context h, and `weights` are their means over the development text. Raises
    InputError where vocabulary or preparation differ: the models' words would not be the same events.
    """

    kind = "mixture"

    def __init__(
        self,
        models: Sequence[LanguageModel],
        weights: Sequence[float],
        fields: dict[str, Any] | None = None,
        gate: Gate | None = None,
    ) -> None:
        check(models)
        if len(weights) != len(models) or min(weights) < 0 or abs(sum(weights) - 1) > 1e-6:
            raise SettingsError(
                f"{len(models)} models need as many weights, not negative and of sum 1, not {list(weights)}"
            )
        self.models, self.weights = tuple(models), np.asarray(weights, np.float64) / sum(weights)
        self.vocabulary, self.preparation = models[0].vocabulary, models[0].preparation
        self.order = max(m.order for m in models)
        self.fields, self.gate = fields or {}, gate

    @classmethod
    def fit(
        cls, models: Sequence[LanguageModel], development: Iterable[Sequence[str]], by_context: bool = False
    ) -> Mixture:
        """The mixture that makes the prepared sentences of `development` most probable, by EM from equal weights.

        With `by_context` weights depend on what the models can tell of a context, which n-gram models do: they are fitted by
        gradient from EM's. Raises SettingsError where none of the models tells anything.
        """
        check(models)
        sentences = [list(s) for s in development]
        if not sentences:
            raise InputError("no development text to fit the weights on")
        log_probs = np.stack([m.score_sentences(sentences).log_prob for m in models])
        weights = fit_weights(log_probs)
        fields = {"development_events": log_probs.shape[1]}
        gate = None
        if by_context:
            features = _features(models, sentences)
            if not features.shape[1]:
                raise SettingsError(
                    "weights by context need an n-gram model among those mixed: it tells what it has seen"
                )
            gate = Gate.fit(log_probs, features, weights)
            weights = np.exp(gate.log_weights(features)).mean(1)
        return cls(models, [float(w) for w in weights], fields, gate)

    def begin(self) -> State:
        """The state at the start of a sentence: one of each model."""
        return tuple(m.begin() for m in self.models)

    def score(self, state: State, word: str) -> WordScore:
        """Score one word (or "</s>") after `state`."""
        scored = [m.score(s, word) for m, s in zip(self.models, state, strict=True)]  # type: ignore[call-overload]
        log_prob = float(_mixed(np.array([[s.log_prob] for s in scored]), self._log_weights(state))[0])
        return WordScore(
            tuple(s.state for s in scored), log_prob, max(s.matched for s in scored), any(s.unknown for s in scored)
        )

    def score_sentences(self, sentences: Iterable[Sequence[str]]) -> Scores:
        """Score prepared sentences in one batch, each with its </s>."""
        listed = [list(s) for s in sentences]
        scores = [m.score_sentences(listed) for m in self.models]
        log_weights = (
            self._log_weights() if self.gate is None else self.gate.log_weights(_features(self.models, listed))
        )
        return Scores(
            _mixed(np.stack([s.log_prob for s in scores]), log_weights),
            np.max([s.matched for s in scores], axis=0).astype(np.uint8),
            scores[0].unknown,
            scores[0].offsets,
        )

    def next_words(self, state: State) -> NDArray[np.float64]:
        """The probability of every word of the vocabulary after `state`, by id."""
        each = [m.next_words(s) for m, s in zip(self.models, state, strict=True)]  # type: ignore[call-overload]
        return np.asarray(np.exp(self._log_weights(state)[:, 0]) @ np.stack(each))

    def steps(self, state: State, word: str) -> tuple[Step, ...]:
        """What each model adds."""
        weights = np.exp(self._log_weights(state)[:, 0])
        parts = [
            w * np.exp(m.score(s, word).log_prob)
            for w, m, s in zip(weights, self.models, state, strict=True)  # type: ignore[call-overload]
        ]
        return tuple(
            Step(m.kind, f"weight {w:.3f}", float(p / w) if w else 0.0, float(p / sum(parts)))
            for m, w, p in zip(self.models, weights, parts, strict=True)
        )

    def _log_weights(self, state: State = ()) -> NDArray[np.float64]:  # (models, 1)
        if self.gate is None:
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(self.weights)[:, None])
        each = [m.context_features(s) for m, s in zip(self.models, state, strict=True)]  # type: ignore[call-overload]
        return self.gate.log_weights(np.concatenate(each)[None])

    def training_counts(self) -> NDArray[Any] | None:
        """Those of the first model that has them."""
        return next((c for m in self.models if (c := m.training_counts()) is not None), None)

    def signature(self) -> Signature:
        """The weights, and the digest of each model's own signature."""
        parts = "+".join(
            f"{w:.4f}*{m.signature().fields.get('model', m.kind)}-{m.signature().digest}"
            for w, m in zip(self.weights, self.models, strict=True)
        )
        by = {} if self.gate is None else {"by_context": digest(self.gate.table.tobytes())}
        return Signature({"model": "mixture", "order": self.order, "of": parts, **by, **self.fields})

    def contents(self) -> tuple[dict[str, Any], dict[str, model_file.Section]]:
        """Settings and sections for a model file: the models whole, one a section."""
        sections: dict[str, model_file.Section] = {
            f"model/{i}": model_file.to_bytes(m.kind, *m.contents()) for i, m in enumerate(self.models)
        }
        if self.gate is not None:
            sections["gate"] = self.gate.table
        return {"weights": self.weights.tolist(), "fields": self.fields}, sections

    @classmethod
    def from_file(cls, file: model_file.ModelFile) -> Mixture:
        """The inverse of `contents`."""
        weights = file.meta["weights"]
        models = [from_model_file(model_file.from_bytes(file.blob(f"model/{i}"))) for i in range(len(weights))]
        gate = Gate(file.array("gate")) if "gate" in file.sections else None
        return cls(models, weights, file.meta["fields"], gate)


def fit_weights(log_probs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights by EM; `log_probs` has one row a model and one column an event."""
    weights = np.full(len(log_probs), 1 / len(log_probs))
    top = log_probs.max(0)
    if not np.isfinite(top).all():
        raise InputError("an event of the development text has probability 0 under every model")
    ratios = np.exp(log_probs - top)
    mixed = weights @ ratios
    power = 1.0
    for _ in range(_STEPS):
        growth = (ratios / mixed).mean(1)
        if np.log(growth.max()) < _GAP:  # no weights are better by more than this
            break
        # Powers above 1 overshoot EM's step, which is slow where models are alike; kept only while they do better.
        tried = weights * growth**power
        tried /= tried.sum()
        tried_mixed = tried @ ratios
        if power == 1.0 or np.log(tried_mixed).sum() > np.log(mixed).sum():
            weights, mixed, power = tried, tried_mixed, power * 2
        else:
            power = 1.0
    return np.asarray(weights / weights.sum())


def _mixed(log_probs: NDArray[np.float64], log_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.logaddexp.reduce(log_probs + log_weights, axis=0))


def _features(models: Sequence[LanguageModel], sentences: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    return np.concatenate([m.sentence_features(sentences) for m in models], axis=1)


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
