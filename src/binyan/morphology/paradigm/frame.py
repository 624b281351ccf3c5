"""A frame: what stands around a stem, or between the radicals of a root, with open places for the letters of the base.

A frame is written as linguists write affixes: `w-Al-…-hm` (prefixes, the stem, a suffix), `–‹um›…` (an infix after the first
letter), `[1,2]~…` (the first two letters of the stem, copied), `–i–A–` (a template, a dash for each radical).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from binyan.errors import SettingsError
from binyan.grammar.tree_segments import SLOT
from binyan.text.atoms import Unit, atoms

REST = "…"
"""In a written frame, the place of the stem, or of what is left of it."""

_TOKEN = re.compile(
    rf"(?P<copy>\[[0-9,]+\])~?|~|(?P<rest>{REST})|(?P<slots>{SLOT}+)|‹(?P<infix>[^›]+)›"
    rf"|(?P<text>(?:(?![\[{REST}{SLOT}‹~]).)+)",
    re.S,
)


@dataclass(frozen=True, slots=True)
class Slot:
    """Letters `start` to `end` (not included; None: to the last) of the base; with `copied`, a reduplicant made of them."""

    start: int
    end: int | None
    copied: bool = False


@dataclass(frozen=True, slots=True)
class Affix:
    """Letters that are the frame's own, and the label that parts of words have for them."""

    text: str
    label: str


@dataclass(frozen=True)
class Frame:
    """Affixes and slots in the order of the word.

    >>> frame = parse_affixes("w-Al- -hm")
    >>> str(frame), frame.fill(list("ktAb"))
    ('w-Al-…-hm', 'wAlktAbhm')
    >>> parse_template("C1iC2AC3").fill("ktb")
    'kitAb'
    """

    parts: tuple[Slot | Affix, ...]

    def fill(self, base: Sequence[str]) -> str | None:
        """The word made of the frame and the atoms of a base; None where the base has too few or too many of them."""
        pieces = self.filled(base)
        return None if pieces is None else "".join(pieces)

    def filled(self, base: Sequence[str]) -> list[str] | None:
        """The same in pieces: the atoms of the base, and the affixes; those of a template are atoms, too."""
        own = [part for part in self.parts if isinstance(part, Slot) and not part.copied]
        last = own[-1]
        fits = len(base) > last.start if last.end is None else len(base) == last.end
        copied = max((part.end or 0 for part in self.parts if isinstance(part, Slot) and part.copied), default=0)
        if not fits or copied > len(base):
            return None
        return [atom for p in self.parts for atom in (base[p.start : p.end] if isinstance(p, Slot) else [p.text])]

    @property
    def affixes(self) -> tuple[Affix, ...]:
        """The affixes in order."""
        return tuple(part for part in self.parts if isinstance(part, Affix))

    @property
    def is_bare(self) -> bool:
        """Whether nothing but the base stands in the frame."""
        return len(self.parts) == 1

    @property
    def radicals(self) -> int | None:
        """How many letters a base must have; None where any number will do."""
        own = [part for part in self.parts if isinstance(part, Slot) and not part.copied]
        return own[-1].end

    def __str__(self) -> str:
        return "".join(self.written(i) for i in range(len(self.parts)))

    def spelt(self, base: Sequence[str]) -> str:
        """A word as linguists cut it: `w-Al-ktAb-hm`, `s‹um›ulat`, `su~sulat`. The base must fit."""
        return "".join(self.written(i, base) for i in range(len(self.parts)))

    def written(self, i: int, base: Sequence[str] | None = None) -> str:
        """Part `i` as it is written, with the letters of a base in its slots if one is given."""
        slots = [i for i, part in enumerate(self.parts) if isinstance(part, Slot)]
        part = self.parts[i]
        if isinstance(part, Affix):
            if part.label == "template":
                return part.text
            if part.label == "inf" or slots[0] < i < slots[-1]:
                return f"‹{part.text}›"
            return f"{part.text}-" if i < slots[0] else f"-{part.text}"
        letters = None if base is None else "".join(base[part.start : part.end])
        if part.copied:
            numbers = ",".join(map(str, range(part.start + 1, (part.end or 0) + 1)))
            after = self.parts[i + 1] if i < slots[-1] else None
            ends = after is None or (isinstance(after, Slot) and not after.copied)
            return (letters or f"[{numbers}]") + ("~" if ends else "")
        return letters or (REST if part.end is None else SLOT * (part.end - part.start))


