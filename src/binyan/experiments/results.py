"""Results on disk: one JSON file per experiment, named by the digest of its settings, written completely or not at all."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError, SettingsError
from binyan.experiments.experiment import CACHE, Experiment, Outcome
from binyan.files import write_bytes


@dataclass(frozen=True)
class Result:
    """A finished experiment: its figures and signature, its cost, and arrays in a file beside."""

    experiment: Experiment
    figures: dict[str, Any]
    signature: str
    seconds: float
    peak_memory: int  # bytes
    path: Path

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the outcome, by name."""
        path = self.path.with_suffix(".npz")
        if not path.exists():
            return {}
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}

    def files(self) -> ResultFiles:
        """The files of the result."""
        arrays = self.path.with_suffix(".npz")
        return ResultFiles(self.path.read_bytes(), arrays.read_bytes() if arrays.exists() else None)


@dataclass(frozen=True)
class ResultFiles:
    """The files of a result as bytes, to be sent from one machine to another."""

    result: bytes
    arrays: bytes | None


class Results:
    """The results folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def cache(self) -> Path:
        """Prepared text, segmentations and models that several experiments share."""
        return self.folder / CACHE

    def bind_to(self, data: Path) -> None:
        """Remember the data folder, and refuse any other: experiments name their files, not the content of the files."""
        note, folder = self.folder / "data.path", str(data.absolute())
        earlier = note.read_text(encoding="utf-8").strip() if note.exists() else folder
        if earlier != folder:
            raise SettingsError(
                f"{self.folder}: has results of the data in {earlier}, not of {folder}; give another results folder, "
                f"or delete {note} if the data are the same"
            )
        _make_parent(note)
        write_bytes(note, f"{folder}\n".encode())

    def path(self, experiment: Experiment) -> Path:
        """Where the result is, or will be."""
        return self.folder / f"{experiment.name}.{experiment.signature.digest}.json"

    def get(self, experiment: Experiment) -> Result | None:
        """The result, if the experiment is finished."""
        path = self.path(experiment)
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            figures, signature = stored["figures"], stored["signature"]
            return Result(experiment, figures, signature, stored["seconds"], stored["peak_memory"], path)
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}: not a result file ({error}); delete it to run the experiment again") from error

    def stale(self, experiment: Experiment) -> list[Path]:
        """Files of results under the same name that were made with other settings or another version."""
        current = self.path(experiment)
        name = current.name.removesuffix(f".{experiment.signature.digest}.json")
        return sorted(p for p in current.parent.glob(f"{escape(name)}.{'[0-9a-f]' * 16}.json") if p != current)

    def put(self, experiment: Experiment, outcome: Outcome, seconds: float, peak_memory: int) -> Result:
        """Write an outcome. The JSON file is written last: where it exists, the result is complete."""
        path = self.path(experiment)
        _make_parent(path)
        if outcome.arrays:
            buffer = io.BytesIO()
            np.savez_compressed(buffer, **outcome.arrays)  # type: ignore[arg-type]
            write_bytes(path.with_suffix(".npz"), buffer.getvalue())
        stored = {
            "name": experiment.name,
            "data": dict(experiment.data),
            "model": dict(experiment.model),
            "measure": experiment.measure,
            "figures": outcome.figures,
            "signature": outcome.signature,
            "seconds": seconds,
            "peak_memory": peak_memory,
        }
        write_bytes(path, json.dumps(stored, indent=1, ensure_ascii=False).encode())
        return Result(experiment, outcome.figures, outcome.signature, seconds, peak_memory, path)

    def receive(self, experiment: Experiment, files: ResultFiles) -> Result:
        """Write the files of a result from another machine, unless the result is here already."""
        if (present := self.get(experiment)) is not None:
            return present
        path = self.path(experiment)
        _make_parent(path)
        if files.arrays is not None:
            write_bytes(path.with_suffix(".npz"), files.arrays)
        write_bytes(path, files.result)
        result = self.get(experiment)
        assert result is not None
        return result

    @contextmanager
    def claim(self, experiment: Experiment, wait: bool = False) -> Iterator[bool]:
        """Whether no other process is running the experiment; `wait` until none is. The claim ends with the block or the process."""
        path = self.path(experiment).with_suffix(".lock")
        _make_parent(path)
        try:
            import fcntl
        except ImportError:  # no file locks on this system: two commands at once may do the same work twice
            yield True
            return
        while True:
            with open(path, "w") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                except OSError:
                    yield False
                    return
                # The previous holder removes the file: the lock must be on the file that is there now.
                if not _is_same_file(path, lock.fileno()):
                    continue
                try:
                    yield True
                finally:
                    path.unlink(missing_ok=True)
                return


def _is_same_file(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _make_parent(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path.parent}: cannot be created: {error.strerror or error}") from error
