"""The weights of a mixture: fixed ones by EM, or weights by context.

Weights by context are larger for an n-gram model where it has seen the context often, and for any model where the words that are
expected are of a kind that it predicts better than the others do. They belong to parts of models: an interpolated n-gram model is itself a mixture, one part per context length, and
beside another model its parts deserve other weights than it has given them. They depend on the context and on whether the next
word is unknown, which is decided first, so that a mixture with them sums to one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

from binyan import _core
from binyan.errors import InputError
from binyan.language_model import MixtureParts
from binyan.progress import Progress, ProgressOption

_GAP = 1e-6  # nats per event that fixed weights may be short of the best
_STEPS = 5000
_LEAST_START = (
    0.02  # from much less, a weight by context would hardly rise where its model helps in some contexts alone
)
PRECISION = 30.0  # of the normal prior of the coefficients of a weight function
_TOLERANCE = 1e-7  # relative gain in log-likelihood per step at which fitting a weight function stops

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class WeightFunction:
    """Weights as a softmax of linear functions of the features of a context.

    `table` has one row per part and one column per feature, the first of which is the constant 1. Row 0 is zero: only differences
    count.
    """

    table: Floats

    def log_weights(self, features: NDArray[np.floating], prior: Floats | float = 0.0) -> Floats:  # -> (parts, events)
        """Logarithms of the weights in contexts with `features` (events, features), without the constant.

        `prior`: logarithms, up to a constant, of the weights that the parts have in their models.
        """
        return np.asarray(log_softmax(self.table[:, :1] + self.table[:, 1:] @ features.T + prior, axis=0))

    @classmethod
    def fit(
        cls,
        chances: Floats,  # (parts, events)
        features: NDArray[np.floating],  # (events, features)
        start: Floats,
        prior: Floats | float = 0.0,
        progress: ProgressOption = False,
    ) -> WeightFunction:
        """The function that makes the events most probable, searched from the constants `start`.

        Coefficients, but for constants, have a normal prior, so that features that few events have are not trusted.
        """
        parts, events = chances.shape
        inputs = np.column_stack([np.ones(events), features])
        relative = chances / chances.max(0)
        # The search is in coordinates in which the features are uncorrelated and of variance 1: z, where table = z narrow.
        gram = inputs.T @ inputs + np.diag([0.0] + [PRECISION] * features.shape[1])
        narrow = np.linalg.inv(np.linalg.cholesky(gram / events))
        inputs = inputs @ narrow.T
        first = np.zeros((parts, len(gram)))
        first[:, 0] = (start - start[0]) / narrow[0, 0]

        def stacked(flat: Floats) -> Floats:
            return np.vstack([np.zeros(len(gram)), flat.reshape(parts - 1, -1)])

        def loss(flat: Floats) -> tuple[float, Floats]:
            z = stacked(flat)
            weights = np.exp(log_softmax(z @ inputs.T + prior, axis=0))
            joint = weights * relative
            mixed = joint.sum(0)
            pull = joint / mixed - weights  # posterior less prior weights
            free = z @ narrow
            free[:, 0] = 0.0
            gradient = PRECISION * free @ narrow.T - pull @ inputs
            value = float(-np.log(mixed).sum() + 0.5 * PRECISION * (free**2).sum())
            bar.advance(loss=value / events)
            return value, gradient[1:].ravel()

        with Progress("weights by context, steps", show=progress) as bar:
            optimum = minimize(loss, first[1:].ravel(), jac=True, method="L-BFGS-B", options={"ftol": _TOLERANCE})
        return cls(stacked(optimum.x) @ narrow)


@dataclass(frozen=True)
class ContextWeights:
    """Weights by context: of the parts of all models in predicting whether a word is `unknown`, and in predicting a `known` word.

    U(h) = sum over parts j of unknown weights x P_j(<unk> | h). A known word w has (1 - U(h)) x the sum over parts of known
    weights x P_j(w | h, known). Before they are weighed, parts have the weights that they have in their models.
    """

    known: WeightFunction
    unknown: WeightFunction

    def mix(
        self, parts: Sequence[MixtureParts], is_unknown: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:  # (models, events) each
        """The weight of each model, and what it adds to the mixture's probability of each event."""
        mass, share, unknown = (
            np.concatenate([getattr(p, name) for p in parts]).astype(np.float64).ravel()
            for name in ("mass", "share", "unknown")
        )
        features = np.concatenate([p.features for p in parts], axis=1).astype(np.float64).ravel()
        gate = self.gate([len(p.mass) for p in parts])
        mixed = gate.mix(share, mass, unknown, features, is_unknown.astype(np.uint8))
        weights, shares = (np.asarray(rows).reshape(len(parts), -1) for rows in mixed)
        return weights, shares

    def gate(self, parts: Sequence[int]) -> _core.Gate:
        """The weights as the core takes them; `parts` has the number of parts of each model."""
        tables = (np.ascontiguousarray(f.table, np.float64) for f in (self.known, self.unknown))
        return _core.Gate(np.array(parts, np.uint32), self.known.table.shape[1] - 1, *(t.ravel() for t in tables))

    def weighed(self, parts: Sequence[MixtureParts], is_unknown: NDArray[np.bool_]) -> MixtureParts:
        """The parts of the mixture itself, each part of a model with the weight it has here; for events, or for every word after one context."""
        mass, share, unknown = (
            np.concatenate([getattr(p, name) for p in parts]).astype(np.float64)
            for name in ("mass", "share", "unknown")
        )
        table = _PartTable.of([replace(p, share=p.unknown) for p in parts])
        of_unknown = np.exp(self.unknown.log_weights(table.features, _log(table.mass))) * table.unknown
        of_known = np.exp(self.known.log_weights(table.features, _log(table.rest))) * (1 - of_unknown.sum(0))
        shares = np.where(is_unknown, of_unknown, _ratio(of_known, np.maximum(mass - unknown, 0.0)) * share)
        return MixtureParts(shares, of_unknown + of_known, of_unknown, table.features)

    def distribution(self, parts: Sequence[MixtureParts], is_unknown: NDArray[np.bool_]) -> Floats:
        """The mixture's probability of every word after one context; `parts` are of that context and all words."""
        mass, unknown = (
            np.concatenate([getattr(p, name)[:, :1] for p in parts]).astype(np.float64) for name in ("mass", "unknown")
        )
        table = _PartTable.of([replace(p, share=p.unknown) for p in parts])
        of_unknown = np.exp(self.unknown.log_weights(table.features, _log(table.mass)))
        of_known = np.exp(self.known.log_weights(table.features, _log(table.rest)))
        chance_unknown = float((of_unknown * table.unknown).sum())
        weights = np.split((1 - chance_unknown) * _ratio(of_known, np.maximum(mass - unknown, 0.0))[:, 0], table.ends)
        mixed = np.sum([w @ p.share for w, p in zip(weights, parts, strict=True)], axis=0)
        return np.asarray(np.where(is_unknown, chance_unknown, mixed))

    @classmethod
    def fit(
        cls, parts: Sequence[MixtureParts], is_unknown: NDArray[np.bool_], progress: ProgressOption = False
    ) -> ContextWeights:
        """The weights that make events most probable, each function searched from fixed weights of models by EM."""
        table = _PartTable.of(parts)
        model_of = np.repeat(np.arange(len(parts)), [len(p.mass) for p in parts])

        def fitted(chances: Floats, mass: Floats, events: NDArray[np.bool_]) -> WeightFunction:
            chances, prior = chances[:, events], _log(mass[:, events])
            whole = np.zeros((len(parts), chances.shape[1]))
            np.add.at(whole, model_of, chances * np.exp(prior))
            start = np.log(np.maximum(fit_weights(_log(whole)), _LEAST_START))[model_of]
            return WeightFunction.fit(chances, table.features[events], start, prior, progress)

        known = ~is_unknown
        return cls(
            fitted(table.known, table.rest, known),
            fitted(np.where(is_unknown, table.unknown, 1 - table.unknown), table.mass, np.ones_like(known)),
        )


