"""N-grams as flat arrays with links between them: what pruning and approximation work on.

An entry is an n-gram (u, w), a context is a u. Contexts and entries are numbered through all lengths, as in the core's back-off model:
context 0 is the empty one, and its entries are the vocabulary. Every n-gram's first and last n - 1 words are entries too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.ngram.backoff import context_tree
from binyan.progress import ProgressOption
from binyan.text import Corpus
from binyan.text.vocabulary import BEGIN_ID

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]
NONE = -1
_ALL = 1e-12  # what is left of a distribution when every word is stored


@dataclass(frozen=True)
class NgramTable:
    """The n-grams of a model or a text.

    Contexts of k words are [context_base[k], context_base[k + 1]); the entries of context c are [first_entry[c], first_entry[c + 1]),
    ordered by word. `extension[e]` is the context that the n-gram e is, or NONE.
    """

    context_base: Ids
    first_entry: Ids
    word: Ids
    left_word: Ids
    suffix: Ids
    extension: Ids

    @classmethod
    def of_model(cls, native: _core.BackoffModel) -> NgramTable:
        """The n-grams of a back-off model."""
        arrays = {name: array.astype(np.int64) for name, array in native.arrays.items() if array.dtype != np.float32}
        base, first = arrays["context_base"], arrays["first_entry"]
        level = np.repeat(np.arange(native.order), np.diff(first[base]))
        longer = np.append(base[1:], base[-1])[level]  # the first context that is one word longer
        extension = np.where(arrays["next"] >= longer, arrays["next"], NONE)
        left = np.where(arrays["left_word"] < native.vocabulary_size, arrays["left_word"], NONE)
        return cls(base, first, arrays["word"], left, arrays["suffix"], extension)

    @classmethod
    def of_corpus(cls, corpus: Corpus, order: int, progress: ProgressOption = None) -> tuple[NgramTable, Ids]:
        """The n-grams of a text up to `order` words, and how often each was seen."""
        tree = context_tree(corpus, order, progress)
        levels = [tree.level(k) for k in range(order)]
        zeros = [np.zeros(len(level["word"]), np.float32) for level in levels[1:]]
        weights = [np.zeros(len(level["left_word"]), np.float32) for level in levels[1:]]
        vocabulary = len(corpus.vocabulary)
        native = _core.BackoffModel.freeze(tree, 1, np.zeros(vocabulary, np.float32), zeros, weights)
        unigrams = np.zeros(vocabulary, np.int64)
        unigrams[levels[0]["word"]] = levels[0]["count"]
        counts = np.concatenate([unigrams, *(level["count"].astype(np.int64) for level in levels[1:])])
        return cls.of_model(native), counts

    @property
    def order(self) -> int:
        """Length of the longest n-grams."""
        return len(self.context_base) - 1

    @property
    def vocabulary_size(self) -> int:
        """How many words there are, <s> included."""
        return int(self.first_entry[1])

    def __len__(self) -> int:
        return len(self.word)

    @cached_property
    def context(self) -> Ids:
        """The context of each entry."""
        return np.repeat(np.arange(len(self.suffix)), np.diff(self.first_entry))

    @cached_property
    def entry_base(self) -> Ids:
        """Entries of n-grams with k words of context: [entry_base[k], entry_base[k + 1])."""
        return self.first_entry[self.context_base]

    @cached_property
    def shorter(self) -> Ids:
        """The entry of the same word after the context without its leftmost word; NONE for single words."""
        shorter = self.find(self.suffix[self.context], self.word)
        shorter[: self.vocabulary_size] = NONE
        return shorter

    @cached_property
    def prefix(self) -> Ids:
        """The entry that each context is; NONE for the empty context."""
        prefix = np.full(len(self.suffix), NONE)
        leads = np.flatnonzero(self.extension != NONE)
        prefix[self.extension[leads]] = leads
        return prefix

    def level(self, k: int) -> slice:
        """The entries with k words of context."""
        return slice(int(self.entry_base[k]), int(self.entry_base[k + 1]))

    def contexts(self, k: int) -> slice:
        """The contexts of k words."""
        return slice(int(self.context_base[k]), int(self.context_base[k + 1]))

    def words_of(self, contexts: Ids, length: int) -> Ids:  # -> (contexts, length)
        """The words of contexts that all have `length` words, in the order of the text."""
        rows = np.empty((len(contexts), length), np.int64)
        for place in range(length):
            rows[:, place] = self.left_word[contexts]
            contexts = self.suffix[contexts]
        return rows

    def sums(self, values: Floats, k: int) -> Floats:
        """The sum of `values`, one per entry with k words of context, over each context."""
        first, end = int(self.context_base[k]), int(self.context_base[k + 1])
        return np.asarray(np.bincount(self.context[self.level(k)] - first, values, minlength=end - first), np.float64)

    def kept(self, keep: NDArray[np.bool_]) -> NgramTable:
        """The table of some entries: all single words, and with each n-gram its first and last n - 1 words."""
        used = np.zeros(len(self.suffix), bool)
        used[self.context[keep]] = True
        used[0] = True
        for k in range(self.order - 1, 1, -1):
            here = np.arange(len(self.suffix))[self.contexts(k)]
            used[self.suffix[here[used[here]]]] = True
        number = np.where(used, np.cumsum(used) - 1, NONE)
        extension = np.where(self.extension != NONE, number[self.extension], NONE)[keep]
        sizes = np.bincount(number[self.context[keep]], minlength=int(used.sum()))
        base = np.concatenate([[0], np.cumsum(used)])[self.context_base]
        order = 1 + int(np.max(np.flatnonzero(np.diff(base)), initial=0))
        return NgramTable(
            base[: order + 1],
            np.concatenate([[0], np.cumsum(sizes)]),
            self.word[keep],
            self.left_word[used],
            number[self.suffix[used]],
            extension,
        )

    def with_entries(self, contexts: Ids, words: Ids) -> tuple[NgramTable, Ids]:
        """The table with further n-grams after contexts that it has, and the new number of each entry: the old ones, then these.

        Their last n - 1 words must be in the table.
        """
        context, word = np.concatenate([self.context, contexts]), np.concatenate([self.word, words])
        order = np.lexsort((word, context))
        extension = np.concatenate([self.extension, np.full(len(contexts), NONE)])[order]
        first = np.concatenate([[0], np.cumsum(np.bincount(context, minlength=len(self.suffix)))])
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        return NgramTable(self.context_base, first, word[order], self.left_word, self.suffix, extension), place

    def with_words(self, number: int) -> NgramTable:
        """The table with `number` words added to the vocabulary."""
        size = self.vocabulary_size
        first = np.where(np.arange(len(self.first_entry)) > 0, self.first_entry + number, 0)
        word = np.concatenate([np.arange(size + number), self.word[size:]])
        extension = np.insert(self.extension, size, np.full(number, NONE))
        return NgramTable(self.context_base, first, word, self.left_word, self.suffix, extension)

    def find(self, contexts: Ids, words: Ids) -> Ids:
        """The entries of words after contexts; NONE where a context is NONE or has no such entry."""
        keys = contexts * self.vocabulary_size + words
        entries = np.minimum(np.searchsorted(self._keys, keys), len(self) - 1)
        return np.where((self._keys[entries] == keys) & (contexts != NONE), entries, NONE)

    def find_contexts(self, rows: Ids) -> Ids:  # (rows, words) -> (rows,)
        """The contexts with these words, or NONE."""
        contexts = self.extension[rows[:, 0]]
        for place in range(1, rows.shape[1]):
            entries = self.find(contexts, rows[:, place])
            contexts = np.where(entries == NONE, NONE, self.extension[entries])
        return contexts

    @cached_property
    def _keys(self) -> Ids:
        return self.context * self.vocabulary_size + self.word

    def normalised(self, chances: Floats) -> tuple[Floats, Floats]:
        """(probabilities of entries, back-off weights of contexts) with which every context sums to one.

        The probabilities are `chances`, but for contexts of which nothing would be left for other words: there they are scaled.
        """
        p, weights = chances.copy(), np.ones(len(self.suffix))
        p[BEGIN_ID] = 0.0
        p[: self.vocabulary_size] /= p[: self.vocabulary_size].sum()
        for k in range(1, self.order):
            entries = self.level(k)
            context = self.context[entries] - self.context_base[k]
            stored = self.sums(p[entries], k)
            left = 1.0 - self.sums(p[self.shorter[entries]], k)
            words = np.diff(self.first_entry)[self.contexts(k)]
            complete = (left <= _ALL) & (words > 0)
            most = np.where(complete, 1.0, 1.0 - np.minimum(left, 1.0) * 1e-4)
            scale = np.where((stored > most) | complete, most / np.maximum(stored, 1e-300), 1.0)
            p[entries] *= scale[context]
            rest = np.maximum(1.0 - stored * scale, 0.0)
            weights[self.contexts(k)] = np.where(complete, 1.0, rest / np.where(complete, 1.0, left))
        return p, weights

    def native(self, p: Floats, weights: Floats) -> _core.BackoffModel:
        """The back-off model with these probabilities and weights."""
        following = np.zeros(len(self.word), np.int64)
        for k in range(self.order):
            entries = self.level(k)
            shorter = 0 if k == 0 else following[self.shorter[entries]]
            following[entries] = np.where(self.extension[entries] == NONE, shorter, self.extension[entries])
        with np.errstate(divide="ignore"):
            log_prob, log_backoff = np.log(p).astype(np.float32), np.log(weights).astype(np.float32)
        log_prob[BEGIN_ID] = -np.inf
        left = self.left_word.copy()
        left[0] = np.iinfo(np.uint32).max
        ids = {
            "context_base": self.context_base,
            "word": self.word,
            "next": following,
            "first_entry": self.first_entry,
            "left_word": left,
            "suffix": self.suffix,
        }
        arrays: dict[str, Any] = {name: array.astype(np.uint32) for name, array in ids.items()}
        return _core.BackoffModel(1, log_prob=log_prob, log_backoff=log_backoff, **arrays)
