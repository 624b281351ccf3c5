"""The analysis side of a transducer: letters, and tags behind the pieces they name.

A word's analysis is written in the order of its letters: `un<pre>do<stem>ing<suf>`. A part with gaps has `<stem->` behind every piece
but its last: `s<stem->um<inf>ulat<stem>`. Inside a stem `<r>` stands behind each radical: `k<r>it<r>Ab<r><stem>`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from binyan.errors import InputError
from binyan.grammar.tree_segments import SLOT
from binyan.segmentation import Part, Segmentation

RADICAL = "<r>"
"""Behind a letter of a root inside a stem."""


def closing(label: str) -> str:
    """The tag behind the last piece of a part."""
    return f"<{label}>"


def continuing(label: str) -> str:
    """The tag behind a piece of a part that goes on after a gap."""
    return f"<{label}->"


def is_tag(symbol: str) -> bool:
    """Whether a symbol is a tag and no letter."""
    return len(symbol) > 2 and symbol[0] == "<" and symbol[-1] == ">"


@dataclass(frozen=True)
class TapeReading:
    """What an analysis side says: the parts of the word, and the root and template of each stem that has one."""

    segmentation: Segmentation
    roots: tuple[str, ...]
    templates: tuple[str, ...]


@dataclass
class _Open:
    """A part that is being read."""

    label: str
    places: list[int]
    radicals: list[int]


def read_tape(symbols: Sequence[str], probability: float | None = None) -> TapeReading:
    """What the symbols of an analysis side say. Raises InputError where letters have no tag behind them.

    >>> str(read_tape(["s", "<stem->", "u", "m", "<inf>", "u", "l", "a", "t", "<stem>"]).segmentation)
    'sulat@0,3,4,5,6/stem um@1,2/inf'
    >>> read_tape(["k", "<r>", "i", "t", "<r>", "A", "b", "<r>", "<stem>"]).templates
    ('–i–A–',)
    """
    letters: list[str] = []
    piece: list[int] = []
    radicals: list[int] = []
    waiting: list[_Open] = []
    parts: list[_Open] = []
    for symbol in symbols:
        if not is_tag(symbol):
            piece.append(len(letters))
            letters.append(symbol)
        elif not piece:
            raise InputError(f"the analysis {''.join(symbols)!r} has the tag {symbol} behind no letters")
        elif symbol == RADICAL:
            radicals.append(len(letters) - 1)
        else:
            goes_on = symbol.endswith("->")
            label = symbol[1:-2] if goes_on else symbol[1:-1]
            part = next((p for p in reversed(waiting) if p.label == label), None)
            if part is None:
                part = _Open(label, [], [])
                waiting.append(part)
            part.places += piece
            part.radicals += radicals
            piece, radicals = [], []
            if not goes_on:
                waiting.remove(part)
                parts.append(part)
    if piece or waiting or not parts:
        raise InputError(f"the analysis {''.join(symbols)!r} is not complete: a tag stands behind each part")
    return _reading(letters, parts, probability)


def _reading(letters: list[str], parts: list[_Open], probability: float | None) -> TapeReading:
    parts.sort(key=lambda part: part.places)
    contiguous = all(p.places[-1] - p.places[0] == len(p.places) - 1 for p in parts)
    rows = tuple(
        Part("".join(letters[i] for i in p.places), p.label, positions=None if contiguous else tuple(p.places))
        for p in parts
    )
    roots, templates = [], []
    for part in parts:
        if part.label == "root":
            roots.append("".join(letters[i] for i in part.places))
        elif part.radicals:
            taken = set(part.radicals)
            roots.append("".join(letters[i] for i in part.radicals))
            templates.append("".join(SLOT if i in taken else letters[i] for i in part.places))
    return TapeReading(Segmentation("".join(letters), rows, probability), tuple(roots), tuple(templates))