@dataclass(frozen=True)
class _PartTable:
    """The parts of several models at some events: one row per part, one column per event."""

    mass: Floats  # of all words
    rest: Floats  # of the known ones; in both the parts of each model sum to 1
    unknown: Floats  # P_j(<unk> | h)
    known: Floats  # P_j(word | h, known); in both 0 where a part has no mass
    features: NDArray[np.floating]
    ends: NDArray[np.int64]  # where the parts of each model but the last end

    @classmethod
    def of(cls, parts: Sequence[MixtureParts]) -> _PartTable:
        mass, share, unknown = (
            np.concatenate([getattr(p, name) for p in parts]).astype(np.float64)
            for name in ("mass", "share", "unknown")
        )
        rest = np.maximum(mass - unknown, 0.0)
        ends = np.cumsum([len(p.mass) for p in parts])[:-1]

        def of_model(rows: Floats) -> Floats:  # so that each model's sum to 1
            return np.concatenate([r / r.sum(0) for r in np.split(rows, ends)])

        features = np.concatenate([p.features for p in parts], axis=1)
        return cls(of_model(mass), of_model(rest), _ratio(unknown, mass), _ratio(share, rest), features, ends)


def _ratio(of: Floats, to: Floats) -> Floats:
    shape = np.broadcast_shapes(of.shape, to.shape)
    return np.asarray(np.divide(of, to, out=np.zeros(shape), where=np.broadcast_to(to > 0, shape)))


def _log(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))


def fit_weights(log_probs: Floats) -> Floats:
    """Fixed weights by EM; `log_probs` has one row per model and one column per event."""
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
        candidate = weights * growth**power
        candidate /= candidate.sum()
        candidate_mixed = candidate @ ratios
        if power == 1.0 or np.log(candidate_mixed).sum() > np.log(mixed).sum():
            weights, mixed, power = candidate, candidate_mixed, power * 2
        else:
            power = 1.0
    return np.asarray(weights / weights.sum())
