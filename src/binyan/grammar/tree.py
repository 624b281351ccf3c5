"""The analysis of a word: a tree whose branches may cross, because a constituent may have gaps.

A leaf knows its position in the word, so the order of children carries no meaning for the word: `Tree.word()` is always the
word. The one-line form with numbered leaves (disco-dop's discbracket) keeps everything::

    (Stem (R3 0=k 2=t 4=b) (T2 1=i 3=A))

A letter that the analysis has and the word does not show, such as the w of the root qwl in qAl, is a leaf that is not `shown`; it
stands right after a position, `0+` being after the first letter and `-1+` before it::

    (Stem (R3 0=q 0+=w 2=l) (T1 1=A))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import regex

from binyan.errors import InputError, SettingsError
from binyan.files import PathLike, write_text

_ESCAPES = {"(": "#LRB#", ")": "#RRB#", " ": "#SPACE#"}


@dataclass(frozen=True, slots=True)
class Leaf:
    """One atom (a character as a reader sees it) at its place in the word, counted from 0.

    One that is not `shown` is not in the word: it stands, unseen, right after `position`.
    """

    position: int
    atom: str
    shown: bool = True

    @property
    def place(self) -> tuple[int, bool]:
        """By which leaves are sorted."""
        return self.position, not self.shown


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A symbol over its children. Hashable and comparable: two equal trees are the same analysis.

    A tree draws itself: `print(tree)` with characters, a notebook as a picture, `save` to a file.

    >>> parse_tree("(Stem (R3 0=k 2=t 4=b) (T2 1=i 3=A))").find("R3")
    [<Tree (R3 0=k 2=t 4=b)>]
    """

    symbol: str
    children: tuple[Tree | Leaf, ...]

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Tree) and self._preorder() == other._preorder())

    def __hash__(self) -> int:
        return hash(tuple(self._preorder()))

    def _preorder(self) -> list[Leaf | tuple[str, int]]:
        """Leaves, and symbols with their number of children: what makes the tree, however deep it is."""
        nodes: list[Leaf | tuple[str, int]] = []
        waiting: list[Tree | Leaf] = [self]
        while waiting:
            node = waiting.pop()
            nodes.append(node if isinstance(node, Leaf) else (node.symbol, len(node.children)))
            if isinstance(node, Tree):
                waiting.extend(reversed(node.children))
        return nodes

    def __repr__(self) -> str:
        return f"<Tree {self.discbracket()}>"

    def __str__(self) -> str:
        from binyan.grammar.text_drawing import draw_text

        return draw_text(self).rstrip("\n")

    def _repr_svg_(self) -> str:
        """The picture a notebook shows."""
        return self.svg()

    def svg(self) -> str:
        """The tree as an SVG picture, complete in itself."""
        from binyan.grammar.drawing import draw_svg

        return draw_svg(self)

    def save(self, path: PathLike) -> None:
        """Write the tree as a picture (.svg), a web page (.html), or text with characters (.txt), by the ending of `path`."""
        from binyan.grammar.drawing import draw_html

        ending = Path(path).suffix.lower()
        if ending == ".svg":
            write_text(path, self.svg())
        elif ending in (".html", ".htm"):
            write_text(path, draw_html([(self, "")], self.word()))
        elif ending == ".txt":
            write_text(path, f"{self}\n")
        else:
            raise SettingsError(
                f"{path}: a tree is saved as .svg, .html or .txt, not as {ending or 'a file without ending'}"
            )

    def leaves(self) -> list[Leaf]:
        """The leaves below that are in the word, in its order."""
        return sorted((leaf for leaf in self._leaves() if leaf.shown), key=lambda leaf: leaf.position)

    def underlying_leaves(self) -> list[Leaf]:
        """All leaves below, those that the word does not show included, in order."""
        return sorted(self._leaves(), key=lambda leaf: leaf.place)

    def underlying(self) -> str:
        """The atoms of all leaves below, in order: qwl for the root of qAl."""
        return "".join(leaf.atom for leaf in self.underlying_leaves())

    def _leaves(self) -> Iterator[Leaf]:
        waiting: list[Tree | Leaf] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Leaf):
                yield node
            else:
                waiting.extend(reversed(node.children))

    def positions(self) -> tuple[int, ...]:
        """Positions covered, ascending."""
        return tuple(leaf.position for leaf in self.leaves())

    def word(self) -> str:
        """The atoms covered, in order and without the gaps."""
        return "".join(leaf.atom for leaf in self.leaves())

    def ranges(self) -> tuple[tuple[int, int], ...]:
        """Maximal contiguous stretches covered, as (start, end) with the end excluded."""
        stretches: list[tuple[int, int]] = []
        for position in self.positions():
            if stretches and stretches[-1][1] == position:
                stretches[-1] = (stretches[-1][0], position + 1)
            else:
                stretches.append((position, position + 1))
        return tuple(stretches)

    def pieces(self) -> tuple[str, ...]:
        """The text of each stretch: ('k', 't', 'b') for a root in kitAb."""
        atoms = {leaf.position: leaf.atom for leaf in self.leaves()}
        return tuple("".join(atoms[i] for i in range(start, end)) for start, end in self.ranges())

    def subtrees(self) -> Iterator[Tree]:
        """This tree and every tree below, parents first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(child for child in reversed(node.children) if isinstance(child, Tree))

    def _upwards(self) -> list[Tree]:
        """This tree and every tree below, children first."""
        return list(self.subtrees())[::-1]

    def find(self, *symbols: str) -> list[Tree]:
        """The subtrees with one of these symbols, in the order of their first atoms in the word."""
        return sorted((tree for tree in self.subtrees() if tree.symbol in symbols), key=lambda t: t.positions())

    def collapse(self, hidden: Callable[[str], bool]) -> Tree:
        """The same analysis in the user's own symbols: hidden symbols give way to their children."""
        shown: dict[int, tuple[Tree | Leaf, ...]] = {}  # of each tree below, by its id
        for node in self._upwards():
            children: list[Tree | Leaf] = []
            for child in node.children:
                children.extend((child,) if isinstance(child, Leaf) else shown[id(child)])
            gives_way = node is not self and hidden(node.symbol)
            shown[id(node)] = tuple(children) if gives_way else (Tree(node.symbol, tuple(children)),)
        (tree,) = shown[id(self)]
        assert isinstance(tree, Tree)
        return tree

    def discontiguous(self) -> bool:
        """Whether some constituent has a gap."""
        extents = self._extents()
        return any(last - first + 1 != size for first, last, size in extents.values())

    def _extents(self) -> dict[int, tuple[int, int, int]]:
        """The first and last position and the number of leaves of each subtree, by its id."""
        extents: dict[int, tuple[int, int, int]] = {}
        for node in self._upwards():
            below = [(c.position, c.position, 1) if isinstance(c, Leaf) else extents[id(c)] for c in node.children]
            extents[id(node)] = (min(b[0] for b in below), max(b[1] for b in below), sum(b[2] for b in below))
        return extents

    def discbracket(self) -> str:
        """One line with numbered leaves; `parse_tree` reads it back."""
        return self._line(lambda leaf: f"{leaf.position}{'' if leaf.shown else '+'}={_escape(leaf.atom)}", None)

    def bracket(self) -> str:
        """One line without numbers, as treebanks write it. Refused for what it cannot express: gaps, letters not shown."""
        if any(not leaf.shown for leaf in self._leaves()):
            raise InputError(
                f"the analysis of {self.word()} has letters that the word does not show, which plain brackets cannot "
                "express; use the numbered form (discbracket)"
            )
        if self.discontiguous():
            raise InputError(
                f"the analysis of {self.word()} has a constituent with a gap, which plain brackets cannot express; "
                "use the numbered form (discbracket)"
            )
        extents = self._extents()
        return self._line(
            lambda leaf: _escape(leaf.atom), lambda c: c.position if isinstance(c, Leaf) else extents[id(c)][0]
        )

    def _line(self, show: Callable[[Leaf], str], order: Callable[[Tree | Leaf], int] | None) -> str:
        """The tree in brackets, with the children of each node as they stand or sorted by `order`."""
        parts: list[str] = []
        waiting: list[Tree | Leaf | str] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Tree):
                parts.append(f" ({_escape(node.symbol)}")
                waiting.append(")")
                waiting.extend(reversed(node.children if order is None else sorted(node.children, key=order)))
            else:
                parts.append(node if isinstance(node, str) else f" {show(node)}")
        return "".join(parts)[1:]


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(char, char) for char in text)


