"""The database of a project: one file, many readers, one writer at a time."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from binyan.errors import ModelFileError
from binyan.studio.migrations import MIGRATIONS, migrate

_PATIENCE = 30.0  # seconds that a writer waits for another
_APPLICATION = 0x42596E53  # marks the file as a project of ours


class Database:
    """Connections to one SQLite file, one for each thread. Everything is written in transactions that are on disk when they end.

    Without `durable`, a power cut may take the last of them back, which is enough for what can be computed again.

    Raises ModelFileError for a file that is no project, is damaged, or is of a newer version.
    """

    def __init__(self, path: Path, migrations: Sequence[Sequence[str]] = MIGRATIONS, durable: bool = True) -> None:
        self.path, self._durable = path, durable
        self._own = threading.local()
        self._lock = threading.RLock()
        self._open: list[sqlite3.Connection] = []
        with self._explained():
            connection = self.connection
            mark = connection.execute("PRAGMA application_id").fetchone()[0]
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if mark != _APPLICATION and tables:
                raise ModelFileError(f"{path}: is a database of another program; name another folder")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            migrate(connection, str(path), migrations)

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection of this thread, to read with."""
        connection: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
            self._own.connection = connection
            with self._lock:
                self._open.append(connection)
        return connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of the block, or nothing. A block within a block is part of the outer one."""
        with self._lock, self._explained():
            connection = self.connection
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise ModelFileError(
                f"{self.path}: cannot be used: {error}; is the disk full, or the folder read-only?"
            ) from error
        except sqlite3.DatabaseError as error:
            raise ModelFileError(f"{self.path}: is damaged or no project: {error}") from error

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        """All rows of a query."""
        with self._explained():
            return self.connection.execute(query, values).fetchall()

    def row(self, query: str, *values: object) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        with self._explained():
            row: sqlite3.Row | None = self.connection.execute(query, values).fetchone()
            return row

    def number(self, query: str, *values: object) -> int:
        """The one number that a query asks for; 0 where it is none."""
        row = self.row(query, *values)
        return 0 if row is None or row[0] is None else int(row[0])

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            for connection in self._open:
                connection.close()
            self._open.clear()
            self._own = threading.local()


def now() -> str:
    """The present time as it is stored: UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
