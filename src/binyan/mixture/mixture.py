"""Mixtures of language models: any models of the toolkit, interpolated with weights fitted on development text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import model_file
from binyan.errors import InputError, SettingsError
from binyan.language_model import LanguageModel, MixtureParts, Scores, State, Step, WordScore
from binyan.mixture.weights import Gate, Gates, fit_weights
from binyan.model import from_model_file
from binyan.progress import ProgressOption
from binyan.signature import Signature, digest
from binyan.text.vocabulary import END, UNKNOWN_ID


class Mixture(LanguageModel):
    """P(w | h) = sum over models of weight x P_model(w | h). The models share vocabulary and preparation.

    With `gates` the weights depend on the context h and on whether the word is unknown, and `weights` are the means of those
    of known words over the development text. Raises InputError where vocabulary or preparation differ: the models' words
    would not be the same events.
    """

    kind = "mixture"

    def __init__(
        self,
        models: Sequence[LanguageModel],
        weights: Sequence[float],
        fields: dict[str, Any] | None = None,
        gates: Gates | None = None,
    ) -> None:
        check(models)
        if len(weights) != len(models) or min(weights) < 0 or abs(sum(weights) - 1) > 1e-6:
            raise SettingsError(
                f"{len(models)} models need as many weights, not negative and of sum 1, not {list(weights)}"
            )
        self.models, self.weights = tuple(models), np.asarray(weights, np.float64) / sum(weights)
        self.vocabulary, self.preparation = models[0].vocabulary, models[0].preparation
        self.order = max(m.order for m in models)
        self.fields, self.gates = fields or {}, gates
        if gates is not None:
            _check_gates(gates, [m.weigh(m.begin(), END) for m in models])

    @classmethod
    def fit(
        cls,
        models: Sequence[LanguageModel],
        development: Iterable[Sequence[str]],
        by_context: bool = False,
        progress: ProgressOption = None,
    ) -> Mixture:
        """The mixture that makes the prepared sentences of `development` most probable, by EM from equal weights.

        With `by_context` weights depend on what the models can tell of a context, which n-gram and log-bilinear models do, and
        lengths of context of an n-gram model have weights of their own: fitted by gradient from EM's. Raises SettingsError
        where none of the models tells anything.
        """
        check(models)
        sentences = [list(s) for s in development]
        if not sentences:
            raise InputError("no development text to fit the weights on")
        scores = [m.score_sentences(sentences) for m in models]
        log_probs = np.stack([s.log_prob for s in scores])
        weights, gates = fit_weights(log_probs), None
        fields = {"development_events": log_probs.shape[1]}
        if by_context:
            parts = [m.weigh_sentences(sentences) for m in models]
            if not any(p.features.shape[1] for p in parts):
                raise SettingsError(
                    "weights by context need a model among those mixed that tells something of a context: an n-gram or a "
                    "log-bilinear one"
                )
            gates = Gates.fit(parts, scores[0].unknown.astype(bool), progress)
            weights = gates.mix(parts, np.zeros(log_probs.shape[1], bool))[0].mean(1)
        return cls(models, [float(w) for w in weights], fields, gates)

    def begin(self) -> State:
        """The state at the start of a sentence: one of each model."""
        return tuple(m.begin() for m in self.models)

    def score_word(self, state: State, word: str) -> WordScore:
        """Score one word (or "</s>") after `state`."""
        scored = [m.score_word(s, word) for m, s in self._pairs(state)]
        unknown = any(s.unknown for s in scored)
        with np.errstate(divide="ignore"):
            log_prob = float(np.log(self._mix(state, word)[1].sum()))
        return WordScore(tuple(s.state for s in scored), log_prob, max(s.matched for s in scored), unknown)

    def score_sentences(self, sentences: Iterable[Sequence[str]]) -> Scores:
        """Score prepared sentences in one batch, each with its </s>."""
        listed = [list(s) for s in sentences]
        scores = [m.score_sentences(listed) for m in self.models]
        with np.errstate(divide="ignore"):
            if self.gates is None:
                log_probs = np.stack([s.log_prob for s in scores])
                mixed = np.logaddexp.reduce(log_probs + np.log(self.weights)[:, None], axis=0)
            else:
                parts = [m.weigh_sentences(listed) for m in self.models]
                mixed = np.log(self.gates.mix(parts, scores[0].unknown.astype(bool))[1].sum(0))
        matched = np.max([s.matched for s in scores], axis=0).astype(np.uint8)
        return Scores(mixed, matched, scores[0].unknown, scores[0].offsets)

    def distribution(self, state: State) -> NDArray[np.float64]:
        """The probability of every word of the vocabulary after `state`, by id."""
        if self.gates is None:
            return np.asarray(self.weights @ np.stack([m.distribution(s) for m, s in self._pairs(state)]))
        parts = [m.weigh(s) for m, s in self._pairs(state)]
        return np.asarray(self.gates.mix(parts, np.arange(len(self.vocabulary)) == UNKNOWN_ID)[1].sum(0))

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
        if self.gates is None:
            return self.weights, self.weights * np.exp([m.score_word(s, word).log_prob for m, s in self._pairs(state)])
        parts, unknown = [m.weigh(s, word) for m, s in self._pairs(state)], self.vocabulary[word] == UNKNOWN_ID
        weights, shares = self.gates.mix(parts, np.array([unknown]))
        return weights[:, 0], shares[:, 0]

    def training_counts(self) -> NDArray[Any] | None:
        """Those of the first model that has them."""
        return next((c for m in self.models if (c := m.training_counts()) is not None), None)

    def signature(self) -> Signature:
        """The weights, and the digest of each model's own signature."""
        parts = "+".join(
            f"{w:.4f}*{m.signature().fields.get('model', m.kind)}-{m.signature().digest}"
            for w, m in zip(self.weights, self.models, strict=True)
        )
        tables = [] if self.gates is None else [self.gates.known.table.tobytes(), self.gates.unknown.table.tobytes()]
        by = {"by_context": digest(*tables)} if tables else {}
        return Signature({"model": "mixture", "order": self.order, "of": parts, **by, **self.fields})

    def contents(self) -> tuple[dict[str, Any], dict[str, model_file.Section]]:
        """Settings and sections for a model file: the models whole, one a section."""
        sections: dict[str, model_file.Section] = {
            f"model/{i}": model_file.to_bytes(m.kind, *m.contents()) for i, m in enumerate(self.models)
        }
        if self.gates is not None:
            sections |= {"gate/known": self.gates.known.table, "gate/unknown": self.gates.unknown.table}
        return {"weights": self.weights.tolist(), "fields": self.fields}, sections

    @classmethod
    def from_file(cls, file: model_file.ModelFile) -> Mixture:
        """The inverse of `contents`."""
        weights = file.meta["weights"]
        models = [from_model_file(model_file.from_bytes(file.blob(f"model/{i}"))) for i in range(len(weights))]
        gates = None
        if "gate/known" in file.sections:
            gates = Gates(*(Gate(file.array(f"gate/{kind}")) for kind in ("known", "unknown")))
        return cls(models, weights, file.meta["fields"], gates)


def _check_gates(gates: Gates, parts: Sequence[MixtureParts]) -> None:
    """Raise unless the gates' tables are of the models' parts and features."""
    features = 1 + sum(p.features.shape[1] for p in parts)
    needed = (sum(len(p.mass) for p in parts), features)
    for given in (gates.known.table.shape, gates.unknown.table.shape):
        if given != needed:
            raise InputError(
                f"the mixture weighs {given[0]} parts of models by {given[1] - 1} features of a context, and its models have "
                f"{needed[0]} parts and {features - 1} features: mix them again"
            )


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
