"""N-gram models mixed into one n-gram model: static interpolation, as SRILM's -mix-lm does it.

It has the n-grams of all models, each with the probability that the mixture gives it, and back-off weights with which every context sums to one.
Other words after a context share what is left by the shorter context, where the mixture would ask each model to back off by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from binyan.errors import SettingsError
from binyan.mixture.member import Ids, Member
from binyan.ngram.arpa import ArpaModel
from binyan.ngram.backoff import BackoffLanguageModel
from binyan.ngram.ngram_table import NONE, Floats, NgramTable
from binyan.text import Vocabulary
from binyan.text.vocabulary import UNKNOWN, UNKNOWN_ID

if TYPE_CHECKING:
    from binyan.mixture.mixture import Mixture

_AT_ONCE = 1 << 20  # n-grams scored


@dataclass(frozen=True)
class _Ngrams:
    """The n-grams of one model, and the mixture's id of each of its words."""

    member: Member
    model: BackoffLanguageModel
    table: NgramTable
    to_mixture: Ids

    @classmethod
    def of(cls, member: Member, vocabulary: Vocabulary) -> _Ngrams:
        model = member.model
        if not isinstance(model, BackoffLanguageModel):
            raise SettingsError(
                f"a model of kind {model.kind!r} is no n-gram model; 'to_backoff' (binyan lm export) approximates mixtures of any models"
            )
        to_mixture = np.fromiter((vocabulary[w] for w in model.vocabulary.words), np.int64, len(model.vocabulary))
        return cls(member, model, NgramTable.of_model(model.native), to_mixture)

    def chances(self, table: NgramTable) -> Floats:
        """What the model, over the words of the mixture, gives every n-gram of a table."""
        states = self._states(table)
        chances = np.empty(len(table))
        for start in range(0, len(table), _AT_ONCE):
            here = slice(start, start + _AT_ONCE)
            words = self.member.own_ids[table.word[here]]
            shares = self.model.native.shares(states[table.context[here]].astype(np.uint32), words.astype(np.uint32))
            chances[here] = shares.reshape(-1, self.model.order).sum(1)
        if self.member.is_widened:
            foreign = self.member.own_ids[table.word] == UNKNOWN_ID
            chances[foreign] *= self.member.unknown_share[table.word[foreign]]
        return chances

    def _states(self, table: NgramTable) -> Ids:
        """The model's state after each context of a table: the longest end of it that the model knows."""
        same, states = np.full(len(table.suffix), NONE), np.zeros(len(table.suffix), np.int64)
        same[0] = 0
        size = len(self.to_mixture)
        keys = self.table.suffix * size + self.table.left_word
        for k in range(1, table.order):
            here = np.arange(len(table.suffix))[table.contexts(k)]
            shorter = same[table.suffix[here]]
            if k < self.table.order:
                first = int(self.table.context_base[k])
                mine = keys[self.table.contexts(k)]
                order = np.argsort(mine, kind="stable")
                wanted = shorter * size + self.member.own_ids[table.left_word[here]]
                place = np.minimum(np.searchsorted(mine[order], wanted), len(mine) - 1)
                hit = (mine[order][place] == wanted) & (shorter != NONE)
                same[here] = np.where(hit, first + order[place], NONE)
            states[here] = np.where(same[here] != NONE, same[here], states[table.suffix[here]])
        return states


def merged(mixture: Mixture) -> ArpaModel:
    """The n-gram model of a mixture of n-gram models (see `Mixture.to_ngram`)."""
    if mixture.context_weights is not None:
        raise SettingsError(
            "weights by context fit no n-gram model: mix with fixed weights, or let 'to_backoff' (binyan lm export) approximate it"
        )
    ngrams = [_Ngrams.of(member, mixture.vocabulary) for member in mixture.members]
    table = _union(ngrams, len(mixture.vocabulary))
    chances = np.zeros(len(table))
    for weight, each in zip(mixture.weights, ngrams, strict=True):
        chances += weight * each.chances(table)
    signature = mixture.signature()
    fields = {
        "of": f"mixture-{signature.digest}",
        "ngrams": len(table),
        "vocabulary": len(mixture.vocabulary),
        "oov": UNKNOWN,
        "preparation": str(mixture.preparation),
    }
    native = table.native(*table.normalised(np.maximum(chances, 0.0)))
    return ArpaModel.__new__(ArpaModel)._learnt(native, mixture.vocabulary, mixture.preparation, fields)


def _union(ngrams: Sequence[_Ngrams], size: int) -> NgramTable:
    """The n-grams of all models over the words of the mixture, length by length."""
    order = max(n.table.order for n in ngrams)
    contexts = [np.zeros(len(n.table.suffix), np.int64) for n in ngrams]  # the number of each in the union
    base, suffix, left, entries = [0, 1], [np.zeros(1, np.int64)], [np.array([NONE])], [np.arange(size)]
    for k in range(1, order):
        having = [(n, c) for n, c in zip(ngrams, contexts, strict=True) if k < n.table.order]
        keys = [_context_keys(n, c, k, size) for n, c in having]
        together = np.unique(np.concatenate(keys))
        for (n, c), key in zip(having, keys, strict=True):
            c[n.table.contexts(k)] = base[-1] + np.searchsorted(together, key)
        suffix.append(together // size)
        left.append(together % size)
        base.append(base[-1] + len(together))
        entries.append(np.unique(np.concatenate([_entry_keys(n, c, k, size) for n, c in having])))
    numbers = np.concatenate(entries)
    first = np.concatenate([[0], np.cumsum(np.bincount(numbers // size, minlength=base[-1]))])
    extension = np.full(len(numbers), NONE)
    for n, c in zip(ngrams, contexts, strict=True):
        leads = np.flatnonzero(n.table.extension != NONE)
        where = np.searchsorted(numbers, c[n.table.context[leads]] * size + n.to_mixture[n.table.word[leads]])
        extension[where] = c[n.table.extension[leads]]
    return NgramTable(np.array(base), first, numbers % size, np.concatenate(left), np.concatenate(suffix), extension)


def _context_keys(ngrams: _Ngrams, contexts: Ids, k: int, size: int) -> Ids:
    here, table = ngrams.table.contexts(k), ngrams.table
    return contexts[table.suffix[here]] * size + ngrams.to_mixture[table.left_word[here]]


def _entry_keys(ngrams: _Ngrams, contexts: Ids, k: int, size: int) -> Ids:
    here, table = ngrams.table.level(k), ngrams.table
    return contexts[table.context[here]] * size + ngrams.to_mixture[table.word[here]]
