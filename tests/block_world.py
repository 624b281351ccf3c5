"""The sampler of blocks with the interface of the sampler of a whole tree, for the tests of one that hold for the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from binyan import _core


class SampledBlocks:
    """The chain of a text whose contexts are divided into blocks before each of the words `borders`; `skip`: a step of sweeps to leave out."""

    def __init__(
        self,
        sentences: Sequence[Sequence[int]],
        order: int,
        vocabulary_size: int,
        seed: int,
        chain: int = 0,
        borders: Sequence[int] = (),
        skip: str = "",
    ) -> None:
        words = np.array([w for s in sentences for w in s], dtype=np.uint32)
        offsets = np.cumsum([0] + [len(s) for s in sentences]).astype(np.uint64)
        self._ends = [0, *borders, vocabulary_size]
        ranges = zip(self._ends[:-1], self._ends[1:], strict=True)
        self._suffix_blocks = [_core.SuffixBlock(words, offsets, order, vocabulary_size, *r) for r in ranges]
        self.blocks = [_core.HPYLMBlock(b) for b in self._suffix_blocks]
        self.root = _core.RootRestaurant(vocabulary_size)
        self.seen_words = sorted({2, *words.tolist()})
        self.frequencies = np.bincount(np.append(words, [2] * len(sentences)), minlength=vocabulary_size) / 1.0
        self.hyperparameters = [(0.5, 1.0)] * order
        self._key, self._sweeps, self._order, self._skip = (seed, chain), 0, order, skip

    def initialise(self, sequential: bool) -> None:
        self._set()
        for block in self.blocks:
            block.initialise(sequential, self.frequencies / self.frequencies.sum(), (*self._key, 0))
            block.seat_root(self.root, (*self._key, 0))

    def sweep(self) -> None:
        self._set()
        self._sweeps += 1
        streams = (*self._key, self._sweeps)
        for block in self.blocks:
            if self._skip != "upper":
                block.sweep_upper(streams)
            if self._skip != "lowest":
                block.sweep_lowest(self.root, streams)

    def step(self) -> float:
        self.sweep()
        counts = _core.LevelCounts(self._order)
        self.root.count(counts)
        for block in self.blocks:
            block.count(counts)
        streams = (*self._key, self._sweeps)
        self.hyperparameters, log_likelihood = _core.resample_levels(self.hyperparameters, counts, self.root, streams)
        return log_likelihood

    def table_sizes(self, level: int, entry: int) -> list[tuple[int, int]]:
        """Of an entry of the tree, whose levels are those of all blocks one after another."""
        if level == 0:
            return self.root.table_sizes(self.seen_words[entry])
        for block, sampled in zip(self._suffix_blocks, self.blocks, strict=True):
            entries = len(block.levels()[level - 1]["word"])
            if entry < entries:
                return sampled.table_sizes(level, entry)
            entry -= entries
        raise IndexError(entry)

    def _set(self) -> None:
        self.root.set_hyperparameters(self.hyperparameters[0])
        for block in self.blocks:
            block.set_hyperparameters(self.hyperparameters[1:])
