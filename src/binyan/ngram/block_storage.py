"""Where blocks of n-grams and the arrays of a model are kept while it is estimated: in memory here, in files in `block_files`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.text import Corpus

Item = TypeVar("Item")
Result = TypeVar("Result")

_FEWEST_EVENTS = 1 << 18  # in a block: fewer take longer to set up than to sort
_BLOCKS_PER_THREAD = 8
_ENTRIES = ("word", "next", "log_prob")
ARRAYS = (*_ENTRIES, "first_entry", "left_word", "suffix", "log_backoff")


@dataclass(frozen=True)
class Job:
    """One block to build: its number, its range of words, and about how many events it has."""

    number: int
    order: int
    vocabulary_size: int
    first: int
    last: int
    thresholds: tuple[int, ...]
    last_word: int
    events: int


@dataclass(frozen=True)
class Counts:
    """What a block tells all others (core/ngram/suffix_block.hpp, BlockCounts); lists are by level from 1."""

    counts_of_counts: list[list[int]]
    entries: list[int]
    contexts: list[int]
    last_rank: int
    last: list[tuple[int, int]]
    words_after: tuple[NDArray[np.int64], NDArray[np.int64]]  # words, and how many distinct ones are before each
    contexts_by_word: list[NDArray[np.uint32]]
    kept: list[NDArray[np.uint8]]  # bits, where anything is pruned

    @classmethod
    def of(cls, block: _core.SuffixBlock, job: Job, rank: NDArray[np.uint32]) -> Counts:
        """The counts of a block."""
        tables, entries, contexts, last_rank, last = block.counts(list(job.thresholds), rank, job.last_word)
        levels = range(1, job.order)
        after = np.bincount(block.levels()[0]["word"])
        words = np.flatnonzero(after)
        pruned = any(job.thresholds)
        kept = [np.packbits(block.kept_contexts(k, job.thresholds[k])) for k in levels] if pruned else []
        by_word = [block.contexts_by_word(k) for k in levels]
        return cls(tables, entries, contexts, last_rank, last, (words, after[words]), by_word, kept)


class ArrayStorage(Protocol):
    """The arrays of a back-off model, written piece by piece."""

    def write(self, name: str, start: int, values: NDArray[Any]) -> None:
        """Put values into the array `name` from element `start`."""


class BlockStorage(Protocol):
    """Blocks between being built and being estimated."""

    def events_per_block(self, order: int, events: int, threads: int, largest: int) -> int:
        """The most events of a block; `largest`: those with the most frequent word before them, which stay together."""

    def build(
        self, corpus: Corpus, jobs: Sequence[Job], rank: NDArray[np.uint32], threads: int, done: Callable[[], None]
    ) -> list[Counts]:
        """Build and keep all blocks."""

    def borrow(self, job: Job) -> AbstractContextManager[_core.SuffixBlock]:
        """A block that was built, when there is room for it; it stays in the storage."""

    def take(self, job: Job) -> _core.SuffixBlock:
        """A block that was built, when there is room for it; `release` follows."""

    def release(self, job: Job) -> None:
        """A block that was taken is no longer needed."""

    def arrays(self, sizes: Mapping[str, int]) -> ArrayStorage:
        """Room for the arrays of a model; `sizes` has its numbers of entries, contexts and columns."""

    def model(self, context_base: NDArray[np.uint32], arrays: Any) -> _core.BackoffModel:
        """The model, when its arrays are written."""


def array_shape(name: str, sizes: Mapping[str, int]) -> tuple[int, Any]:
    """Length and type of one of the ARRAYS of a model; `sizes` has its numbers of entries, contexts and columns."""
    size = sizes["entries"] if name in _ENTRIES else sizes["contexts"] + (name == "first_entry")
    return (size * sizes["columns"], np.float32) if name.startswith("log_") else (size, np.uint32)


def on_threads(
    function: Callable[[Item], Result], items: Sequence[Item], threads: int, done: Callable[[], None]
) -> list[Result]:
    """The function of each item, in order, with a call of `done` for each; after a failure or Ctrl-C nothing new is begun."""
    results = []
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            for future in futures:
                results.append(future.result())
                done()
            return results
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


class InMemory:
    """Everything in memory."""

    def __init__(self, fewest_events: int | None = None) -> None:
        self._blocks: dict[int, _core.SuffixBlock] = {}
        self._fewest_events = _FEWEST_EVENTS if fewest_events is None else fewest_events

    def events_per_block(self, order: int, events: int, threads: int, largest: int) -> int:
        """As many blocks as keep all threads busy."""
        return max(self._fewest_events, -(-events // (threads * _BLOCKS_PER_THREAD)))

    def build(
        self, corpus: Corpus, jobs: Sequence[Job], rank: NDArray[np.uint32], threads: int, done: Callable[[], None]
    ) -> list[Counts]:
        """Build all blocks, on `threads` threads."""

        def build(job: Job) -> Counts:
            block = _core.SuffixBlock(corpus.words, corpus.offsets, job.order, job.vocabulary_size, job.first, job.last)
            self._blocks[job.number] = block
            return Counts.of(block, job, rank)

        return on_threads(build, jobs, threads, done)

    def borrow(self, job: Job) -> AbstractContextManager[_core.SuffixBlock]:
        """The block."""
        return nullcontext(self._blocks[job.number])

    def take(self, job: Job) -> _core.SuffixBlock:
        """The block, which is forgotten here."""
        return self._blocks.pop(job.number)

    def release(self, job: Job) -> None:
        """Nothing to do."""

    def arrays(self, sizes: Mapping[str, int]) -> _MemoryArrays:
        """Room in memory."""
        return _MemoryArrays(sizes)

    def model(self, context_base: NDArray[np.uint32], arrays: _MemoryArrays) -> _core.BackoffModel:
        """The model over these arrays."""
        return _core.BackoffModel(arrays.columns, context_base, **arrays.arrays)


class _MemoryArrays:
    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.columns = sizes["columns"]
        self.arrays: dict[str, Any] = {name: np.empty(*array_shape(name, sizes)) for name in ARRAYS}

    def write(self, name: str, start: int, values: NDArray[Any]) -> None:
        self.arrays[name][start : start + len(values)] = values
