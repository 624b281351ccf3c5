"""Kneser-Ney estimation by blocks of n-grams: on all cores, past the memory of a machine, or on a cluster, with one result.

A block has the n-grams whose context ends in one of a range of words (core/ngram/suffix_block.hpp). Blocks are built apart;
then the discounts are known, and every block is estimated and written to its place in the model's arrays.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError
from binyan.ngram.backoff import word_counts
from binyan.ngram.block_storage import ArrayStorage, BlockStorage, Counts, Job
from binyan.progress import Progress, ProgressOption
from binyan.text import Corpus
from binyan.text.vocabulary import BEGIN_ID

_NONE = np.zeros(0, np.uint32)


@dataclass(frozen=True)
class BlockSettings:
    """What a model is estimated with: the pruning threshold of each order, and the discounts of orders that have none."""

    thresholds: tuple[int, ...]
    fallback: tuple[float, ...]

    @property
    def order(self) -> int:
        """Length of the longest n-grams."""
        return len(self.thresholds)


def estimate_blocks(
    corpus: Corpus,
    settings: BlockSettings,
    storage: BlockStorage,
    *,
    threads: int | None = None,
    progress: ProgressOption = None,
) -> tuple[_core.BackoffModel, list[Any]]:
    """The model of a corpus, of order 2 or more, and the discounts of each order with their counts and origin."""
    threads = threads or os.cpu_count() or 1
    rank = _core.ranks_of_first_occurrence(corpus.words, len(corpus.vocabulary))
    seen = word_counts(corpus)
    last_word = int(np.argmax(np.where(seen > 0, rank, 0)))
    jobs = block_jobs(corpus, seen, settings.thresholds, storage, threads, last_word)
    with Progress("blocks of n-grams", 2 * len(jobs), progress) as bar:
        counts = storage.build(corpus, jobs, rank, threads, bar.advance)
        estimates = _Estimates(settings, counts, seen, last_word)
        layout = Layout(settings.thresholds, counts, jobs)
        arrays = storage.arrays(layout.sizes)
        layout.write_unigrams(arrays, estimates.unigrams.log_prob)
        write = partial(_write_estimates, arrays, layout, estimates)
        write_blocks(storage, layout, jobs, threads, write, bar.advance)
    return storage.model(layout.context_base, arrays), estimates.discounts


def block_jobs(
    corpus: Corpus,
    seen: NDArray[np.uint32],
    thresholds: tuple[int, ...],
    storage: BlockStorage,
    threads: int,
    last_word: int = 0,
) -> list[Job]:
    """The blocks that a corpus, whose words were `seen` so often, is divided into, as many as suit the storage and the threads."""
    size, order = len(corpus.vocabulary), len(thresholds)
    _core.check_text(corpus.words, corpus.offsets, order, size)
    events = np.array(seen, np.int64)  # with each word before them
    events[BEGIN_ID], events[BEGIN_ID + 1] = corpus.sentences, 0
    most = storage.events_per_block(order, corpus.events, threads, int(events.max()))
    return [
        Job(i, order, size, first, last, thresholds, last_word, int(events[first:last].sum()))
        for i, (first, last) in enumerate(_ranges(events, most))
    ]


def _ranges(events: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Ranges of words that cover all, each with at most `most` events or of one word."""
    ends = np.cumsum(events)
    first = 0
    while first < len(events):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield first, last
        first = last


class _Estimates:
    """Discounts of all orders, and the distribution of single words."""

    def __init__(
        self, settings: BlockSettings, counts: Sequence[Counts], seen: NDArray[np.uint32], last_word: int
    ) -> None:
        adjusted = np.zeros(len(seen), np.uint32)
        for words, before in (c.words_after for c in counts):
            adjusted[words] += before.astype(np.uint32)
        of_counts = np.array([c.counts_of_counts for c in counts], np.int64).sum(0)
        unigrams = np.bincount(np.minimum(adjusted[adjusted > 0], 5), minlength=6)[:5]
        tables = [unigrams, *of_counts]
        # As lmplz, the plain count of the n-gram it reads last instead of its adjusted count (core/ngram/kneser_ney.hpp).
        last = max(counts, key=lambda c: c.last_rank if c.last else -1).last
        pairs = [(int(adjusted[last_word]), int(seen[last_word])), *last]
        for table, (was, now) in zip(tables[:-1], pairs, strict=False):
            for count, change in ((was, -1), (now, 1)):
                if count < 5:
                    table[count] += change
        self.discounts = [
            _core.kneser_ney_discounts(table[1:5].tolist(), list(settings.fallback), n)
            for n, table in enumerate(tables, 1)
        ]
        self.amounts = [amounts for amounts, _, _ in self.discounts]
        self.unigrams = _core.UnigramEstimates(adjusted, self.amounts[0])


