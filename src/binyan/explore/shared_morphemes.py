"""Morphemes that words share: roots, templates, affixes and whatever else a grammar makes constituents of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from binyan.grammar.roles import WITHIN_STEMS
from binyan.grammar.rules import Grammar
from binyan.grammar.tree import Leaf, Tree
from binyan.grammar.tree_segments import SLOT, templates

GAP = "…"  # between the pieces of a morpheme
_NAMES = {"reduplicant": "reduplication"}


class Morpheme(NamedTuple):
    """Something that words can share: its kind ("root", "template", "prefix", or a symbol of the grammar) and its letters."""

    kind: str
    text: str


def morphemes(tree: Tree, grammar: Grammar, symbols: Collection[str]) -> list[Morpheme]:
    """The morphemes of an analysis, each once: its root and its template, and the constituents with one of `symbols`.

    >>> from binyan.grammar.tree import parse_tree
    >>> tree = parse_tree("(Word (Pre 0=m 1=a) (Stem (R3 2=k 3=t 6=b) (T2 4=u 5=u)))")
    >>> [f"{kind} {text}" for kind, text in morphemes(tree, Grammar.load("tpl"), {"Pre"})]
    ['prefix ma', 'root k…t…b', 'template ––uu–']
    """
    roots = grammar.with_role("root")
    template_of = {id(root): template for root, template in templates(tree, grammar)}
    distinct: dict[Morpheme, None] = {}
    for node in tree.subtrees():
        if node.symbol in symbols and node is not tree and node.symbol not in roots:
            role = grammar.role(node.symbol) if node.symbol in grammar.segment_labels else None
            kind = node.symbol if role in (None, *WITHIN_STEMS) else _NAMES.get(str(role), str(role))
            distinct[Morpheme(kind, GAP.join(_pieces(node.leaves())))] = None
        for root in node.children:
            if isinstance(root, Tree) and id(root) in template_of:
                distinct[Morpheme("root", GAP.join(leaf.atom for leaf in root.leaves()))] = None
                if template_of[id(root)].strip(SLOT):
                    distinct[Morpheme("template", template_of[id(root)])] = None
    return list(distinct)


class MorphemeIndex:
    """The words that have a morpheme, in the order they were given."""

    def __init__(self, analyses: Iterable[tuple[str, Tree]], grammar: Grammar, symbols: Collection[str]) -> None:
        self.grammar, self.symbols = grammar, frozenset(symbols)
        self.words: dict[Morpheme, list[str]] = defaultdict(list)
        for word, tree in analyses:
            for morpheme in morphemes(tree, self.grammar, self.symbols):
                self.words[morpheme].append(word)

    def sharing(self, word: str, tree: Tree, most: int) -> list[tuple[Morpheme, list[str], int]]:
        """For each morpheme of an analysis that other words have: up to `most` of these words, and how many there are."""
        shared = []
        for morpheme in morphemes(tree, self.grammar, self.symbols):
            others = [w for w in self.words.get(morpheme, ()) if w != word]
            if others:
                shared.append((morpheme, others[:most], len(others)))
        return shared


def _pieces(leaves: list[Leaf]) -> list[str]:
    pieces: list[str] = []
    after = -1
    for leaf in leaves:
        if leaf.position == after:
            pieces[-1] += leaf.atom
        else:
            pieces.append(leaf.atom)
        after = leaf.position + 1
    return pieces
