"""The one container every saved model goes through: versioned, checksummed, never half-written, no pickle.

Layout: magic (8 bytes), header length (8 bytes, little-endian), header digest (32 bytes), header (JSON, UTF-8), then the
sections, each starting at a multiple of 64 bytes. The header names kind, format version, writer and, for each section, its
type, shape, place and digest, so any changed byte is found on loading. A file is written beside its final place and moved
there when complete; until then it carries another magic.

Large files are mapped into memory instead of being read: they open at once, and processes share them. Their digests are
compared once, and remembered until the file changes; `check` compares them whenever it is asked.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from binyan import __version__, _core
from binyan.errors import ModelFileError, unreadable
from binyan.files import replacing
from binyan.mapped_sections import ALIGNMENT, CheckedFiles, MappedSections

FORMAT_VERSION = 1
MAGIC = b"\x89BINYAN\n"
UNFINISHED = b"\x89BINYAN?"
_LARGEST = 1 << 48  # bytes or items
_MAPPED_FROM = 16 << 20  # bytes; what is smaller is read as fast
# Windows does not let a mapped file be replaced, so a model could not be saved over the file it was opened from.
_CAN_MAP = sys.byteorder == "little" and sys.platform != "win32"
_FIXED = len(MAGIC) + 8 + 32
_DTYPES = {
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "int32",
    "int64",
    "float32",
    "float64",
    "bool",
}

Section = NDArray[Any] | bytes


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds: its kind, readable settings (`meta`) and named binary `sections`."""

    kind: str
    meta: dict[str, Any]
    sections: Mapping[str, Section]
    writer: str = __version__
    path: str = "<memory>"

    @property
    def region(self) -> _core.MappedRegion | None:
        """The mapped file that the arrays of `mapped` are in; None where they are in memory of their own."""
        return self.sections.region if isinstance(self.sections, MappedSections) else None

    def mapped(self, name: str) -> NDArray[Any]:
        """The section `name` as an array that nobody writes to: in the file itself where that is mapped."""
        if isinstance(self.sections, MappedSections) and name in self.sections:
            return self.sections.view(name)
        return self.array(name)

    def array(self, name: str) -> NDArray[Any]:
        """The section `name` as an array."""
        section = self._section(name)
        if isinstance(section, bytes):
            raise ModelFileError(f"{self.path}: section {name!r} holds bytes where an array is expected")
        return section

    def counts(self, name: str) -> NDArray[Any]:
        """The section `name` as an array of whole numbers, none below 0."""
        array = self.array(name)
        if array.dtype.kind not in "iu" or (array.size and int(array.min()) < 0):
            raise ModelFileError(f"{self.path}: section {name!r} holds what are no counts")
        return array

    def fields(self, name: str = "fields") -> dict[str, Any]:
        """The setting `name`, which is a table of settings."""
        return dict(self._setting(name, dict))

    def number(self, name: str) -> int:
        """The setting `name`, which is a whole number of 0 or more."""
        value: int = self._setting(name, int)
        if isinstance(value, bool) or value < 0:
            raise ModelFileError(f"{self.path}: the setting {name!r} is {value}, and must be a number of 0 or more")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """The setting `name`, which is a list of texts."""
        values = tuple(self._setting(name, list))
        if not all(isinstance(value, str) for value in values):
            raise ModelFileError(f"{self.path}: the setting {name!r} must be a list of texts")
        return values

    def _setting(self, name: str, kind: type[Any]) -> Any:
        value = self.meta.get(name)
        if not isinstance(value, kind):
            raise ModelFileError(
                f"{self.path}: the setting {name!r} is of type {type(value).__name__} instead of {kind.__name__}"
            )
        return value

    def blob(self, name: str) -> bytes:
        """The section `name` as bytes."""
        section = self._section(name)
        if not isinstance(section, bytes):
            raise ModelFileError(f"{self.path}: section {name!r} holds an array where bytes are expected")
        return section

    def _section(self, name: str) -> Section:
        if name not in self.sections:
            raise ModelFileError(f"{self.path}: the {self.kind} model has no section {name!r}; was it saved whole?")
        return self.sections[name]


def save(path: str | os.PathLike[str], kind: str, meta: Mapping[str, Any], sections: Mapping[str, Section]) -> None:
    """Write a model file. The file at `path` is replaced only when the new one is complete and on disk."""
    with replacing(path) as part, open(part, "wb") as out:
        if out.seekable():
            _write(out, kind, meta, sections)
        else:
            out.write(to_bytes(kind, meta, sections))
    if _is_large(path):
        with open(path, "rb") as written:
            CheckedFiles().add(written.fileno())


