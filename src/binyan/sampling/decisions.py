"""Yes-or-no decisions of several chains, many at once: R-hat and effective sample size of each.

Decisions are arrays of 0 and 1 with one row per chain, one column per draw and one layer per decision.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Decisions = NDArray[np.floating]


def decision_r_hats(decisions: Decisions) -> NDArray[np.float64]:
    """Split R-hat of each decision (see `binyan.sampling.r_hat`): 1 where nothing ever varied, infinite where chains differ for good.

    NaN below four draws per chain.

    >>> float(decision_r_hats(np.array([[[1, 1], [1, 0], [1, 1], [1, 0]], [[0, 0], [0, 1], [0, 0], [0, 1]]]))[0])
    inf
    """
    chains, draws, number = decisions.shape
    half = draws // 2
    if half < 2:
        return np.full(number, np.nan)
    parts = decisions[:, draws - 2 * half :].astype(np.float64).reshape(2 * chains, half, number)
    within = parts.var(axis=1, ddof=1).mean(axis=0)
    between = half * parts.mean(axis=1).var(axis=0, ddof=1)
    ratio = np.divide(between, half * within, out=np.full(number, np.inf), where=within > 0)
    ratio[(within == 0) & (between == 0)] = 1 / half
    return np.asarray(np.sqrt((half - 1) / half + ratio))


def decision_effective_sizes(decisions: Decisions) -> NDArray[np.float64]:
    """Effective sample size of each decision over all chains (Gelman et al., Bayesian Data Analysis, section 11.5).

    Autocorrelations are summed up to the first negative sum of two neighbours. A decision that never varied has as many draws as
    there are, one on which chains differ for good as many as there are chains; NaN below four draws per chain.
    """
    chains, draws, number = decisions.shape
    if draws < 4:
        return np.full(number, np.nan)
    values = decisions.astype(np.float64)
    within = values.var(axis=1, ddof=1).mean(axis=0)
    means = values.mean(axis=1)
    between = draws * means.var(axis=0, ddof=1) if chains > 1 else np.zeros(number)
    total = (draws - 1) / draws * within + between / draws
    correlation = [
        1.0
        - np.divide(
            ((values[:, lag:] - values[:, : draws - lag]) ** 2).mean(axis=(0, 1)),
            2 * total,
            out=np.zeros(number),
            where=total > 0,
        )
        for lag in range(1, draws - 1)
    ]
    time, summing = np.ones(number), total > 0
    for first, second in zip(correlation[::2], correlation[1::2], strict=False):
        summing &= first + second > 0
        time += np.where(summing, 2 * (first + second), 0.0)
    sizes = np.minimum(chains * draws / time, chains * draws)
    return np.where(within > 0, sizes, np.where(total > 0, float(chains), float(chains * draws)))
