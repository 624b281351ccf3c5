"""Checks of a grammar: what makes it unusable (errors) and what makes it do other than it seems (warnings)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from binyan.grammar.ambiguity import duplicate_derivations
from binyan.grammar.letters import is_class
from binyan.grammar.problems import Problem
from binyan.grammar.rules import FREE, Grammar, Rule, Variable, is_any, left_out

MOST_SYMBOLS = 10_000
"""The most symbols that a grammar may have; the core has the same limit."""


@dataclass(frozen=True)
class Origin:
    """Where a rule is from: the file, the line, and the text that stands there."""

    source: str
    line: int
    text: str


def check(
    grammar: Grammar,
    origins: Sequence[Origin] | None = None,
    incomplete: bool = False,
    thorough: bool = True,
) -> list[Problem]:
    """Every problem of a grammar.

    `origins` tells where each rule is from; `incomplete` that some rules could not be read, so that problems that may only be a
    consequence are left out; `thorough` adds the search for ambiguity.
    """
    if origins is None:
        origins = [Origin(grammar.name, rule.line, str(rule)) for rule in grammar.rules]
    checks = _Checks(grammar, origins)
    if len(checks.defined) > MOST_SYMBOLS:
        checks.report("too-many", f"{len(checks.defined):,} symbols have rules; at most {MOST_SYMBOLS:,} can have")
        return checks.problems
    checks.variables()
    checks.arities()
    checks.duplicates()
    if not incomplete:
        checks.start()
        checks.undefined()
    if not checks.problems and not incomplete:
        checks.unproductive()
        checks.unreachable()
    checks.adapted_recursion()
    checks.underlying_recursion()
    if not any(problem.code == "arity" for problem in checks.problems):
        checks.cycles()
    if thorough and not incomplete and not any(problem.severity == "error" for problem in checks.problems):
        checks.ambiguity()
    return checks.problems


class _Checks:
    def __init__(self, grammar: Grammar, origins: Sequence[Origin]) -> None:
        self.grammar = grammar
        self.origins = origins
        self.problems: list[Problem] = []
        self.defined = {rule.lhs for rule in grammar.rules}

    def report(
        self, code: str, message: str, rule: int | None = None, severity: Literal["error", "warning"] = "error"
    ) -> None:
        if rule is None:
            source = self.origins[0].source if self.origins else self.grammar.name
            self.problems.append(Problem(code, message, source=source, severity=severity))
            return
        origin = self.origins[rule]
        problem = Problem(code, message, origin.text, origin.line, origin.source, severity)
        if problem not in self.problems:  # one statement may expand to many rules
            self.problems.append(problem)

    def place(self, rule: int, seen_from: int) -> str:
        here = self.origins[rule]
        return f"line {here.line}" + (f" of {here.source}" if here.source != self.origins[seen_from].source else "")

    def variables(self) -> None:
        """Simple: each argument of each right-hand symbol once on the left, in its order."""
        for i, rule in enumerate(self.grammar.rules):
            placed = [part for argument in rule.arguments for part in argument if isinstance(part, Variable)]
            for child, symbol in enumerate(rule.rhs):
                shown = [variable.argument for variable in placed if variable.child == child]
                mine = [*shown, *(u.argument for u in rule.underlying if u.child == child)]
                if len(set(mine)) < len(mine):
                    self.report("variable-twice", f"an argument of {symbol} stands twice on the left side", i)
                elif sorted(mine) != list(range(len(mine))) or not mine:
                    self.report("variable-not-left", f"an argument of {symbol} never stands on the left side", i)
                elif shown != sorted(shown):
                    self.report(
                        "order",
                        f"the arguments of {symbol} stand in another order on the left side; keep them in order "
                        f"(or define another symbol)",
                        i,
                    )
            if not all(rule.arguments):
                self.report("empty", f"an argument of {rule.lhs} is empty", i)
            terminals = [part for argument in rule.arguments for part in argument if isinstance(part, str)]
            if sum(is_any(part) for part in terminals) > 1:
                self.report("two-any", "<any> stands twice in one rule; give it a symbol: Char -> <any>", i)

    def arities(self) -> None:
        first: dict[str, tuple[int, int]] = {}
        for i, rule in enumerate(self.grammar.rules):
            here = [(rule.lhs, rule.arity), *((s, rule.rhs_arity(c)) for c, s in enumerate(rule.rhs))]
            for symbol, arity in here:
                known, where = first.setdefault(symbol, (arity, i))
                if known != arity:
                    self.report(
                        "arity",
                        f"{symbol} has {_arguments(arity)} here and {known} in the rule of {self.place(where, i)}",
                        i,
                    )

    def start(self) -> None:
        start = self.grammar.start
        if start not in self.defined:
            self.report("start-undefined", f"the start symbol {start} has no rule")
        elif self.grammar.arity(start) != 1:
            message = f"the start symbol {start} has {self.grammar.arity(start)} arguments; a word is one piece"
            self.report("start-arity", message, self.grammar.rules_of[start][0])

    def undefined(self) -> None:
        for i, rule in enumerate(self.grammar.rules):
            for symbol in rule.rhs:
                if symbol not in self.defined:
                    near = [known for known in self.defined if known.lower() == symbol.lower()]
                    hint = f"did you mean {near[0]}?" if near else f"write {symbol} -> ..., or put characters in quotes"
                    self.report("undefined", f"{symbol} has no rule; {hint}", i)

    def unproductive(self) -> None:
        productive: set[str] = set()
        grown = True
        while grown:
            grown = False
            for rule in self.grammar.rules:
                if rule.lhs not in productive and all(symbol in productive for symbol in rule.rhs):
                    productive.add(rule.lhs)
                    grown = True
        for symbol in dict.fromkeys(rule.lhs for rule in self.grammar.rules):
            if symbol not in productive:
                message = f"{symbol} never ends: every rule of it leads back to itself or to another such symbol"
                self.report("unproductive", message, self.grammar.rules_of[symbol][0])

    def unreachable(self) -> None:
        reached = {self.grammar.start, *_reachable(self.grammar, self.grammar.start)}
        for symbol in dict.fromkeys(rule.lhs for rule in self.grammar.rules):
            if symbol not in reached and not self.grammar.hidden(symbol):
                message = f"{symbol} is in no analysis: nothing leads to it from the start symbol {self.grammar.start}"
                self.report("unreachable", message, self.grammar.rules_of[symbol][0], "warning")

    def adapted_recursion(self) -> None:
        """Thesis, section 5.3.2.2: the caches of a symbol must not be in use while it is being expanded."""
        for symbol in self.grammar.adapted:
            if symbol in self.defined and symbol in _reachable(self.grammar, symbol):
                path = " -> ".join(_path(self.grammar, symbol))
                message = (
                    f"{symbol} is adapted and leads back to itself ({path}); adapt another symbol, "
                    f"or put an unadapted one in the recursion"
                )
                self.report("adapted-recursion", message, self.grammar.rules_of[symbol][0])

    def underlying_recursion(self) -> None:
        """Letters that are not in the word would make derivations endless."""
        for i, rule in enumerate(self.grammar.rules):
            if rule.underlying and rule.lhs in _reachable(self.grammar, rule.lhs):
                message = (
                    f"{rule.lhs} leads back to itself, and this rule of it adds letters that the word does not show: "
                    f"it could add them without end; move the rule to a symbol outside the recursion"
                )
                self.report("underlying-recursion", message, i)

    def cycles(self) -> None:
        """Rules of one symbol each that lead back to where they began: endless derivations of the same piece."""
        single = {symbol: set() for symbol in self.grammar.symbols}  # type: dict[str, set[str]]
        for rule in self.grammar.rules:
            if len(rule.rhs) == 1 and all(isinstance(part, Variable) for a in rule.arguments for part in a):
                single[rule.lhs].add(rule.rhs[0])
        for symbol in single:
            seen: set[str] = set()
            ahead = set(single[symbol])
            while ahead:
                seen |= ahead
                ahead = {after for before in ahead for after in single.get(before, ())} - seen
            if symbol in seen:
                message = f"{symbol} can be rewritten as itself without end, so it has endlessly many analyses"
                self.report("cycle", message, self.grammar.rules_of[symbol][0])

    def duplicates(self) -> None:
        seen: dict[tuple[Any, ...], int] = {}
        singles: dict[str, dict[str, int]] = {}
        for i, rule in enumerate(self.grammar.rules):
            earlier = seen.setdefault(_canonical(rule), i)
            if earlier != i:
                message = (
                    f"{rule} is there twice, also by {self.place(earlier, i)}: remove one (see optional parts, too)"
                )
                self.report("duplicate-rule", message, i)
            if not rule.rhs and len(rule.arguments) == 1 and len(rule.arguments[0]) == 1:
                singles.setdefault(rule.lhs, {})[str(rule.arguments[0][0])] = i
        for symbol, atoms in singles.items():
            for opened in (atom for atom in atoms if is_any(atom) and not is_class(atom)):
                for atom in atoms:
                    if atom != opened and (is_any(atom) or atom not in left_out(opened)):
                        other = "another class" if is_any(atom) else repr(atom)
                        message = f"<any> of {symbol} covers {other} as well, which {self.place(atoms[atom], atoms[opened])} gives"
                        self.report("any-overlap", message, atoms[opened], "warning")
                        break

    def ambiguity(self) -> None:
        for twice in duplicate_derivations(self.grammar):
            by = "" if twice.first == twice.second else f" and by the rule of {self.place(twice.first, twice.second)}"
            message = (
                f"ambiguous: {twice.symbol} derives some pieces of {twice.length} characters twice with the very same "
                f"analysis, by this rule{by}"
            )
            self.report("ambiguity", message, twice.second, "warning")


def _canonical(rule: Rule) -> tuple[Any, ...]:
    """A form that is the same for two rules that differ only in the order of the right side."""
    order: dict[int, int] = {}
    for argument in rule.arguments:
        for part in argument:
            if isinstance(part, Variable):
                order.setdefault(part.child, len(order))
    arguments = tuple(
        tuple((order[p.child], p.argument) if isinstance(p, Variable) else p for p in argument)
        for argument in rule.arguments
    )
    underlying = tuple(
        sorted((order.setdefault(u.child, len(order)), u.argument, tuple(map(str, u.parts))) for u in rule.underlying)
    )
    return rule.lhs, arguments, tuple(rule.rhs[child] for child in order if child != FREE), underlying


def _arguments(count: int) -> str:
    return f"{count} argument{'s' if count != 1 else ''}"


def _reachable(grammar: Grammar, symbol: str) -> set[str]:
    """Symbols below this one; itself only if it is below itself."""
    reached: set[str] = set()
    ahead = [symbol]
    while ahead:
        for rule in grammar.rules_of.get(ahead.pop(), ()):
            for below in grammar.rules[rule].rhs:
                if below not in reached:
                    reached.add(below)
                    ahead.append(below)
    return reached


def _path(grammar: Grammar, symbol: str) -> Iterable[str]:
    """The shortest way from a symbol back to itself."""
    paths = {symbol: [symbol]}
    ahead = [symbol]
    while ahead:
        here = ahead.pop(0)
        for rule in grammar.rules_of.get(here, ()):
            for below in grammar.rules[rule].rhs:
                if below == symbol:
                    return [*paths[here], below]
                if below not in paths:
                    paths[below] = [*paths[here], below]
                    ahead.append(below)
    return []
