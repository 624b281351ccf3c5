"""Commands that are killed at random moments, or meet a full disk, and are run again until they are done.

`python crash.py 100` kills a hundred times in all and prints a table; names of commands after the number choose among them. What the last run leaves must be, byte for byte, what a run
that nobody disturbed leaves; a checkpoint that was complete must stay loadable and never hold less work than before.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from commands import COMMANDS, Command, write_texts
from run_command import Process, prepare

from binyan import model_file

_PAGE = 4096
_TIMINGS = ("seconds", "peak_memory")
_PREPARED = {
    "mkn": ("lm", "train", "mkn", "--text", "text", "--order", "2", "--quiet", "--out", "mkn"),
    "clbl": tuple(
        [
            "lm",
            "train",
            "clbl",
            "--text",
            "text",
            "--dev",
            "dev",
            "--dim",
            "5",
            "--order",
            "2",
            "--epochs",
            "2",
            "-k",
            "4",
            "--quiet",
            "--out",
            "clbl",
        ]
    ),
    "system": tuple(
        [
            "mt",
            "train",
            "--source",
            "en",
            "--target",
            "de",
            "--alignment",
            "links",
            "--order",
            "3",
            "--quiet",
            "--out",
            "system",
        ]
    ),
}


class Fault(AssertionError):
    """Work that was lost, a file that is half a file, or a result that differs."""


@dataclass
class Record:
    """What became of one command."""

    command: str
    kills: int = 0
    resumed: int = 0  # runs that took up a checkpoint
    lost: int = 0  # checkpoints that held less than before, or could not be read
    parts: int = 0  # the most half-written files that lay beside the whole ones
    identical: bool = True
    full_disk: str = ""


class Crash:
    """A folder of texts, the results of undisturbed runs, and the killing of commands."""

    def __init__(self, folder: Path, seed: int = 1) -> None:
        prepare()
        self.random = np.random.default_rng(seed)
        self.folder = folder
        self.texts = folder / "texts"
        self.texts.mkdir(parents=True)
        write_texts(self.texts)

    def start(self, folder: Path, arguments: tuple[str, ...]) -> Process:
        """A command, in `folder`."""
        return Process(folder, arguments, self.folder / "messages")

    def finish(self, folder: Path, arguments: tuple[str, ...]) -> float:
        """Run a command to its end; seconds."""
        began = time.monotonic()
        process = self.start(folder, arguments)
        process.finish()
        if process.returncode:
            raise Fault(f"{' '.join(arguments)}: ended with {process.returncode}: {process.messages[-2000:]}")
        return time.monotonic() - began

    def place(self, name: str, command: Command) -> Path:
        """A folder with the texts and the models that a command reads."""
        for made in command.inputs:
            if not (self.texts / made).exists():
                self.finish(self.texts, _PREPARED[made])
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.texts, folder)
        return folder

    def disturb(self, name: str, kills: int, full_disk: bool = True) -> Record:
        """Kill a command `kills` times in all, each killed run being followed by another, and compare what is left in the end."""
        command, record = COMMANDS[name], Record(name)
        undisturbed = self.place("undisturbed", command)
        seconds = self.finish(undisturbed, command.arguments)
        expected = contents(undisturbed, command)
        while record.kills < kills:
            folder = self.place("disturbed", command)
            # A run is killed a few times before it may end, so that what a resumed run leaves is resumed from as well.
            for _ in range(min(4, kills - record.kills)):
                self._kill(folder, command, seconds, record)
            self.finish(folder, command.arguments + command.resume)
            record.identical &= contents(folder, command) == expected
        if full_disk:
            record.full_disk = self._full_disk(command, expected)
        return record

    def _kill(self, folder: Path, command: Command, seconds: float, record: Record) -> None:
        before = progress(folder, command)
        record.resumed += before > 0
        moment = float(self.random.uniform(0.02, 1.0)) * seconds
        sent = signal.SIGKILL if record.kills % 2 else signal.SIGINT
        process = self.start(folder, command.arguments + command.resume)
        if not process.wait(moment):
            os.kill(process.pid, sent)
            process.finish()
            record.kills += 1
        if process.returncode not in (0, 130, -signal.SIGKILL):
            raise Fault(f"{command.name}: ended with {process.returncode} after a signal: {process.messages[-2000:]}")
        try:
            record.lost += progress(folder, command) < before
        except Exception as error:
            raise Fault(f"{command.name}: a checkpoint cannot be read: {error}") from error
        record.parts = max(record.parts, sum(1 for _ in folder.rglob("*.part")))
        read_all(folder, command)

    def _full_disk(self, command: Command, expected: dict[str, bytes]) -> str:
        """Run on a disk that is too small, then where there is room: the first says why, the second ends as if nothing had been."""
        folder = self.place("full", command)
        size = sum(len(content) for content in expected.values())
        with SmallDisk(folder, free=int(size * 0.6)) as disk:
            process = self.start(disk, command.arguments)
            process.finish()
            errors = process.messages
            if process.returncode == 0 or "Traceback" in errors:
                raise Fault(f"{command.name}: on a full disk it ended with {process.returncode}: {errors[-2000:]}")
            if "disk is full" not in errors:
                raise Fault(f"{command.name}: does not say that the disk is full: {errors[-500:]}")
            if leftovers := [str(p) for p in disk.rglob("*.part")]:
                raise Fault(f"{command.name}: left {leftovers}")
            read_all(disk, command)
            room = self.folder / "room"
            shutil.rmtree(room, ignore_errors=True)
            shutil.copytree(disk, room)
            (room / "results" / "data.path").unlink(missing_ok=True)  # the data have moved with the results
        self.finish(room, command.arguments + command.resume)
        return "identical" if contents(room, command) == expected else "DIFFERS"


class SmallDisk:
    """A file system in memory with the files of a folder and little free space. Needs root on Linux."""

    def __init__(self, folder: Path, free: int) -> None:
        self.folder, self.free = folder, free
        self.disk = folder.with_name(f"{folder.name}-disk")

    def __enter__(self) -> Path:
        self.disk.mkdir(exist_ok=True)
        used = sum(p.stat().st_size + _PAGE for p in self.folder.rglob("*"))
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={used + self.free + 16 * _PAGE}", "tmpfs", str(self.disk)],
            check=True,
            capture_output=True,
        )
        try:
            shutil.copytree(self.folder, self.disk, dirs_exist_ok=True)
            too_much = shutil.disk_usage(self.disk).free - self.free // _PAGE * _PAGE
            Path(self.disk, "filler").write_bytes(bytes(too_much))
        except BaseException:
            self.__exit__()
            raise
        return self.disk

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", "-l", str(self.disk)], check=True, capture_output=True)

    @classmethod
    def is_possible(cls) -> bool:
        """Whether this process may mount one."""
        with tempfile.TemporaryDirectory() as folder:
            empty = Path(folder, "empty")
            empty.mkdir()
            try:
                with cls(empty, 4096):
                    return True
            except (OSError, subprocess.CalledProcessError):
                return False


def _files(folder: Path, command: Command) -> list[Path]:
    """What a command has made, without half-written files and locks."""
    made: list[Path] = []
    for output in command.outputs:
        path = folder / output
        made += sorted(path.rglob("*.json")) if path.is_dir() else [path]
    return made


def contents(folder: Path, command: Command) -> dict[str, bytes]:
    """The files a command has made; of results, all but how long they took."""
    return {str(path.relative_to(folder)): _content(path) for path in _files(folder, command)}


def _content(path: Path) -> bytes:
    if path.suffix != ".json":
        return path.read_bytes()
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    stored = {name: value for name, value in stored.items() if name not in _TIMINGS}
    if "models" in stored:
        stored["models"] = [Path(p).name for p in stored["models"]]
    return json.dumps(stored).encode()


def read_all(folder: Path, command: Command) -> None:
    """Read every file that has its final name: none may be half a file."""
    for path in _files(folder, command):
        if path.exists():
            content = path.read_bytes()
            if path.suffix == ".json":
                json.loads(content)
            elif content.startswith(model_file.MAGIC):
                model_file.load(path)
            elif not content.endswith(b"\n"):
                raise Fault(f"{path}: is half a file")


def progress(folder: Path, command: Command) -> int:
    """Sweeps, epochs or rounds that the checkpoint holds."""
    if command.name == "mt tune":
        states = sorted(folder.glob("system/*.tuning*"))
        return len(model_file.load(states[0]).meta["history"]) if states else 0
    if command.name == "reproduce run":
        return len(list((folder / "results").rglob("*hpylm*.json")))
    if command.checkpoint is None or not (folder / command.checkpoint).exists():
        return 0
    meta = model_file.load(folder / command.checkpoint).meta
    return int(meta["sweeps"]) if "sweeps" in meta else len(meta["perplexity"])


def main(kills: int, names: list[str]) -> int:
    """Test the commands called `names`, or all; the exit code."""
    columns = ("command", "kills", "resumed", "lost work", "parts", "identical", "full disk")
    print("\t".join(columns), flush=True)
    failed, total = False, 0
    disk = SmallDisk.is_possible()
    with tempfile.TemporaryDirectory() as folder:
        crash = Crash(Path(folder, "crash"))
        chosen = names or list(COMMANDS)
        for left, name in zip(range(len(chosen), 0, -1), chosen, strict=True):
            record = crash.disturb(name, -(-(kills - total) // left), disk)
            total += record.kills
            failed |= record.lost > 0 or not record.identical or record.full_disk == "DIFFERS"
            full = record.full_disk or "not tried: no right to mount"
            same = "yes" if record.identical else "NO"
            print(name, record.kills, record.resumed, record.lost, record.parts, same, full, sep="\t", flush=True)
    print(f"{total} kills", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100, sys.argv[2:]))
