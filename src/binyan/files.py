"""The one way of writing files: beside the final place, then moved there whole. A reader never sees half a file."""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import socket
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from binyan.errors import BinyanError, InputError, ModelFileError
from binyan.signature import digest

PathLike = str | os.PathLike[str]

_HOST = digest(
    socket.gethostname().encode()
)  # tells the processes of this machine from those of others on a shared disk


@contextmanager
def replacing(path: PathLike, error_class: type[BinyanError] = ModelFileError) -> Iterator[Path]:
    """A file beside `path` to write to, which takes its place at the end of the block; if that fails, `path` is as it was.

    A link is followed: the file it leads to is replaced, the link stays. What is there and is no regular file (a pipe, a device) is
    written to directly. The new file is on disk before it takes the place of the old, and has its permissions.
    """
    final = Path(os.path.realpath(path))
    try:
        mode = _mode(final)
        if mode is not None and not stat.S_ISREG(mode):
            yield final
            return
        with suppress(OSError):
            _remove_abandoned(final)
        part = final.with_name(f".{final.name}.{_HOST}-{os.getpid()}.{secrets.token_hex(4)}.part")
        try:
            yield part
            _to_disk(part)
            if mode is not None:
                os.chmod(part, stat.S_IMODE(mode))
            os.replace(part, final)
            with suppress(OSError):  # some systems cannot do this for folders
                _to_disk(final.parent)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        reason = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else error.strerror or str(error)
        kept = "; the file that was there is unchanged" if final.exists() else ""
        raise error_class(f"{path}: not saved: {reason}{kept}") from error


def _remove_abandoned(final: Path) -> None:
    """Remove what processes of this machine that were killed while they wrote `final` have left beside it."""
    if sys.platform == "win32":  # asking for a process there would end it
        return
    name = re.compile(rf"\.{re.escape(final.name)}\.{re.escape(_HOST)}-(\d+)\.[0-9a-f]{{8}}\.part")
    for part in final.parent.iterdir():
        match = name.fullmatch(part.name)
        if match and not _is_running(int(match[1])):
            part.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _mode(path: Path) -> int | None:
    """What kind of file there is, with its permissions; None where there is none. A folder is refused."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
    return mode


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_bytes(path: PathLike, *pieces: bytes) -> None:
    """Write a whole file: complete and on disk, or not at all."""
    with replacing(path, InputError) as part, open(part, "wb") as out:
        for piece in pieces:
            out.write(piece)


def write_text(path: PathLike, text: str) -> None:
    """Write a whole UTF-8 text file: complete and on disk, or not at all."""
    write_bytes(path, text.encode())


def write_json(path: PathLike, content: Mapping[str, Any]) -> None:
    """Write a JSON object as readable text: complete and on disk, or not at all."""
    write_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