def load(path: str | os.PathLike[str]) -> ModelFile:
    """Open a model file: a small one is read and checked, a large one mapped, and checked unless that was done before."""
    return _open(path, again=False)


def check(path: str | os.PathLike[str]) -> ModelFile:
    """Open a model file and compare all of it with its digests, whatever is remembered; raises ModelFileError."""
    return _open(path, again=True)


def _open(path: str | os.PathLike[str], again: bool) -> ModelFile:
    try:
        with open(path, "rb") as source:
            size, checked = os.fstat(source.fileno()).st_size, CheckedFiles()
            if size < _MAPPED_FROM or not _CAN_MAP:
                return _read(source, str(path), size)
            header, start = _read_header(source, str(path), size)
            sections = MappedSections(str(path), source.fileno(), header.places(start))
            if again or source.fileno() not in checked:
                sections.check()
                checked.add(source.fileno())
            return ModelFile(header.kind, header.meta, sections, header.writer, str(path))
    except OSError as error:
        raise ModelFileError(unreadable(path, error)) from error


def _is_large(path: str | os.PathLike[str]) -> bool:
    return os.path.isfile(path) and os.path.getsize(path) >= _MAPPED_FROM


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as model files do, finished or not. Raises ModelFileError for one that cannot be read."""
    try:
        with open(path, "rb") as source:
            return source.read(len(MAGIC)) in (MAGIC, UNFINISHED)
    except OSError as error:
        raise ModelFileError(unreadable(path, error)) from error


def to_bytes(kind: str, meta: Mapping[str, Any], sections: Mapping[str, Section]) -> bytes:
    """The container as bytes, for pipes, databases and pickling of models."""
    out = io.BytesIO()
    _write(out, kind, meta, sections)
    return out.getvalue()


def from_bytes(data: bytes) -> ModelFile:
    """The inverse of `to_bytes`, with the same checks as `load`."""
    return _read(io.BytesIO(data), "<bytes>", len(data))


def _write(out: BinaryIO, kind: str, meta: Mapping[str, Any], sections: Mapping[str, Section]) -> None:
    contents: list[tuple[dict[str, Any], bytes | memoryview]] = []
    offset = 0
    for name, section in sections.items():
        data: bytes | memoryview
        if isinstance(section, bytes):
            entry: dict[str, Any] = {"name": name, "dtype": "bytes", "shape": [len(section)]}
            data = section
        else:
            array = np.ascontiguousarray(section)
            array = array.astype(array.dtype.newbyteorder("<"), copy=False)
            if array.dtype.name not in _DTYPES:
                raise ModelFileError(f"section {name!r}: arrays of {array.dtype.name} cannot be saved")
            entry = {"name": name, "dtype": array.dtype.name, "shape": list(array.shape)}
            data = array.reshape(-1).view(np.uint8).data if array.size else b""
        entry |= {"offset": offset, "size": len(data), "digest": _digest(data)}
        contents.append((entry, data))
        offset += _padded(len(data))
    header = {
        "format": FORMAT_VERSION,
        "writer": __version__,
        "kind": kind,
        "meta": dict(meta),
        "size": offset,
        "sections": [entry for entry, _ in contents],
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"), allow_nan=True).encode()
    out.write(UNFINISHED)
    out.write(len(text).to_bytes(8, "little"))
    out.write(hashlib.blake2b(text, digest_size=32).digest())
    out.write(text)
    out.write(bytes(_padded(_FIXED + len(text)) - _FIXED - len(text)))
    for entry, data in contents:
        out.write(data)
        out.write(bytes(_padded(entry["size"]) - entry["size"]))
    out.seek(0)
    out.write(MAGIC)


def _read(source: BinaryIO, path: str, size: int) -> ModelFile:
    header, _ = _read_header(source, path, size)
    sections = {entry.name: entry.read(source, path) for entry in header.sections}
    return ModelFile(header.kind, header.meta, sections, header.writer, path)


def _read_header(source: BinaryIO, path: str, size: int) -> tuple[_Header, int]:
    """The header, and where the sections begin, which is where `source` then is."""
    magic = source.read(len(MAGIC))
    if magic == UNFINISHED:
        raise ModelFileError(
            f"{path}: the model was never finished: its writer was stopped while saving; train or export again"
        )
    if magic != MAGIC:
        raise ModelFileError(f"{path}: not a Binyan model file{_guess(magic)}")
    length = int.from_bytes(source.read(8), "little")
    digest = source.read(32)
    if length > size - _FIXED:
        raise ModelFileError(
            f"{path}: damaged or truncated: the header should have {length} bytes, the file has {size}"
        )
    text = source.read(length)
    if hashlib.blake2b(text, digest_size=32).digest() != digest:
        raise ModelFileError(f"{path}: damaged: the header does not match its checksum; copy the file again")
    header = _Header.parse(text, path)
    start = _padded(_FIXED + length)
    if start + header.size != size:
        raise ModelFileError(f"{path}: damaged or truncated: {start + header.size} bytes expected, {size} found")
    if any(source.read(start - _FIXED - length)):
        raise ModelFileError(f"{path}: damaged: stray bytes after the header; copy the file again")
    return header, start


@dataclass(frozen=True)
class _Entry:
    """What the header says of a section."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    size: int
    digest: str

    @classmethod
    def parse(cls, stored: Any, offset: int) -> _Entry:
        """Raises ValueError for what cannot be: a checksum says that nothing was damaged, not that it makes sense."""
        entry = cls(stored["name"], stored["dtype"], tuple(stored["shape"]), stored["size"], stored["digest"])
        if not all(isinstance(text, str) for text in (entry.name, entry.dtype, entry.digest)):
            raise ValueError("a section without name, type or digest")
        if entry.dtype != "bytes" and entry.dtype not in _DTYPES:
            raise ValueError(f"section {entry.name!r} is of unknown type {entry.dtype!r}")
        if not all(type(n) is int and 0 <= n < _LARGEST for n in (*entry.shape, entry.size)) or len(entry.shape) > 8:
            raise ValueError(f"section {entry.name!r} has the shape {entry.shape}")
        item = 1 if entry.dtype == "bytes" else np.dtype(entry.dtype).itemsize
        if math.prod(entry.shape) * item != entry.size or stored["offset"] != offset:
            raise ValueError(f"section {entry.name!r} states sizes that do not fit each other")
        return entry

    def read(self, source: BinaryIO, path: str) -> Section:
        """The section, from where it begins. The file was found to be long enough."""
        data = bytearray(self.size)
        source.readinto(data)  # type: ignore[attr-defined]
        padding = source.read(_padded(self.size) - self.size)
        if _digest(data) != self.digest or any(padding):
            raise ModelFileError(
                f"{path}: damaged: section {self.name!r} does not match its checksum; copy the file again"
            )
        if self.dtype == "bytes":
            return bytes(data)
        dtype = np.dtype(self.dtype).newbyteorder("<")
        return np.frombuffer(data, dtype).astype(dtype.newbyteorder("="), copy=False).reshape(self.shape)


