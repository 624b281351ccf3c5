"""What the page asks about words: tables, the review queue, searches. All of it in pages."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.studio.database import Database
from binyan.studio.decisions import is_held_back
from binyan.studio.pattern_search import matching
from binyan.studio.word_table import FILTERS, ORDERS, WordColumns, WordTable

MOST_ROWS = 200
"""Of one page of a table."""

PLACES = ("words", "morphemes", "roots", "templates")

_LONGEST_PATTERN = 200
_SEARCHES_KEPT = 8
_FROM = (
    " FROM words w LEFT JOIN analyses a ON a.word_id = w.id AND a.run_id = :run"
    " LEFT JOIN facts d ON d.entity = 'decision' AND d.key = w.text"
)
_COLUMNS = (
    "SELECT w.id, w.text, w.count, a.segmentation, a.probability, a.root, a.template, a.agree, a.worth, a.alternatives,"
    " d.value AS decision, coalesce(d.version, 0) AS version"
)


class WordQueries:
    """Questions about the words of a project and what a run says of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._table = WordTable(database)
        self._lock = threading.Lock()
        self._searches: dict[tuple[int, str, bool], NDArray[np.bool_]] = {}
        self._lexica: dict[tuple[int, int, str], list[dict[str, Any]]] = {}

    def page(
        self, run: int | None, show: str = "all", order: str = "count", offset: int = 0, limit: int = 50,
        contains: str = "", morpheme: tuple[str, str] | None = None, as_pattern: bool = False,
    ) -> dict[str, Any]:  # fmt: skip
        """One page of the table of words, and how many there are. `morpheme` is a text and a label: all words with this suffix."""
        if show not in FILTERS or order not in ORDERS:
            raise InputError(f"words are shown as {', '.join(FILTERS)}, in the order {', '.join(ORDERS)}")
        words, places = self._table.selected(run, show, order)
        if contains:
            places = places[self._containing(words, contains, as_pattern)[places]]
        if morpheme is not None:
            rows = self._database.rows(
                "SELECT word_id FROM morphemes WHERE run_id = ? AND text = ? AND label = ?",
                *(-1 if run is None else run, *morpheme),
            )
            places = places[words.mask(np.fromiter((row[0] for row in rows), np.int64, len(rows)))[places]]
        numbers = words.numbers[places[offset : offset + min(limit, MOST_ROWS)]]
        return {"total": len(places), "rows": self._rows(run, numbers.tolist())}

    def _containing(self, words: WordColumns, text: str, as_pattern: bool) -> NDArray[np.bool_]:
        """Which words contain a text or match a pattern; the last searches are remembered, for their further pages."""
        key = words.state, text, as_pattern
        with self._lock:
            if key in self._searches:
                return self._searches[key]
        hits = matching(words.texts, text) if as_pattern else [i for i, word in enumerate(words.texts) if text in word]
        mask = np.zeros(len(words.texts), bool)
        mask[hits] = True
        with self._lock:
            while len(self._searches) >= _SEARCHES_KEPT:
                self._searches.pop(next(iter(self._searches)))
            self._searches[key] = mask
        return mask

    def offered(self, run: int | None, limit: int = 20) -> dict[str, Any]:
        """The words that are most worth a person's time, in the order that the run found; then others that nobody decided on."""
        rows = self._database.rows(
            "SELECT a.word_id FROM analyses a JOIN words w ON w.id = a.word_id LEFT JOIN facts d ON d.entity = 'decision' AND d.key = w.text"
            " WHERE a.run_id = ? AND a.offered IS NOT NULL AND d.value IS NULL ORDER BY a.offered LIMIT ?",
            *(-1 if run is None else run, min(limit, MOST_ROWS)),
        )
        if rows or run is None:
            return {"rows": self._rows(run, [row["word_id"] for row in rows])}
        return {"rows": self.page(run, "undecided", "worth", limit=limit)["rows"]}

    def word(self, run: int | None, text: str) -> dict[str, Any] | None:
        """One word; None where the project does not have it."""
        row = self._database.connection.execute(
            f"{_COLUMNS}{_FROM} WHERE w.text = :text", {"run": -1 if run is None else run, "text": text}
        ).fetchone()
        return None if row is None else word_row(row)

    def search(
        self, run: int | None, query: str, place: str, as_pattern: bool, offset: int = 0, limit: int = 50
    ) -> dict[str, Any]:
        """Words, or morphemes, roots or templates with how many words have them, that contain a text or match a pattern."""
        if place not in PLACES:
            raise InputError(f"one can search {', '.join(PLACES)}")
        if not query or len(query) > _LONGEST_PATTERN:
            raise InputError(f"a search has 1 to {_LONGEST_PATTERN} characters")
        limit = min(limit, MOST_ROWS)
        if place == "words":
            return self.page(run, contains=query, as_pattern=as_pattern, offset=offset, limit=limit)
        entries = self.lexicon(run, place)
        if as_pattern:
            entries = [entries[i] for i in matching([e["text"] for e in entries], query)]
        else:
            entries = [e for e in entries if query in e["text"]]
        return {"total": len(entries), "rows": entries[offset : offset + limit]}

    def lexicon(self, run: int | None, place: str = "morphemes") -> list[dict[str, Any]]:
        """The morphemes of a run (or its roots, or templates) with the words and tokens that have them, the most widespread first."""
        number = -1 if run is None else run
        key = number, self._database.number("SELECT answers FROM runs WHERE id = ?", number), place
        with self._lock:
            if key not in self._lexica:
                labels = {
                    "morphemes": "label NOT IN ('root', 'template')", "roots": "label = 'root'", "templates": "label = 'template'"
                }  # fmt: skip
                rows = self._database.rows(
                    f"SELECT text, label, words, tokens FROM lexicon WHERE run_id = ? AND {labels[place]} ORDER BY words DESC, text",
                    number,
                )
                self._lexica = {k: v for k, v in self._lexica.items() if k[:2] == key[:2]}
                self._lexica[key] = [dict(row) for row in rows]
            return self._lexica[key]

    def _rows(self, run: int | None, numbers: Sequence[int]) -> list[dict[str, Any]]:
        query = f"{_COLUMNS}{_FROM} WHERE w.id IN ({','.join(map(str, map(int, numbers)))})"
        rows = self._database.connection.execute(query, {"run": -1 if run is None else run}).fetchall()
        by_number = {row["id"]: row for row in rows}
        return [word_row(by_number[n]) for n in numbers if n in by_number]


def word_row(row: sqlite3.Row) -> dict[str, Any]:
    """A row of the table of words, for JSON."""
    fields = dict(row)
    fields["alternatives"] = json.loads(fields["alternatives"]) if fields["alternatives"] else []
    fields["decision"] = json.loads(fields["decision"]) if fields["decision"] else None
    fields["agree"] = fields["agree"] != 0
    fields["held_back"] = is_held_back(fields["text"])
    return fields
