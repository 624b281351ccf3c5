"""Weights that give the best BLEU on a pool of hypotheses.

Batch MIRA (Cherry and Foster 2012), minimum error-rate training (Och 2003), pairwise ranking (PRO; Hopkins and May 2011). All
three work in units of how much a feature varies within a sentence, so that none depends on the scale of a feature.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.translation.hypothesis_pool import Features, HypothesisPool

_PAIRS_DRAWN, _PAIRS_KEPT = 1000, 50  # of each sentence, for pairwise ranking
_PENALTY = 1e-3  # of squared weights, per pair


def optimise(
    pool: HypothesisPool, start: Features, random: np.random.Generator, restarts: int = 8
) -> tuple[Features, float]:
    """Weights by minimum error-rate training on a fixed pool, and their BLEU (0 to 1)."""
    best = mert(pool, [start], restarts, random)
    return best, _core.bleu_at(*pool.flat(), best)


def mert(pool: HypothesisPool, starts: list[Features], restarts: int, random: np.random.Generator) -> Features:
    """Minimum error-rate training: coordinate ascent with exact line searches from given and random points; the best end of all.

    Weights are drawn and normalised by how much their features vary within a sentence, which makes them comparable.
    """
    lists, reach = pool.flat(), pool.reach()
    size = float(np.abs(starts[0]) @ (1 / np.where(reach > 0, reach, np.inf))) / max(1, int((reach > 0).sum())) or 1.0
    draws = random.uniform(-2, 2, (restarts, len(reach))) * reach * size
    best, best_bleu = starts[0], -1.0
    for start in [*starts, *(starts[0] + draw for draw in draws)]:
        weights, bleu = _ascend(lists, start, reach, random)
        if bleu > best_bleu + 1e-9:
            best, best_bleu = weights, bleu
    norm = float(np.abs(best) @ (1 / np.where(reach > 0, reach, np.inf)))
    return best / norm if norm > 0 else best


def _ascend(
    lists: tuple[Any, Any, Any], weights: Features, reach: Features, random: np.random.Generator
) -> tuple[Features, float]:
    """Line searches along each feature and along random mixtures, until a whole round of them gains nothing."""
    bleu, before = _core.bleu_at(*lists, weights), -1.0
    while bleu > before + 1e-5:
        before = bleu
        mixtures = random.standard_normal((len(weights) // 2, len(weights)))
        directions = np.concatenate([np.eye(len(weights)), mixtures]) * reach
        for direction in random.permutation(directions[np.abs(directions).sum(axis=1) > 0]):
            step, better = _core.search_line(*lists, weights, direction)
            if better > bleu + 1e-7 and (reached := _core.bleu_at(*lists, weights + step * direction)) > bleu:
                weights, bleu = weights + step * direction, reached
    return weights, bleu


def mira(
    pool: HypothesisPool, start: Features, random: np.random.Generator, c: float = 0.01, epochs: int = 30
) -> Features:
    """Batch k-best MIRA: passive-aggressive steps from the fear to the hope hypothesis of each sentence, averaged.

    Steps are taken in units of how much a feature varies. Features that hardly ever vary keep their weights. Half of the way to
    the average is gone: weights that fit the present lists alone may be far off on what they let in.
    """
    reach = pool.reach()
    weights, background = _in_units(start, reach), np.ones(_core.BLEU_WIDTH)
    total, steps = np.zeros_like(weights), 0
    scaled = [f * reach for f in pool.features]
    occupied = [i for i, f in enumerate(scaled) if len(f)]
    for _ in range(epochs):
        for i in random.permutation(occupied):
            features, statistics = scaled[i], pool.statistics[i]
            gain = _gain(statistics, background)
            score = features @ weights
            hope, fear = int(np.argmax(score + gain)), int(np.argmax(score - gain))
            background = 0.999 * background + statistics[hope]
            difference = features[hope] - features[fear]
            loss = gain[hope] - gain[fear] - (score[hope] - score[fear])
            norm = float(difference @ difference)
            if loss > 0 and norm > 0:
                weights = weights + min(c, loss / norm) * difference
            total += weights
            steps += 1
    return _half_way(start, total / max(1, steps), reach)


def pro(pool: HypothesisPool, start: Features, random: np.random.Generator) -> Features:
    """Pairwise ranking: of two hypotheses of a sentence the one with the higher BLEU is to score higher.

    Of pairs drawn at random, those with the largest differences of BLEU are kept, and weights fitted to them by logistic
    regression. BLEU of one hypothesis is that of the pool's present best translations with this one added: where these are too
    long, what is short is good, and the other way round. So that lengths settle, only half of the way to the new weights is gone.
    """
    reach = pool.reach()
    best = [s[np.argmax(f @ start)] for f, s in zip(pool.features, pool.statistics, strict=True) if len(f)]
    background = np.maximum(np.sum(best, axis=0), 1.0)
    rows = []
    for features, statistics in zip(pool.features, pool.statistics, strict=True):
        if len(features) < 2:
            continue
        gain = _gain(statistics, background)
        first, second = random.integers(0, len(features), (2, _PAIRS_DRAWN))
        difference = gain[first] - gain[second]
        kept = np.argsort(-np.abs(difference), kind="stable")[:_PAIRS_KEPT]
        kept = kept[np.abs(difference[kept]) > 1e-9]
        rows.append(np.sign(difference[kept])[:, None] * (features[first[kept]] - features[second[kept]]))
    pairs = np.concatenate(rows) * reach if rows else np.zeros((0, len(start)))
    return _half_way(start, _logistic(pairs), reach) if len(pairs) else start


def _logistic(pairs: Features) -> Features:
    """Weights under which the rows of `pairs` are positive, by Newton's method."""
    weights = np.zeros(pairs.shape[1])
    for _ in range(50):
        wrong = 1 / (1 + np.exp(np.clip(pairs @ weights, -500, 500)))
        gradient = pairs.T @ wrong / len(pairs) - _PENALTY * weights
        curvature = (pairs * (wrong * (1 - wrong))[:, None]).T @ pairs / len(pairs) + _PENALTY * np.eye(len(weights))
        step = np.linalg.solve(curvature, gradient)
        weights = weights + step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def _in_units(weights: Features, reach: Features) -> Features:
    """Weights of features that are scaled by `reach`; 0 for those that hardly vary."""
    return np.where(reach > 0, weights / np.where(reach > 0, reach, 1.0), 0.0)


def _half_way(start: Features, fitted: Features, reach: Features) -> Features:
    """The middle of the start and of `fitted`, which is in units of variation, at the scale of the start."""
    begin = _in_units(start, reach)
    size = np.abs(begin).sum() or 1.0
    return np.where(reach > 0, (begin + fitted * size / (np.abs(fitted).sum() or 1.0)) / 2 * reach, start)


def _gain(statistics: NDArray[Any], background: NDArray[Any]) -> NDArray[np.float64]:
    """BLEU of the background with each hypothesis added, scaled by the references' length.

    Scaled by the hypothesis's own length, longer hypotheses would gain by being longer.
    """
    gain: NDArray[np.float64] = _bleu_rows(statistics + background) * (background[9] + statistics[:, 9])
    return gain


def _bleu_rows(statistics: NDArray[Any]) -> NDArray[np.float64]:
    precision = np.log(statistics[:, :4] / np.maximum(statistics[:, 4:8], 1e-9)).mean(axis=1)
    rows: NDArray[np.float64] = np.exp(precision + np.minimum(0.0, 1 - statistics[:, 9] / statistics[:, 8]))
    return rows
