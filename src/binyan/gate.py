"""Weights of a mixture, fixed or by context: more for an n-gram model where it has seen the context often, or where words of a
kind are expected that it knows better than the others do.

Weights by context depend on the context and on whether the next word is unknown, which is decided first: so a mixture with them
sums to one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

from binyan.errors import InputError

_GAP = 1e-6  # nats an event that the weights may be short of the best
_STEPS = 5000


@dataclass(frozen=True)
class Gate:
    """A softmax of linear functions of features of the context; `table` has a row for each model and a column for each
    feature, the first of which is 1. Row 0 is zero: only differences count."""

    table: NDArray[np.float64]

    def log_weights(
        self, features: NDArray[np.float64]
    ) -> NDArray[np.float64]:  # (events, features) -> (models, events)
        """Logarithms of the weights in contexts with `features`, the 1 not included."""
        return np.asarray(log_softmax(self.table[:, :1] + self.table[:, 1:] @ features.T, axis=0))

    @classmethod
    def fit(cls, log_probs: NDArray[np.float64], features: NDArray[np.float64], start: NDArray[np.float64]) -> Gate:
        """The gate that makes events most probable, from the fixed weights `start`.

        `log_probs` has one row a model and one column an event. Each coefficient but the constants has a standard normal
        prior, so that features that few events show are not trusted.
        """
        models, events = log_probs.shape
        inputs = np.column_stack([np.ones(events), features])
        relative = log_probs - log_probs.max(0)
        # The search is in coordinates in which the features are uncorrelated and of variance 1: z, where table = z narrow.
        gram = inputs.T @ inputs + np.diag([0.0] + [1.0] * features.shape[1])
        narrow = np.linalg.inv(np.linalg.cholesky(gram / events))
        inputs = inputs @ narrow.T
        logs = np.log(np.maximum(start, 1e-4))
        first = np.zeros((models, len(gram)))
        first[:, 0] = (logs - logs[0]) / narrow[0, 0]

        def stacked(flat: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.vstack([np.zeros(len(gram)), flat.reshape(models - 1, -1)])

        def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            z = stacked(flat)
            prior = log_softmax(z @ inputs.T, axis=0)
            joint = prior + relative
            mixed = np.logaddexp.reduce(joint, axis=0)
            pull = np.exp(joint - mixed) - np.exp(prior)  # posterior less prior weights
            free = z @ narrow
            free[:, 0] = 0.0
            gradient = free @ narrow.T - pull @ inputs
            return float(-mixed.sum() + 0.5 * (free**2).sum()), gradient[1:].ravel()

        return cls(stacked(minimize(loss, first[1:].ravel(), jac=True, method="L-BFGS-B").x) @ narrow)


@dataclass(frozen=True)
class Gates:
    """U(h) = sum of `unknown` weights x P_m(<unk> | h); a known word w has (1 - U(h)) x the sum of `known` weights x
    P_m(w | h, known). Models that know as little of unknown words may know much of the others."""

    known: Gate
    unknown: Gate

    def log_weights(
        self, log_unknown: NDArray[np.float64], is_unknown: NDArray[np.bool_], features: NDArray[np.float64]
    ) -> NDArray[np.float64]:  # (models, events), (events,), (events, features) -> (models, events)
        """Logarithms of what the models' probabilities of events are multiplied by; `log_unknown` has log P_m(<unk> | h)."""
        of_unknown = self.unknown.log_weights(features)
        together = np.logaddexp.reduce(of_unknown + log_unknown, axis=0)
        of_known = self.known.log_weights(features) + _log_rest(together) - _log_rest(log_unknown)
        return np.where(is_unknown, of_unknown, of_known)

    @classmethod
    def fit(
        cls,
        log_probs: NDArray[np.float64],
        log_unknown: NDArray[np.float64],
        is_unknown: NDArray[np.bool_],
        features: NDArray[np.float64],
    ) -> Gates:
        """The gates that make events most probable, each from fixed weights by EM."""
        log_known = _log_rest(log_unknown)
        chances = np.where(is_unknown, log_unknown, log_known)
        words = (log_probs - log_known)[:, ~is_unknown]
        return cls(
            Gate.fit(words, features[~is_unknown], fit_weights(words)),
            Gate.fit(chances, features, fit_weights(chances)),
        )


def _log_rest(log_probs: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(1 - p)"""
    return np.asarray(np.log1p(-np.exp(log_probs)))


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
