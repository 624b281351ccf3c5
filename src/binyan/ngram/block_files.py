"""Blocks of n-grams and the arrays of a model in files, for texts whose n-grams are more than memory holds."""

from __future__ import annotations

import atexit
import errno
import mmap
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core, model_file
from binyan.errors import BinyanError, ModelFileError, NoMemoryError
from binyan.files import PathLike
from binyan.ngram.block_storage import ARRAYS, Counts, Job, array_shape, on_threads
from binyan.parallel import run_each
from binyan.progress import ProgressOption
from binyan.text import Corpus, Preparation, VocabularyPolicy
from binyan.text.corpus_files import read_to_files
from binyan.text.reading import Source

_KIND = "suffix-block"
_BASIC_BYTES = 250 << 20  # Python, its libraries, and what is kept per word of the vocabulary
_MEBIBYTE = 1 << 20


def bytes_per_event(order: int) -> int:
    """About how much memory a block takes for each event, while it is built or estimated."""
    return 34 * order


@contextmanager
def working_folder(where: PathLike | None) -> Iterator[Path]:
    """A new folder in `where` (or with other temporary files), removed at the end whatever happens; a full disk is said."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=".binyan-", dir=where))
    except OSError as error:
        raise ModelFileError(f"{where}: cannot work there: {error.strerror or error}") from error
    try:
        yield folder
    except OSError as error:
        reason = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else error.strerror or str(error)
        raise ModelFileError(
            f"{folder.parent}: {reason}; what was written there is removed. "
            "Work in another folder (--work), or with a lower order or pruning"
        ) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if sys.platform == "win32":  # where a mapped file stays until it is closed
            atexit.register(shutil.rmtree, folder, ignore_errors=True)


def corpus_in(
    folder: Path,
    text: Corpus | Source | Sequence[Source],
    preparation: Preparation,
    policy: VocabularyPolicy,
    progress: ProgressOption,
) -> Corpus:
    """The training corpus, with its numbers in files of `folder` as `build_file` reads them."""
    if not isinstance(text, Corpus):
        return read_to_files(text, folder, preparation, policy, progress)
    for name, array in (("words", text.words), ("offsets", text.offsets)):
        with open(folder / name, "wb") as out:
            out.write(np.ascontiguousarray(array).data)
    return text


class OnDisk:
    """Blocks in files of `folder`, as many in memory at a time as fit into `memory` bytes.

    With the address of a Dask `scheduler`, its workers build the blocks; they must see `folder` under the same name.
    """

    def __init__(self, folder: Path, memory: int, scheduler: str | None = None) -> None:
        self._folder, self._scheduler = folder, scheduler
        self._budget = _Budget(max(0, memory - _BASIC_BYTES))

    def events_per_block(self, order: int, events: int, threads: int, largest: int) -> int:
        """So many that each thread has a block; refuses where the n-grams after the most frequent word do not fit."""
        needed = largest * bytes_per_event(order)
        if needed > self._budget.total:
            raise NoMemoryError(
                f"the n-grams after the most frequent word need about {(needed + _BASIC_BYTES) // _MEBIBYTE:,} MB at once; "
                "allow so much memory, or lower the order"
            )
        return max(1, self._budget.total // (threads * bytes_per_event(order)))

    def build(
        self, corpus: Corpus, jobs: Sequence[Job], rank: NDArray[np.uint32], threads: int, done: Callable[[], None]
    ) -> list[Counts]:
        """Build all blocks, each into a file."""
        rank.tofile(self._folder / "rank")
        items = [(str(self._folder), job) for job in jobs]
        if self._scheduler is not None:
            return self._on_cluster(items, done)

        def build(item: tuple[str, Job]) -> Counts:
            with self._budget.reserved(_needed(item[1])):
                return build_file(item)

        return on_threads(build, items, threads, done)

    def _on_cluster(self, items: Sequence[tuple[str, Job]], done: Callable[[], None]) -> list[Counts]:
        counts: dict[int, Counts] = {}
        for place, result in run_each(build_file, items, scheduler=self._scheduler):
            if isinstance(result, BinyanError):
                raise result
            counts[place] = result
            done()
        return [counts[place] for place in range(len(items))]

    @contextmanager
    def borrow(self, job: Job) -> Iterator[_core.SuffixBlock]:
        """The block from its file, when there is room in memory; the file stays."""
        with self._budget.reserved(_needed(job)):
            yield load_block(self._folder, job)

    def take(self, job: Job) -> _core.SuffixBlock:
        """The block from its file, when there is room in memory."""
        self._budget.reserve(_needed(job))
        return load_block(self._folder, job)

    def release(self, job: Job) -> None:
        """Give back the memory, and remove the file."""
        self._budget.give_back(_needed(job))
        _block_path(self._folder, job).unlink(missing_ok=True)

    def arrays(self, sizes: Mapping[str, int]) -> FileArrays:
        """Room for the arrays in one file."""
        return FileArrays(self._folder / "arrays", sizes)

    def model(self, context_base: NDArray[np.uint32], arrays: FileArrays) -> _core.BackoffModel:
        """The model over the mapped file, which loses its name when the folder is removed and stays as long as the model."""
        views, region = arrays.mapped()
        return _core.BackoffModel(arrays.columns, context_base, **views, region=region)


def _needed(job: Job) -> int:
    return job.events * bytes_per_event(job.order)


def _block_path(folder: Path, job: Job) -> Path:
    return folder / f"block.{job.number}"


def build_file(item: tuple[str, Job]) -> Counts:
    """Build one block of the text in a folder, into a file there; a file that is whole already is kept."""
    folder, job = Path(item[0]), item[1]
    rank = np.fromfile(folder / "rank", np.uint32)
    path = _block_path(folder, job)
    if path.exists():
        return Counts.of(load_block(folder, job), job, rank)
    words, offsets = np.memmap(folder / "words", np.uint32, "r"), np.memmap(folder / "offsets", np.uint64, "r")
    block = _core.SuffixBlock(words, offsets, job.order, job.vocabulary_size, job.first, job.last)
    sections = {f"{k}/{name}": array for k, level in enumerate(block.levels()) for name, array in level.items()}
    model_file.save(path, _KIND, {"first": job.first, "last": job.last, "order": job.order}, sections)
    return Counts.of(block, job, rank)


def load_block(folder: Path, job: Job) -> _core.SuffixBlock:
    """A block that `build_file` wrote."""
    file = model_file.load(_block_path(folder, job))
    names = ("word", "parent", "count", "first_entry", "left_word", "context_parent")
    levels = [{name: file.mapped(f"{k}/{name}") for name in names} for k in range(job.order - 1)]
    return _core.SuffixBlock.from_levels(levels, job.first, job.last)


class _Budget:
    """Memory that several threads share: who asks for more than is left waits; one is never refused."""

    def __init__(self, total: int) -> None:
        self.total, self._taken = total, 0
        self._changed = threading.Condition()

    @contextmanager
    def reserved(self, size: int) -> Iterator[None]:
        self.reserve(size)
        try:
            yield
        finally:
            self.give_back(size)

    def reserve(self, size: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._taken == 0 or self._taken + size <= self.total)
            self._taken += size

    def give_back(self, size: int) -> None:
        with self._changed:
            self._taken -= size
            self._changed.notify_all()


class FileArrays:
    """The arrays of a model in one file, each at a multiple of 64 bytes; room is made before anything is written."""

    def __init__(self, path: Path, sizes: Mapping[str, int]) -> None:
        self._path, self.columns = path, sizes["columns"]
        self._places: dict[str, tuple[int, int, Any]] = {}
        end = 0
        for name in ARRAYS:
            length, kind = array_shape(name, sizes)
            self._places[name] = end, length, kind
            end += -(-4 * length // 64) * 64
        self._file = open(path, "w+b")
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self._file.fileno(), 0, end)
        else:
            self._file.truncate(end)
        self._lock = threading.Lock()

    def write(self, name: str, start: int, values: NDArray[Any]) -> None:
        """Put values into the array `name` from element `start`."""
        with self._lock:
            self._file.seek(self._places[name][0] + 4 * start)
            self._file.write(np.ascontiguousarray(values).data)

    def mapped(self) -> tuple[dict[str, NDArray[Any]], _core.MappedRegion]:
        """The arrays in the file, and the region of memory they are in."""
        self._file.flush()
        whole = np.frombuffer(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
        self._file.close()
        views = {
            name: whole[start : start + 4 * length].view(kind) for name, (start, length, kind) in self._places.items()
        }
        return views, _core.MappedRegion(whole, str(self._path))
