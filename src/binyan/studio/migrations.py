"""The tables of a project's database, version by version. A released version is never changed; a new one is added below it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from binyan.errors import ModelFileError

_FIRST = (
    """CREATE TABLE changes (
        id INTEGER PRIMARY KEY, entity TEXT NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, value TEXT,
        kind TEXT NOT NULL, author TEXT NOT NULL, time TEXT NOT NULL, batch INTEGER NOT NULL,
        undoes INTEGER REFERENCES changes, UNIQUE (entity, key, version))""",
    "CREATE INDEX changes_of_batch ON changes (batch)",
    """CREATE TABLE facts (
        entity TEXT NOT NULL, key TEXT NOT NULL, change_id INTEGER NOT NULL REFERENCES changes, version INTEGER NOT NULL,
        value TEXT, PRIMARY KEY (entity, key)) WITHOUT ROWID""",
    """CREATE TABLE sources (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, format TEXT NOT NULL, digest TEXT NOT NULL, details TEXT NOT NULL,
        author TEXT NOT NULL, time TEXT NOT NULL)""",
    """CREATE TABLE source_words (
        source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE, text TEXT NOT NULL, count INTEGER NOT NULL,
        PRIMARY KEY (source_id, text)) WITHOUT ROWID""",
    """CREATE TABLE sentences (
        id INTEGER PRIMARY KEY, source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE, place INTEGER NOT NULL,
        text TEXT NOT NULL)""",
    "CREATE INDEX sentences_of_source ON sentences (source_id, place)",
    """CREATE TABLE words (
        id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, count INTEGER NOT NULL)""",
    "CREATE INDEX words_by_count ON words (count DESC, id)",
    """CREATE TABLE runs (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, state TEXT NOT NULL, wish TEXT NOT NULL DEFAULT '',
        settings TEXT NOT NULL, progress TEXT NOT NULL DEFAULT '{}', result TEXT NOT NULL DEFAULT '{}',
        error TEXT NOT NULL DEFAULT '', answers INTEGER NOT NULL DEFAULT 0, author TEXT NOT NULL, created TEXT NOT NULL, ended TEXT NOT NULL DEFAULT '')""",
    "CREATE INDEX runs_by_state ON runs (state, id)",
    """CREATE TABLE analyses (
        run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, word_id INTEGER NOT NULL REFERENCES words ON DELETE CASCADE,
        segmentation TEXT, probability REAL NOT NULL, root TEXT, template TEXT, agree INTEGER NOT NULL, worth REAL NOT NULL,
        alternatives TEXT NOT NULL, offered INTEGER, PRIMARY KEY (run_id, word_id)) WITHOUT ROWID""",
    "CREATE INDEX analyses_offered ON analyses (run_id, offered) WHERE offered IS NOT NULL",
    "CREATE INDEX analyses_of_word ON analyses (word_id)",
    """CREATE TABLE morphemes (
        run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, text TEXT NOT NULL, label TEXT NOT NULL,
        word_id INTEGER NOT NULL REFERENCES words ON DELETE CASCADE, PRIMARY KEY (run_id, text, label, word_id)) WITHOUT ROWID""",
    "CREATE INDEX morphemes_of_word ON morphemes (word_id, run_id)",
    """CREATE TABLE lexicon (
        run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, text TEXT NOT NULL, label TEXT NOT NULL,
        words INTEGER NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (run_id, text, label)) WITHOUT ROWID""",
    "CREATE TABLE workers (place INTEGER PRIMARY KEY CHECK (place = 1), name TEXT NOT NULL, heartbeat REAL NOT NULL)",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST,)
"""The statements that lead from each version to the next, from an empty database on."""


def migrate(connection: sqlite3.Connection, path: str, migrations: Sequence[Sequence[str]] = MIGRATIONS) -> None:
    """Bring a database to the newest version: wholly, or it stays as it was.

    Raises ModelFileError where the database is of a newer version than this one knows.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > len(migrations):
            raise ModelFileError(
                f"{path}: is of version {version}, this program knows {len(migrations)}; install a newer version of binyan"
            )
        for statements in migrations[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations):d}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
