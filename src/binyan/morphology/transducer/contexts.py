"""Which tags the letters below a symbol get, and the symbols of a cached tree in the order of the word."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from binyan.grammar.compiled import Compiled
from binyan.grammar.roles import WITHIN_STEMS
from binyan.grammar.rules import Grammar, Rule, Variable
from binyan.morphology.transducer.tape import RADICAL, closing, continuing

Event = tuple[str, str]
"""What happens next: ("letter", a), ("tag", t), ("gap", t) at the end of an argument that is not the last, ("end", "")."""

LETTER, TAG, GAP, END = "letter", "tag", "gap", "end"

Context = str
"""How letters are tagged: OWNED (by the part around them), WHOLE (the same, and that part is itself a root or template), RADICALS,
or the name of the symbol that labels them."""

OWNED, WHOLE, RADICALS = "\0owned", "\0whole", "\0radicals"


class Contexts:
    """The context of each symbol below another one."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.labels = grammar.segment_labels
        self._below = lru_cache(maxsize=None)(self._enter)

    def below(self, context: Context, symbol: str) -> tuple[Context, str | None]:
        """The context of the letters below a symbol, and the label of the part that the symbol is, if it is one."""
        return self._below(context, symbol)

    def _enter(self, context: Context, symbol: str) -> tuple[Context, str | None]:
        role = self.grammar.role(symbol)
        if context in (OWNED, WHOLE, RADICALS):
            return (RADICALS if context == OWNED and role == "root" else context), None
        if symbol in self.labels:
            return (WHOLE if role in WITHIN_STEMS else OWNED), self.labels[symbol]
        return (context if Grammar.hidden(symbol) else symbol), None


def letter_tag(context: Context, rule: Rule, argument: int, place: int) -> str | None:
    """The tag behind a terminal of a rule; letters that stand together below one symbol have one tag."""
    if context in (OWNED, WHOLE):
        return None
    if context == RADICALS:
        return RADICAL
    elements = rule.arguments[argument]
    is_last = place + 1 == len(elements) or isinstance(elements[place + 1], Variable)
    return closing(context) if is_last else None


def tree_events(compiled: Compiled, contexts: Contexts, derivation: Sequence[int], context: Context) -> list[Event]:
    """The letters, tags and gaps of a cached tree, in the order of the word; `context` is that of the symbol's parent."""
    rules = [compiled.grammar.rules[number] for number in derivation]
    children = _children(rules)
    below: list[tuple[Context, str | None]] = [contexts.below(context, rules[0].lhs)] * len(rules)
    for i, rule in enumerate(rules):
        for child, symbol in zip(children[i], rule.rhs, strict=True):
            below[child] = contexts.below(below[i][0], symbol)
    texts: list[list[list[Event]]] = [[] for _ in rules]
    for i in range(len(rules) - 1, -1, -1):
        own, label = below[i]
        texts[i] = _arguments(rules[i], own, [texts[child] for child in children[i]])
        if label is not None:
            for argument in texts[i][:-1]:
                argument.append((GAP, continuing(label)))
            texts[i][-1].append((TAG, closing(label)))
    events: list[Event] = []
    for number, argument in enumerate(texts[0]):
        events += argument
        if number + 1 < len(texts[0]) and (not argument or argument[-1][0] != GAP):
            events.append((GAP, ""))
    return events


def _children(rules: Sequence[Rule]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in rules]
    waiting: list[int] = []
    for i in range(len(rules) - 1, -1, -1):
        children[i] = [waiting.pop() for _ in rules[i].rhs]
        waiting.append(i)
    return children


def _arguments(rule: Rule, context: Context, below: list[list[list[Event]]]) -> list[list[Event]]:
    """The events of each argument; the gap at its end, if any, is that of a part below that goes on."""
    result = []
    for number, argument in enumerate(rule.arguments):
        events: list[Event] = []
        for place, element in enumerate(argument):
            if isinstance(element, str):
                events.append((LETTER, element))
                if (tag := letter_tag(context, rule, number, place)) is not None:
                    events.append((TAG, tag))
                continue
            events += below[element.child][element.argument]
            if events[-1][0] == GAP and place + 1 < len(argument):
                tag = events.pop()[1]
                if tag and argument[place + 1] != Variable(element.child, element.argument + 1):
                    events.append((TAG, tag))
        result.append(events)
    return result
