"""Morphemes that are known: affixes, roots, templates and stems, each with the number of uses it counts for.

An affix file has one affix per line, an optional tab and strength:

    w-              a prefix        -hm         a suffix        -um-        an infix
    ke-...-an       a circumfix     -an/suf     with a label    Al-/clitic  10

A file of roots has one root per line; a line with dashes in the places of the radicals is a template: `-A-i-`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import regex

from binyan.errors import InputError
from binyan.grammar.roles import ROLES
from binyan.text.reading import read_lines

MorphemeSource = str | os.PathLike[str] | Iterable[str] | Mapping[str, int]
"""Known morphemes: a file, a list of lines, or a mapping of lines to strengths."""

MOST_COPIES = 10_000
_DASHES = "-–‐"
_LABELLED = regex.compile(r"(?P<text>.+)/(?P<label>\p{L}+)")
_ROLE_OF_LABEL = {label: role for role, label in ROLES.items()} | {role: role for role in ROLES}


@dataclass(frozen=True)
class KnownMorpheme:
    """A morpheme with its role; what has gaps is in `pieces`. `strength`: the uses it counts for; None: as many as all others."""

    role: str
    pieces: tuple[str, ...]
    strength: int | None = None
    source: str = ""

    @property
    def text(self) -> str:
        """As it is written in a file."""
        joined = "…".join(self.pieces)
        return {"prefix": f"{joined}-", "suffix": f"-{joined}", "infix": f"-{joined}-"}.get(self.role, joined)

    def to_dict(self) -> dict[str, Any]:
        """For a model file."""
        return {"role": self.role, "pieces": list(self.pieces), "strength": self.strength, "source": self.source}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> KnownMorpheme:
        """The inverse of `to_dict`."""
        return cls(fields["role"], tuple(fields["pieces"]), fields["strength"], fields["source"])


def read_affixes(source: MorphemeSource) -> list[KnownMorpheme]:
    """The affixes of a file or a list. Raises InputError with the file and line of one that cannot be read."""
    return list(_read(source, "affixes", affix))


def read_roots(source: MorphemeSource) -> list[KnownMorpheme]:
    """The roots and templates of a file or a list. Raises InputError with the file and line of one that cannot be read."""
    return list(_read(source, "roots", root_or_template))


def _read(source: MorphemeSource, name: str, read: Callable[[str], KnownMorpheme]) -> Iterator[KnownMorpheme]:
    for place, text, strength in _lines(source, name):
        try:
            yield replace(read(text), strength=_strength(strength), source=place)
        except ValueError as error:
            raise InputError(f"{place}: {error}") from None


def _lines(source: MorphemeSource, name: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(source, (str, os.PathLike)):
        for number, line in read_lines(source):
            if line.strip() and not line.startswith("#"):
                text, _, strength = line.partition("\t")
                yield f"{source}:{number}", text.strip(), strength.strip()
        return
    strengths = source if isinstance(source, Mapping) else {}
    for i, line in enumerate(source):
        text, _, strength = line.partition("\t")
        yield f"{name}[{i}]", text.strip(), str(strengths.get(line, strength)).strip()


def _strength(text: str) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or int(text) > MOST_COPIES:
        raise ValueError(f"a strength is a whole number from 0 to {MOST_COPIES:,}, not {text!r}")
    return int(text)


def affix(text: str) -> KnownMorpheme:
    """One affix. Raises ValueError.

    >>> affix("ke-...-an")
    KnownMorpheme(role='circumfix', pieces=('ke', 'an'), strength=None, source='')
    >>> affix("Al-/clitic").role
    'clitic'
    """
    match = _LABELLED.fullmatch(text)
    label = match["label"] if match and match["label"] in _ROLE_OF_LABEL else None
    written = match["text"] if match and label else text
    around = regex.fullmatch(rf"(.+?)[{_DASHES}]\s*(?:\.\.\.|…)\s*[{_DASHES}](.+)", written)
    pieces: tuple[str, ...]
    if around:
        role, pieces = "circumfix", (around[1], around[2])
    else:
        begins, ends = written[:1] in _DASHES, written[-1:] in _DASHES
        bare = written.strip(_DASHES)
        if not bare or not (begins or ends or label):
            raise ValueError(
                f"{text!r} is no affix: write w- for a prefix, -hm for a suffix, -um- for an infix, ke-...-an"
            )
        role = "infix" if begins and ends else "suffix" if begins else "prefix"
        pieces = (bare,)
    return KnownMorpheme(_ROLE_OF_LABEL[label] if label else role, pieces)


def root_or_template(text: str) -> KnownMorpheme:
    """A root, or a template with a dash for each radical. Raises ValueError.

    >>> root_or_template("-A-i-").pieces, root_or_template("ktb").role
    (('A', 'i'), 'root')
    """
    if not text or " " in text:
        raise ValueError(f"a line has one root, or one template such as -A-i-, not {text!r}")
    if any(dash in text for dash in _DASHES):
        pieces = tuple(piece for piece in regex.split(rf"[{_DASHES}]", text) if piece)
        if not pieces:
            raise ValueError(f"the template {text!r} has no letters")
        return KnownMorpheme("template", pieces)
    return KnownMorpheme("root", (text,))
