"""What an analysis says of a word's build: its stem and the frame around it, its root and the template it is laced into."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from binyan.grammar.roles import ROLES, WITHIN_STEMS
from binyan.grammar.rules import Grammar
from binyan.grammar.tree import Leaf, Tree
from binyan.grammar.tree_segments import owners
from binyan.morphology.paradigm.frame import Affix, Frame, Slot, merged


@dataclass(frozen=True)
class Reading:
    """A word as a stem in a frame; where it has a root, the stem is the root in a template. Bases are tuples of atoms."""

    stem: tuple[str, ...]
    affixes: Frame
    root: tuple[str, ...] | None = None
    template: Frame | None = None


def read(tree: Tree, grammar: Grammar) -> Reading:
    """The reading of a tree. The stem is the longest part with that role; without one, root and template; else the longest part."""
    parts = sorted(owners(tree, grammar.segment_labels), key=lambda part: part[1][0].position)
    base = _base(parts, grammar)
    places = [leaf.position for leaf in base]
    order = {position: i for i, position in enumerate(places)}
    stem = tuple(leaf.atom for leaf in base)

    found: list[tuple[int, Slot | Affix]] = [(p, Slot(i, i + 1)) for p, i in order.items()]
    for node, leaves in parts:
        if leaves[0].position not in order:
            found += _affix(node.symbol, leaves, stem, grammar)
    affixes = Frame(_open_ended(merged([part for _, part in sorted(found, key=lambda item: item[0])]), len(stem)))
    root = _root(tree, grammar, order)
    if root is None:
        return Reading(stem, affixes)
    return Reading(stem, affixes, tuple(leaf.atom for leaf in root), _template(base, root))


def _base(parts: Sequence[tuple[Tree, list[Leaf]]], grammar: Grammar) -> list[Leaf]:
    by_role: dict[str | None, list[list[Leaf]]] = {}
    for node, leaves in parts:
        by_role.setdefault(grammar.role(node.symbol), []).append(leaves)
    if "stem" in by_role:
        return max(by_role["stem"], key=len)
    laced = [leaf for role in WITHIN_STEMS for leaves in by_role.get(role, ()) for leaf in leaves]
    return sorted(laced, key=lambda leaf: leaf.position) or max((leaves for _, leaves in parts), key=len)


def _affix(
    symbol: str, leaves: Sequence[Leaf], stem: Sequence[str], grammar: Grammar
) -> Iterable[tuple[int, Slot | Affix]]:
    """The stretches of an affix with their places; a reduplicant that copies the first letters of the stem has slots for them."""
    role = grammar.role(symbol)
    label = ROLES.get(role or "", symbol)
    copied = role == "reduplicant" and [leaf.atom for leaf in leaves] == list(stem[: len(leaves)])
    if copied:
        return [(leaf.position, Slot(i, i + 1, copied=True)) for i, leaf in enumerate(leaves)]
    stretches: list[list[Leaf]] = []
    for leaf in leaves:
        if stretches and stretches[-1][-1].position == leaf.position - 1:
            stretches[-1].append(leaf)
        else:
            stretches.append([leaf])
    return [(run[0].position, Affix("".join(leaf.atom for leaf in run), label)) for run in stretches]


def _open_ended(parts: tuple[Slot | Affix, ...], length: int) -> tuple[Slot | Affix, ...]:
    """The last slot of the stem takes whatever is left of another stem."""
    return tuple(
        Slot(part.start, None) if isinstance(part, Slot) and part.end == length and not part.copied else part
        for part in parts
    )


def _root(tree: Tree, grammar: Grammar, order: dict[int, int]) -> list[Leaf] | None:
    for node in tree.subtrees():  # parents first: a root inside a root is none
        if grammar.role(node.symbol) == "root":
            leaves = node.leaves()
            if all(leaf.position in order for leaf in leaves):
                return leaves
    return None


def _template(base: Sequence[Leaf], root: Sequence[Leaf]) -> Frame:
    radicals = {leaf.position: i for i, leaf in enumerate(root)}
    parts: list[Slot | Affix] = []
    for leaf in base:
        if leaf.position in radicals:
            parts.append(Slot(radicals[leaf.position], radicals[leaf.position] + 1))
        else:
            parts.append(Affix(leaf.atom, "template"))
    return Frame(merged(parts))
