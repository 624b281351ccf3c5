"""The rules that a transducer leaves out, so that it stays small: what they derive is then only found in the caches."""

from __future__ import annotations

from binyan.grammar.roles import WITHIN_STEMS
from binyan.grammar.rules import Grammar, Rule, Variable
from binyan.morphology.transducer.settings import TransducerSettings


def left_out_rules(grammar: Grammar, settings: TransducerSettings) -> frozenset[int]:
    """The numbers of the rules that the settings leave out."""
    numbers: set[int] = set()
    if settings.stems == "seen":
        numbers |= laced_stems(grammar)
    elif settings.stems == "combined":
        numbers |= {
            i
            for i, rule in enumerate(grammar.rules)
            if rule.lhs in grammar.adapted and grammar.role(rule.lhs) in WITHIN_STEMS
        }
    if settings.new != "all":
        spelling = _spelling_rules(grammar)
        stems = grammar.with_role("stem")
        numbers |= {i for i in spelling if settings.new == "none" or grammar.rules[i].lhs not in stems}
    return frozenset(numbers)


def laced_stems(grammar: Grammar) -> frozenset[int]:
    """The rules of adapted symbols without gaps that lace constituents with gaps together."""
    return frozenset(i for i, rule in enumerate(grammar.rules) if rule.lhs in grammar.adapted and _laces(rule))


def _laces(rule: Rule) -> bool:
    return rule.arity == 1 and any(isinstance(e, Variable) and e.argument > 0 for e in rule.arguments[0])


def _spelling_rules(grammar: Grammar) -> set[int]:
    """The rules of adapted symbols below which nothing is adapted: they spell new morphemes letter by letter."""
    containing = set(grammar.adapted)
    changed = True
    while changed:
        more = {rule.lhs for rule in grammar.rules if containing & set(rule.rhs)} - containing
        containing |= more
        changed = bool(more)
    return {i for i, rule in enumerate(grammar.rules) if rule.lhs in grammar.adapted and not containing & set(rule.rhs)}
