"""Trees and texts of derivations whose rules have letters that the word does not show (see `binyan.grammar.rules.Underlying`)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from binyan.errors import InputError
from binyan.grammar.rules import FREE, Grammar, Rule, Underlying, Variable
from binyan.grammar.tree import Leaf, Tree


class _Slot(NamedTuple):
    """Where an atom stands: at a position of the word, or unseen right after it."""

    position: int
    shown: bool


def surface_texts(rule: Rule, below: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The text of each argument of the left-hand symbol, given those of each right-hand symbol."""

    def text(part: Variable | str) -> str:
        if isinstance(part, str):
            return part
        if part.child != FREE:
            return below[part.child][part.argument]
        home = _home(rule, part)
        place = home.parts.index(part)
        before, after = (len("".join(map(str, parts))) for parts in (home.parts[:place], home.parts[place + 1 :]))
        whole = below[home.child][home.argument]
        return whole[before : len(whole) - after]

    return tuple("".join(map(text, argument)) for argument in rule.arguments)


def underlying_tree(rules: Sequence[Rule], word: Sequence[str] | None) -> Tree:
    """The tree of a derivation, its rules in preorder; letters that the word does not show are leaves that are not `shown`."""
    children = _children(rules)
    lengths = _lengths(rules, children)
    slots: list[list[list[_Slot]]] = [[] for _ in rules]
    slots[0] = [[_Slot(i, True) for i in range(lengths[0][0])]]
    own: list[tuple[Leaf, ...]] = [()] * len(rules)
    for i, rule in enumerate(rules):
        bound: dict[Variable, list[_Slot]] = {}
        for places, argument in zip(slots[i], rule.arguments, strict=True):
            at = 0
            for part in argument:
                if isinstance(part, str):
                    own[i] = (*own[i], _leaf(places[at], part, word))
                    at += 1
                else:
                    size = _length(rule, part, [lengths[child] for child in children[i]])
                    bound[part] = places[at : at + size]
                    at += size
        for child, of_child in zip(children[i], _slots_of_children(rule, bound), strict=True):
            slots[child] = of_child
    return _assembled(rules, children, own)


def _children(rules: Sequence[Rule]) -> list[list[int]]:
    """Of each rule of a derivation in preorder, the places of its children."""
    children: list[list[int]] = [[] for _ in rules]
    waiting: list[int] = []
    for i in range(len(rules) - 1, -1, -1):
        if len(waiting) < len(rules[i].rhs):
            raise InputError("a derivation ends too soon")
        children[i] = [waiting.pop() for _ in rules[i].rhs]
        waiting.append(i)
    if waiting != [0]:
        raise InputError("not one whole derivation")
    return children


def _lengths(rules: Sequence[Rule], children: list[list[int]]) -> list[list[int]]:
    """Of each rule, how many atoms each argument of its left-hand symbol has."""
    lengths: list[list[int]] = [[] for _ in rules]
    for i in range(len(rules) - 1, -1, -1):
        below = [lengths[child] for child in children[i]]
        lengths[i] = [sum(_length(rules[i], part, below) for part in argument) for argument in rules[i].arguments]
    return lengths


def _length(rule: Rule, part: Variable | str, below: list[list[int]]) -> int:
    if isinstance(part, str):
        return 1
    if part.child != FREE:
        return below[part.child][part.argument]
    home = _home(rule, part)
    return below[home.child][home.argument] - (len(home.parts) - 1)


def _home(rule: Rule, variable: Variable) -> Underlying:
    """The first underlying argument that has a variable."""
    return next(u for u in rule.underlying if variable in u.parts)


def _slots_of_children(rule: Rule, bound: dict[Variable, list[_Slot]]) -> list[list[list[_Slot]]]:
    """Where the atoms of each argument of each child stand. A variable that stands again is not shown again."""
    start = min(slot.position for slots in bound.values() for slot in slots) if bound else 0
    arguments: list[list[list[_Slot | None]]] = [
        [[*bound.get(Variable(child, a), [])] for a in range(rule.rhs_arity(child))] for child in range(len(rule.rhs))
    ]
    shown = {variable for variable in bound if variable.child != FREE}
    for child, argument, parts in rule.underlying:
        for part in parts:
            if isinstance(part, str):
                arguments[child][argument].append(None)
            elif part in shown:
                arguments[child][argument] += [_Slot(slot.position, False) for slot in bound[part]]
            else:
                arguments[child][argument] += bound[part]
                shown.add(part)
    return [_anchored(of_child, start) for of_child in arguments]


def _anchored(arguments: list[list[_Slot | None]], start: int) -> list[list[_Slot]]:
    """Give each letter that is not in the word a place: after what is before it, else before what is after it."""
    flat = [slot for argument in arguments for slot in argument]
    known = next((slot.position - slot.shown for slot in flat if slot is not None), start - 1)
    filled: list[_Slot] = []
    for slot in flat:
        filled.append(_Slot(known, False) if slot is None else slot)
        known = filled[-1].position
    ends = [0]
    for argument in arguments:
        ends.append(ends[-1] + len(argument))
    return [filled[begin:end] for begin, end in pairwise(ends)]


def _leaf(slot: _Slot, atom: str, word: Sequence[str] | None) -> Leaf:
    return Leaf(slot.position, word[slot.position] if slot.shown and word is not None else atom, slot.shown)


def _assembled(rules: Sequence[Rule], children: list[list[int]], own: list[tuple[Leaf, ...]]) -> Tree:
    """From the end, so that children come first; a hidden node is no tree but the parts it has."""
    parts: list[tuple[Tree | Leaf, ...]] = [()] * len(rules)
    for i in range(len(rules) - 1, -1, -1):
        below = (*(part for child in children[i] for part in parts[child]), *own[i])
        parts[i] = below if Grammar.hidden(rules[i].lhs) and i else (Tree(rules[i].lhs, below),)
    (top,) = parts[0]
    assert isinstance(top, Tree)
    return top
