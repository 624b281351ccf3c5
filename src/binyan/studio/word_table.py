"""The words of a project in memory, beside what a run says of them: so that tables and searches stay quick with many words."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from binyan.studio.database import Database

ORDERS = ("worth", "count", "text")
FILTERS = ("all", "undecided", "decided", "unsure", "disagree", "without")
_UNSURE = 0.9


@dataclass(frozen=True)
class WordColumns:
    """The words, the most frequent first; `numbers` are those of the database."""

    state: int
    numbers: NDArray[np.int64]
    texts: list[str]

    @cached_property
    def by_text(self) -> NDArray[np.int64]:
        """Their places in the order of the alphabet."""
        return np.array(sorted(range(len(self.texts)), key=self.texts.__getitem__), np.int64)

    @cached_property
    def _by_number(self) -> NDArray[np.int64]:
        return np.argsort(self.numbers)

    def places(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where words of these numbers are; numbers that no word has are left out."""
        if not len(self.numbers):
            return np.zeros(0, np.int64)
        order = self._by_number
        at = np.minimum(np.searchsorted(self.numbers, numbers, sorter=order), len(order) - 1)
        places: NDArray[np.int64] = order[at]
        return np.asarray(places[self.numbers[places] == numbers], np.int64)

    def mask(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which words have one of these numbers."""
        mask = np.zeros(len(self.numbers), bool)
        mask[self.places(numbers)] = True
        return mask


@dataclass(frozen=True)
class RunColumns:
    """What a run says of the words, in their order; `worth` is below zero where it says nothing."""

    key: tuple[int, int, int]
    probability: NDArray[np.float64]
    worth: NDArray[np.float64]
    agree: NDArray[np.bool_]
    without: NDArray[np.bool_]

    @cached_property
    def by_worth(self) -> NDArray[np.int64]:
        """The places of the words, those most worth a person's time first."""
        return np.argsort(-self.worth, kind="stable")


class WordTable:
    """Reads the words, a run's figures and who is decided on from the database, each again only after it changed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.RLock()
        self._words = WordColumns(-1, np.zeros(0, np.int64), [])
        self._run: RunColumns | None = None
        self._decided: tuple[tuple[int, int], NDArray[np.bool_]] = ((-1, -1), np.zeros(0, bool))

    def words(self) -> WordColumns:
        """The words as they are now."""
        state = self._database.number("SELECT max(id) FROM changes WHERE entity IN ('source', 'setting')")
        with self._lock:
            if self._words.state != state:
                rows = self._database.connection.execute(
                    "SELECT id, text FROM words ORDER BY count DESC, id"
                ).fetchall()
                numbers = np.fromiter((row[0] for row in rows), np.int64, len(rows))
                self._words = WordColumns(state, numbers, [row[1] for row in rows])
            return self._words

    def selected(self, run: int | None, show: str, order: str) -> tuple[WordColumns, NDArray[np.int64]]:
        """The words, and the places of those that a filter shows, in an order."""
        words = self.words()
        columns = self._of_run(words, run)
        places = {"worth": columns.by_worth, "text": words.by_text}.get(order, np.arange(len(words.texts)))
        return words, places if show == "all" else places[self._mask(words, columns, show)[places]]

    def _mask(self, words: WordColumns, columns: RunColumns, show: str) -> NDArray[np.bool_]:
        if show == "without":
            return columns.without
        decided = self._decided_on(words)
        if show == "decided":
            return decided
        if show == "undecided":
            return ~decided
        doubtful = columns.probability < _UNSURE if show == "unsure" else ~columns.agree
        return np.asarray(~decided & (columns.worth >= 0) & doubtful, bool)

    def _of_run(self, words: WordColumns, run: int | None) -> RunColumns:
        number = -1 if run is None else run
        key = words.state, number, self._database.number("SELECT answers FROM runs WHERE id = ?", number)
        with self._lock:
            if self._run is None or self._run.key != key:
                self._run = self._read_run(words, key)
            return self._run

    def _read_run(self, words: WordColumns, key: tuple[int, int, int]) -> RunColumns:
        query = "SELECT word_id, probability, worth, agree, segmentation IS NULL FROM analyses WHERE run_id = ?"
        rows = np.array(self._database.connection.execute(query, (key[1],)).fetchall(), np.float64).reshape(-1, 5)
        numbers = rows[:, 0].astype(np.int64)
        known = np.isin(numbers, words.numbers)
        places, rows = words.places(numbers[known]), rows[known]
        probability, worth = np.zeros(len(words.texts)), np.full(len(words.texts), -1.0)
        agree, without = np.ones(len(words.texts), bool), np.zeros(len(words.texts), bool)
        probability[places], worth[places], agree[places], without[places] = (
            rows[:, 1], rows[:, 2], rows[:, 3] != 0, rows[:, 4] != 0
        )  # fmt: skip
        return RunColumns(key, probability, worth, agree, without)

    def _decided_on(self, words: WordColumns) -> NDArray[np.bool_]:
        last = self._database.number("SELECT max(change_id) FROM facts WHERE entity = 'decision'")
        with self._lock:
            if self._decided[0] != (words.state, last):
                rows = self._database.rows(
                    "SELECT w.id FROM facts d JOIN words w ON w.text = d.key WHERE d.entity = 'decision' AND d.value IS NOT NULL"
                )
                numbers = np.fromiter((row[0] for row in rows), np.int64, len(rows))
                self._decided = (words.state, last), words.mask(numbers)
            return self._decided[1]
