"""The back-off model nearest to any language model, over n-grams of a text and others that the model expects.

After a context of all n - 1 words, or one that begins with <s>, an n-gram has the model's own probability. After a shorter context h it has the
mean over several continuations of h to the left, drawn from all the text: these are histories that no longer n-gram is likely to know,
and only after those is the shorter one asked.

Most of what a neural model or a mixture knows is about n-grams that no text has shown. So, length by length, the n-grams are added that bring the
back-off model nearest to the model after frequent contexts: those with the largest P(h) P(w | h) log(P(w | h) / Q(w | h)), Q being what
backing off gives. Single words have the probabilities with which, given all n-grams, every word is predicted as often as by the model.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from binyan.language_model import LanguageModel
from binyan.ngram.backoff_settings import BackoffSettings
from binyan.ngram.ngram_table import Floats, Ids, NgramTable
from binyan.ngram.pruning import check_size, history_frequencies, prune
from binyan.progress import Progress, ProgressOption
from binyan.scores import State
from binyan.text import Corpus
from binyan.text.vocabulary import BEGIN_ID, END_ID

# Continuations to the left of a short context: at least, at most, and how many more for its share of the text.
_LEFT, _MOST_LEFT, _LEFT_BY_SHARE = 4, 64, 10_000.0
_AT_ONCE = 32  # distributions
_SENTENCES_AT_ONCE = 20_000
_PER_CONTEXT = 2000  # further words after one context
_STEPS = 4  # until single words agree with the back-off weights
_LEAST = 1e-12  # of a probability


class Approximation:
    """The n-grams of a back-off model in the making, with what the model says of them.

    `model` sums to one; `corpus` is text like that it was trained on, over its vocabulary. `histories[c]` is how frequent a context is in the
    text, `chances[e]` the probability of an n-gram.
    """

    def __init__(
        self, model: LanguageModel, corpus: Corpus, settings: BackoffSettings, progress: ProgressOption
    ) -> None:
        check_size(settings.size, settings.prune, len(corpus.vocabulary))
        self.model, self.words, self.settings, self.progress = model, model.vocabulary.words, settings, progress
        self.order = settings.order or model.order
        self.random = np.random.default_rng(settings.seed)
        self.table, counts = NgramTable.of_corpus(corpus, self.order, progress)
        self.histories = history_frequencies(self.table, counts)
        self.past, self.events = histories(corpus, self.order)
        inside = self.past[(self.past != BEGIN_ID).all(1)]
        self.inside = inside if len(inside) else self.past
        self.chances = np.zeros(len(self.table))
        self.whole_mass = np.zeros(len(self.words))  # of each word after the frequent contexts of one word
        self.asked = np.zeros(len(self.histories), bool)
        self.chances[: len(self.words)] = self._continuations()
        self._score_text(corpus)
        self.asked[1 + np.argsort(-self.histories[1:], kind="stable")[: settings.contexts]] = True
        for k in range(1, self.order):
            self._score_rest(k)
            self._ask_frequent(k)

    def pruned(self, size: int | None = None, threshold: float | None = None) -> tuple[NgramTable, Floats, Floats]:
        """(n-grams, probabilities, back-off weights) of the back-off model of this size, or pruned by this threshold."""
        table = self.table
        p, weights = self._match_single_words(table, self.chances)
        if size is None and threshold is None:
            return table, p, weights
        table, p, _ = prune(table, p, weights, size=size, threshold=threshold, histories=self.histories)
        return table, *self._match_single_words(table, p)

    def _continuations(self) -> Floats:
        """Single words in proportion to the number of different words before them, until they are matched."""
        kinds = np.full(len(self.words), 0.5)
        if self.order > 1:
            kinds += np.bincount(self.table.word[self.table.level(1)], minlength=len(self.words))
        kinds[BEGIN_ID] = 0.0
        return np.asarray(kinds / kinds.sum())

    def _score_text(self, corpus: Corpus) -> None:
        """The n-grams with a complete history: as the model scores the text, in the mean over occurrences."""
        table, length = self.table, self.order - 1
        log_prob = []
        with Progress("sentences scored", corpus.sentences, self.progress) as bar:
            for first in range(0, corpus.sentences, _SENTENCES_AT_ONCE):
                batch = range(first, min(first + _SENTENCES_AT_ONCE, corpus.sentences))
                log_prob.append(self.model.score_sentences([corpus.decode(i) for i in batch]).log_prob)
                bar.advance(len(batch))
        chances = np.exp(np.concatenate(log_prob))
        begins = (self.past == BEGIN_ID).sum(1)
        total, number = np.zeros(len(table)), np.zeros(len(table))
        for k in range(1, length + 1):
            here = begins == length - k + 1 if k < length else begins <= 1
            entries = table.find(table.find_contexts(self.past[here, length - k :]), self.events[here])
            total += np.bincount(entries, chances[here], minlength=len(table))
            number += np.bincount(entries, minlength=len(table))
        known = number > 0
        self.chances[known] = total[known] / number[known]

    def _is_complete(self, k: int) -> NDArray[np.bool_]:
        """Which contexts of k words are all that a history of the model's length has."""
        contexts = np.arange(len(self.histories))[self.table.contexts(k)]
        return np.asarray((self.table.left_word[contexts] == BEGIN_ID) | (k == self.order - 1))

    def _ask_frequent(self, k: int) -> None:
        """Ask the model for all words after the frequent contexts of k words; add n-grams where that is wanted."""
        table, first = self.table, int(self.table.context_base[k])
        contexts = first + np.flatnonzero(self.asked[table.contexts(k)])
        p, _ = table.normalised(np.maximum(self.chances, _LEAST))
        added: list[tuple[Ids, Ids, Floats, Floats]] = []
        with Progress(f"frequent contexts of {k} words", len(contexts), self.progress) as bar:
            for context, chances in self._distributions(contexts, k):
                bar.advance()
                entries = slice(table.first_entry[context], table.first_entry[context + 1])
                self.chances[entries] = chances[table.word[entries]]
                if k == 1:
                    self.whole_mass += self.histories[context] * chances
                if self.settings.grow:
                    added.append(self._further(context, chances, p))
        if added:
            self._add(*(np.concatenate(parts) for parts in zip(*added, strict=True)))

    def _further(self, context: int, chances: Floats, p: Floats) -> tuple[Ids, Ids, Floats, Floats]:
        """(contexts, words, probabilities, gains) of n-grams that are not yet in the table and would be worth adding."""
        table, shorter = self.table, int(self.table.suffix[context])
        below = slice(table.first_entry[shorter], table.first_entry[shorter + 1])
        own = table.word[table.first_entry[context] : table.first_entry[context + 1]]
        words, given = table.word[below], p[below]  # what the shorter context stores: others cannot be stored here
        is_new = ~np.isin(words, own, assume_unique=True) & (words != BEGIN_ID)
        weight = (1.0 - chances[own].sum()) / max(1.0 - given[~is_new].sum(), _LEAST)
        words, given = words[is_new], np.maximum(given[is_new] * max(weight, _LEAST), _LEAST)
        wanted = np.maximum(chances[words], _LEAST)
        gains = self.histories[context] * wanted * np.log(wanted / given)
        best = np.argsort(-gains, kind="stable")[:_PER_CONTEXT]
        best = best[gains[best] > 0]
        return np.full(len(best), context), words[best], wanted[best], gains[best]

    def _add(self, contexts: Ids, words: Ids, chances: Floats, gains: Floats) -> None:
        most = max(self.settings.size or 0, len(self.table) // 2)
        best = np.argsort(-gains, kind="stable")[:most]
        self.table, place = self.table.with_entries(contexts[best], words[best])
        together = np.empty(len(self.table))
        together[place] = np.concatenate([self.chances, chances[best]])
        self.chances = together

    def _distributions(self, contexts: Ids, k: int) -> Iterator[tuple[int, Floats]]:
        """The probability of every word after each context, in the mean over its continuations to the left."""
        complete = self._is_complete(k)[contexts - self.table.context_base[k]]
        rows = self.table.words_of(contexts, k)
        states: list[State] = []
        owners: list[int] = []
        for row, context, is_whole in zip(rows.tolist(), contexts.tolist(), complete.tolist(), strict=True):
            share = float(self.histories[context])
            number = max(1, min(_MOST_LEFT, _LEFT + int(_LEFT_BY_SHARE * share), round(share * len(self.past))))
            lefts = [[]] if is_whole else self._left(number, k).tolist()
            states += [self._state([*left, *row]) for left in lefts]
            owners += [context] * len(lefts)
            if len(states) >= _AT_ONCE:
                yield from _means(self.model.distributions(states), owners)
                states, owners = [], []
        if states:
            yield from _means(self.model.distributions(states), owners)

    def _left(self, number: int, k: int) -> Ids:  # -> (number, order - 1 - k)
        """Words to stand before contexts of k words: those that stand before random places of the text."""
        return self.inside[self.random.integers(len(self.inside), size=number), k:]

    def _state(self, words: list[int]) -> State:
        """The state of the model after words; those before <s> count for nothing."""
        state = self.model.begin()
        for word in words:
            state = self.model.begin() if word == BEGIN_ID else self.model.advance(state, self.words[word])
        return state

    def _score_rest(self, k: int) -> None:
        """The n-grams of the text after all other contexts of k words: one continuation to the left each."""
        table, first = self.table, int(self.table.context_base[k])
        entries = np.arange(len(table))[table.level(k)]
        contexts = table.context[entries]
        entries = entries[~self.asked[contexts] & ~self._is_complete(k)[contexts - first]]
        if not len(entries):
            return
        left = self._left(int(table.context_base[k + 1]) - first, k)[table.context[entries] - first]
        rows = np.concatenate([left, table.words_of(table.context[entries], k)], axis=1)
        step = _SENTENCES_AT_ONCE
        with Progress(f"n-grams of {k + 1} words scored", len(entries), self.progress) as bar:
            for start in range(0, len(entries), step):
                here = slice(start, start + step)
                self.chances[entries[here]] = self._score_after(rows[here], table.word[entries[here]])
                bar.advance(len(entries[here]))

    def _score_after(self, rows: Ids, words: Ids) -> Floats:
        """The probabilities of words after rows of words, each as the end of a sentence of its own."""
        sentences, places, end = list[list[str]](), list[int](), 0
        for row, word in zip(rows.tolist(), words.tolist(), strict=True):
            starts = max((i + 1 for i, w in enumerate(row) if w == BEGIN_ID), default=0)
            sentence = [self.words[w] for w in row[starts:]]
            places.append(end + len(sentence))
            sentences.append(sentence if word == END_ID else [*sentence, self.words[word]])
            end += len(sentences[-1]) + 1
        return np.exp(self.model.score_sentences(sentences).log_prob[places])

    def _match_single_words(self, table: NgramTable, chances: Floats) -> tuple[Floats, Floats]:
        """Probabilities and weights with which each word is predicted after frequent words as often as by the model.

        A single word w is asked for after those words h that store no (h, w), each with its back-off weight; P(w) is what the model
        gives w there, divided by that.
        """
        size = len(self.words)
        chances = np.maximum(chances, _LEAST)
        if table.order == 1 or not self.whole_mass.any():
            return table.normalised(chances)
        entries = np.arange(len(table))[table.level(1)]
        first_word = table.left_word[table.context[entries]]
        weight = self._by_first_word()
        entries, first_word = entries[weight[first_word] > 0], first_word[weight[first_word] > 0]
        stored = np.bincount(table.word[entries], weight[first_word] * chances[entries], minlength=size)
        demand = np.maximum(self.whole_mass - stored, 1e-6 * self.whole_mass)
        for _ in range(_STEPS):
            _, weights = table.normalised(chances)
            by_word = np.ones(size)
            by_word[table.left_word[table.contexts(1)]] = weights[table.contexts(1)]
            passed = weight * by_word
            asked = passed.sum() - np.bincount(table.word[entries], passed[first_word], minlength=size)
            chances = chances.copy()
            chances[:size] = np.where(asked > 1e-6, demand / np.maximum(asked, 1e-6), chances[:size])
        return table.normalised(np.maximum(chances, _LEAST))

    def _by_first_word(self) -> Floats:
        """P(h) of the frequent contexts of one word, by that word; 0 of all others."""
        weight = np.zeros(len(self.words))
        contexts = np.arange(len(self.histories))[self.table.contexts(1)]
        contexts = contexts[self.asked[contexts]]
        weight[self.table.left_word[contexts]] = self.histories[contexts]
        return weight


def histories(corpus: Corpus, order: int) -> tuple[Ids, Ids]:
    """The order - 1 words before each event, <s> before the sentence, and the word of each event."""
    length, sentences = order - 1, corpus.sentences
    ends = corpus.offsets.astype(np.int64)
    sizes = np.diff(ends)
    sentence = np.repeat(np.arange(sentences), sizes)
    stream = np.full(len(corpus.words) + (length + 1) * sentences, BEGIN_ID, np.int64)
    stream[np.arange(len(corpus.words)) + length * (sentence + 1) + sentence] = corpus.words
    stream[np.cumsum(sizes + length + 1) - 1] = END_ID
    owner = np.repeat(np.arange(sentences), sizes + 1)
    places = np.arange(len(owner)) + length * (owner + 1)
    past = [stream[places - j] for j in range(length, 0, -1)]
    return np.stack(past, axis=1) if past else np.zeros((len(places), 0), np.int64), stream[places]


def _means(rows: NDArray[np.floating], owners: list[int]) -> Iterator[tuple[int, Floats]]:
    """The mean of the rows of each owner, whose rows are neighbours."""
    first = [i for i, owner in enumerate(owners) if i == 0 or owners[i - 1] != owner]
    for start, end in zip(first, [*first[1:], len(owners)], strict=True):
        yield owners[start], rows[start:end].mean(0, dtype=np.float64)
