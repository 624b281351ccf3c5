"""What there is to say of a grammar file: its format, its size and its problems, as `binyan grammar check` prints it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from binyan.grammar.notation import examine_grammar, grammar_text
from binyan.grammar.parser import Parser
from binyan.grammar.problems import Problem
from binyan.grammar.py_cfg import recognise
from binyan.grammar.rules import Grammar
from binyan.text.atoms import atoms

_MOST_WORDS = 1000  # that are tried


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


def check_grammar(name_or_path: str | Path, words: Sequence[str] = ()) -> GrammarReport:
    """Read a grammar file, or a shipped grammar, and report every problem, each with its rule and line.

    With `words`, a warning says where the grammar derives none of them, or not all.
    """
    source, text = grammar_text(name_or_path)
    grammar, problems = examine_grammar(text, source)
    if grammar is not None and words and not any(problem.severity == "error" for problem in problems):
        problems += _underived(grammar, source, words[:_MOST_WORDS])
    return GrammarReport(source, recognise(text), grammar, tuple(problems))


def _underived(grammar: Grammar, source: str, words: Sequence[str]) -> list[Problem]:
    parser = Parser(grammar, words)
    without = [word for word in words if not math.isfinite(parser.log_inside(word))]
    if not without:
        return []
    some = ", ".join(without[:5]) + (", ..." if len(without) > 5 else "")
    number = "none" if len(without) == len(words) else f"{len(words) - len(without):,}"
    message = f"the grammar derives {number} of {len(words):,} words; not {some}"
    characters = {atom for word in without for atom in atoms(word)} - grammar.terminals
    if characters and not grammar.open_terminals:
        message += f"; it has no terminal for {' '.join(sorted(characters)[:10])}"
    return [Problem("derives-none" if number == "none" else "derives-some", message, source=source, severity="warning")]
