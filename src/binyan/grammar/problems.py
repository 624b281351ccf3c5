"""A problem in a grammar: what is wrong, in which rule, on which line. Errors stop a grammar, warnings do not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from binyan.errors import GrammarError

_LISTED = 20


@dataclass(frozen=True)
class Problem:
    """One problem. `code` names its kind and never changes; `rule` is the text of the rule it is about."""

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


class InvalidGrammar(GrammarError):
    """A grammar with problems; `problems` holds every one found, the message shows the first twenty."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        more = len(self.problems) - _LISTED
        rest = f"\n... and {more:,} more; is this a grammar?" if more > 0 else ""
        super().__init__("\n".join(str(problem) for problem in self.problems[:_LISTED]) + rest)
