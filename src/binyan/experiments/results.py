"""Results on disk: one JSON file an experiment, named by what it depends on, written whole or not at all."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError, SettingsError
from binyan.experiments.study import Experiment, Outcome


@dataclass(frozen=True)
class Result:
    """A finished experiment: its figures and signature, what it cost, and arrays kept beside."""

    experiment: Experiment
    figures: dict[str, Any]
    signature: str
    seconds: float
    peak_memory: int  # bytes
    path: Path

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the outcome; empty where it had none."""
        path = self.path.with_suffix(".npz")
        if not path.exists():
            return {}
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}

    def packed(self) -> Packed:
        """The result as its files have it."""
        arrays = self.path.with_suffix(".npz")
        return Packed(self.path.read_bytes(), arrays.read_bytes() if arrays.exists() else None)


@dataclass(frozen=True)
class Packed:
    """The files of a result as bytes, to be sent from one machine to another."""

    result: bytes
    arrays: bytes | None


class Results:
    """The results folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def belong_to(self, data: Path) -> None:
        """Results are of one data folder, since experiments name their files and not what is in them."""
        note, now = self.folder / "data.path", str(data.absolute())
        then = note.read_text(encoding="utf-8").strip() if note.exists() else now
        if then != now:
            raise SettingsError(
                f"{self.folder}: has results of the data in {then}, not of {now}; name another results folder, "
                f"or delete {note} if the data are the same"
            )
        _folder(note)
        write_whole(note, f"{now}\n".encode())

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

    def put(self, experiment: Experiment, outcome: Outcome, seconds: float, peak_memory: int) -> Result:
        """Keep an outcome. The JSON file comes last: where it is, the result is whole."""
        path = self.path(experiment)
        _folder(path)
        if outcome.arrays:
            packed = io.BytesIO()
            np.savez_compressed(packed, **outcome.arrays)  # type: ignore[arg-type]
            write_whole(path.with_suffix(".npz"), packed.getvalue())
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
        write_whole(path, json.dumps(stored, indent=1, ensure_ascii=False).encode())
        return Result(experiment, outcome.figures, outcome.signature, seconds, peak_memory, path)

    def keep(self, experiment: Experiment, packed: Packed) -> Result:
        """Keep a result that came from elsewhere, unless it is here."""
        if (here := self.get(experiment)) is not None:
            return here
        path = self.path(experiment)
        _folder(path)
        if packed.arrays is not None:
            write_whole(path.with_suffix(".npz"), packed.arrays)
        write_whole(path, packed.result)
        kept = self.get(experiment)
        assert kept is not None
        return kept

    @contextmanager
    def claim(self, experiment: Experiment, wait: bool = False) -> Iterator[bool]:
        """Whether we are the only ones at work on the experiment; `wait` until we are. Ends with the block, or the process."""
        path = self.path(experiment).with_suffix(".lock")
        _folder(path)
        try:
            import fcntl
        except ImportError:  # no such locks on this system: two commands at once may do the same work twice
            yield True
            return
        while True:
            with open(path, "w") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                except OSError:
                    yield False
                    return
                # Whoever had the claim removes the file: the lock must be on the one that is there now.
                if not _same(path, lock.fileno()):
                    continue
                try:
                    yield True
                finally:
                    path.unlink(missing_ok=True)
                return


def _same(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path.parent}: cannot be made: {error.strerror or error}") from error


def write_whole(path: Path, content: bytes) -> None:
    """Write beside `path`, then move there, so that a stopped process leaves no half file."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(part, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.replace(part, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
