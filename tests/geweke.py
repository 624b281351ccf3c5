"""Geweke's check of a sampler: draws of the joint law of parameters and data, made forwards and by the sampler, must agree.

Forwards, parameters come from their priors, latent variables and data from the model. By the sampler, the same data are given to a chain
that starts elsewhere and draws parameters and latent variables again, from its posterior. Both have the same marginal law of (parameters,
latent variables), whatever the model (Geweke 2004; here with independent replicates, so that tests for independent draws apply).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

TIMES = int(os.environ.get("BINYAN_LAWS", "1"))
"""How many times as many draws as in the ordinary run: more by `make laws`."""


@dataclass(frozen=True)
class Disagreement:
    """A statistic that two ways of drawing disagree on, by which test, and how improbable that is."""

    statistic: str
    test: str
    p: float


def disagreements(
    names: Sequence[str], forward: Sequence[Sequence[float]], again: Sequence[Sequence[float]], alarms: float = 1e-4
) -> list[Disagreement]:
    """Where the two ways differ; with a sampler that is right, there is any with probability at most `alarms`.

    Rows are replicates, columns statistics. Each statistic is tested three times: means (t test of paired replicates), ranks
    (Mann-Whitney) and the whole distribution (Kolmogorov-Smirnov); `alarms` is divided among all tests (Bonferroni).
    """
    found = []
    columns = zip(names, np.array(forward, float).T, np.array(again, float).T, strict=True)
    for name, x, y in columns:
        if np.array_equal(x, y):
            continue
        tests = {
            "means": stats.ttest_rel(x, y).pvalue,
            "ranks": stats.mannwhitneyu(x, y).pvalue,
            "distribution": stats.ks_2samp(x, y, method="asymp").pvalue,
        }
        found += [Disagreement(name, test, float(p)) for test, p in tests.items() if p < alarms / (3 * len(names))]
    return found
