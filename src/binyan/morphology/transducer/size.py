"""How large a transducer may become, before it is built."""

from __future__ import annotations

from binyan.grammar.rules import Rule
from binyan.morphology.transducer.kept_state import KeptState
from binyan.morphology.transducer.machine import Plan


def expected_states(state: KeptState, plan: Plan) -> int:
    """An upper estimate of the states that one kept state of a grammar needs: sharing is not counted.

    The letters of the cached trees, and those of the rules; where constituents are laced together, each state of one can meet each
    state of the other.
    """
    grammar = state.compiled.grammar
    sizes: dict[str, int] = {}

    def size(symbol: str, above: frozenset[str]) -> int:
        if symbol in above:
            return 0
        if symbol not in sizes:
            rules = [grammar.rules[i] for i in grammar.rules_of[symbol] if i not in plan.left_out]
            cached = sum(len(derivation) for derivation, _ in state.cached.get(symbol, ()))
            sizes[symbol] = 1 + cached + sum(_of_rule(rule, above | {symbol}) for rule in rules)
        return sizes[symbol]

    def _of_rule(rule: Rule, above: frozenset[str]) -> int:
        if not rule.rhs:
            return 0
        each = [size(symbol, above) for symbol in rule.rhs]
        laced = 1
        for child, number in enumerate(each):
            if rule.rhs_arity(child) > 1:
                laced *= number
        return sum(each) + (laced if laced > 1 else 0)

    return size(grammar.start, frozenset())