class Layout:
    """Where everything of every block goes in the arrays of the model, and the context that each n-gram leads to."""

    def __init__(
        self, thresholds: Sequence[int], counts: Sequence[Counts], jobs: Sequence[Job], columns: int = 1
    ) -> None:
        self.order, vocabulary = len(thresholds), jobs[0].vocabulary_size
        entries, contexts = (np.array([getattr(c, name) for c in counts], np.int64) for name in ("entries", "contexts"))
        entry_base = np.concatenate([[0, vocabulary], vocabulary + np.cumsum(entries.sum(0))])
        context_base = np.concatenate([[0, 1], 1 + np.cumsum(contexts.sum(0))])
        if max(int(entry_base[-1]), int(context_base[-1])) >= 1 << 32:
            raise InputError("more than 4 billion n-grams: lower the order or prune")
        self.context_base = context_base.astype(np.uint32)
        self.sizes = {"entries": int(entry_base[-1]), "contexts": int(context_base[-1]), "columns": columns}
        # [block][level], from level 0
        self.first_entry = _starts(entries, entry_base)
        self.first_context = _starts(contexts, context_base)
        self.is_pruned = any(thresholds)
        self._place_contexts(counts, jobs, vocabulary)

    def _place_contexts(self, counts: Sequence[Counts], jobs: Sequence[Job], vocabulary: int) -> None:
        """For each level from 1 the first context that ends in each word: of all, and of those that are kept."""
        self.kept: dict[int, NDArray[np.uint8]] = {}
        self.context_of_word: dict[int, NDArray[np.uint32]] = {}
        self.number_of_word: dict[int, NDArray[np.uint32]] = {}
        has_context = np.zeros(vocabulary, bool)
        for k in range(1, self.order):
            total = np.zeros(vocabulary, np.int64)
            for c, job in zip(counts, jobs, strict=True):
                total[job.first : job.last] = c.contexts_by_word[k - 1]
            starts = np.concatenate([[0], np.cumsum(total)])
            has_context = total > 0 if k == 1 else has_context
            if not self.is_pruned:
                self.context_of_word[k] = (starts[:-1] + int(self.context_base[k])).astype(np.uint32)
                continue
            bits = np.concatenate(
                [np.unpackbits(c.kept[k - 1], count=int(sum(c.contexts_by_word[k - 1]))) for c in counts]
            )
            ranks = np.concatenate([[0], np.cumsum(bits, dtype=np.int64)])
            self.context_of_word[k] = starts[:-1].astype(np.uint32)
            self.number_of_word[k] = (ranks[starts[:-1]] + int(self.context_base[k])).astype(np.uint32)
            self.kept[k] = np.packbits(bits)
            if k == 1:
                has_context[total > 0] = bits.astype(bool)
        self.unigram_next = np.where(has_context, self.number_of_word.get(1, self.context_of_word[1]), 0).astype(
            np.uint32
        )

    def link(self, block: _core.SuffixBlock) -> None:
        """Tell a block what its n-grams lead to; blocks are linked in order."""
        for k in range(1, self.order - 1):
            kept, numbers = self.kept.get(k + 1), self.number_of_word.get(k + 1)
            block.link(
                k,
                self.context_of_word[k + 1],
                np.zeros(0, np.uint8) if kept is None else kept,
                _NONE.copy() if numbers is None else numbers,
            )

    def write_unigrams(self, arrays: ArrayStorage, log_prob: NDArray[np.float32]) -> None:
        """The part of the model's arrays that is of no block; `log_prob` has one row per word."""
        vocabulary = len(self.unigram_next)
        arrays.write("word", 0, np.arange(vocabulary, dtype=np.uint32))
        arrays.write("next", 0, self.unigram_next)
        arrays.write("log_prob", 0, log_prob)
        arrays.write("first_entry", 0, np.array([0, vocabulary], np.uint32))
        arrays.write("left_word", 0, np.array([0xFFFFFFFF], np.uint32))
        arrays.write("suffix", 0, np.zeros(1, np.uint32))
        arrays.write("log_backoff", 0, np.zeros(self.sizes["columns"], np.float32))

    def write_level(self, arrays: ArrayStorage, job: Job, k: int, level: Mapping[str, NDArray[Any]]) -> None:
        """The part of the model's arrays that is of one level of a block."""
        entry, context, columns = (
            self.first_entry[job.number][k],
            self.first_context[job.number][k],
            self.sizes["columns"],
        )
        for name in ("word", "next"):
            arrays.write(name, entry, level[name])
        for name in ("left_word", "suffix"):
            arrays.write(name, context, level[name])
        arrays.write("log_prob", entry * columns, level["log_prob"])
        arrays.write("log_backoff", context * columns, level["log_backoff"])
        arrays.write("first_entry", context + 1, level["first_entry"])


def _starts(numbers: NDArray[np.int64], base: NDArray[np.int64]) -> list[list[int]]:
    """Where each block begins on each level, from level 0."""
    before = np.cumsum(numbers, axis=0) - numbers + base[1:-1]
    return [[0, *row] for row in before.tolist()]


def _write_estimates(
    arrays: ArrayStorage, layout: Layout, estimates: _Estimates, job: Job, block: _core.SuffixBlock
) -> None:
    contexts, entries = layout.first_context[job.number], layout.first_entry[job.number]
    for k in range(1, layout.order):
        next_, amounts = layout.unigram_next, estimates.amounts[k]
        level = block.estimate(k, estimates.unigrams, next_, amounts, job.thresholds[k], contexts, entries)
        layout.write_level(arrays, job, k, level)


def write_blocks(
    storage: BlockStorage,
    layout: Layout,
    jobs: Sequence[Job],
    threads: int,
    write: Callable[[Job, _core.SuffixBlock], None],
    done: Callable[[], None],
) -> None:
    """Take each block from the storage, link it, and call `write` with it on one of the threads."""

    def finish(job: Job, block: _core.SuffixBlock) -> None:
        try:
            write(job, block)
        finally:
            storage.release(job)

    with ThreadPoolExecutor(threads) as pool:
        futures: deque[Future[None]] = deque()
        try:
            for job in jobs:
                block = storage.take(job)
                layout.link(block)
                futures.append(pool.submit(finish, job, block))
                del block
                while futures and futures[0].done():
                    futures.popleft().result()
                    done()
            for future in futures:
                future.result()
                done()
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
