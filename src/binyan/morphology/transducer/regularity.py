"""Can a grammar be written as a transducer? Where a symbol contains itself, it must do so at its beginning or at its end only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from binyan.errors import SettingsError
from binyan.grammar.rules import Grammar, Rule, Variable


@dataclass(frozen=True)
class Recursion:
    """How the symbols of a grammar contain themselves: those that begin with themselves, which a transducer repeats."""

    grammar: Grammar
    repeated: frozenset[str]

    @classmethod
    def of(cls, grammar: Grammar) -> Recursion:
        """Raises SettingsError where a transducer would need a stack, or a rule has letters that the word does not show."""
        hidden = next((rule for rule in grammar.rules if rule.underlying), None)
        if hidden is not None:
            raise SettingsError(
                f"the grammar {grammar.name} cannot be written as a transducer: the rule '{hidden}' (line {hidden.line}) has "
                "letters that the word does not show; export the analyses instead (--format tsv)"
            )
        groups = _mutually_recursive(grammar)
        repeated = frozenset(rule.lhs for rule in grammar.rules if _begins_with_itself(rule))
        for rule in grammar.rules:
            _check_recursion(grammar, rule, groups, repeated)
        return cls(grammar, repeated)

    def begins_with_itself(self, rule: Rule) -> bool:
        """Whether a rule adds something behind its own symbol: A -> A B."""
        return rule.lhs in self.repeated and _begins_with_itself(rule)


def _begins_with_itself(rule: Rule) -> bool:
    first = rule.arguments[0][0]
    return rule.arity == 1 and isinstance(first, Variable) and rule.rhs[first.child] == rule.lhs


def _check_recursion(
    grammar: Grammar, rule: Rule, groups: Mapping[str, frozenset[str]], repeated: frozenset[str]
) -> None:
    group = groups[rule.lhs]
    elements = [e for argument in rule.arguments for e in argument]
    for place, element in enumerate(elements):
        if not isinstance(element, Variable) or rule.rhs[element.child] not in group:
            continue
        at_end = place + 1 == len(elements) and not group & repeated
        at_beginning = place == 0 and rule.rhs[element.child] == rule.lhs and rule.lhs in repeated and len(elements) > 1
        if rule.arity > 1 or rule.rhs_arity(element.child) > 1 or not (at_end or at_beginning):
            raise SettingsError(
                f"the grammar {grammar.name} cannot be written as a transducer: by the rule '{rule}' (line {rule.line}) "
                f"{rule.lhs} contains itself neither always at its beginning nor always at its end; write the repetition "
                "with + or *, or export the analyses instead (--format tsv)"
            )


def _mutually_recursive(grammar: Grammar) -> dict[str, frozenset[str]]:
    """Of each symbol those that contain it and that it contains; itself only if it does."""
    below = {
        symbol: {s for number in grammar.rules_of[symbol] for s in grammar.rules[number].rhs}
        for symbol in grammar.symbols
    }
    reached = {symbol: set(symbols) for symbol, symbols in below.items()}
    changed = True
    while changed:
        changed = False
        for symbols in reached.values():
            more = set().union(*(reached[s] for s in symbols)) - symbols
            if more:
                symbols |= more
                changed = True
    return {a: frozenset(b for b in reached[a] if a in reached[b]) for a in reached}
