"""What people say, with author, time and version: decisions on words, glosses, notes, settings. Nothing said is ever lost.

Every change is a row that stays. A change names the version it was made from; where somebody else was faster, it is refused and the
newer value is shown. Undoing a change is a change too.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from binyan.errors import BinyanError, InputError
from binyan.studio.database import Database, now

LONGEST_AUTHOR = 60


@dataclass(frozen=True)
class Change:
    """One change: of what, to which value (None: there is none any more), by whom and when. `version` counts the changes of one key."""

    id: int
    entity: str
    key: str
    version: int
    value: Any
    kind: str
    author: str
    time: str
    batch: int
    undoes: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Proposal:
    """A change that somebody wants: of a key, made from `base`, the version that was seen (0: there was none)."""

    entity: str
    key: str
    value: Any
    base: int
    kind: str = "set"


class StaleError(BinyanError):
    """A change made from an older version than the newest, which is `newest`."""

    def __init__(self, newest: Change) -> None:
        self.newest = newest
        super().__init__(
            f"{newest.author} changed {newest.key!r} at {newest.time}, after you had seen it; look at the new value, then decide again"
        )


class Facts:
    """The changes of a project, and what holds now."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, entity: str, key: str, value: Any, author: str, base: int, kind: str = "set") -> Change:
        """One change. Raises StaleError where `base` is not the newest version."""
        return self.put_all([Proposal(entity, key, value, base, kind)], author)[0]

    def put_all(self, proposals: Iterable[Proposal], author: str) -> list[Change]:
        """Several changes, which are undone together: all of them, or none where one is stale."""
        author = checked_author(author)
        with self._database.writing() as connection:
            batch = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM changes").fetchone()[0]
            return [self._write(connection, proposal, author, batch) for proposal in proposals]

    def _write(
        self, connection: sqlite3.Connection, p: Proposal, author: str, batch: int, undoes: int | None = None
    ) -> Change:
        before = self.newest(p.entity, p.key)
        version = 0 if before is None else before.version
        if before is not None and p.base != version:
            raise StaleError(before)
        value = None if p.value is None else json.dumps(p.value, ensure_ascii=False)
        fields = (p.entity, p.key, version + 1, value, p.kind, author, now(), batch, undoes)
        cursor = connection.execute(
            "INSERT INTO changes (entity, key, version, value, kind, author, time, batch, undoes) VALUES (?,?,?,?,?,?,?,?,?)",
            fields,
        )
        connection.execute(
            "INSERT OR REPLACE INTO facts (entity, key, change_id, version, value) VALUES (?,?,?,?,?)",
            (p.entity, p.key, cursor.lastrowid, version + 1, value),
        )
        assert cursor.lastrowid is not None
        return Change(cursor.lastrowid, p.entity, p.key, version + 1, p.value, p.kind, author, fields[6], batch, undoes)

    def undo(self, batch: int, author: str) -> list[Change]:
        """Bring back what held before the changes of a batch. Raises StaleError where one of them was changed again since."""
        with self._database.writing() as connection:
            changes = [_change(row) for row in self._database.rows("SELECT * FROM changes WHERE batch = ?", batch)]
            if not changes:
                raise InputError("there is no such change to undo")
            number = connection.execute("SELECT max(id) + 1 FROM changes").fetchone()[0]
            undone = []
            for change in reversed(changes):
                row = self._database.row(
                    "SELECT value FROM changes WHERE entity = ? AND key = ? AND version = ?",
                    *(change.entity, change.key, change.version - 1),
                )
                value = None if row is None or row["value"] is None else json.loads(row["value"])
                back = Proposal(change.entity, change.key, value, change.version, "undo")
                undone.append(self._write(connection, back, checked_author(author), number, change.id))
            return undone

    def newest(self, entity: str, key: str) -> Change | None:
        """The newest change of a key, also where it took the value away; None where there never was one."""
        row = self._database.row(
            "SELECT changes.* FROM facts JOIN changes ON changes.id = facts.change_id WHERE facts.entity = ? AND facts.key = ?",
            *(entity, key),
        )
        return None if row is None else _change(row)

    def value(self, entity: str, key: str, default: Any = None) -> Any:
        """What holds now of a key."""
        change = self.newest(entity, key)
        return default if change is None or change.value is None else change.value

    def all(self, entity: str) -> dict[str, Any]:
        """All values that hold now, by key."""
        rows = self._database.rows("SELECT key, value FROM facts WHERE entity = ? AND value IS NOT NULL", entity)
        return {row["key"]: json.loads(row["value"]) for row in rows}

    def versions(self, entity: str, keys: Sequence[str]) -> dict[str, int]:
        """The newest version of each key; 0 where there is none."""
        versions = dict.fromkeys(keys, 0)
        for begin in range(0, len(keys), 500):
            some = keys[begin : begin + 500]
            marks = ",".join("?" * len(some))
            query = f"SELECT key, version FROM facts WHERE entity = ? AND key IN ({marks})"
            versions |= {row["key"]: row["version"] for row in self._database.rows(query, entity, *some)}
        return versions

    def history(self, entities: Sequence[str], limit: int = 50) -> list[Change]:
        """The last changes of some kinds, newest first."""
        marks = ",".join("?" * len(entities))
        query = f"SELECT * FROM changes WHERE entity IN ({marks}) ORDER BY id DESC LIMIT ?"
        return [_change(row) for row in self._database.rows(query, *entities, limit)]

    @property
    def last(self) -> int:
        """The number of the last change; 0 before the first."""
        return self._database.number("SELECT max(id) FROM changes")


def checked_author(author: str) -> str:
    """An author's name as it is stored. Raises InputError where it is none."""
    name = " ".join(author.split())
    if not name or len(name) > LONGEST_AUTHOR or not name.isprintable():
        raise InputError(f"an author has a name of 1 to {LONGEST_AUTHOR} characters")
    return name


def _change(row: sqlite3.Row) -> Change:
    fields = dict(row)
    fields["value"] = None if fields["value"] is None else json.loads(fields["value"])
    return Change(**fields)
