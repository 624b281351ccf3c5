"""Results on disk: one small JSON file per experiment, with all that a report shows, written completely or not at all.

The files are made to be committed. Arrays, prepared text and checkpoints are kept beside them for further analyses, and are not.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import __version__
from binyan.errors import InputError, SettingsError
from binyan.experiments.experiment import CACHE, Experiment, Outcome
from binyan.files import write_bytes
from binyan.json_values import finite


@dataclass(frozen=True)
class Result:
    """A finished experiment: its figures and signature, its cost, and arrays in a file beside.

    `version` is the version of Binyan that made it, and `data_files` has the data files it read with digests of their content.
    """

    experiment: Experiment
    figures: dict[str, Any]
    signature: str
    seconds: float
    peak_memory: int  # bytes
    path: Path
    version: str = ""
    data_files: dict[str, str] = field(default_factory=dict)
    cpu_seconds: float | None = None  # of the process and those it started

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the outcome, by name; none where only the JSON file is at hand."""
        path = self.path.with_suffix(".npz")
        if not path.exists():
            return {}
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}

    def kept_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays, for an analysis that needs them; raises an InputError that says how to make them where they are not here."""
        if not (arrays := self.arrays()):
            name = self.experiment.name
            raise InputError(
                f"{self.path.with_suffix('.npz')}: the scores of {name} are not here; run it again with: "
                f"binyan reproduce run --again --only '{name}'"
            )
        return arrays

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
        return self.folder / f"{experiment.name}.json"

    def get(self, experiment: Experiment) -> Result | None:
        """The result, if the experiment is finished, by whichever version."""
        path = self.path(experiment)
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            if stored["settings"] != experiment.settings_digest:
                return None
            return Result(
                experiment,
                stored["figures"],
                stored["signature"],
                stored["seconds"],
                stored["peak_memory"],
                path,
                stored["version"],
                stored["files"],
                stored["cpu_seconds"],
            )
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}: not a result file ({error}); delete it to run the experiment again") from error

    def stale(self, experiment: Experiment) -> list[Path]:
        """Files of results under the same name that were made with other settings, or by version 0.1."""
        current = self.path(experiment)
        old = sorted(current.parent.glob(f"{escape(current.stem)}.{'[0-9a-f]' * 16}.json"))
        return [*old, *([current] if current.exists() and self.get(experiment) is None else [])]

    def put(
        self,
        experiment: Experiment,
        outcome: Outcome,
        seconds: float,
        peak_memory: int,
        files: Mapping[str, str] | None = None,
        cpu_seconds: float | None = None,
    ) -> Result:
        """Write an outcome in place of an earlier one. The JSON file is written last: where it exists, the result is complete."""
        path = self.path(experiment)
        _make_parent(path)
        path.with_suffix(".npz").unlink(missing_ok=True)
        if outcome.arrays:
            buffer = io.BytesIO()
            np.savez_compressed(buffer, **outcome.arrays)  # type: ignore[arg-type]
            write_bytes(path.with_suffix(".npz"), buffer.getvalue())
        stored = {
            "name": experiment.name,
            "command": f"binyan reproduce run {experiment.study} --only '{experiment.name}'",
            "version": version_of(outcome.signature) or __version__,
            "settings": experiment.settings_digest,
            "measure": experiment.measure,
            "data": dict(experiment.data),
            "model": dict(experiment.model),
            "files": dict(sorted((files or {}).items())),
            "seconds": round(seconds, 1),
            "cpu_seconds": None if cpu_seconds is None else round(cpu_seconds, 1),
            "peak_memory": peak_memory,
            "figures": finite(outcome.figures),
            "signature": outcome.signature,
        }
        write_bytes(path, (_readable(stored) + "\n").encode())
        result = self.get(experiment)
        assert result is not None
        return result

    def receive(self, experiment: Experiment, files: ResultFiles) -> Result:
        """Write the files of a result from another machine, unless the same result is here already."""
        if (present := self.get(experiment)) is not None and present.path.read_bytes() == files.result:
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


def version_of(signature: str) -> str | None:
    """The version of Binyan that a signature names.

    >>> version_of("model:mkn|order:4|binyan:0.2.0"), version_of("bitext:8f|binyan:0.2.0|tok:none|version:2.6.0")
    ('0.2.0', '0.2.0')
    """
    return signature.rpartition("binyan:")[2].partition("|")[0] if "binyan:" in signature else None


def version_in(path: Path) -> str | None:
    """The version of Binyan that wrote a result file."""
    try:
        return version_of(str(json.loads(path.read_text(encoding="utf-8"))["signature"]))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a result file ({error}); delete it to run the experiment again") from error


def _readable(stored: dict[str, Any]) -> str:
    """JSON in lines that show a change where it is: one per entry, with lists of numbers on a line."""
    text = json.dumps(stored, indent=1, ensure_ascii=False)
    return re.sub(r"\[[^\[\]{}\"]*\]", lambda match: " ".join(match[0].split()), text)


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
