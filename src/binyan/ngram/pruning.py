"""Pruning of back-off models by relative entropy (Stolcke 1998), to a size or by a threshold.

What removing an n-gram (u, w) costs is the divergence between the model with and without it:

    D = P(u) [ p (log p - log q - log a') + (1 - K) (log a - log a') ],

where p = P(w | u), q is what the shorter context gives, K the sum over the n-grams stored after u, a the back-off weight of u, and a' that
without the n-gram. To a size, n-grams are removed in rounds, and their costs are computed anew after each.

P(u) is best taken from a text: the shorter n-grams of a Kneser-Ney model do not say how frequent words are, so what it gives its own
contexts misleads (German novels, 50,000 of 679,000 n-grams: perplexity 231 with P(u) from the text, 250 without).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from binyan.errors import SettingsError
from binyan.ngram.ngram_table import Floats, Ids, NgramTable
from binyan.text.vocabulary import BEGIN_ID, END_ID

_ROUNDS = 4  # in which n-grams are removed, each the same share of those left
_TINY = 1e-300


def history_probabilities(table: NgramTable, p: Floats) -> Floats:
    """P(u) of every context by the model itself: the product of its words' probabilities. <s> is as frequent as </s>."""
    chances = np.ones(len(table.suffix))
    for k in range(1, table.order):
        here = table.contexts(k)
        prefix = table.prefix[here]
        chances[here] = chances[table.context[prefix]] * np.where(prefix == BEGIN_ID, p[END_ID], p[prefix])
    return chances


def history_frequencies(table: NgramTable, counts: Ids) -> Floats:
    """P(u) of every context by how often it stands in a text; `counts` are of the n-grams."""
    seen = np.bincount(table.context, counts, minlength=len(table.suffix))
    return np.asarray(seen / seen[0])


def removal_costs(table: NgramTable, p: Floats, weights: Floats, histories: Floats) -> Floats:
    """The relative entropy, in nats per word, of removing each n-gram alone; infinite for single words."""
    first = table.vocabulary_size
    context, below = table.context[first:], table.shorter[first:]
    own, shorter = np.maximum(p[first:], _TINY), np.maximum(p[below], _TINY)
    rest = np.maximum(1.0 - np.bincount(context, own, minlength=len(table.suffix)), 0.0)[context]
    free = np.maximum(1.0 - np.bincount(context, shorter, minlength=len(table.suffix)), 0.0)[context]
    new = np.log((rest + own) / (free + shorter))
    old = np.log(np.maximum(weights[context], _TINY))
    cost = histories[context] * (own * (np.log(own) - np.log(shorter) - new) + rest * (old - new))
    return np.concatenate([np.full(first, np.inf), np.maximum(cost, 0.0)])


def with_dependents(table: NgramTable, costs: Floats) -> Floats:
    """The cost of each n-gram, or of the most expensive one that cannot be kept without it."""
    most = costs.copy()
    for k in range(table.order - 1, 0, -1):
        entries = table.level(k)
        np.maximum.at(most, table.shorter[entries], most[entries])
        np.maximum.at(most, table.prefix[table.context[entries]], most[entries])
    return most


def chosen(table: NgramTable, costs: Floats, size: int | None, threshold: float | None) -> NDArray[np.bool_]:
    """Which n-grams to keep: the `size` most expensive, or those whose removal raises perplexity by a share of `threshold` or more."""
    most = with_dependents(table, costs)
    if threshold is not None:
        return np.asarray(np.expm1(np.minimum(most, 700.0)) >= threshold)
    keep = np.zeros(len(table), bool)
    # Of equals those that others depend on come first: n-grams are numbered from short to long.
    keep[np.argsort(-most, kind="stable")[:size]] = True
    return keep


def check_size(size: int | None, threshold: float | None, vocabulary: int) -> None:
    """Raise SettingsError where no model can have this size or threshold."""
    if size is not None and threshold is not None:
        raise SettingsError("a model is pruned to a size or by a threshold, not by both")
    if size is not None and size < vocabulary:
        raise SettingsError(
            f"the single words alone are {vocabulary:,}, so {size:,} n-grams are too few: ask for more, or train with fewer words"
        )
    if threshold is not None and not (threshold >= 0 and math.isfinite(threshold)):
        raise SettingsError(f"the threshold of pruning is 0 or more, not {threshold}")


def prune(
    table: NgramTable,
    p: Floats,
    weights: Floats,
    *,
    size: int | None = None,
    threshold: float | None = None,
    histories: Floats | None = None,
) -> tuple[NgramTable, Floats, Floats]:
    """The table, probabilities and back-off weights of the model pruned to `size` n-grams of all lengths, or by `threshold`.

    `threshold`: the relative rise in perplexity below which an n-gram is removed, as SRILM's. `histories`: P(u) of every context, by
    default from the model itself.
    """
    check_size(size, threshold, table.vocabulary_size)
    if histories is None:
        histories = history_probabilities(table, p)
    for target in _targets(len(table), size):
        left = chosen(table, removal_costs(table, p, weights, histories), target, threshold)
        if left.all():
            continue
        used = np.bincount(table.context[left], minlength=len(table.suffix)) > 0
        table, histories = table.kept(left), histories[used]
        p, weights = table.normalised(p[left])
    return table, p, weights


def _targets(full: int, size: int | None) -> list[int]:
    """Sizes on the way from all n-grams to `size`, each the same share of the one before; one round for a threshold."""
    if size is None:
        return [full]
    return [max(size, round(full * (size / full) ** (step / _ROUNDS))) for step in range(1, _ROUNDS + 1)]
