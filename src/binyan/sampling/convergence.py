"""Have the chains of a sampler forgotten where they began?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def r_hat(chains: Sequence[Sequence[float]]) -> float:
    """Split R-hat (Gelman et al., Bayesian Data Analysis, section 11.4): near 1 where the chains agree, above 1.1 where not.

    Each chain is cut in two, so one chain that still drifts is found too. Chains are cut to the shortest; NaN below four
    values a chain.

    >>> round(r_hat([[1, 2, 1, 2, 1, 2], [2, 1, 2, 1, 2, 1]]), 1)
    0.9
    >>> r_hat([[1, 2, 1, 2], [8, 9, 8, 9]]) > 3
    True
    """
    half = min((len(chain) for chain in chains), default=0) // 2
    if half < 2:
        return math.nan
    parts = np.array([part for chain in chains for part in (chain[-2 * half : -half], chain[-half:])], dtype=float)
    within = float(parts.var(axis=1, ddof=1).mean())
    between = half * float(parts.mean(axis=1).var(ddof=1))
    if within == 0.0:
        return 1.0 if between == 0.0 else math.inf
    return math.sqrt((half - 1) / half + between / (half * within))
