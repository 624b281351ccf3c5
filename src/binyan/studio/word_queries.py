"""What the page asks about words: tables, the review queue, searches. All of it from the database, in pages."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import regex

from binyan.errors import InputError
from binyan.studio.database import Database
from binyan.studio.decisions import is_held_back

MOST_ROWS = 200
"""Of one page of a table."""

ORDERS = {"worth": "a.worth DESC, w.id", "count": "w.count DESC, w.id", "text": "w.text"}
FILTERS = {
    "all": "1",
    "undecided": "d.value IS NULL",
    "decided": "d.value IS NOT NULL",
    "unsure": "d.value IS NULL AND a.probability < 0.9",
    "disagree": "d.value IS NULL AND a.agree = 0",
    "without": "a.word_id IS NOT NULL AND a.segmentation IS NULL",
}
PLACES = ("words", "morphemes", "roots", "templates")

_OFFERED_FROM = 400  # of the most uncertain words
_SEARCH_SECONDS, _WORD_SECONDS = 2.0, 0.2
_SHORT = 14  # letters
_LONGEST_PATTERN = 200
_FROM = (
    " FROM words w LEFT JOIN analyses a ON a.word_id = w.id AND a.run_id = :run"
    " LEFT JOIN facts d ON d.entity = 'decision' AND d.key = w.text"
)
_COLUMNS = (
    "SELECT w.id, w.text, w.count, a.segmentation, a.probability, a.root, a.template, a.agree, a.worth, a.alternatives,"
    " d.value AS decision, coalesce(d.version, 0) AS version"
)


def _source(needs: str, by_worth: bool) -> str:
    """The tables that a query needs; by worth, words without an analysis are left out, so that the order is that of an index."""
    analyses = f" {'JOIN' if by_worth else 'LEFT JOIN'} analyses a ON a.word_id = w.id AND a.run_id = :run"
    decisions = " LEFT JOIN facts d ON d.entity = 'decision' AND d.key = w.text"
    return " FROM words w" + (analyses if "a." in needs else "") + (decisions if "d." in needs else "")


class WordQueries:
    """Questions about the words of a project and what a run says of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._texts: tuple[int, list[tuple[int, str]]] = (-1, [])
        self._lock = threading.Lock()

    def page(
        self, run: int | None, show: str = "all", order: str = "count", offset: int = 0, limit: int = 50,
        contains: str = "", morpheme: tuple[str, str] | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """One page of the table of words, and how many there are. `morpheme` is a text and a label: all words with this suffix."""
        if show not in FILTERS or order not in ORDERS:
            raise InputError(f"words are shown as {', '.join(FILTERS)}, in the order {', '.join(ORDERS)}")
        values: dict[str, Any] = {"run": -1 if run is None else run, "offset": offset, "limit": min(limit, MOST_ROWS)}
        where, source = FILTERS[show], _source(f"{FILTERS[show]} {ORDERS[order]}", by_worth=order == "worth")
        if contains:
            where += " AND instr(w.text, :contains) > 0"
            values["contains"] = contains
        if morpheme is not None:
            source += (
                " JOIN morphemes m ON m.run_id = :run AND m.text = :text AND m.label = :label AND m.word_id = w.id"
            )
            values["text"], values["label"] = morpheme
        # Which words they are is found out first: all that is stored of them is read for one page only.
        query = f"SELECT w.id{source} WHERE {where} ORDER BY {ORDERS[order]} LIMIT :limit OFFSET :offset"
        numbers = [row["id"] for row in self._database.connection.execute(query, values)]
        total = self._database.connection.execute(f"SELECT count(*){source} WHERE {where}", values).fetchone()[0]
        return {"total": total, "rows": self._rows(run, numbers)}

    def offered(self, run: int | None, limit: int = 20) -> dict[str, Any]:
        """The words that are most worth a person's time: uncertain and frequent ones, each for something else.

        Words that are uncertain for the same reason stand for one another: the more there are, the sooner the first of them is offered,
        and the later the others.
        """
        top = self._database.connection.execute(
            f"{_COLUMNS}{_FROM.replace('LEFT JOIN analyses', 'JOIN analyses')} WHERE d.value IS NULL ORDER BY a.worth DESC LIMIT :most",
            {"run": -1 if run is None else run, "most": _OFFERED_FROM},
        ).fetchall()
        return {"rows": offered_order([word_row(row) for row in top])[:limit]}

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
        if place == "words" and not as_pattern:
            return self.page(run, contains=query, offset=offset, limit=limit)
        if place == "words":
            hits = [number for number, text in matching(self._all_words(), query)]
            return {"total": len(hits), "rows": self._rows(run, hits[offset : offset + limit])}
        entries = self.lexicon(run, place)
        if as_pattern:
            kept = {text for text, _ in matching([(e["text"], e["text"]) for e in entries], query)}
            entries = [e for e in entries if e["text"] in kept]
        else:
            entries = [e for e in entries if query in e["text"]]
        return {"total": len(entries), "rows": entries[offset : offset + limit]}

    def lexicon(self, run: int | None, place: str = "morphemes") -> list[dict[str, Any]]:
        """The morphemes of a run (or its roots, or templates) with the words and tokens that have them, the most widespread first."""
        labels = {
            "morphemes": "m.label NOT IN ('root', 'template')", "roots": "m.label = 'root'", "templates": "m.label = 'template'"
        }  # fmt: skip
        rows = self._database.rows(
            "SELECT m.text, m.label, count(*) AS words, sum(w.count) AS tokens FROM morphemes m JOIN words w ON w.id = m.word_id"
            f" WHERE m.run_id = ? AND {labels[place]} GROUP BY m.text, m.label ORDER BY words DESC, m.text",
            -1 if run is None else run,
        )
        return [dict(row) for row in rows]

    def _rows(self, run: int | None, numbers: Sequence[int]) -> list[dict[str, Any]]:
        query = f"{_COLUMNS}{_FROM} WHERE w.id IN ({','.join(map(str, map(int, numbers)))})"
        rows = self._database.connection.execute(query, {"run": -1 if run is None else run}).fetchall()
        by_number = {row["id"]: row for row in rows}
        return [word_row(by_number[n]) for n in numbers if n in by_number]

    def _all_words(self) -> list[tuple[int, str]]:
        """All words with their numbers, read again only when sources or settings changed."""
        state = self._database.number("SELECT max(id) FROM changes WHERE entity IN ('source', 'setting')")
        with self._lock:
            if self._texts[0] != state:
                rows = self._database.rows("SELECT id, text FROM words ORDER BY count DESC, id")
                self._texts = state, [(row["id"], row["text"]) for row in rows]
            return self._texts[1]


def matching(items: Iterable[tuple[Any, str]], pattern: str) -> list[tuple[Any, str]]:
    """The items whose text matches a regular expression. Raises InputError where it is none, or takes too long."""
    try:
        compiled = regex.compile(pattern)
    except (regex.error, OverflowError, RecursionError) as error:
        raise InputError(f"{pattern!r} is no regular expression: {error}") from None
    quick = _quick_search(pattern) or compiled.search
    end = time.monotonic() + _SEARCH_SECONDS
    hits = []
    try:
        for i, item in enumerate(items):
            if i % 256 == 0 and time.monotonic() > end:
                raise TimeoutError
            text = item[1]  # watching the clock costs more than most searches; in a short word nothing takes long
            if quick(text) if len(text) <= _SHORT else compiled.search(text, timeout=_WORD_SECONDS):
                hits.append(item)
    except TimeoutError:
        raise InputError(f"{pattern!r} takes too long; use fewer nested repetitions") from None
    return hits


def _quick_search(pattern: str) -> Callable[[str], object] | None:
    """The search of the standard library, which is quicker, where it knows the pattern; else None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return re.compile(pattern).search
    except (re.error, OverflowError, RecursionError, FutureWarning, DeprecationWarning):
        return None


def word_row(row: sqlite3.Row) -> dict[str, Any]:
    """A row of the table of words, for JSON."""
    fields = dict(row)
    fields["alternatives"] = json.loads(fields["alternatives"]) if fields["alternatives"] else []
    fields["decision"] = json.loads(fields["decision"]) if fields["decision"] else None
    fields["agree"] = fields["agree"] != 0
    fields["held_back"] = is_held_back(fields["text"])
    return fields


def offered_order(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Uncertain words in the order in which they are offered."""
    doubts = [_doubt(row) for row in rows]
    sizes: dict[frozenset[str], int] = {}
    for doubt in doubts:
        sizes[doubt] = sizes.get(doubt, 0) + 1
    seen: dict[frozenset[str], int] = {}
    scores = []
    for row, doubt in zip(rows, doubts, strict=True):
        before = seen.get(doubt, 0)
        seen[doubt] = before + 1
        scores.append(float(row["worth"] or 0.0) * sizes[doubt] ** 0.5 / 2.0**before)
    order = sorted(range(len(rows)), key=lambda i: (-scores[i], i))
    return [dict(rows[i]) for i in order]


def _doubt(row: Mapping[str, Any]) -> frozenset[str]:
    """What the two best analyses of a word differ in, stems left out: the reason of the doubt."""
    parts = [set(a["segmentation"].split(" ")) for a in row["alternatives"][:2]]
    differing = parts[0] ^ parts[1] if len(parts) == 2 else set()
    affixes = frozenset(part for part in differing if not part.endswith(("/stem", "/root")))
    return affixes or frozenset(differing)
