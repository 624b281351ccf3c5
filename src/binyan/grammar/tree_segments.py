"""What an analysis says: the parts of the word, its root and its template (thesis, sections 5.8.3 and 5.8.4)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Literal

from binyan.errors import SettingsError
from binyan.grammar.roles import WITHIN_STEMS
from binyan.grammar.rules import Grammar
from binyan.grammar.tree import Leaf, Tree
from binyan.segmentation import Part, Segmentation
from binyan.text.atoms import atoms

Method = Literal["A", "B"]
METHODS: tuple[Method, ...] = ("A", "B")

SLOT = "–"
"""In a template, the place of a radical; a neutral character, so that it follows the direction of the word."""


def owners(tree: Tree, symbols: Collection[str]) -> list[tuple[Tree, list[Leaf]]]:
    """The topmost constituents with one of `symbols`, each with the leaves it owns, in order.

    Atoms below none of them belong to the symbol right above them.
    """
    owned: dict[int, tuple[Tree, list[Leaf]]] = {}

    waiting: list[tuple[Tree | Leaf, Tree, bool]] = [
        (tree, tree, False)
    ]  # with its owner, and whether that is a symbol's
    while waiting:
        node, owner, found = waiting.pop()
        if isinstance(node, Leaf):
            if node.shown:
                owned.setdefault(id(owner), (owner, []))[1].append(node)
            continue
        if not found:
            owner, found = node, node.symbol in symbols
        waiting.extend((child, owner, found) for child in reversed(node.children))
    for _, leaves in owned.values():
        leaves.sort(key=lambda leaf: leaf.position)
    return list(owned.values())


def segmentation(
    tree: Tree, labels: Mapping[str, str], word: str | None = None, probability: float | None = None
) -> Segmentation:
    """The constituents whose symbols have labels as parts of the word, see `Grammar.segment_labels`.

    What none of them covers is labelled by the symbol above it. Parts have positions where one of them has gaps.
    """
    places_of = _character_places(tree)
    rows = sorted(
        (
            tuple(place for leaf in leaves for place in places_of[leaf.position]),
            "".join(leaf.atom for leaf in leaves),
            labels.get(node.symbol, node.symbol),
        )
        for node, leaves in owners(tree, labels)
    )
    contiguous = all(places[-1] - places[0] == len(places) - 1 for places, _, _ in rows)
    parts = tuple(Part(text, label, positions=None if contiguous else places) for places, text, label in rows)
    return Segmentation(tree.word() if word is None else word, parts, probability)


def _character_places(tree: Tree) -> dict[int, range]:
    """The characters that each leaf takes: one, unless several are one letter (a digraph)."""
    places: dict[int, range] = {}
    start = 0
    for leaf in tree.leaves():
        end = start + (1 if len(leaf.atom) == 1 else len(atoms(leaf.atom)))
        places[leaf.position] = range(start, end)
        start = end
    return places


def roots(tree: Tree, grammar: Grammar, length: int | None = None, method: Method = "A") -> list[str]:
    """Root candidates, of `length` radicals or of any number.

    Method A takes the constituents that are roots by their role; method B also templates, since the two may have swapped their
    parts (thesis, section 5.8.4.1). A root inside a root is none.
    """
    candidates = root_constituents(tree, grammar, method)
    return list(dict.fromkeys(node.underlying() for node in candidates if length in (None, radicals(node, grammar))))


def root_constituents(tree: Tree, grammar: Grammar, method: Method = "A") -> list[Tree]:
    """The constituents that are root candidates by extraction method A or B, see `roots`."""
    if method not in METHODS:
        raise SettingsError(f"the root extraction method is A or B, not {method!r}")
    candidates = list(_topmost(tree, grammar, "root"))
    return [*candidates, *_topmost(tree, grammar, "template")] if method == "B" else candidates


def radicals(constituent: Tree, grammar: Grammar) -> int:
    """How many radicals a root has: one per argument of its symbol; if it has no gaps, one per character."""
    arity = grammar.arity(constituent.symbol)
    return arity if arity > 1 else len(constituent.underlying_leaves())


def template(tree: Tree, grammar: Grammar, slot: str = SLOT) -> str | None:
    """The template of the first stem that has a root: its characters, with `slot` in the places of radicals. None without a root.

    >>> from binyan.grammar.tree import parse_tree
    >>> tree = parse_tree("(Word (Pre 0=w) (Stem (R3 1=k 3=t 5=b) (T2 2=i 4=A)))")
    >>> template(tree, Grammar.load("tpl"))
    '–i–A–'
    """
    return next((text for _, text in templates(tree, grammar, slot)), None)


def templates(tree: Tree, grammar: Grammar, slot: str = SLOT) -> Iterator[tuple[Tree, str]]:
    """Every root of an analysis with the template of what it is laced into."""
    root_symbols = grammar.with_role("root")
    for node in tree.subtrees():
        if node.symbol in root_symbols:
            continue
        for child in node.children:
            if isinstance(child, Tree) and child.symbol in root_symbols:
                places = set(child.positions())
                yield child, "".join(slot if leaf.position in places else leaf.atom for leaf in node.leaves())


def _topmost(tree: Tree, grammar: Grammar, role: str) -> Iterator[Tree]:
    """The constituents with a role that are not inside another one with it."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if grammar.role(node.symbol) == role:
            yield node
        else:
            waiting.extend(child for child in reversed(node.children) if isinstance(child, Tree))


def character_classes(grammar: Grammar) -> frozenset[str]:
    """Symbols that only ever stand for one character (Char, R1) and are no morphemes: pictures can do without them."""
    morphemes = {symbol for symbol, role in grammar.roles.items() if role not in WITHIN_STEMS}
    classes = {rule.lhs for rule in grammar.rules} - set(grammar.adapted) - morphemes - {grammar.start}
    changed = True
    while changed:
        wrong = {
            rule.lhs
            for rule in grammar.rules
            if rule.lhs in classes
            and not (
                rule.arity == 1
                and not rule.underlying
                and len(rule.arguments[0]) == 1
                and (isinstance(rule.arguments[0][0], str) or rule.rhs[0] in classes)
            )
        }
        classes -= wrong
        changed = bool(wrong)
    return frozenset(classes)


def simplified(tree: Tree, grammar: Grammar) -> Tree:
    """The tree without hidden symbols and character classes, for pictures."""
    classes = character_classes(grammar)
    return tree.collapse(lambda symbol: grammar.hidden(symbol) or symbol in classes)
