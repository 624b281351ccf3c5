"""Weights of a mixture, fixed or by context: more for an n-gram model where it has seen the context often, or where words of a
kind are expected that it knows better than the others do.

Weights by context are those of parts of models: an interpolated n-gram model is itself a mixture, of what contexts of each length
tell, and beside another model its lengths deserve other weights than it has given them. They depend on the context and on whether
the next word is unknown, which is decided first: so a mixture with them sums to one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

from binyan.errors import InputError
from binyan.language_model import MixtureParts
from binyan.progress import Progress, ProgressOption

_GAP = 1e-6  # nats an event that the weights may be short of the best
_STEPS = 5000
PRECISION = 30.0  # of the normal prior of a gate's coefficients
_TOLERANCE = 1e-7  # of a gate's fit: of the log-likelihood, a step


@dataclass(frozen=True)
class Gate:
    """A softmax of linear functions of features of the context; `table` has a row for each of what is weighed and a column for each
    feature, the first of which is 1. Row 0 is zero: only differences count."""

    table: NDArray[np.float64]

    def log_weights(
        self, features: NDArray[np.floating], prior: NDArray[np.float64] | float = 0.0
    ) -> NDArray[np.float64]:  # (events, features) -> (rows, events)
        """Logarithms of the weights in contexts with `features`, the 1 not included; `prior`: of the weights before they are
        weighed, up to a constant."""
        return np.asarray(log_softmax(self.table[:, :1] + self.table[:, 1:] @ features.T + prior, axis=0))

    @classmethod
    def fit(
        cls,
        chances: NDArray[np.float64],  # (rows, events)
        features: NDArray[np.floating],  # (events, features)
        start: NDArray[np.float64],
        prior: NDArray[np.float64] | float = 0.0,
        progress: ProgressOption = False,
    ) -> Gate:
        """The gate that makes events most probable, from constants `start`. A coefficient that is no constant has a normal prior, so
        that features that few events show are not trusted."""
        rows, events = chances.shape
        inputs = np.column_stack([np.ones(events), features])
        relative = chances / chances.max(0)
        # The search is in coordinates in which the features are uncorrelated and of variance 1: z, where table = z narrow.
        gram = inputs.T @ inputs + np.diag([0.0] + [PRECISION] * features.shape[1])
        narrow = np.linalg.inv(np.linalg.cholesky(gram / events))
        inputs = inputs @ narrow.T
        first = np.zeros((rows, len(gram)))
        first[:, 0] = (start - start[0]) / narrow[0, 0]

        def stacked(flat: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.vstack([np.zeros(len(gram)), flat.reshape(rows - 1, -1)])

        def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            z = stacked(flat)
            weights = np.exp(log_softmax(z @ inputs.T + prior, axis=0))
            joint = weights * relative
            mixed = joint.sum(0)
            pull = joint / mixed - weights  # posterior less prior weights
            free = z @ narrow
            free[:, 0] = 0.0
            gradient = PRECISION * free @ narrow.T - pull @ inputs
            value = float(-np.log(mixed).sum() + 0.5 * PRECISION * (free**2).sum())
            shown.advance(loss=value / events)
            return value, gradient[1:].ravel()

        with Progress("weights by context, steps", show=progress) as shown:
            found = minimize(loss, first[1:].ravel(), jac=True, method="L-BFGS-B", options={"ftol": _TOLERANCE})
        return cls(stacked(found.x) @ narrow)


@dataclass(frozen=True)
class Gates:
    """U(h) = sum over the parts j of all models of `unknown` weights x P_j(<unk> | h). A known word w has (1 - U(h)) x the sum of
    `known` weights x P_j(w | h, known). Before they are weighed, parts have the weights that they have in their models."""

    known: Gate
    unknown: Gate

    def mix(
        self, parts: Sequence[MixtureParts], is_unknown: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # (models, events) each
        """The weight of each model, and what it adds to the mixture's probability of each event."""
        told = _Told.of(parts)
        of_unknown = np.exp(self.unknown.log_weights(told.features, _log(told.mass)))
        of_known = np.exp(self.known.log_weights(told.features, _log(told.rest)))
        unknown = of_unknown * told.unknown
        known = (1 - unknown.sum(0)) * of_known * told.known
        weights = np.where(is_unknown, of_unknown, of_known)
        shares = np.where(is_unknown, unknown, known)
        first = np.cumsum([0, *(len(p.mass) for p in parts[:-1])])
        return np.add.reduceat(weights, first, axis=0), np.add.reduceat(shares, first, axis=0)

    @classmethod
    def fit(
        cls, parts: Sequence[MixtureParts], is_unknown: NDArray[np.bool_], progress: ProgressOption = False
    ) -> Gates:
        """The gates that make events most probable, each from fixed weights of models by EM."""
        told = _Told.of(parts)
        model_of = np.repeat(np.arange(len(parts)), [len(p.mass) for p in parts])

        def fitted(chances: NDArray[np.float64], mass: NDArray[np.float64], events: NDArray[np.bool_]) -> Gate:
            chances, prior = chances[:, events], _log(mass[:, events])
            whole = np.zeros((len(parts), chances.shape[1]))
            np.add.at(whole, model_of, chances * np.exp(prior))
            start = np.log(np.maximum(fit_weights(_log(whole)), 1e-4))[model_of]
            return Gate.fit(chances, told.features[events], start, prior, progress)

        known = ~is_unknown
        return cls(
            fitted(told.known, told.rest, known),
            fitted(np.where(is_unknown, told.unknown, 1 - told.unknown), told.mass, np.ones_like(known)),
        )


@dataclass(frozen=True)
class _Told:
    """What the parts of several models tell of events: one row a part, one column an event."""

    mass: NDArray[np.float64]  # of all words
    rest: NDArray[np.float64]  # of the known ones; in both the parts of each model sum to 1
    unknown: NDArray[np.float64]  # P_j(<unk> | h)
    known: NDArray[np.float64]  # P_j(word | h, known); in both 0 where a part has no mass
    features: NDArray[np.floating]

    @classmethod
    def of(cls, parts: Sequence[MixtureParts]) -> _Told:
        mass, share, unknown = (
            np.concatenate([getattr(p, name) for p in parts]).astype(np.float64)
            for name in ("mass", "share", "unknown")
        )
        rest = np.maximum(mass - unknown, 0.0)
        ends = np.cumsum([len(p.mass) for p in parts])[:-1]

        def of_model(rows: NDArray[np.float64]) -> NDArray[np.float64]:  # so that each model's sum to 1
            return np.concatenate([r / r.sum(0) for r in np.split(rows, ends)])

        features = np.concatenate([p.features for p in parts], axis=1)
        return cls(of_model(mass), of_model(rest), _ratio(unknown, mass), _ratio(share, rest), features)


def _ratio(of: NDArray[np.float64], to: NDArray[np.float64]) -> NDArray[np.float64]:
    shape = np.broadcast_shapes(of.shape, to.shape)
    return np.asarray(np.divide(of, to, out=np.zeros(shape), where=np.broadcast_to(to > 0, shape)))


def _log(values: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))


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
