"""Weights of a mixture that depend on the context: more for an n-gram model where it has seen the context often.

They depend on the context alone, never on the word, so that a mixture with them sums to one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax


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
        first = np.zeros((models, inputs.shape[1]))
        logs = np.log(np.maximum(start, 1e-4))
        first[:, 0] = logs - logs[0]

        def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            table = np.vstack([np.zeros(inputs.shape[1]), flat.reshape(models - 1, -1)])
            prior = log_softmax(table @ inputs.T, axis=0)
            joint = prior + relative
            mixed = np.logaddexp.reduce(joint, axis=0)
            pull = np.exp(joint - mixed) - np.exp(prior)  # posterior less prior weights
            gradient = -(pull @ inputs)
            gradient[:, 1:] += table[:, 1:]
            return float(-mixed.sum() + 0.5 * (table[:, 1:] ** 2).sum()), gradient[1:].ravel()

        found = minimize(loss, first[1:].ravel(), jac=True, method="L-BFGS-B")
        return cls(np.vstack([np.zeros(inputs.shape[1]), found.x.reshape(models - 1, -1)]))
