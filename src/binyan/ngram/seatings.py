"""Where the seatings of an HPYLM that is sampled by blocks are kept between sweeps, and its samples: in memory or in files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import ModelFileError
from binyan.ngram.block_storage import BlockStorage, Job

Number = TypeVar("Number", np.uint32, np.float32)
Sample = list[tuple[NDArray[np.float32], NDArray[np.float32]]]
"""By level from 1: logarithms of probabilities and of back-off weights of a block."""


class Seatings(Protocol):
    """The restaurants of every chain and block, and the samples that were collected of them."""

    def borrow(self, chain: int, job: Job) -> AbstractContextManager[_core.HPYLMBlock]:
        """The restaurants of a block, empty at first; what is done to them counts if `keep` is called with them."""

    def keep(self, chain: int, job: Job, seats: _core.HPYLMBlock) -> None:
        """The restaurants of a block have changed."""

    def collect(self, column: int, job: Job, sample: Sample) -> None:
        """Keep a sample of a block, in a column of the model."""

    def collected(self, column: int, job: Job) -> Sample:
        """What `collect` was given."""


class SeatingsInMemory:
    """Everything in memory."""

    def __init__(self, blocks: BlockStorage) -> None:
        self._blocks = blocks
        self._seats: dict[tuple[int, int], _core.HPYLMBlock] = {}
        self._samples: dict[tuple[int, int], Sample] = {}

    @contextmanager
    def borrow(self, chain: int, job: Job) -> Iterator[_core.HPYLMBlock]:
        """The restaurants of a block, empty at first."""
        if (chain, job.number) not in self._seats:
            with self._blocks.borrow(job) as block:
                self._seats[chain, job.number] = _core.HPYLMBlock(block)
        yield self._seats[chain, job.number]

    def keep(self, chain: int, job: Job, seats: _core.HPYLMBlock) -> None:
        """Nothing to do."""

    def collect(self, column: int, job: Job, sample: Sample) -> None:
        """Keep a sample."""
        self._samples[column, job.number] = sample

    def collected(self, column: int, job: Job) -> Sample:
        """A sample, which is forgotten here."""
        return self._samples.pop((column, job.number))


class SeatingsOnDisk:
    """Seatings and samples in files of `folder`, each written whole or not at all."""

    def __init__(self, blocks: BlockStorage, folder: Path) -> None:
        self._blocks, self._folder = blocks, folder

    @contextmanager
    def borrow(self, chain: int, job: Job) -> Iterator[_core.HPYLMBlock]:
        """The restaurants of a block, from its file where there is one."""
        with self._blocks.borrow(job) as block:
            seats = _core.HPYLMBlock(block)
            del block
            path = self._path("seats", chain, job)
            if path.exists():
                arrays = _read(path, np.uint32)
                seats.restore(list(zip(arrays[::2], arrays[1::2], strict=True)))
            yield seats
            del seats

    def keep(self, chain: int, job: Job, seats: _core.HPYLMBlock) -> None:
        """Write a seating to its file."""
        arrays = [level[name] for level in seats.state() for name in ("tables", "sizes")]
        _write(self._path("seats", chain, job), arrays)

    def collect(self, column: int, job: Job, sample: Sample) -> None:
        """Write a sample to its file."""
        _write(self._path("sample", column, job), [array for level in sample for array in level])

    def collected(self, column: int, job: Job) -> Sample:
        """A sample, whose file is removed."""
        path = self._path("sample", column, job)
        arrays = _read(path, np.float32)
        path.unlink()
        return list(zip(arrays[::2], arrays[1::2], strict=True))

    def _path(self, what: str, number: int, job: Job) -> Path:
        return self._folder / f"{what}.{number}.{job.number}"


def _write(path: Path, arrays: Sequence[NDArray[np.uint32] | NDArray[np.float32]]) -> None:
    """Arrays of four bytes per element, behind their number and their lengths."""
    part = path.with_name(path.name + ".part")
    with open(part, "wb") as out:
        out.write(np.array([len(arrays), *map(len, arrays)], np.uint64).tobytes())
        for array in arrays:
            out.write(np.ascontiguousarray(array).data)
    part.replace(path)


def _read(path: Path, kind: type[Number]) -> list[NDArray[Number]]:
    """What `_write` wrote."""
    with open(path, "rb") as source:
        number = np.fromfile(source, np.uint64, 1)
        lengths = np.fromfile(source, np.uint64, int(number[0])) if len(number) else number
        arrays = [np.fromfile(source, kind, int(length)) for length in lengths]
    if not len(number) or len(lengths) != number[0] or any(map(np.not_equal, map(len, arrays), lengths)):
        raise ModelFileError(f"{path}: was truncated while training worked with it; train again")
    return arrays
