"""A grammar made ready for the core: symbols, atoms and rules as numbers, and the way back to trees with names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from binyan import _core
from binyan.errors import GrammarError, InputError
from binyan.grammar.rules import Grammar, Variable
from binyan.grammar.tree import Leaf, Tree
from binyan.grammar.underlying import surface_texts, underlying_tree
from binyan.grammar.word_edges import MARKS, WordEdges, without_marks

START_A, START_B = 0.5, 1.0
"""Where sampled hyperparameters start."""

_NONE: list[int] = []
_ONE = [1]


@dataclass(frozen=True, slots=True)
class _Form:
    """What building a tree needs of a rule. An element of an argument is (child, its argument), or a terminal."""

    symbol: str
    hidden: bool
    children: int
    arguments: tuple[tuple[tuple[int, int] | str, ...], ...]
    lexical: bool  # one terminal and nothing else, as most nodes of a tree are


class Compiled:
    """A grammar whose terminals are filled in, numbered for the core.

    A derivation is a list of rule numbers (places in `grammar.rules`) in preorder.
    """

    def __init__(self, grammar: Grammar, alphabet: Iterable[str]) -> None:
        self.source = grammar
        self.edges = WordEdges.of(grammar.terminals)
        known = sorted((set(alphabet) | grammar.terminals) - MARKS)
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
        underlying = [
            (
                i,
                u.child,
                u.argument,
                [(p.child, p.argument) if isinstance(p, Variable) else (-1, self._number[p]) for p in u.parts],
            )
            for i, rule in enumerate(self.grammar.rules)
            for u in rule.underlying
        ]
        adapted = [symbol in self.grammar.adapted for symbol in self.grammar.symbols]
        try:
            self.core = _core.CompiledGrammar(len(symbols), len(self.atoms), 0, rules, adapted, underlying)
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

    def encode(self, atoms: Sequence[str]) -> list[int] | None:
        """Atoms as numbers; None if the grammar has no terminal for one of them."""
        numbers = [self._number.get(atom, -1) for atom in atoms]
        return None if -1 in numbers else numbers

    def encode_word(self, atoms: Sequence[str]) -> list[int] | None:
        """The same of a whole word, with the marks for its edges that the grammar derives."""
        return self.encode(self.edges.marked(atoms))

    @cached_property
    def _forms(self) -> list[_Form]:
        return [
            _Form(
                rule.lhs,
                Grammar.hidden(rule.lhs),
                len(rule.rhs),
                tuple(
                    tuple((e.child, e.argument) if isinstance(e, Variable) else e for e in argument)
                    for argument in rule.arguments
                ),
                not rule.rhs and len(rule.arguments) == 1 and len(rule.arguments[0]) == 1,
            )
            for rule in self.grammar.rules
        ]

    def tree(self, derivation: Sequence[int], word: Sequence[str] | None = None) -> Tree:
        """The tree of a derivation of the start symbol, without the symbols that Binyan added.

        The leaves are the atoms of `word`, if given, whatever terminals stand for them.
        """
        word = word if word is None else self.edges.marked(word)
        if any(self.grammar.rules[rule].underlying for rule in derivation):
            whole = underlying_tree([self.grammar.rules[rule] for rule in derivation], word)
            return self.edges.unmarked(whole) if self.edges else whole
        forms = [self._forms[rule] for rule in derivation]
        children, lengths = _children(forms)
        starts: list[list[int]] = [[0] * len(form.arguments) for form in forms]
        own: list[tuple[Leaf, ...]] = [()] * len(forms)
        for i, form in enumerate(forms):
            for at, argument in zip(starts[i], form.arguments, strict=True):
                for element in argument:
                    if isinstance(element, str):
                        own[i] = (*own[i], Leaf(at, element if word is None else word[at]))
                        at += 1
                    else:
                        child = children[i][element[0]]
                        starts[child][element[1]] = at
                        at += lengths[child][element[1]]
        # From the end, so that children come first; a hidden node is no tree but the parts it has.
        parts: list[tuple[Tree | Leaf, ...]] = [()] * len(forms)
        for i in range(len(forms) - 1, -1, -1):
            below: tuple[Tree | Leaf, ...] = own[i]
            for child in reversed(children[i]):
                below = parts[child] + below
            parts[i] = below if forms[i].hidden and i else (Tree(forms[i].symbol, below),)
        (top,) = parts[0]
        assert isinstance(top, Tree)
        return self.edges.unmarked(top) if self.edges else top

    def strings(self, derivation: Sequence[int]) -> tuple[str, ...]:
        """The text of each argument of the symbol that the derivation begins with."""
        waiting: list[tuple[str, ...]] = []
        for r in reversed(derivation):
            rule = self.grammar.rules[r]
            below = [waiting.pop() for _ in rule.rhs]
            waiting.append(surface_texts(rule, below))
        (result,) = waiting
        return tuple(map(without_marks, result)) if self.edges else result


def _children(forms: Sequence[_Form]) -> tuple[list[list[int]], list[list[int]]]:
    """Of each rule of a derivation in preorder: the places of its children, and the lengths of its arguments."""
    children: list[list[int]] = [_NONE] * len(forms)
    lengths: list[list[int]] = [_ONE] * len(forms)
    waiting: list[int] = []
    for i in range(len(forms) - 1, -1, -1):
        form = forms[i]
        if not form.lexical:
            if len(waiting) < form.children:
                raise InputError("a derivation ends too soon")
            below = [waiting.pop() for _ in range(form.children)]
            children[i] = below
            lengths[i] = [
                sum([1 if isinstance(e, str) else lengths[below[e[0]]][e[1]] for e in argument])
                for argument in form.arguments
            ]
        waiting.append(i)
    if waiting != [0]:
        raise InputError("not one whole derivation")
    return children, lengths
