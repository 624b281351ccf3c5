"""The words of a project: what the sources hold, prepared as the project says."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from binyan.errors import InputError
from binyan.morphology.word_list import WordList
from binyan.morphology.word_reading import mixed_marks
from binyan.signature import digest
from binyan.studio.database import Database, now
from binyan.studio.facts import checked_author
from binyan.text.atoms import atoms, invisible
from binyan.text.preparation import Preparation
from binyan.text.reading import check_length
from binyan.text.scripts import mixed_scripts, script

MOST_WORDS = 2_000_000
_LISTED = 40


@dataclass
class Reading:
    """What was read of a file: words with counts, sentences if it is a text, and what is already known of words."""

    name: str
    format: str
    counts: dict[str, int]
    sentences: list[str] = field(default_factory=list)
    known: dict[str, dict[str, Any]] = field(default_factory=dict)
    glosses: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class WordStore:
    """Sources, and the words that they hold after preparation."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_source(self, reading: Reading, author: str) -> int:
        """Store what was read of a file."""
        if not reading.counts:
            raise InputError(f"{reading.name}: there is not one word in it")
        if len(reading.counts) > MOST_WORDS:
            raise InputError(f"{reading.name}: has more than {MOST_WORDS:,} different words")
        details = {"notes": reading.notes, "words": len(reading.counts), "sentences": len(reading.sentences)}
        mark = digest("\n".join(f"{w}\t{n}" for w, n in reading.counts.items()).encode("utf-8", "replace"))
        with self._database.writing() as connection:
            cursor = connection.execute(
                "INSERT INTO sources (name, format, digest, details, author, time) VALUES (?,?,?,?,?,?)",
                (
                    reading.name,
                    reading.format,
                    mark,
                    json.dumps(details, ensure_ascii=False),
                    checked_author(author),
                    now(),
                ),
            )
            source = cursor.lastrowid
            assert source is not None
            connection.executemany(
                "INSERT INTO source_words VALUES (?,?,?)", ((source, w, n) for w, n in reading.counts.items())
            )
            connection.executemany(
                "INSERT INTO sentences (source_id, place, text) VALUES (?,?,?)",
                ((source, i, text) for i, text in enumerate(reading.sentences)),
            )
        return source

    def sources(self) -> list[dict[str, Any]]:
        """All sources, also those not used any more."""
        rows = self._database.rows("SELECT * FROM sources ORDER BY id")
        return [{**dict(row), "details": json.loads(row["details"])} for row in rows]

    def counts(self, unused: Iterable[int] = ()) -> Counter[str]:
        """The words of all sources but some, as they were read."""
        left_out = set(unused)
        counts: Counter[str] = Counter()
        for row in self._database.rows("SELECT source_id, text, count FROM source_words"):
            if row["source_id"] not in left_out:
                counts[row["text"]] += row["count"]
        return counts

    def rebuild(self, preparation: Preparation, unused: Iterable[int] = ()) -> int:
        """Make the words anew; those that stay keep what is stored of them. How many there are."""
        counts = prepared_counts(self.counts(unused), preparation)
        with self._database.writing() as connection:
            connection.execute("CREATE TEMP TABLE fresh (text TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID")
            connection.executemany("INSERT INTO fresh VALUES (?,?)", counts.items())
            connection.execute("DELETE FROM words WHERE text NOT IN (SELECT text FROM fresh)")
            connection.execute(
                "INSERT INTO words (text, count) SELECT text, count FROM fresh WHERE true ORDER BY count DESC, text "
                "ON CONFLICT (text) DO UPDATE SET count = excluded.count"
            )
            connection.execute("DROP TABLE fresh")
        return len(counts)

    def __len__(self) -> int:
        return self._database.number("SELECT count(*) FROM words")

    def word_list(self, preparation: Preparation, most: int | None = None) -> WordList:
        """The words to learn from, the most frequent first. Raises InputError where there are none."""
        query = "SELECT text, count FROM words ORDER BY count DESC, id" + ("" if most is None else f" LIMIT {most:d}")
        rows = self._database.rows(query)
        if not rows:
            raise InputError("the project has no words yet: add a file first")
        return WordList(tuple(r["text"] for r in rows), tuple(r["count"] for r in rows), preparation)

    def number(self, word: str) -> int | None:
        """The number of a word; None where the project does not have it."""
        row = self._database.row("SELECT id FROM words WHERE text = ?", word)
        return None if row is None else int(row["id"])


def prepared_counts(counts: Mapping[str, int], preparation: Preparation) -> Counter[str]:
    """Words after preparation, with the sum of what becomes one word."""
    prepared: Counter[str] = Counter()
    for text, count in counts.items():
        for word in preparation(text):
            check_length(word, "the words")
            prepared[word] += count
    return prepared


def describe_words(counts: Mapping[str, int]) -> dict[str, Any]:
    """What there is to say of words: how many, their characters and scripts, and the odd ones."""
    characters: Counter[str] = Counter()
    scripts: Counter[str] = Counter()
    odd: list[str] = []
    for word in counts:
        letters = atoms(word)
        characters.update(letters)
        scripts.update({script(c) or "none" for c in word if c.isalpha()} or {"none"})
        if len(odd) < _LISTED and any(not _usual(c) for c in word):
            odd.append(word)
    warnings = [text for text in (mixed_scripts(counts), invisible(counts), mixed_marks(counts)) if text]
    listed = characters.most_common()
    return {
        "words": len(counts),
        "tokens": sum(counts.values()),
        "longest": max(counts, key=len, default=""),
        "characters": [{"text": c, "words": n} for c, n in listed[:200]],
        "different_characters": len(listed),
        "rare_characters": [c for c, n in listed if n == 1][:_LISTED],
        "scripts": dict(scripts.most_common()),
        "odd": odd,
        "warnings": warnings,
    }


def _usual(char: str) -> bool:
    return unicodedata.category(char)[0] in "LM" or char in "'’ʼ-"
