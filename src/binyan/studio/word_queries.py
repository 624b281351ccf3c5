"""What the page asks about words: tables, the review queue, searches. All of it from the database, in pages."""

from __future__ import annotations

import json
import math
import re
import sqlite3
import threading
import time
import warnings
from collections import Counter
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

_DOUBTFUL, _OF_AN_AFFIX = 150, 4  # words that are looked at before some are offered: in doubt, and with each affix
_LONGEST_AFFIX = 6
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
        self._looked: tuple[int, Counter[str]] = (-1, Counter())
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

    def offered(self, run: int | None, limit: int = 20, affixes: Sequence[tuple[str, str, int]] = ()) -> dict[str, Any]:
        """The words that are most worth a person's time: uncertain ones, and those whose affixes are frequent and not looked at yet.

        `affixes` are the most frequent ones of the run: text, label, and how many words have them.
        """
        number = -1 if run is None else run
        doubtful = self._database.rows(
            "SELECT a.word_id FROM analyses a JOIN words w ON w.id = a.word_id LEFT JOIN facts d ON d.entity = 'decision' AND d.key = w.text"
            " WHERE a.run_id = ? AND d.value IS NULL ORDER BY a.worth DESC LIMIT ?",
            *(number, _DOUBTFUL),
        )
        numbers = [row["word_id"] for row in doubtful]
        for text, label, _ in affixes:
            rows = self._database.rows(
                "SELECT m.word_id FROM morphemes m JOIN words w ON w.id = m.word_id"
                " LEFT JOIN facts d ON d.entity = 'decision' AND d.key = w.text"
                " WHERE m.run_id = ? AND m.text = ? AND m.label = ? AND d.value IS NULL ORDER BY m.word_id LIMIT ?",
                *(number, text, label, _OF_AN_AFFIX),
            )
            numbers += [row["word_id"] for row in rows]
        pool = self._rows(run, list(dict.fromkeys(numbers)))
        uses = {f"{text}/{label}": count for text, label, count in affixes}
        return {"rows": offered_order(pool, limit, uses, self._looked_at())}

    def _looked_at(self) -> Counter[str]:
        """How often each affix stood, or could have stood, in a word that was decided on."""
        last = self._database.number("SELECT max(change_id) FROM facts WHERE entity = 'decision'")
        with self._lock:
            if self._looked[0] != last:
                rows = self._database.rows(
                    "SELECT key, value FROM facts WHERE entity = 'decision' AND value IS NOT NULL"
                )
                counts: Counter[str] = Counter()
                for row in rows:
                    counts.update(possible_affixes(row["key"], json.loads(row["value"])["segmentation"]))
                self._looked = last, counts
            return Counter(self._looked[1])

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


def offered_order(
    rows: Sequence[Mapping[str, Any]], limit: int, uses: Mapping[str, int], looked_at: Counter[str]
) -> list[dict[str, Any]]:
    """The words to offer, in their order: each time the one that says most beyond those before it.

    An affix that many words have is worth a look, and less so each time that a word is decided on which could have it. Words that are in doubt for
    the same reason stand for one another.
    """
    left = {row["text"]: (dict(row), _affixes(row["segmentation"] or ""), _doubt(row)) for row in rows}
    doubts = Counter(doubt for _, _, doubt in left.values())
    seen: Counter[frozenset[str]] = Counter()
    order: list[dict[str, Any]] = []

    def score(text: str) -> float:
        row, affixes, doubt = left[text]
        frequent = sum(math.log1p(uses.get(affix, 0)) / (1 + looked_at[affix]) for affix in affixes)
        return float(frequent + float(row["worth"] or 0.0) * doubts[doubt] ** 0.5 / 2.0 ** seen[doubt])

    while left and len(order) < limit:
        best = max(left, key=score)
        row, _, doubt = left.pop(best)
        order.append(row)
        seen[doubt] += 1
        looked_at.update(possible_affixes(best, row["segmentation"] or ""))
    return order


def possible_affixes(word: str, segmentation: str) -> set[str]:
    """The affixes of an analysis, and all beginnings and ends of the word that could be affixes.

    >>> sorted(possible_affixes("was", "was/stem"))
    ['as/suf', 's/suf', 'w/pre', 'wa/pre']
    """
    lengths = range(1, min(len(word), _LONGEST_AFFIX + 1))
    ends = {f"{word[-n:]}/suf" for n in lengths} | {f"{word[:n]}/pre" for n in lengths}
    return ends | _affixes(segmentation)


def _affixes(segmentation: str) -> set[str]:
    """The affixes of an analysis, without the positions of those with gaps."""
    parts = (part.rpartition("/") for part in segmentation.split(" "))
    return {
        f"{text.partition('@')[0]}/{label}" for text, _, label in parts if label not in ("stem", "root", "template")
    }


def _doubt(row: Mapping[str, Any]) -> frozenset[str]:
    """What the two best analyses of a word differ in, stems left out: the reason of the doubt."""
    parts = [set(a["segmentation"].split(" ")) for a in row["alternatives"][:2]]
    differing = parts[0] ^ parts[1] if len(parts) == 2 else set()
    affixes = frozenset(part for part in differing if not part.endswith(("/stem", "/root")))
    return affixes or frozenset(differing) or frozenset((str(row["text"]),))
