"""The Segmentation value: a word and its parts, with labels and linking elements, contiguous or not."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Literal

from binyan.errors import InputError, SettingsError
from binyan.text.atoms import atoms

Linking = Literal["left", "right", "delete"]

LINKING_MARK = "+"
_ESCAPES = {"\\": "\\\\", "/": "\\/", "@": "\\@", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_BOX = "display:inline-flex;gap:.4em;align-items:baseline;border:1px solid #8886;border-radius:.3em;padding:0 .4em;margin:.1em"
_UNESCAPES = {"s": " ", "t": "\t", "n": "\n", "r": "\r"}
_SPECIAL = re.compile(r"[\\/@ \t\n\r]")
_TOKEN = re.compile(r"(?P<text>(?:[^\\/@]|\\.)*)(?:@(?P<positions>[0-9,]*))?(?:/(?P<label>(?:[^\\@]|\\.)*))?")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a word: the letters of it, a label or none, and whether it is only a linking element.

    `positions` are the atoms of the word (from 0) that a part takes where parts interleave, as roots and templates do.
    """

    text: str
    label: str = ""
    linking: bool = False
    positions: tuple[int, ...] | None = None

    def __str__(self) -> str:
        token = (LINKING_MARK if self.linking else "") + escape(self.text)
        if self.positions is not None:
            token += "@" + ",".join(map(str, self.positions))
        return f"{token}/{escape(self.label)}" if self.label else token

    @property
    def labelled(self) -> str:
        """The part with its label, as a name for the part: `un/PRE`; without label, the letters alone."""
        return f"{self.text}/{self.label}" if self.label else self.text

    @property
    def letters(self) -> list[str]:
        """The atoms of the part: code points where it has a position for each of them, else characters as a reader sees them."""
        if self.positions is not None and len(self.positions) == len(self.text):
            return list(self.text)
        return atoms(self.text)

    @classmethod
    def parse(cls, token: str) -> Part:
        """The part written as `token`: `tisch`, `+n` (linking), `un/PRE` (labelled), `ktb@0,2,4/ROOT` (not contiguous).

        >>> Part.parse("+n").linking, Part.parse("ktb@0,2,4/ROOT").positions
        (True, (0, 2, 4))
        """
        linking = token.startswith(LINKING_MARK)
        match = _TOKEN.fullmatch(token, len(LINKING_MARK) if linking else 0)
        if match is None:
            raise InputError(f"the part {token!r} cannot be read; write a slash or @ inside a part as \\/ or \\@")
        text, positions, label = match["text"], match["positions"], match["label"]
        if not text:
            raise InputError(f"the part {token!r} is empty")
        if label == "":
            raise InputError(f"the part {token!r} has a slash and no label; write a slash inside a part as \\/")
        try:
            places = None if positions is None else tuple(map(int, positions.split(",")))
        except ValueError:
            raise InputError(f"the part {token!r} needs positions after @, as in ktb@0,2,4") from None
        return cls(unescape(text), unescape(label or ""), linking, places)


