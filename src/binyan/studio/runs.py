"""The queue of runs: what is to be learnt, how far it is, how it ended. It lives in the database, so it survives any restart."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from binyan.errors import InputError
from binyan.studio.database import Database, now
from binyan.studio.facts import checked_author

KINDS = ("learn", "choose")
ACTIVE = ("queued", "running")
STATES = (*ACTIVE, "stopped", "done", "failed")

_SILENCE = 20.0  # seconds after which a worker is taken for dead
_KEPT = 3  # finished runs whose analyses stay in the database
_TOGETHER = 2000  # rows that are dropped at a time


@dataclass(frozen=True)
class RunRecord:
    """A run as the database has it. `wish` is "stop" where somebody asked for that."""

    id: int
    kind: str
    state: str
    wish: str
    settings: dict[str, Any]
    progress: dict[str, Any]
    result: dict[str, Any]
    error: str
    answers: int
    author: str
    created: str
    ended: str

    def to_dict(self) -> dict[str, Any]:
        """For JSON; a grammar's text is left out."""
        fields = dict(vars(self))
        fields["settings"] = {name: value for name, value in self.settings.items() if name != "text"}
        return fields


class RunQueue:
    """The runs of a project, for the page, which asks for them, and the worker, which does them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, kind: str, settings: Mapping[str, Any], author: str) -> int:
        """A new run, at the end of the queue. One that has not begun is enough: more are refused."""
        if kind not in KINDS:
            raise InputError(f"a run is one of {', '.join(KINDS)}, not {kind!r}")
        with self._database.writing() as connection:
            waiting = self._database.number("SELECT count(*) FROM runs WHERE state = 'queued'")
            if waiting >= 5:
                raise InputError(f"{waiting} runs are waiting already; stop one of them first")
            cursor = connection.execute(
                "INSERT INTO runs (kind, state, settings, author, created) VALUES (?, 'queued', ?, ?, ?)",
                (kind, json.dumps(settings, ensure_ascii=False), checked_author(author), now()),
            )
            assert cursor.lastrowid is not None
            return cursor.lastrowid

    def get(self, number: int) -> RunRecord:
        """One run. Raises InputError where there is none of this number."""
        row = self._database.row("SELECT * FROM runs WHERE id = ?", number)
        if row is None:
            raise InputError(f"there is no run {number}")
        return _record(row)

    def all(self, limit: int = 50) -> list[RunRecord]:
        """The last runs, newest first."""
        return [_record(row) for row in self._database.rows("SELECT * FROM runs ORDER BY id DESC LIMIT ?", limit)]

    def current(self) -> int | None:
        """The newest run that has analyses, which the page shows; None before the first."""
        row = self._database.row("SELECT id FROM runs WHERE answers > 0 ORDER BY id DESC LIMIT 1")
        return None if row is None else int(row["id"])

    def before(self, number: int) -> int | None:
        """The run before this one that has analyses still."""
        row = self._database.row(
            "SELECT id FROM runs WHERE id < ? AND answers > 0 ORDER BY id DESC LIMIT 1",
            number,
        )
        return None if row is None else int(row["id"])

    # What the page asks for.

    def stop(self, number: int) -> None:
        """Ask for the end of a run, which keeps what it has learnt; one that has not begun ends at once."""
        with self._database.writing() as connection:
            state = self.get(number).state
            if state == "queued":
                connection.execute("UPDATE runs SET state = 'stopped', ended = ? WHERE id = ?", (now(), number))
            elif state == "running":
                connection.execute("UPDATE runs SET wish = 'stop' WHERE id = ?", (number,))

    def go_on(self, number: int, more: int) -> None:
        """Put a run that has ended into the queue again, with `more` sweeps than it was to have."""
        with self._database.writing() as connection:
            run = self.get(number)
            if run.state in ACTIVE:
                raise InputError(f"run {number} has not ended")
            settings = {**run.settings, "sweeps": int(run.settings.get("sweeps", 0)) + more}
            connection.execute(
                "UPDATE runs SET state = 'queued', wish = '', error = '', ended = '', settings = ? WHERE id = ?",
                (json.dumps(settings, ensure_ascii=False), number),
            )

    # What the worker says.

    def claim(self) -> RunRecord | None:
        """The run that was waiting longest, which is running from now on; None where none waits."""
        with self._database.writing() as connection:
            row = self._database.row("SELECT id FROM runs WHERE state = 'queued' ORDER BY id LIMIT 1")
            if row is None:
                return None
            connection.execute("UPDATE runs SET state = 'running', wish = '' WHERE id = ?", (row["id"],))
            return self.get(row["id"])

    def requeue_unfinished(self) -> int:
        """Put runs that a dead worker has left back into the queue; how many."""
        with self._database.writing() as connection:
            return connection.execute("UPDATE runs SET state = 'queued' WHERE state = 'running'").rowcount

    def note(self, number: int, progress: Mapping[str, Any]) -> str:
        """Note how far a run is; the wish for it, if any."""
        with self._database.writing() as connection:
            connection.execute("UPDATE runs SET progress = ? WHERE id = ?", (json.dumps(progress), number))
            return self.get(number).wish

    def set(
        self, number: int, *, settings: Mapping[str, Any] | None = None, result: Mapping[str, Any] | None = None
    ) -> None:
        """Store settings that were found out, or results."""
        with self._database.writing() as connection:
            for name, value in (("settings", settings), ("result", result)):
                if value is not None:
                    text = json.dumps(value, ensure_ascii=False)
                    connection.execute(f"UPDATE runs SET {name} = ? WHERE id = ?", (text, number))

    def end(self, number: int, state: str, error: str = "") -> None:
        """How a run ended. Analyses of runs long past are dropped, some at a time: others may write in between."""
        with self._database.writing() as connection:
            ended = "" if state == "queued" else now()
            connection.execute(
                "UPDATE runs SET state = ?, error = ?, ended = ?, wish = '' WHERE id = ?",
                (state, error[:2000], ended, number),
            )
        for row in self._database.rows(
            "SELECT id FROM runs WHERE answers > 0 ORDER BY id DESC LIMIT -1 OFFSET ?", _KEPT
        ):
            self._drop_analyses(row["id"])

    def _drop_analyses(self, number: int) -> None:
        with self._database.writing() as connection:
            connection.execute("UPDATE runs SET answers = 0 WHERE id = ?", (number,))
            connection.execute("DELETE FROM lexicon WHERE run_id = ?", (number,))
        for table in ("analyses", "morphemes"):
            dropped = 1
            while dropped:
                with self._database.writing() as connection:
                    dropped = connection.execute(
                        f"DELETE FROM {table} WHERE run_id = ? AND word_id IN"
                        f" (SELECT word_id FROM {table} WHERE run_id = ? LIMIT {_TOGETHER})",
                        (number, number),
                    ).rowcount

    # The one worker.

    def lease(self, name: str) -> bool:
        """Whether the worker of this name may work: no other one lives. To be called more often than every twenty seconds."""
        with self._database.writing() as connection:
            row = self._database.row("SELECT name, heartbeat FROM workers")
            if row is not None and row["name"] != name and _lives(row["name"], row["heartbeat"]):
                return False
            connection.execute("INSERT OR REPLACE INTO workers VALUES (1, ?, ?)", (name, time.time()))
            return True


def worker_name() -> str:
    """The name of this process as a worker."""
    return f"{socket.gethostname()}:{os.getpid()}"


def _lives(name: str, heartbeat: float) -> bool:
    if abs(time.time() - heartbeat) > _SILENCE:
        return False
    host, _, process = name.rpartition(":")
    if host != socket.gethostname() or sys.platform == "win32":  # asking for a process there would end it
        return True
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, ValueError):
        return False
    except OSError:
        return True
    return True


def _record(row: sqlite3.Row) -> RunRecord:
    fields = dict(row)
    for name in ("settings", "progress", "result"):
        fields[name] = json.loads(fields[name])
    return RunRecord(**fields)
