"""What is left of a rule at each of its elements. Rules that have the same left are at the same place: they share states."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from binyan.grammar.rules import Grammar, Variable


@dataclass(frozen=True)
class Place:
    """A place in a rule, and its children that have a part behind it, in order."""

    rule: int
    argument: int
    element: int
    children: tuple[int, ...]


class RuleForms:
    """Numbers for what is left of rules; the same number for the same elements."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.places: list[Place] = []
        self._numbers: dict[Any, int] = {}
        self._lookup = lru_cache(maxsize=None)(self._form)

    def form(self, rule: int, argument: int, element: int) -> tuple[int, tuple[int, ...]] | None:
        """The number of what is left there, and the children that have a part in it; None where nothing is left."""
        return self._lookup(rule, argument, element)

    def _form(self, number: int, argument: int, element: int) -> tuple[int, tuple[int, ...]] | None:
        rule = self.grammar.rules[number]
        left = (rule.arguments[argument][element:], *rule.arguments[argument + 1 :])
        if len(left) == 1 and not left[0]:
            return None
        slots: dict[int, int] = {}
        key = tuple(
            tuple(
                (slots.setdefault(e.child, len(slots)), rule.rhs[e.child]) if isinstance(e, Variable) else e
                for e in argument_left
            )
            for argument_left in left
        )
        children = tuple(slots)
        form = self._numbers.setdefault(key, len(self.places))
        if form == len(self.places):
            self.places.append(Place(number, argument, element, children))
        return form, children

    def below(self, place: Place, runs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The runs of all children of the rule at a place, None where a child has none."""
        below: list[Any] = [None] * len(self.grammar.rules[place.rule].rhs)
        for child, run in zip(place.children, runs, strict=True):
            below[child] = run
        return tuple(below)
