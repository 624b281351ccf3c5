"""Search for derivations that differ and yet show the same analysis.

Such duplicates split the probability of one analysis among several, and a user cannot see why. Whether a grammar has any is
undecidable in general, so short pieces are derived exhaustively: what goes wrong in a grammar goes wrong in few characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from binyan.grammar.rules import Grammar, Variable

_LONGEST = 7
_MOST = 4_000
_MOST_NODES = 3_000_000

# A piece: how many atoms each argument has, and the visible nodes over them, each a symbol with the places
# (argument, offset, atom) of its atoms.
_Place = tuple[int, int, str]
_Node = tuple[str, tuple[_Place, ...]]
_Piece = tuple[tuple[int, ...], tuple[_Place, ...], tuple[_Node, ...]]


@dataclass(frozen=True)
class Duplicate:
    """Two rules of a symbol (possibly the same one) that derive the same analysis of a piece."""

    symbol: str
    length: int
    first: int
    second: int


def duplicate_derivations(grammar: Grammar) -> list[Duplicate]:
    """One duplicate for each pair of rules that has any, among pieces of up to seven characters.

    The grammar must be free of errors. Rules with letters that the word does not show are left out.
    """
    search = _AmbiguitySearch(grammar)
    order = search.derived_first()
    for length in range(1, _LONGEST + 1):
        for symbol in order:
            search.derive(symbol, length)
            if search.nodes > _MOST_NODES:
                return list(search.duplicates.values())
        if search.exhausted:
            break
    return list(search.duplicates.values())


class _AmbiguitySearch:
    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.table: dict[tuple[str, int], dict[_Piece, int]] = {}
        self.duplicates: dict[tuple[int, int], Duplicate] = {}
        self.exhausted = False
        self.nodes = 0
        self.rules = {symbol: list(self.representatives(symbol)) for symbol in grammar.symbols}

    def representatives(self, symbol: str) -> Iterator[int]:
        """The rules of a symbol; of those for single characters one, since they never derive the same piece."""
        single = False
        for i in self.grammar.rules_of[symbol]:
            rule = self.grammar.rules[i]
            if rule.underlying:
                continue
            if not rule.rhs and all(len(argument) == 1 for argument in rule.arguments) and rule.arity == 1:
                if single:
                    continue
                single = True
            yield i

    def derived_first(self) -> list[str]:
        """The symbols, each after those that a rule makes it of alone: pieces of these have the same length as its own."""
        alone = {
            symbol: [rule.rhs[0] for i in indices if len((rule := self.grammar.rules[i]).rhs) == 1]
            for symbol, indices in self.rules.items()
        }
        order: dict[str, None] = {}
        entered: set[str] = set()
        waiting = [(symbol, False) for symbol in reversed(self.grammar.symbols)]
        while waiting:
            symbol, expanded = waiting.pop()
            if expanded:
                order.setdefault(symbol)
            elif symbol not in entered:
                entered.add(symbol)
                waiting.append((symbol, True))
                waiting.extend((below, False) for below in reversed(alone[symbol]))
        return list(order)

    def derive(self, symbol: str, length: int) -> dict[_Piece, int]:
        """Every piece of a symbol with `length` atoms, each with the first rule that derives it."""
        known = self.table.get((symbol, length))
        if known is not None:
            return known
        pieces: dict[_Piece, int] = {}
        for i in self.rules[symbol]:
            for piece in self.apply(i, length):
                if piece in pieces:
                    first = pieces[piece]
                    self.duplicates.setdefault((first, i), Duplicate(symbol, length, first, i))
                elif len(pieces) == _MOST:
                    self.exhausted = True
                    break
                else:
                    pieces[piece] = i
        self.table[symbol, length] = pieces
        return pieces

    def apply(self, index: int, length: int) -> Iterator[_Piece]:
        rule = self.grammar.rules[index]
        given = sum(isinstance(part, str) for argument in rule.arguments for part in argument)
        least = [rule.rhs_arity(child) for child in range(len(rule.rhs))]
        for sizes in _splits(length - given, least):
            for children in product(*(tuple(self.derive(s, n)) for s, n in zip(rule.rhs, sizes, strict=True))):
                yield self.compose(index, children)

    def compose(self, index: int, children: tuple[_Piece, ...]) -> _Piece:
        rule = self.grammar.rules[index]
        bases: dict[Variable, tuple[int, int]] = {}
        lengths: list[int] = []
        places: list[_Place] = []
        for a, argument in enumerate(rule.arguments):
            offset = 0
            for part in argument:
                if isinstance(part, Variable):
                    bases[part] = (a, offset)
                    offset += children[part.child][0][part.argument]
                else:
                    places.append((a, offset, part))
                    offset += 1
            lengths.append(offset)
        nodes: list[_Node] = []
        for c, (_, leaves, below) in enumerate(children):
            move = {v.argument: base for v, base in bases.items() if v.child == c}

            def moved(place: _Place, move: dict[int, tuple[int, int]] = move) -> _Place:
                argument, base = move[place[0]]
                return argument, base + place[1], place[2]

            places.extend(moved(leaf) for leaf in leaves)
            nodes.extend((symbol, tuple(sorted(moved(p) for p in covered))) for symbol, covered in below)
        own = tuple(sorted(places))
        if not self.grammar.hidden(rule.lhs):
            nodes.append((rule.lhs, own))
        self.nodes += len(nodes)
        return tuple(lengths), own, tuple(sorted(nodes))


def _splits(total: int, least: list[int]) -> Iterator[tuple[int, ...]]:
    """All ways to share `total` atoms out among children that need at least `least` each."""
    if not least:
        if total == 0:
            yield ()
        return
    for size in range(least[0], total - sum(least[1:]) + 1):
        for rest in _splits(total - size, least[1:]):
            yield (size, *rest)
