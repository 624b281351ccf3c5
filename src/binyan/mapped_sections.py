"""The sections of a large model file where they are: mapped into memory, shared by all processes, read when asked for."""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError, ModelFileError

ALIGNMENT = 64  # of sections in a file
_REMEMBERED = 10_000  # files whose checks are remembered


class Stored(Protocol):
    """What a header says of a section."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def dtype(self) -> str:
        """Its type, or bytes."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""

    @property
    def size(self) -> int:
        """Its bytes."""

    @property
    def digest(self) -> str:
        """The digest of its bytes."""


class MappedSections(Mapping[str, "NDArray[Any] | bytes"]):
    """Section name -> a copy of the section, checked against its digest; `view` gives arrays without a copy."""

    def __init__(self, path: str, descriptor: int, places: Mapping[str, tuple[Stored, int]]) -> None:
        self._path, self._places = path, dict(places)
        self._bytes = np.frombuffer(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ), np.uint8)
        self.region = _core.MappedRegion(self._bytes, path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __getitem__(self, name: str) -> NDArray[Any] | bytes:
        self._check(name)
        stored, data = self._places[name][0], self._data(name).tobytes()
        if stored.dtype == "bytes":
            return data
        return np.frombuffer(bytearray(data), stored.dtype).reshape(stored.shape)

    def view(self, name: str) -> NDArray[Any]:
        """The array of a section in the file itself: read-only, and checked by `check` alone."""
        stored = self._places[name][0]
        return self._data(name).view(stored.dtype).reshape(stored.shape)

    def check(self, threads: int = 2) -> None:
        """Compare all sections with their digests; raises ModelFileError for the first that differs."""
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(self._check, self._places))

    def _data(self, name: str) -> NDArray[np.uint8]:
        stored, offset = self._places[name]
        return self._bytes[offset : offset + stored.size]

    def _check(self, name: str) -> None:
        found = hashlib.blake2b(self._data(name).data, digest_size=16).hexdigest()
        try:
            self.region.require_whole()
        except InputError as error:
            raise ModelFileError(str(error)) from error
        stored, offset = self._places[name]
        padding = self._bytes[offset + stored.size : offset + -(-stored.size // ALIGNMENT) * ALIGNMENT]
        if found != stored.digest or bool(padding.any()):
            raise ModelFileError(
                f"{self._path}: damaged: section {name!r} does not match its checksum; copy the file again"
            )


class CheckedFiles:
    """Files whose digests were compared with their contents, remembered by place, size and time of change.

    One empty file each in the user's cache folder (`XDG_CACHE_HOME`); where nothing can be written, nothing is remembered.
    """

    def __init__(self) -> None:
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self._folder = Path(cache, "binyan", "checked")

    def __contains__(self, descriptor: object) -> bool:
        return isinstance(descriptor, int) and (self._folder / self._name(descriptor)).exists()

    def add(self, descriptor: int) -> None:
        """Remember the open file `descriptor`, as it is now."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / self._name(descriptor)).touch()
            names = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime)
            for old in names[:-_REMEMBERED]:
                old.unlink(missing_ok=True)
        except OSError:
            return

    @staticmethod
    def _name(descriptor: int) -> str:
        status = os.fstat(descriptor)
        facts = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        return hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()
