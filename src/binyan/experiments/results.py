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

from binyan.errors import InputError
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


class Results:
    """The results folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

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
        path.parent.mkdir(parents=True, exist_ok=True)
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

    @contextmanager
    def claim(self, experiment: Experiment) -> Iterator[bool]:
        """Whether we are the only ones at work on the experiment; the claim ends with the block, or with the process."""
        path = self.path(experiment).with_suffix(".lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w") as lock:
            try:
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:  # no such locks on this system: two commands at once may do the same work twice
                pass
            except OSError:
                yield False
                return
            try:
                yield True
            finally:
                path.unlink(missing_ok=True)


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
