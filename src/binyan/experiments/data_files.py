"""What the data files of a result contain: a result is of the data at hand if their digests are the same."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from binyan.experiments.results import Result
from binyan.signature import digest


def digests(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Digests of the content of files below `folder`; files that are not there are left out."""
    present = {name: path for name in sorted(names) if (path := folder / name).is_file()}
    return {name: _digest(path, path.stat().st_mtime_ns) for name, path in present.items()}


def changed_files(result: Result, folder: Path) -> list[str]:
    """The data files of a result that have another content in `folder`, or are not there."""
    now = digests(folder, result.data_files)
    return [name for name, seen in result.data_files.items() if now.get(name) != seen]


@lru_cache(maxsize=1024)
def _digest(path: Path, modified: int) -> str:
    return digest(path.read_bytes())
