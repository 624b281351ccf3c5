"""What is said of a choice between grammars: the evidence for each candidate, the reason, and what the runner-up sees differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

_NAME_WIDTH = 32


@dataclass(frozen=True)
class CandidateEvidence:
    """How one candidate did in the last round it took part in.

    `bits` is bits per character of words held back, `error` the standard error of its distance from the best candidate of that
    round; `f1` of borders in analysed words is None where none were given.
    """

    name: str
    description: str
    bits: float
    behind: float
    error: float
    round: int
    words: int
    sweeps: int
    f1: float | None = None


@dataclass(frozen=True)
class Difference:
    """A word that the chosen grammar and the runner-up cut differently."""

    word: str
    chosen: str
    runner_up: str


@dataclass(frozen=True)
class Choice:
    """A grammar that was chosen, as text in Binyan's notation, and why. `table` has the best candidates first."""

    name: str
    grammar: str
    reason: str
    table: tuple[CandidateEvidence, ...] = ()
    differences: tuple[Difference, ...] = ()
    close: bool = False
    seconds: float = 0.0

    @property
    def runner_up(self) -> str | None:
        """The best of the other candidates."""
        return next((row.name for row in self.table if row.name != self.name), None)

    def to_dict(self) -> dict[str, Any]:
        """For JSON and model files."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Choice:
        """The inverse of `to_dict`."""
        table = tuple(CandidateEvidence(**row) for row in fields["table"])
        differences = tuple(Difference(**row) for row in fields["differences"])
        return cls(**{**fields, "table": table, "differences": differences})

    def __str__(self) -> str:
        return "\n".join([*_table_lines(self.table), self.reason, *_difference_lines(self)])


def _table_lines(table: Sequence[CandidateEvidence]) -> list[str]:
    if not table:
        return []
    has_f1 = any(row.f1 is not None for row in table)
    head = f"{'grammar':<{_NAME_WIDTH}} bits/char   behind     ±  round" + ("     F1" if has_f1 else "")
    return [head, *(_row(row, has_f1) for row in table)]


def _row(row: CandidateEvidence, has_f1: bool) -> str:
    f1 = "" if not has_f1 else f" {'–':>6}" if row.f1 is None else f" {row.f1:>6.1f}"
    behind = f"{row.behind:>8.3f} {row.error:>5.3f}" if row.behind else f"{'best':>8} {'':>5}"
    return f"{row.name:<{_NAME_WIDTH}} {row.bits:>9.3f} {behind} {row.round:>6}{f1}"


def _difference_lines(choice: Choice) -> list[str]:
    if not choice.differences:
        return []
    lines = [f"{d.word}: {d.chosen}, not {d.runner_up}" for d in choice.differences]
    return [f"What {choice.runner_up} sees differently:", *(f"  {line}" for line in lines)]