BARE = Frame((Slot(0, None),))
"""The frame of a stem without affixes."""


def parse_affixes(text: str) -> Frame:
    """The frame of affixes as a user writes them: `w-Al-…-hm`, `w- Al- -hm`, `-ed`, `<um>` (after the first letter), or nothing.

    Raises SettingsError for what cannot be read.
    """
    written = text.replace("...", REST).replace("<", "‹").replace(">", "›").strip()
    if REST not in written:
        words = written.split()
        before = "".join(w for w in words if w.endswith(("-", "~")))
        after = "".join(w for w in words if w.startswith("-") and not w.endswith("-"))
        infix = "".join(w for w in words if w.startswith("‹"))
        if sum(map(len, (before, after, infix))) != sum(map(len, words)):
            raise SettingsError(
                f"the affixes {text!r} cannot be read: write prefixes with a hyphen behind (w-), suffixes with one before (-hm), "
                "infixes in brackets (<um>), as in 'w- Al- -hm'"
            )
        written = before + (f"{SLOT}{infix}{REST}" if infix else REST) + after
    return _parse(written, text)


def parse_template(text: str, unit: Unit = "grapheme") -> Frame:
    """The frame of a template: `–i–A–`, `_i_A_`, `-i-A-`, or with numbered radicals, `C1iC2AC3`.

    Raises SettingsError where it has no radical.
    """
    written = text.strip()
    if re.search(r"C[1-9]", written):
        written = re.sub(r"C[1-9]", SLOT, written)
    elif SLOT not in written:
        written = re.sub(r"[-_]", SLOT, written)
    parts: list[Slot | Affix] = []
    radicals = 0
    for piece in re.findall(rf"{SLOT}|[^{SLOT}]+", written):
        if piece == SLOT:
            parts.append(Slot(radicals, radicals + 1))
            radicals += 1
        else:
            parts += [Affix(atom, "template") for atom in atoms(piece, unit)]
    if not radicals:
        raise SettingsError(
            f"the template {text!r} has no place for a radical: write each as a dash (–i–A–), an underscore (_i_A_) or with its "
            "number (C1iC2AC3)"
        )
    return Frame(merged(parts))


def merged(parts: Sequence[Slot | Affix]) -> tuple[Slot | Affix, ...]:
    """Slots of neighbouring letters of the base as one."""
    result: list[Slot | Affix] = []
    for part in parts:
        before = result[-1] if result else None
        if (
            isinstance(part, Slot)
            and isinstance(before, Slot)
            and (before.end, before.copied) == (part.start, part.copied)
        ):
            result[-1] = Slot(before.start, part.end, part.copied)
        else:
            result.append(part)
    return tuple(result)


def _parse(written: str, text: str) -> Frame:
    parts: list[Slot | Affix] = []
    place, first = 0, re.search(rf"[{REST}{SLOT}\[]", written)
    start = first.start() if first else 0
    for token in _TOKEN.finditer(written):
        if token["copy"]:
            letters = [int(n) for n in token["copy"][1:-1].split(",") if n]
            parts.append(Slot(letters[0] - 1, letters[-1], copied=True))
        elif token["slots"]:
            parts.append(Slot(place, place + len(token["slots"])))
            place += len(token["slots"])
        elif token["rest"]:
            parts.append(Slot(place, None))
        elif token["infix"]:
            parts.append(Affix(token["infix"], "inf"))
        elif token["text"]:
            label = "pre" if token.start() < start else "suf"
            parts += [Affix(affix, label) for affix in re.split(r"[-\s]+", token["text"]) if affix]
    rests = [i for i, part in enumerate(parts) if isinstance(part, Slot) and part.end is None]
    if len(rests) != 1 or any(isinstance(part, Slot) for part in parts[rests[0] + 1 :]):
        raise SettingsError(
            f"the affixes {text!r} have no place for the stem: write it as … or ..., as in 'w-Al-...-hm'"
        )
    return Frame(tuple(parts))
