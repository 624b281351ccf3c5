"""A grammar made ready for the core: symbols, atoms and rules as numbers, and the way back to trees with names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from binyan import _core
from binyan.errors import GrammarError, InputError
from binyan.grammar.rules import Grammar, Variable
from binyan.grammar.tree import Leaf, Tree

START_A, START_B = 0.5, 1.0
"""Where sampled hyperparameters start."""


@dataclass
class _Node:
    rule: int
    children: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    parts: tuple[Tree | Leaf, ...] = ()


class Compiled:
    """A grammar whose terminals are filled in, numbered for the core.

    A derivation is a list of rule numbers (places in `grammar.rules`) in preorder.
    """

    def __init__(self, grammar: Grammar, atoms: Iterable[str]) -> None:
        self.source = grammar
        known = sorted(set(atoms) | grammar.terminals)
        self.grammar = grammar.with_terminals(known) if grammar.open_terminals else grammar
        self.atoms: tuple[str, ...] = tuple(sorted(self.grammar.terminals | set(known)))
        self._number = {atom: i for i, atom in enumerate(self.atoms)}
        symbols = {symbol: i for i, symbol in enumerate(self.grammar.symbols)}
        rules = [
            (
                symbols[rule.lhs],
                [
                    [(e.child, e.argument) if isinstance(e, Variable) else (-1, self._number[e]) for e in argument]
                    for argument in rule.arguments
                ],
                [symbols[s] for s in rule.rhs],
                rule.weight,
            )
            for rule in self.grammar.rules
        ]
        adapted = [symbol in self.grammar.adapted for symbol in self.grammar.symbols]
        try:
            self.core = _core.CompiledGrammar(len(symbols), len(self.atoms), 0, rules, adapted)
        except InputError as error:
            raise GrammarError(f"{grammar.name}: {self._named(str(error))}") from error

    def _named(self, message: str) -> str:
        """Core messages number rules from 1 and symbols from 0; say which they are."""
        words = message.split()
        for i, word in enumerate(words[:-1]):
            number = words[i + 1].rstrip(":,")
            if word == "rule" and number.isdigit():
                words[i + 1] = (
                    f"'{self.grammar.rules[int(number) - 1]}' (line {self.grammar.rules[int(number) - 1].line}):"
                )
            elif word == "symbol" and number.isdigit():
                words[i + 1] = self.grammar.symbols[int(number)]
        return " ".join(words)

    @cached_property
    def adapted_symbols(self) -> tuple[str, ...]:
        """The adapted symbols in the order of the core."""
        return tuple(s for s in self.grammar.symbols if s in self.grammar.adapted)

    def adaptors(self) -> list[tuple[float, float, bool, bool]]:
        """First a and b of each adapted symbol, and which of them are sampled."""
        settings = [self.grammar.adapted[s] for s in self.adapted_symbols]
        return [
            (START_A if p.a is None else p.a, START_B if p.b is None else p.b, p.a is None, p.b is None)
            for p in settings
        ]

    def encode(self, word: Sequence[str]) -> list[int] | None:
        """The atoms of a word as numbers; None if the grammar has no terminal for one of them."""
        numbers = [self._number.get(atom, -1) for atom in word]
        return None if -1 in numbers else numbers

    def tree(self, derivation: Sequence[int], word: Sequence[str] | None = None) -> Tree:
        """The tree of a derivation of the start symbol, without the symbols that Binyan added. The leaves are the atoms of
        `word`, if given, whatever terminals stand for them."""
        nodes = self._nodes(derivation)
        nodes[0].starts = [sum(nodes[0].lengths[:i]) for i in range(len(nodes[0].lengths))]
        for node in nodes:
            self._place(node, nodes, word)
        # From the end, so that children come first; a hidden node is no tree but the parts it has.
        for node in reversed(nodes):
            symbol = self.grammar.rules[node.rule].lhs
            parts = (*(part for c in node.children for part in nodes[c].parts), *node.leaves)
            left_out = Grammar.hidden(symbol) and node is not nodes[0]
            node.parts = parts if left_out else (Tree(symbol, parts),)
        (top,) = nodes[0].parts
        assert isinstance(top, Tree)
        return top

    def strings(self, derivation: Sequence[int]) -> tuple[str, ...]:
        """The text of each argument of the symbol that the derivation begins with."""
        open_yields: list[tuple[str, ...]] = []
        for r in reversed(derivation):
            rule = self.grammar.rules[r]
            below = [open_yields.pop() for _ in rule.rhs]
            open_yields.append(
                tuple(
                    "".join(below[e.child][e.argument] if isinstance(e, Variable) else e for e in argument)
                    for argument in rule.arguments
                )
            )
        (result,) = open_yields
        return result

    def _nodes(self, derivation: Sequence[int]) -> list[_Node]:
        nodes = [_Node(rule) for rule in derivation]
        open_nodes: list[int] = []
        for i in reversed(range(len(nodes))):
            rule = self.grammar.rules[nodes[i].rule]
            for _ in rule.rhs:
                if not open_nodes:
                    raise InputError("a derivation ends too soon")
                nodes[i].children.append(open_nodes.pop())
            nodes[i].lengths = [
                sum(nodes[nodes[i].children[e.child]].lengths[e.argument] if isinstance(e, Variable) else 1 for e in a)
                for a in rule.arguments
            ]
            open_nodes.append(i)
        if open_nodes != [0]:
            raise InputError("not one whole derivation")
        return nodes

    def _place(self, node: _Node, nodes: list[_Node], word: Sequence[str] | None) -> None:
        """Positions of the leaves of a node and the first positions of its children's arguments."""
        for start, argument in zip(node.starts, self.grammar.rules[node.rule].arguments, strict=True):
            for e in argument:
                if isinstance(e, Variable):
                    child = nodes[node.children[e.child]]
                    child.starts = child.starts or [0] * len(child.lengths)
                    child.starts[e.argument] = start
                    start += child.lengths[e.argument]
                else:
                    node.leaves.append(Leaf(start, e if word is None else word[start]))
                    start += 1
