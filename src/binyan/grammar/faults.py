"""A fault in a grammar: what is wrong, in which rule, on which line. Errors stop a grammar, warnings do not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from binyan.errors import GrammarError

_SHOWN = 20


@dataclass(frozen=True)
class Fault:
    """One fault. `code` names its kind and never changes; `rule` is the text of the rule it is about."""

    code: str
    message: str
    rule: str = ""
    line: int = 0
    source: str = ""
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        where = f"{self.source}:{self.line}: " if self.line else f"{self.source}: " if self.source else ""
        rule = f"\n    {self.rule}" if self.rule else ""
        return f"{where}{self.severity}: {self.message} [{self.code}]{rule}"


class FaultyGrammar(GrammarError):
    """A grammar with faults; `faults` holds every one found, the message shows the first twenty."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = list(faults)
        more = len(self.faults) - _SHOWN
        rest = f"\n... and {more:,} more; is this a grammar?" if more > 0 else ""
        super().__init__("\n".join(str(fault) for fault in self.faults[:_SHOWN]) + rest)
