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


@dataclass(frozen=True, slots=True)
class Tree:
    """A symbol over its children. Hashable and comparable: two equal trees are the same analysis.

    A tree draws itself: `print(tree)` with characters, a notebook as a picture, `save` to a file.

    >>> parse_tree("(Stem (R3 0=k 2=t 4=b) (T2 1=i 3=A))").find("R3")
    [<Tree (R3 0=k 2=t 4=b)>]
    """

    symbol: str
    children: tuple[Tree | Leaf, ...]

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
        for child in self.children:
            if isinstance(child, Leaf):
                yield child
            else:
                yield from child._leaves()

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
        yield self
        for child in self.children:
            if isinstance(child, Tree):
                yield from child.subtrees()

    def find(self, *symbols: str) -> list[Tree]:
        """The subtrees with one of these symbols, in the order of their first atoms in the word."""
        return sorted((tree for tree in self.subtrees() if tree.symbol in symbols), key=lambda t: t.positions())

    def collapse(self, hidden: Callable[[str], bool]) -> Tree:
        """The same analysis in the user's own symbols: hidden symbols give way to their children."""

        def visible(child: Tree | Leaf) -> Iterator[Tree | Leaf]:
            if isinstance(child, Leaf):
                yield child
            elif hidden(child.symbol):
                for grandchild in child.children:
                    yield from visible(grandchild)
            else:
                yield child.collapse(hidden)

        return Tree(self.symbol, tuple(part for child in self.children for part in visible(child)))

    def discontiguous(self) -> bool:
        """Whether some constituent has a gap."""
        return any(len(tree.ranges()) > 1 for tree in self.subtrees())

    def discbracket(self) -> str:
        """One line with numbered leaves; `parse_tree` reads it back."""
        parts = [
            f"{child.position}{'' if child.shown else '+'}={_escape(child.atom)}"
            if isinstance(child, Leaf)
            else child.discbracket()
            for child in self.children
        ]
        return f"({_escape(self.symbol)} {' '.join(parts)})"

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
        parts = [
            _escape(child.atom) if isinstance(child, Leaf) else child.bracket()
            for child in sorted(self.children, key=_first_position)
        ]
        return f"({_escape(self.symbol)} {' '.join(parts)})"


def _first_position(node: Tree | Leaf) -> int:
    return node.position if isinstance(node, Leaf) else node.positions()[0]


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(char, char) for char in text)


def _unescape(text: str) -> str:
    for char, escape in _ESCAPES.items():
        text = text.replace(escape, char)
    return text


def parse_tree(text: str) -> Tree:
    """Read a tree from its bracket or discbracket line. In plain brackets leaves are numbered from left to right."""
    tokens = regex.findall(r"[()]|[^()\s]+", text)
    if not tokens or tokens[0] != "(":
        raise InputError(f"not a tree: {text.strip()[:60]!r} (a tree starts with a bracket: (Word 0=a 1=b))")
    counter = iter(range(len(tokens)))
    place = 0

    def subtree() -> Tree:
        nonlocal place
        place += 1
        if place >= len(tokens) or tokens[place] in "()":
            raise InputError(f"a bracket without a symbol in the tree {text.strip()[:60]!r}")
        symbol = _unescape(tokens[place])
        place += 1
        children: list[Tree | Leaf] = []
        while place < len(tokens) and tokens[place] != ")":
            if tokens[place] == "(":
                children.append(subtree())
                continue
            numbered = regex.fullmatch(r"(?:0*([0-9]{1,9})|(-1)(?=\+))(\+?)=(.+)", tokens[place])
            if numbered:
                position = int(numbered[1] or numbered[2])
                children.append(Leaf(position, _unescape(numbered[4]), not numbered[3]))
            else:
                children.append(Leaf(next(counter), _unescape(tokens[place])))
            place += 1
        if place >= len(tokens):
            raise InputError(f"a bracket is not closed in the tree {text.strip()[:60]!r}")
        if not children:
            raise InputError(f"the symbol {symbol} has nothing below it in the tree {text.strip()[:60]!r}")
        place += 1
        return Tree(symbol, tuple(children))

    tree = subtree()
    if place != len(tokens):
        raise InputError(f"text after the end of the tree: {' '.join(tokens[place:])[:40]!r}")
    if len(set(tree.positions())) != len(tree.positions()):
        raise InputError(f"two leaves share a position in the tree {text.strip()[:60]!r}")
    return tree
