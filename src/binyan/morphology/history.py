"""What a chain thought of some of the words as it ran: the record that convergence is judged by.

At most `MOST_WORDS` words, spread evenly over the list, are watched. Their derivations are noted after every sweep at first, then
`NOTED` times whenever the number of sweeps doubles, so that the second half of a run is as dense as the half before it, whenever one
looks. What was noted in the first sixteenth is dropped now and then. What is held after a sweep is a function of the sweeps done,
however often learning was stopped and resumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError
from binyan.model_file import ModelFile, Section

MOST_WORDS = 1000
NOTED = 32
_DROPPED = 16  # the first sixteenth of a run is dropped
_NAME = "history."


def watched_words(parsable: Sequence[int]) -> tuple[int, ...]:
    """Which of the words with derivations, given by their places in the list, are watched."""
    number = min(len(parsable), MOST_WORDS)
    return tuple(parsable[i * len(parsable) // number] for i in range(number))


@dataclass
class AnalysisHistory:
    """The derivations of the watched words after some sweeps of one chain.

    `rows` has a row per noted sweep with the number of each word's derivation in `derivations`, which are pairs of the word's place
    among those watched and the rules in preorder.
    """

    watched: tuple[int, ...]
    sweeps: list[int] = field(default_factory=list)
    rows: list[NDArray[np.uint32]] = field(default_factory=list)
    derivations: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    _numbers: dict[tuple[int, tuple[int, ...]], int] = field(default_factory=dict, repr=False)

    def note(self, sweep: int, chain: _core.Chain) -> None:
        """Note the derivations of a chain after a sweep, if it is one to be noted."""
        doubled = 1 << (sweep.bit_length() - 1)
        if sweep % max(1, doubled // NOTED):
            return
        row = np.empty(len(self.watched), np.uint32)
        for place, word in enumerate(self.watched):
            row[place] = self._number((place, tuple(chain.derivation(word))))
        self.sweeps.append(sweep)
        self.rows.append(row)
        if sweep == doubled and self.sweeps[0] <= sweep // _DROPPED:
            self._drop(sweep // _DROPPED)

    def _number(self, derivation: tuple[int, tuple[int, ...]]) -> int:
        number = self._numbers.setdefault(derivation, len(self.derivations))
        if number == len(self.derivations):
            self.derivations.append(derivation)
        return number

    def _drop(self, last: int) -> None:
        """Drop what was noted up to the sweep `last`, and the derivations that only those sweeps had."""
        kept = [i for i, sweep in enumerate(self.sweeps) if sweep > last]
        self.sweeps = [self.sweeps[i] for i in kept]
        used, places = np.unique(np.array([self.rows[i] for i in kept], np.uint32), return_inverse=True)
        self.rows = list(places.reshape(len(kept), -1).astype(np.uint32))
        self.derivations = [self.derivations[i] for i in used.tolist()]
        self._numbers = {derivation: i for i, derivation in enumerate(self.derivations)}

    def sections(self) -> dict[str, Section]:
        """As sections of a model file."""
        rules = [rule for _, derivation in self.derivations for rule in derivation]
        small = np.uint16 if max(rules, default=0) < 1 << 16 else np.uint32
        return {
            f"{_NAME}sweeps": np.array(self.sweeps, np.uint32),
            f"{_NAME}rows": np.array(self.rows, np.uint32).reshape(len(self.rows), len(self.watched)),
            f"{_NAME}words": np.array([place for place, _ in self.derivations], np.uint32),
            f"{_NAME}ends": np.cumsum([len(d) for _, d in self.derivations], dtype=np.uint32),
            f"{_NAME}rules": np.array(rules, small),
        }

    def restore(self, file: ModelFile, prefix: str, rules: int) -> None:
        """The inverse of `sections`, for an empty history and a grammar with that many rules; files of earlier versions have none."""
        if f"{prefix}{_NAME}sweeps" not in file.sections:
            return
        sweeps, rows, words, ends, flat = (
            np.asarray(file.array(f"{prefix}{_NAME}{name}")) for name in ("sweeps", "rows", "words", "ends", "rules")
        )
        starts = np.concatenate(([0], ends[:-1])) if len(ends) else ends
        fits = (
            rows.shape == (len(sweeps), len(self.watched))
            and len(words) == len(ends)
            and bool(np.all(starts < ends))
            and (int(ends[-1]) if len(ends) else 0) == len(flat)
            and not (rows.size and int(rows.max()) >= len(words))
            and not (words.size and int(words.max()) >= len(self.watched))
            and not (flat.size and int(flat.max()) >= rules)
            and bool(np.all(np.diff(sweeps.astype(np.int64)) > 0))
        )
        if not fits:
            raise InputError(f"sections '{prefix}{_NAME}': they do not fit each other, the words or the grammar")
        used = flat.tolist()
        self.sweeps, self.rows = sweeps.tolist(), list(rows.astype(np.uint32))
        self.derivations = [
            (place, tuple(used[start:end]))
            for place, start, end in zip(words.tolist(), starts.tolist(), ends.tolist(), strict=True)
        ]
        self._numbers = {derivation: i for i, derivation in enumerate(self.derivations)}
