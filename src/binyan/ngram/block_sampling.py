"""Sampling of an HPYLM by blocks of contexts: on several threads, and past the memory of a machine, with one result.

A sweep of a block has a step that needs nothing of other blocks, and one in which blocks take their turns at the restaurant
of the empty context (core/ngram/hpylm_block.hpp). Random streams are by sweep and word: the result depends neither on the
number of blocks nor on that of threads, and is exact, but is another draw than that of a sampler that sweeps level by level.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.files import PathLike
from binyan.ngram.backoff import word_counts
from binyan.ngram.block_files import OnDisk, corpus_in, working_folder
from binyan.ngram.block_storage import ArrayStorage, BlockStorage, Counts, InMemory, Job
from binyan.ngram.blocks import Layout, block_jobs, write_blocks
from binyan.ngram.seatings import Seatings, SeatingsInMemory, SeatingsOnDisk
from binyan.ngram.turns import Turns
from binyan.progress import Progress, ProgressOption
from binyan.sampling import Run, Schedule
from binyan.text import Corpus, Preparation, VocabularyPolicy
from binyan.text.reading import Source

_FEWEST_EVENTS = 1 << 14  # in a block: fewer take longer to hand over than to sweep


@dataclass
class BlockChain:
    """One chain: its number, the restaurant of the empty context, hyperparameters by level, and figures after each sweep."""

    number: int
    root: _core.RootRestaurant
    hyperparameters: list[tuple[float, float]]
    trace: list[list[float]]


class BlockSampling:
    """The training of an HPYLM of order 2 or more by blocks, which `storage` builds and `seatings` fills."""

    def __init__(
        self,
        corpus: Corpus,
        order: int,
        schedule: Schedule,
        storage: BlockStorage,
        seatings: Seatings,
        threads: int | None = None,
    ) -> None:
        self.schedule, self._order, self._size = schedule, order, len(corpus.vocabulary)
        self._storage, self._seatings, self._threads = storage, seatings, threads or os.cpu_count() or 1
        self._corpus, self._seen = corpus, word_counts(corpus)
        self._jobs = block_jobs(corpus, self._seen, (0,) * order, storage, self._threads)
        self._unigrams: dict[int, NDArray[np.float32]] = {}
        self.chains = [
            BlockChain(i, _core.RootRestaurant(self._size), [(0.5, 1.0)] * order, []) for i in range(schedule.chains)
        ]

    def run(self, progress: ProgressOption = None) -> _core.BackoffModel:
        """Sample to the end of the schedule; the mean of the samples that it asks for."""
        with Progress("blocks of n-grams", len(self._jobs), progress) as bar:
            rank = np.zeros(0, np.uint32)
            counts = self._storage.build(self._corpus, self._jobs, rank, self._threads, bar.advance)
        kept = self.schedule.kept_sweeps
        with Progress("sweeps", self.schedule.sweeps, progress) as bar:
            for chain in self.chains:
                self._initialise(chain)
            for sweep in range(1, self.schedule.sweeps + 1):
                for chain in self.chains:
                    self._sweep(chain, sweep)
                    if sweep in kept:
                        self._collect(chain, chain.number * len(kept) + kept.index(sweep))
                bar.advance(1, log_likelihood=float(np.mean([chain.trace[-1][0] for chain in self.chains])))
        with Progress("blocks of the model", len(self._jobs), progress) as bar:
            return self._model(counts, bar.advance)

    def _initialise(self, chain: BlockChain) -> None:
        streams = (self.schedule.seed, chain.number, 0)
        word_probability = self._seen / self._seen.sum(dtype=np.float64)

        def initialise(job: Job, seats: _core.HPYLMBlock) -> None:
            seats.set_hyperparameters(chain.hyperparameters[1:])
            seats.initialise(self.schedule.is_sequential, word_probability, streams)

        def seat_root(job: Job, seats: _core.HPYLMBlock) -> None:
            seats.seat_root(chain.root, streams)

        chain.root.set_hyperparameters(chain.hyperparameters[0])
        self._each_block(chain, initialise, seat_root, partial(self._seatings.keep, chain.number))

    def _sweep(self, chain: BlockChain, sweep: int) -> None:
        """One sweep over all blocks, and an update of the hyperparameters."""
        streams = (self.schedule.seed, chain.number, sweep)
        counts, counting = _core.LevelCounts(self._order), threading.Lock()

        def upper(job: Job, seats: _core.HPYLMBlock) -> None:
            seats.set_hyperparameters(chain.hyperparameters[1:])
            seats.sweep_upper(streams)

        def lowest(job: Job, seats: _core.HPYLMBlock) -> None:
            seats.sweep_lowest(chain.root, streams)

        def finish(job: Job, seats: _core.HPYLMBlock) -> None:
            with counting:
                seats.count(counts)
            self._seatings.keep(chain.number, job, seats)

        chain.root.set_hyperparameters(chain.hyperparameters[0])
        self._each_block(chain, upper, lowest, finish)
        chain.root.count(counts)
        hyperparameters, log_likelihood = _core.resample_levels(chain.hyperparameters, counts, chain.root, streams)
        chain.hyperparameters = hyperparameters
        chain.trace.append([log_likelihood, *(x for pair in hyperparameters for x in pair)])

    def _collect(self, chain: BlockChain, column: int) -> None:
        """Keep what prediction needs of the present state."""
        chain.root.set_hyperparameters(chain.hyperparameters[0])
        probabilities = chain.root.probabilities()
        self._unigrams[column] = chain.root.log_probabilities()

        def collect(job: Job, seats: _core.HPYLMBlock) -> None:
            seats.set_hyperparameters(chain.hyperparameters[1:])
            self._seatings.collect(column, job, seats.predictions(probabilities))

        self._each_block(chain, collect, _nothing, _nothing)

    def _each_block(self, chain: BlockChain, *steps: Callable[[Job, _core.HPYLMBlock], None]) -> None:
        Turns(partial(self._seatings.borrow, chain.number), *steps).run(self._jobs, self._threads)

    def _model(self, counts: Sequence[Counts], done: Callable[[], None]) -> _core.BackoffModel:
        columns = len(self._unigrams)
        layout = Layout((0,) * self._order, counts, self._jobs, columns)
        arrays = self._storage.arrays(layout.sizes)
        layout.write_unigrams(arrays, _beside([self._unigrams[i] for i in range(columns)]))
        write = partial(self._write_block, arrays, layout, columns)
        write_blocks(self._storage, layout, self._jobs, self._threads, write, done)
        return self._storage.model(layout.context_base, arrays)

    def _write_block(
        self, arrays: ArrayStorage, layout: Layout, columns: int, job: Job, block: _core.SuffixBlock
    ) -> None:
        samples = [self._seatings.collected(column, job) for column in range(columns)]
        contexts, entries = layout.first_context[job.number], layout.first_entry[job.number]
        for k in range(1, self._order):
            level = block.arrays(k, layout.unigram_next, contexts, entries)
            level["log_prob"] = _beside([sample[k - 1][0] for sample in samples])
            level["log_backoff"] = _beside([sample[k - 1][1] for sample in samples])
            layout.write_level(arrays, job, k, level)


@dataclass(frozen=True)
class Sampled:
    """A corpus, the mean of the samples of its posterior, and the trace of each chain."""

    corpus: Corpus
    native: _core.BackoffModel
    traces: list[list[list[float]]]


def sample_in_memory(corpus: Corpus, order: int, schedule: Schedule, how: Run) -> Sampled:
    """Sample with everything in memory."""
    storage = InMemory(_FEWEST_EVENTS)
    return _sampled(corpus, order, schedule, storage, SeatingsInMemory(storage), how)


def sample_in_files(
    text: Corpus | Source | Sequence[Source],
    preparation: Preparation,
    policy: VocabularyPolicy,
    order: int,
    schedule: Schedule,
    how: Run,
    memory: int,
    work: PathLike | None,
) -> Sampled:
    """Sample with at most about `memory` bytes, in files of the folder `work`, which are removed at the end."""
    with working_folder(work) as folder:
        corpus = corpus_in(folder, text, preparation, policy, how.progress)
        storage = OnDisk(folder, memory)
        return _sampled(corpus, order, schedule, storage, SeatingsOnDisk(storage, folder), how)


def _sampled(
    corpus: Corpus, order: int, schedule: Schedule, storage: BlockStorage, seatings: Seatings, how: Run
) -> Sampled:
    sampling = BlockSampling(corpus, order, schedule, storage, seatings, how.threads)
    native = sampling.run(how.progress)
    return Sampled(corpus, native, [chain.trace for chain in sampling.chains])


def _nothing(job: Job, seats: _core.HPYLMBlock) -> None:
    """For steps that a pass over the blocks does not need."""


def _beside(columns: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """The columns of a table as one array, row by row."""
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1).reshape(-1)
