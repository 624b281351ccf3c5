"""What a grammar file says, statement by statement, before any of it is expanded into rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from binyan.grammar.problems import Problem

Repetition = Literal["", "?", "*", "+"]


@dataclass(frozen=True)
class Use:
    """A symbol on a right side. `arguments` is None without brackets, "*" for sharing, else of each argument its parts.

    An argument is one variable, or underlying: given characters that the word does not show, with at most one variable among them.
    """

    name: str
    arguments: tuple[tuple[ArgumentPart, ...], ...] | Literal["*"] | None = None
    repetition: Repetition = ""

    def __str__(self) -> str:
        if self.arguments is None or self.arguments == "*":
            return f"{self.name}{'' if self.arguments is None else '(*)'}{self.repetition}"
        inside = ",".join(" ".join(map(str, argument)) for argument in self.arguments)
        return f"{self.name}({inside}){self.repetition}"


@dataclass(frozen=True)
class Given:
    """Characters written in quotes."""

    text: str
    repetition: Repetition = ""

    def __str__(self) -> str:
        quote = '"' if "'" in self.text else "'"
        return f"{quote}{self.text}{quote}{self.repetition}"


@dataclass(frozen=True)
class Any:
    """Each character of the data: all, only those of `of`, or all but those of `but`."""

    of: str | None = None
    but: str = ""
    repetition: Repetition = ""

    def __str__(self) -> str:
        text = f' of "{self.of}"' if self.of is not None else f' but "{self.but}"' if self.but else ""
        return f"<any{text}>{self.repetition}"


@dataclass(frozen=True)
class LetterClass:
    """Each letter of a named class, such as `<vowel>`, whose letters are given apart from the rules."""

    name: str
    repetition: Repetition = ""

    def __str__(self) -> str:
        return f"<{self.name}>{self.repetition}"


@dataclass(frozen=True)
class Group:
    """Items in brackets, with alternatives."""

    alternatives: tuple[tuple[Item, ...], ...]
    repetition: Repetition = ""

    def __str__(self) -> str:
        inside = " | ".join(" ".join(str(item) for item in items) for items in self.alternatives)
        return f"({inside}){self.repetition}"


Item = Use | Given | Any | LetterClass | Group
ArgumentPart = str | Given | LetterClass
"""Part of an argument: a variable, given characters, or each letter of a class."""


@dataclass(frozen=True)
class Left:
    """A left side: each argument is a tuple of variables (str), given characters (Given) and classes of letters."""

    name: str
    arguments: tuple[tuple[ArgumentPart, ...], ...] | None = None


@dataclass(frozen=True)
class Alternative:
    """One right side of a statement."""

    items: tuple[Item, ...]
    weight: float = 1.0
    empty: bool = False  # written as eps: all there is stands on the left


@dataclass(frozen=True)
class Statement:
    """A rule as it is written: left sides, alternatives, and where it stands."""

    lefts: tuple[Left, ...]
    alternatives: tuple[Alternative, ...]
    text: str
    line: int
    source: str


@dataclass(frozen=True)
class RoleMark:
    """A role that a `role` line gives to a symbol."""

    role: str
    text: str
    line: int
    source: str


@dataclass
class GrammarText:
    """All statements of a file and what else it declares; `problems` are the lines that could not be read."""

    source: str
    statements: list[Statement] = field(default_factory=list)
    start: str | None = None
    includes: list[tuple[str, int]] = field(default_factory=list)
    marks: dict[str, tuple[float | None, float | None]] = field(default_factory=dict)
    roles: dict[str, RoleMark] = field(default_factory=dict)
    assumed: set[str] = field(default_factory=set)
    letters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