@dataclass(frozen=True)
class Segmentation:
    """A word and its parts, which spell it: one after the other, or interleaved at stated positions.

    `probability` is that of the segmentation where a model gives it; segmentations of one word are equal if their parts are.

    >>> kitchen = Segmentation.parse("küchentisch", "küche +n tisch")
    >>> kitchen.components("left"), kitchen.components("right"), kitchen.components("delete")
    (('küchen', 'tisch'), ('küche', 'ntisch'), ('küche', 'tisch'))
    >>> Segmentation.parse("unsegmented", "un/PRE segment/STM ed/SUF").morphemes
    ('un/PRE', 'segment/STM', 'ed/SUF')
    >>> Segmentation.parse("katab", "ktb@0,2,4/ROOT aa@1,3/TEMPLATE").morphemes
    ('ktb/ROOT', 'aa/TEMPLATE')
    """

    word: str
    parts: tuple[Part, ...]
    probability: float | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not self.parts:
            raise InputError(f"{self.word!r} has no parts")
        if any(not part.text for part in self.parts):
            raise InputError(f"{self.word!r} has an empty part")
        if all(part.linking for part in self.parts):
            raise InputError(f"{self.word!r} has only linking elements; at least one part must be a component")
        placed = sum(part.positions is not None for part in self.parts)
        if placed == 0:
            spelt = "".join(part.text for part in self.parts)
        elif placed == len(self.parts):
            spelt = self._spelt_by_positions()
        else:
            raise InputError(f"{self.word!r}: either all of its parts have positions or none")
        if spelt != self.word:
            raise InputError(f"the parts of {self.word!r} spell {spelt!r}: {self}")

    def _spelt_by_positions(self) -> str:
        taken: dict[int, str] = {}
        for part in self.parts:
            letters, places = part.letters, part.positions or ()
            if len(letters) != len(places) or list(places) != sorted(set(places)):
                raise InputError(
                    f"{self.word!r}: the part {part} needs {len(letters)} positions, ascending; it has {len(places)}"
                )
            for place, letter in zip(places, letters, strict=True):
                if place in taken:
                    raise InputError(f"{self.word!r}: position {place} is taken by two parts")
                taken[place] = letter
        if sorted(taken) != list(range(len(taken))):
            raise InputError(f"{self.word!r}: the positions of its parts leave gaps")
        return "".join(taken[place] for place in range(len(taken)))

    def __str__(self) -> str:
        return " ".join(map(str, self.parts))

    def __repr__(self) -> str:
        return f"<Segmentation {self.word}: {self}>"

    def _repr_html_(self) -> str:
        """The parts in boxes, for a notebook; each part keeps its own direction."""
        boxes = "".join(
            f'<span style="{_BOX}"><bdi dir="auto">{html.escape(part.text)}</bdi>'
            f'<small style="opacity:.65" dir="ltr">{html.escape("link" if part.linking else part.label)}</small></span>'
            for part in self.parts
        )
        return f'<span dir="auto" title="{html.escape(str(self), quote=True)}">{boxes}</span>'

    def __len__(self) -> int:
        """The number of components; linking elements are not counted."""
        return sum(not part.linking for part in self.parts)

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    @property
    def is_simplex(self) -> bool:
        """Whether the word has one component only."""
        return len(self) == 1

    @property
    def is_contiguous(self) -> bool:
        """Whether the parts follow one another."""
        return self.parts[0].positions is None

    @property
    def morphemes(self) -> tuple[str, ...]:
        """The parts named with their labels, linking elements left out; what additive models sum over."""
        return tuple(part.labelled for part in self.parts if not part.linking)

    @cached_property
    def positions(self) -> tuple[tuple[int, ...], ...]:
        """The atoms of the word that each part takes."""
        if not self.is_contiguous:
            return tuple(part.positions or () for part in self.parts)
        places, start = [], 0
        for part in self.parts:
            end = start + len(atoms(part.text))
            places.append(tuple(range(start, end)))
            start = end
        return tuple(places)

    def contiguous(self) -> Segmentation:
        """The word cut into pieces that follow one another: a part with gaps becomes several.

        >>> print(Segmentation.parse("sumulat", "sulat@0,3,4,5,6/stem um@1,2/inf").contiguous())
        s/stem um/inf ulat/stem
        """
        if self.is_contiguous:
            return self
        placed = sorted(
            (place, number, letter)
            for number, part in enumerate(self.parts)
            for place, letter in zip(part.positions or (), part.letters, strict=True)
        )
        pieces = tuple(
            Part("".join(letter for _, _, letter in run), self.parts[number].label, self.parts[number].linking)
            for number, run in groupby(placed, key=lambda item: item[1])
        )
        return Segmentation(self.word, pieces, self.probability)

    def boundaries(self) -> frozenset[tuple[int, int]]:
        """Where components end and the next begin, in characters: (3, 3), or (5, 6) around a linking element."""
        if not self.is_contiguous:
            raise SettingsError(f"{self.word!r} has interleaved parts; boundaries are of contiguous ones")
        borders, end, place = [], None, 0
        for part in self.parts:
            if not part.linking:
                if end is not None:
                    borders.append((end, place))
                end = place + len(part.text)
            place += len(part.text)
        return frozenset(borders)

    def components(self, linking: Linking = "left") -> tuple[str, ...]:
        """The components, with linking elements merged to the left, to the right, or deleted.

        A linking element with no component on that side is merged to the other.
        """
        if linking not in ("left", "right", "delete"):
            raise SettingsError(f"linking elements are merged 'left' or 'right' or 'delete'd, not {linking!r}")
        texts: list[str] = []
        waiting = ""
        for part in self.parts:
            if not part.linking:
                texts.append(waiting + part.text)
                waiting = ""
            elif linking == "left" and texts:
                texts[-1] += part.text
            elif linking != "delete":
                waiting += part.text
        texts[-1] += waiting
        return tuple(texts)

    @classmethod
    def parse(cls, word: str, parts: str) -> Segmentation:
        """A segmentation from its text form, parts separated by one space: `küche +n tisch`."""
        tokens = parts.split(" ")
        if "" in tokens:
            raise InputError(f"{word!r} has an empty part: {parts!r}; separate parts by one space")
        return cls(word, tuple(map(Part.parse, tokens)))

    @classmethod
    def simplex(cls, word: str) -> Segmentation:
        """The word as its own only part."""
        return cls(word, (Part(word),))


def escape(text: str) -> str:
    """`text` with what the format gives a meaning (\\ / @, white space, a leading + or #) escaped by a backslash."""
    escaped = _SPECIAL.sub(lambda match: _ESCAPES[match[0]], text)
    return "\\" + escaped if text[:1] in (LINKING_MARK, "#") else escaped


def unescape(text: str) -> str:
    """The inverse of `escape`."""
    if "\\" not in text:
        return text
    return re.sub(r"\\(.)", lambda match: _UNESCAPES.get(match[1], match[1]), text)
