"""What there is to say of a grammar file: its format, its size and its problems, as `binyan grammar check` prints it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from binyan.grammar.notation import examine_grammar, grammar_text
from binyan.grammar.problems import Problem
from binyan.grammar.py_cfg import recognise
from binyan.grammar.rules import Grammar


@dataclass(frozen=True)
class GrammarReport:
    """A grammar as far as it could be read (None: there is not one rule), and all its problems."""

    source: str
    format: str
    grammar: Grammar | None
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> list[Problem]:
        """The problems that make the grammar unusable."""
        return [problem for problem in self.problems if problem.severity == "error"]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        rules = self.grammar.rules if self.grammar else ()
        return {
            "format": self.format,
            "rules": len(rules),
            "symbols": len({rule.lhs for rule in rules}),
            "adapted": sorted(self.grammar.adapted) if self.grammar else [],
            "roles": dict(self.grammar.roles) if self.grammar else {},
            "faults": [vars(problem) for problem in self.problems],
        }

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems]
        if not self.errors:
            counts = self.to_dict()
            adapted = ", ".join(counts["adapted"]) or "none"
            warnings = f"{len(self.problems)} warning{'s' if len(self.problems) != 1 else ''}"
            lines.append(
                f"{self.source}: {counts['rules']} rules of {counts['symbols']} symbols ({self.format} format), "
                f"adapted: {adapted}; {warnings}, no errors"
            )
        return "\n".join(lines)


def check_grammar(name_or_path: str | Path) -> GrammarReport:
    """Read a grammar file, or a shipped grammar, and report every problem, each with its rule and line."""
    source, text = grammar_text(name_or_path)
    grammar, problems = examine_grammar(text, source)
    return GrammarReport(source, recognise(text), grammar, tuple(problems))