def _unescape(text: str) -> str:
    for char, escape in _ESCAPES.items():
        text = text.replace(escape, char)
    return text


def _leaf(token: str, counter: Iterator[int]) -> Leaf:
    """A leaf as `discbracket` writes it, or one without a number, which is the next of the word."""
    numbered = regex.fullmatch(r"(?:0*([0-9]{1,9})|(-1)(?=\+))(\+?)=(.+)", token)
    if numbered is None:
        return Leaf(next(counter), _unescape(token))
    return Leaf(int(numbered[1] or numbered[2]), _unescape(numbered[4]), not numbered[3])


def parse_tree(text: str) -> Tree:
    """Read a tree from its bracket or discbracket line. In plain brackets leaves are numbered from left to right."""
    tokens = regex.findall(r"[()]|[^()\s]+", text)
    if not tokens or tokens[0] != "(":
        raise InputError(f"not a tree: {text.strip()[:60]!r} (a tree starts with a bracket: (Word 0=a 1=b))")
    shown = f"the tree {text.strip()[:60]!r}"
    counter = iter(range(len(tokens)))
    open_symbols: list[tuple[str, list[Tree | Leaf]]] = []
    tree: Tree | None = None
    place = 0
    while tree is None:
        if place >= len(tokens):
            raise InputError(f"a bracket is not closed in {shown}")
        token = tokens[place]
        place += 1
        if token == "(":
            if place >= len(tokens) or tokens[place] in "()":
                raise InputError(f"a bracket without a symbol in {shown}")
            open_symbols.append((_unescape(tokens[place]), []))
            place += 1
        elif token == ")":
            symbol, children = open_symbols.pop()
            if not children:
                raise InputError(f"the symbol {symbol} has nothing below it in {shown}")
            if open_symbols:
                open_symbols[-1][1].append(Tree(symbol, tuple(children)))
            else:
                tree = Tree(symbol, tuple(children))
        else:
            open_symbols[-1][1].append(_leaf(token, counter))
    if place != len(tokens):
        raise InputError(f"text after the end of the tree: {' '.join(tokens[place:])[:40]!r}")
    if len(set(tree.positions())) != len(tree.positions()):
        raise InputError(f"two leaves share a position in {shown}")
    return tree
