"""What words have in common: roots, templates, affixes and whatever else a grammar makes constituents of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from binyan.grammar.tree_segments import LABELS
from binyan.grammar.tree import Leaf, Tree

GAP = "…"  # between the pieces of a morpheme
SLOT = (
    "–"  # in a template, the place of a root letter; a neutral character, so that it follows the direction of the word
)
_NAMES = {
    "pre": "prefix",
    "suf": "suffix",
    "stem": "stem",
    "inf": "infix",
    "redup": "reduplication",
    "circ": "circumfix",
}


class Feature(NamedTuple):
    """Something that words can share: its kind ("root", "template", "prefix", or a symbol of the grammar) and its letters."""

    kind: str
    text: str


def features(tree: Tree, symbols: Collection[str]) -> list[Feature]:
    """The features of an analysis, each once: its root and its template, and the constituents with one of `symbols`.

    >>> from binyan.grammar.tree import parse_tree
    >>> tree = parse_tree("(Word (Pre 0=m 1=a) (Stem (R3 2=k 3=t 6=b) (T2 4=u 5=u)))")
    >>> [f"{kind} {text}" for kind, text in features(tree, {"Pre"})]
    ['prefix ma', 'root k…t…b', 'template ––uu–']
    """
    found: dict[Feature, None] = {}
    for node in tree.subtrees():
        roots = [child for child in node.children if isinstance(child, Tree) and _is_root(child.symbol)]
        named = node.symbol in symbols and node is not tree and not _is_root(node.symbol)
        if not named and not roots:
            continue
        leaves = node.leaves()
        if named:
            label = LABELS.get(node.symbol, node.symbol)
            found[Feature(_NAMES.get(label, label), GAP.join(_pieces(leaves)))] = None
        for root in roots if not _is_root(node.symbol) else ():
            radicals = set(root.positions())
            found[Feature("root", GAP.join(leaf.atom for leaf in leaves if leaf.position in radicals))] = None
            template = "".join(SLOT if leaf.position in radicals else leaf.atom for leaf in leaves)
            if template.strip(SLOT):
                found[Feature("template", template)] = None
    return list(found)


class Index:
    """The words that have a feature, in the order they were given."""

    def __init__(self, analyses: Iterable[tuple[str, Tree]], symbols: Collection[str]) -> None:
        self.symbols = frozenset(symbols)
        self.words: dict[Feature, list[str]] = defaultdict(list)
        for word, tree in analyses:
            for feature in features(tree, self.symbols):
                self.words[feature].append(word)

    def related(self, word: str, tree: Tree, most: int) -> list[tuple[Feature, list[str], int]]:
        """Of each feature of an analysis that other words have: some of these words, and how many there are."""
        found = []
        for feature in features(tree, self.symbols):
            others = [w for w in self.words.get(feature, ()) if w != word]
            if others:
                found.append((feature, others[:most], len(others)))
        return found


def _is_root(symbol: str) -> bool:
    return symbol[:1] == "R" and symbol[1:].isdigit() and symbol != "R1"


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
