"""From the statements of a grammar file to rules: repetition, options, sharing of variables, given characters.

`X -> Y+` becomes X -> Ys, Ys -> Ys Y | Y, and `X -> Y* Z` becomes X -> Z | Ys Z (thesis, section 5.7.1, footnote); the
symbol Ys is hidden. `Stem -> R3(*) T2(*)` becomes the ten rules that give the five variables of Stem to R3 and T2 in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product

from binyan.grammar.ast import (
    Alternative,
    Any,
    ArgumentPart,
    Given,
    GrammarText,
    Group,
    Item,
    Left,
    LetterClass,
    Statement,
    Use,
)
from binyan.grammar.letters import class_placeholder
from binyan.grammar.problems import Problem
from binyan.grammar.rules import FREE, HIDDEN, Rule, Underlying, Variable, any_but
from binyan.text.atoms import atoms, listed_atoms

_MOST_RULES = 100_000
_MOST_VARIABLES = 100
_Arguments = tuple[tuple[Variable | str, ...], ...]


def expand(text: GrammarText) -> tuple[list[Rule], list[Statement], list[Problem]]:
    """The rules, the statement each is from, and the problems of statements that make none."""
    expansion = _Expansion(_arities(text))
    for statement in text.statements:
        for left in statement.lefts:
            for alternative in statement.alternatives:
                try:
                    expansion.add(left, alternative, statement)
                except _Invalid as problem:
                    expansion.problems.append(
                        Problem(problem.code, str(problem), statement.text, statement.line, statement.source)
                    )
    return expansion.rules, expansion.origins, expansion.problems


def symbol_name(name: str) -> str:
    """The symbol for a name in a file: one that starts with an underscore is hidden from the user's trees."""
    return HIDDEN + name[1:] if name.startswith("_") else name


