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
from binyan.language_model import Parts
from binyan.progress import Progress, ProgressOption

_GAP = 1e-6  # nats an event that the weights may be short of the best
_STEPS = 5000
PRECISION = 30.0  # of the normal prior of a gate's coefficients
_TOLERANCE = 1e-8  # of a gate's fit: of the log-likelihood, a step


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
    """U(h) = sum over models m of `unknown` weights x P_m(<unk> | h). A known word w has (1 - U(h)) x the sum over parts j of all
    models of `known` weights x P_j(w | h, known); a part's weight before it is weighed is what it has in its model."""

    known: Gate
    unknown: Gate

    def mix(
        self, parts: Sequence[Parts], is_unknown: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # (models, events) each
        """The weight of each model, and what it adds to the mixture's probability of each event."""
        features, first = _features(parts), np.cumsum([0, *(len(p.mass) for p in parts[:-1])])
        of_unknown = np.exp(self.unknown.log_weights(features))
        unknown = of_unknown * np.stack([p.unknown.sum(0) for p in parts])
        of_known = np.exp(self.known.log_weights(features, np.concatenate([_log_prior(p) for p in parts])))
        known = (1 - unknown.sum(0)) * of_known * np.concatenate([_known(p) for p in parts])
        return (
            np.where(is_unknown, of_unknown, np.add.reduceat(of_known, first, axis=0)),
            np.where(is_unknown, unknown, np.add.reduceat(known, first, axis=0)),
        )

    @classmethod
    def fit(cls, parts: Sequence[Parts], is_unknown: NDArray[np.bool_], progress: ProgressOption = False) -> Gates:
        """The gates that make events most probable, each from fixed weights of models by EM."""
        features = _features(parts)
        unknown = np.stack([p.unknown.sum(0) for p in parts])
        chances = np.where(is_unknown, unknown, 1 - unknown)
        known = [_known(p)[:, ~is_unknown] for p in parts]
        priors = [_log_prior(p)[:, ~is_unknown] for p in parts]
        models = np.stack([(k * np.exp(prior)).sum(0) for k, prior in zip(known, priors, strict=True)])
        start = np.repeat(_logs(fit_weights(np.log(models))), [len(k) for k in known])
        return cls(
            Gate.fit(np.concatenate(known), features[~is_unknown], start, np.concatenate(priors), progress),
            Gate.fit(chances, features, _logs(fit_weights(np.log(chances))), progress=progress),
        )


def _features(parts: Sequence[Parts]) -> NDArray[np.floating]:
    return np.concatenate([p.features for p in parts], axis=1)


def _rest(parts: Parts) -> NDArray[np.float64]:  # (parts, events)
    """The mass of known words."""
    return np.maximum(parts.mass.astype(np.float64) - parts.unknown, 0.0)


def _known(parts: Parts) -> NDArray[np.float64]:  # (parts, events)
    """P_j(word | h, known); 0 where a part has no mass."""
    rest = _rest(parts)
    return np.asarray(np.divide(parts.share, rest, out=np.zeros(parts.share.shape), where=rest > 0))


def _log_prior(parts: Parts) -> NDArray[np.float64]:  # (parts, events)
    """Logarithms of the weights that the parts have in their model, where the next word is known."""
    rest = _rest(parts)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(rest / rest.sum(0)))


def _logs(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.log(np.maximum(weights, 1e-4)))


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