@dataclass(frozen=True)
class _Header:
    """The header of a model file, checked."""

    kind: str
    meta: dict[str, Any]
    size: int
    sections: tuple[_Entry, ...]
    writer: str

    def places(self, start: int) -> dict[str, tuple[_Entry, int]]:
        """The sections, and where each begins in a file whose first begins at `start`."""
        places = {}
        for entry in self.sections:
            places[entry.name] = entry, start
            start += _padded(entry.size)
        return places

    @classmethod
    def parse(cls, text: bytes, path: str) -> _Header:
        try:
            stored = json.loads(text)
            if stored["format"] > FORMAT_VERSION:
                raise ModelFileError(
                    f"{path}: written by Binyan {stored['writer']} in format {stored['format']}; "
                    f"this is Binyan {__version__}, which reads up to format {FORMAT_VERSION}: pip install --upgrade binyan"
                )
            entries, offset = [], 0
            for listed in stored["sections"]:
                entries.append(_Entry.parse(listed, offset))
                offset += _padded(entries[-1].size)
            if offset != stored["size"] or len({entry.name for entry in entries}) != len(entries):
                raise ValueError("its sections do not add up")
            header = cls(stored["kind"], stored["meta"], offset, tuple(entries), stored["writer"])
            if not (isinstance(header.kind, str) and isinstance(header.meta, dict) and isinstance(header.writer, str)):
                raise ValueError("it lacks a kind, settings or a writer")
            return header
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            what = f"it has no {error}" if isinstance(error, KeyError) else error
            raise ModelFileError(f"{path}: the header is not that of a model: {what}") from error


def _digest(data: bytes | bytearray | memoryview) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _padded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _guess(magic: bytes) -> str:
    if not magic:
        return ": it is empty"
    if magic[:2] == b"\x1f\x8b":
        return ": it looks like gzip; unpack it first"
    if magic[:6] == b"\xfd7zXZ\x00":
        return ": it looks like xz; unpack it first"
    if magic.lstrip().startswith(b"\\data"):
        return ": it looks like an ARPA file; read it with 'binyan lm import'"
    if magic.startswith(b"mmap lm"):
        return ": it looks like a KenLM binary; give the ARPA file to 'binyan lm import'"
    if b"\0" not in magic:
        return "; if it is text, make a model of it first: 'binyan lm train', 'binyan morph learn'"
    return ""