class _Invalid(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def _arities(text: GrammarText) -> dict[str, int]:
    """Arguments of each symbol, as its first rule (or else its first use) has them."""
    arities: dict[str, int] = {}
    for statement in text.statements:
        for left in statement.lefts:
            arities.setdefault(left.name, 1 if left.arguments is None else len(left.arguments))
    return arities


class _Expansion:
    def __init__(self, arities: dict[str, int]) -> None:
        self.arities = arities
        self.rules: list[Rule] = []
        self.origins: list[Statement] = []
        self.problems: list[Problem] = []
        self.repeated: set[str] = set()

    def add(self, left: Left, alternative: Alternative, statement: Statement) -> None:
        uses = [item for item in alternative.items if isinstance(item, Use) and item.arguments is not None]
        if alternative.empty:
            self.add_given(left, alternative, statement)
        elif left.arguments is not None or uses:
            self.add_with_variables(left, alternative, statement)
        else:
            self.add_plain(left.name, alternative.items, alternative.weight, statement)

    def append(
        self,
        lhs: str,
        arguments: _Arguments,
        rhs: tuple[str, ...],
        weight: float,
        origin: Statement,
        underlying: tuple[Underlying, ...] = (),
    ) -> None:
        if len(self.rules) == _MOST_RULES:
            raise _Invalid("too-many", f"the grammar expands to more than {_MOST_RULES} rules")
        names = tuple(symbol_name(name) for name in rhs)
        self.rules.append(Rule(symbol_name(lhs), arguments, names, weight, origin.line, underlying))
        self.origins.append(origin)

    def add_given(self, left: Left, alternative: Alternative, statement: Statement) -> None:
        """`Circumfix('ke','an') -> eps`: characters on the left, nothing on the right."""
        if left.arguments is None:
            raise _Invalid(
                "empty", f"{left.name} derives nothing; write its characters in brackets: {left.name}('a') -> eps"
            )
        arguments: list[tuple[str, ...]] = []
        for argument in left.arguments:
            given: list[str] = []
            for part in argument:
                if isinstance(part, Given):
                    given += atoms(part.text)
                elif isinstance(part, LetterClass):
                    given.append(class_placeholder(part.name))
                else:
                    raise _Invalid(
                        "variable-never-used",
                        f"the variable {part} stands on the left and never on the right (characters are written in quotes)",
                    )
            arguments.append(tuple(given))
        self.append(left.name, tuple(arguments), (), alternative.weight, statement)

    # Rules without variables: the order of the right side is the order in the word.

    def add_plain(self, lhs: str, items: tuple[Item, ...], weight: float, statement: Statement) -> None:
        for choice in self.choices(items, statement):
            if not choice:
                raise _Invalid("empty", f"all of the right side is optional, so {lhs} could be nothing at all")
            parts: list[list[Variable | str]] = [[]]
            rhs: list[str] = []
            for item in choice:
                if isinstance(item, Use):
                    parts = [[*p, Variable(len(rhs), 0)] for p in parts]
                    rhs.append(item.name)
                elif isinstance(item, Given):
                    parts = [[*p, *atoms(item.text)] for p in parts]
                elif isinstance(item, Any):
                    parts = [[*p, atom] for p in parts for atom in _placeholders(item)]
                elif isinstance(item, LetterClass):
                    parts = [[*p, class_placeholder(item.name)] for p in parts]
            for arguments in parts:
                self.append(lhs, (tuple(arguments),), tuple(rhs), weight, statement)

    def choices(self, items: tuple[Item, ...], statement: Statement) -> Iterator[tuple[Item, ...]]:
        """Every sequence of single items that the items can stand for."""
        options = [self.options(item, statement) for item in items]
        for combination in product(*options):
            yield tuple(item for sequence in combination for item in sequence)

    def options(self, item: Item, statement: Statement) -> list[tuple[Item, ...]]:
        if item.repetition in ("+", "*"):
            repeated: tuple[Item, ...] = (Use(self.repeat(item, statement)),)
            return [(), repeated] if item.repetition == "*" else [repeated]
        if isinstance(item, Group):
            choices = (choice for items in item.alternatives for choice in self.choices(items, statement))
            inside = list(islice(choices, _MOST_RULES + 1))
            if len(inside) > _MOST_RULES:
                raise _Invalid("too-many", f"brackets stand for more than {_MOST_RULES} right sides")
            return [(), *inside] if item.repetition == "?" else inside
        return [(), (item,)] if item.repetition == "?" else [(item,)]

    def repeat(self, item: Item, statement: Statement) -> str:
        """The hidden symbol for one or more of an item, with its two rules."""
        name = "_" + str(item).removesuffix(item.repetition) + "+"
        if name not in self.repeated:
            self.repeated.add(name)
            single = item.alternatives if isinstance(item, Group) else ((replace(item, repetition=""),),)
            for items in single:
                self.add_plain(name, (Use(name), *items), 1.0, statement)
                self.add_plain(name, items, 1.0, statement)
        return name

    # Rules with variables: the left side gives the order.

    def add_with_variables(self, left: Left, alternative: Alternative, statement: Statement) -> None:
        for item in alternative.items:
            if not isinstance(item, Use):
                raise _Invalid(
                    "given-on-right",
                    f"{item} stands on the right of a rule with variables; write it in place, on the left side",
                )
            if item.repetition:
                raise _Invalid(
                    "repetition-with-variables",
                    f"{item}: repetition has no variables to bind; define a symbol for it (Chars -> {item.name}+)",
                )
        uses = tuple(item for item in alternative.items if isinstance(item, Use))
        shared = [use.arguments == "*" for use in uses]
        if all(shared):
            self.add_shared(left, uses, alternative.weight, statement)
            return
        if any(shared):
            raise _Invalid("sharing", "either every symbol on the right shares by (*), or none does")
        if left.arguments is None:
            raise _Invalid(
                "no-left-variables", f"the right side has variables; place them on the left: {left.name}(...)"
            )
        bound, underlying = _right_side(uses)
        arguments = _bind(left.arguments, bound)
        self.append(left.name, arguments, tuple(use.name for use in uses), alternative.weight, statement, underlying)

    def add_shared(self, left: Left, uses: tuple[Use, ...], weight: float, statement: Statement) -> None:
        """Every order-preserving way to share the variables of the left side out among the symbols."""
        for use in uses:
            if use.name not in self.arities:
                raise _Invalid("undefined", f"{use.name} has no rule, so how many variables it takes is unknown")
        counts = [self.arities[use.name] for use in uses]
        if sum(counts) > _MOST_VARIABLES:
            raise _Invalid("sharing", f"{sum(counts)} variables are shared; at most {_MOST_VARIABLES} can be")
        names = [f"v{i}" for i in range(sum(counts))]
        arguments = left.arguments
        if arguments is None:
            arguments = (tuple(names),)
        else:
            names = [part for argument in arguments for part in argument if isinstance(part, str)]
            if len(names) != sum(counts):
                raise _Invalid(
                    "sharing",
                    f"{left.name} has {len(names)} variables, but "
                    f"{' and '.join(f'{use.name} takes {count}' for use, count in zip(uses, counts, strict=True))}",
                )
            if len(set(names)) != len(names):
                raise _Invalid("variable-twice", "a variable stands twice on the left side")
        for owners in shares(counts):
            taken = [0] * len(uses)
            bound: dict[str, Variable] = {}
            for name, child in zip(names, owners, strict=True):
                bound[name] = Variable(child, taken[child])
                taken[child] += 1
            firsts = [owners.index(child) for child in range(len(uses))]
            twins = (i for i in range(1, len(uses)) if uses[i].name == uses[i - 1].name and firsts[i] < firsts[i - 1])
            if next(twins, None) is None:  # of two equal symbols the one that starts earlier comes first
                self.append(left.name, _bind(arguments, bound), tuple(u.name for u in uses), weight, statement)


def shares(counts: list[int]) -> Iterator[tuple[int, ...]]:
    """All sequences that hold child i counts[i] times: who gets each variable. 10 for [3, 2], 70 for [4, 4]."""
    if not any(counts):
        yield ()
    for child, count in enumerate(counts):
        if count:
            rest = [c - (i == child) for i, c in enumerate(counts)]
            for tail in shares(rest):
                yield (child, *tail)


def _placeholders(item: Any) -> list[str]:
    if item.of is not None:
        return list(dict.fromkeys(listed_atoms(item.of)))
    return [any_but(listed_atoms(item.but))]


def _right_side(uses: tuple[Use, ...]) -> tuple[dict[str, Variable], tuple[Underlying, ...]]:
    """What each variable is bound to, and the arguments that the word does not show as they are.

    A variable is the first argument that it alone is; where it stands again, that argument is a copy of it.
    """
    places: list[tuple[int, int, tuple[ArgumentPart, ...]]] = []
    for child, use in enumerate(uses):
        if use.arguments is None or use.arguments == "*":
            raise _Invalid(
                "no-right-variables", f"{use.name} needs its variables in brackets, as the left side has them"
            )
        places += [(child, argument, parts) for argument, parts in enumerate(use.arguments)]
    bound: dict[str, Variable] = {}
    whole: set[tuple[int, int]] = set()
    for child, argument, parts in places:
        if len(parts) == 1 and isinstance(parts[0], str) and parts[0] not in bound:
            bound[parts[0]] = Variable(child, argument)
            whole.add((child, argument))
    for child, _, parts in places:
        for part in parts:
            if isinstance(part, str) and part in bound and bound[part].child != child:
                raise _Invalid("variable-twice", f"the variable {part} stands twice on the right side, in two symbols")
    free = (part for *_, parts in places for part in parts if isinstance(part, str) and part not in bound)
    for number, name in enumerate(dict.fromkeys(free)):
        bound[name] = Variable(FREE, number)
    underlying = [
        Underlying(child, argument, tuple(atom for part in parts for atom in _atoms_or_variable(part, bound)))
        for child, argument, parts in places
        if (child, argument) not in whole
    ]
    return bound, tuple(underlying)


def _atoms_or_variable(part: ArgumentPart, bound: dict[str, Variable]) -> list[Variable | str]:
    return [bound[part]] if isinstance(part, str) else [*_given_atoms(part)]


def _given_atoms(part: Given | LetterClass) -> list[str]:
    return atoms(part.text) if isinstance(part, Given) else [class_placeholder(part.name)]


def _bind(arguments: tuple[tuple[ArgumentPart, ...], ...], bound: dict[str, Variable]) -> _Arguments:
    seen: set[str] = set()
    placed: list[tuple[Variable | str, ...]] = []
    for argument in arguments:
        parts: list[Variable | str] = []
        for part in argument:
            if not isinstance(part, str):
                parts.extend(_given_atoms(part))
                continue
            if part in seen:
                raise _Invalid("variable-twice", f"the variable {part} stands twice on the left side")
            if part not in bound:
                raise _Invalid("variable-never-used", f"the variable {part} stands on the left and never on the right")
            seen.add(part)
            parts.append(bound[part])
        placed.append(tuple(parts))
    for name in bound:
        if name not in seen:
            raise _Invalid("variable-not-left", f"the variable {name} stands on the right and never on the left")
    return tuple(placed)
