"""The one way of writing files: beside the final place, then moved there whole. A reader never sees half a file."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from binyan.errors import BinyanError, InputError, ModelFileError

PathLike = str | os.PathLike[str]


@contextmanager
def replacing(path: PathLike, error_class: type[BinyanError] = ModelFileError) -> Iterator[Path]:
    """A file beside `path` to write to, which takes its place at the end of the block; if that fails, `path` is as it was."""
    final = Path(path)
    part = final.with_name(f".{final.name}.{os.getpid()}.part")
    try:
        yield part
        os.replace(part, final)
    except OSError as error:
        reason = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else error.strerror or str(error)
        kept = "; the file that was there is unchanged" if final.exists() else ""
        raise error_class(f"{final}: not saved: {reason}{kept}") from error
    finally:
        part.unlink(missing_ok=True)


def write_bytes(path: PathLike, *pieces: bytes) -> None:
    """Write a whole file: complete and on disk, or not at all."""
    with replacing(path, InputError) as part, open(part, "wb") as out:
        for piece in pieces:
            out.write(piece)
        out.flush()
        os.fsync(out.fileno())


def write_text(path: PathLike, text: str) -> None:
    """Write a whole UTF-8 text file: complete and on disk, or not at all."""
    write_bytes(path, text.encode())


def write_json(path: PathLike, content: Mapping[str, Any]) -> None:
    """Write a JSON object as readable text: complete and on disk, or not at all."""
    write_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
