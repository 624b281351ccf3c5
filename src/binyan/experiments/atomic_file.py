"""Files that are written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from binyan.errors import InputError


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A path beside `path` to write to; it is moved to `path` at the end of the block, or removed after an error."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to `path`, so that a process that is stopped leaves no incomplete file."""
    try:
        with atomic_path(path) as part, open(part, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
