"""Gold lists of compounds: Binyan's own format, GecoDB's analyses and GermaNet's lists, recognised by their rows.

GecoDB (Schäfer): `frühling_+s_tisch`, `schule_-e_pony` (-e: the stem is reduced), `buch_+=er_spiel` (=: umlaut).
GermaNet: compound, modifier, head; or compound, modifier, linking element, head (`V:`, `del:`: the stem is reduced).
All words are lowercased, as nouns lose their capital inside a compound.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from binyan.errors import InputError
from binyan.segmentation.segmentation import Part, Segmentation
from binyan.segmentation.table import SegmentationTable
from binyan.text.reading import read_lines

_LONGEST_LINK = 3
_UMLAUT = re.compile("(au|[aou])(?!.*[aouäöü])")


@dataclass(frozen=True)
class Gold:
    """A gold list as a table, with what of the file could not be used."""

    table: SegmentationTable
    unaligned: int = 0  # rows whose parts do not spell the word
    ambiguous: int = 0  # further analyses of a word; the first is kept

    def __str__(self) -> str:
        return (
            f"{len(self.table):,} words, {self.unaligned:,} rows not aligned and left out, {self.ambiguous:,} further "
            f"analyses left out"
        )


def read_gold(path: str | os.PathLike[str]) -> Gold:
    """Read a gold list in any of the known formats, recognised by its first row."""
    rows = [(n, line) for n, line in read_lines(path) if line.strip() and not line.startswith("#")]
    if not rows:
        raise InputError(f"{path}: holds no segmentation")
    reader = _recognise(rows[0][1])
    if reader is None:
        return Gold(SegmentationTable.read(path))
    table = SegmentationTable()
    unaligned = ambiguous = 0
    for number, line in rows:
        try:
            row = reader(line)
        except (IndexError, ValueError) as error:
            raise InputError(f"{path}:{number}: not as the rows before it: {line!r}") from error
        if row is None:
            unaligned += 1
        elif row.word in table and table[row.word] != row:
            ambiguous += 1
        else:
            table.add(row)
    if not table:
        raise InputError(
            f"{path}: in none of its {len(rows):,} rows do the parts spell the word; rows are word TAB parts, as in "
            f"'küchentisch TAB küche +n tisch', or GecoDB's or GermaNet's: {rows[0][1]!r}"
        )
    return Gold(table, unaligned, ambiguous)


GoldSource = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Mapping[str, Any]
"""Gold compounds: a file in any known format, several, or a table or a mapping of words to their parts."""


def gather_gold(source: GoldSource) -> dict[str, Gold]:
    """What was read of each file, by its name; a table has the empty name."""
    if isinstance(source, Mapping):
        return {"": Gold(SegmentationTable.of_any(source))}
    paths = [source] if isinstance(source, (str, os.PathLike)) else source
    return {str(path): read_gold(path) for path in paths}


def gold_words(lists: Mapping[str, Gold]) -> SegmentationTable:
    """The words of several gold lists; of two analyses of a word the first is kept."""
    rows: dict[str, Segmentation] = {}
    for gold in lists.values():
        for row in gold.table.values():
            rows.setdefault(row.word, row)
    return SegmentationTable(rows.values())


def recursive(table: SegmentationTable) -> SegmentationTable:
    """The table with each part that is itself a word of it split in turn, to any depth.

    >>> from binyan.segmentation.table import parse_row
    >>> rows = ["regenschirmhersteller\\tregenschirm hersteller", "regenschirm\\tregen schirm"]
    >>> print(recursive(SegmentationTable(map(parse_row, rows)))["regenschirmhersteller"])
    regen schirm hersteller
    """

    def parts(segmentation: Segmentation) -> Iterable[Part]:
        waiting = [(part, segmentation.word) for part in reversed(list(segmentation))]
        while waiting:
            part, above = waiting.pop()
            inner = None if part.linking or part.text == above else table.get(part.text)
            if inner is None:
                yield part
            else:
                waiting.extend((below, inner.word) for below in reversed(list(inner)))

    return SegmentationTable(Segmentation(row.word, tuple(parts(row))) for row in table.values())


def simplex_words(table: SegmentationTable) -> list[str]:
    """The components of the table that it never splits, in the order in which they come."""
    components = {part.text: None for row in table.values() for part in row if not part.linking}
    return [word for word in components if word not in table or table[word].is_simplex]


def _recognise(line: str) -> Callable[[str], Segmentation | None] | None:
    columns = line.split("\t")
    if "_" in columns[0] and len(columns) != 2:
        return _gecodb
    if len(columns) == 1 and re.fullmatch(r"[^\W_]+(_[+\-=\w]+)+", columns[0]):
        return _gecodb
    return {3: _germanet, 4: _germanet}.get(len(columns))


def _gecodb(line: str) -> Segmentation | None:
    parts: list[Part] = []
    for token in line.split("\t")[0].lower().split("_"):
        if token.startswith("+"):
            if "=" in token:
                parts[-1] = Part(
                    _UMLAUT.sub(lambda m: {"au": "äu", "a": "ä", "o": "ö", "u": "ü"}[m[0]], parts[-1].text)
                )
            if link := token.strip("+="):
                parts.append(Part(link, linking=True))
        elif token.startswith("-"):
            parts[-1] = Part(parts[-1].text.removesuffix(token[1:]))
        else:
            parts.append(Part(token))
    return Segmentation("".join(part.text for part in parts), tuple(parts))


def _germanet(line: str) -> Segmentation | None:
    columns = line.lower().split("\t")
    word, head = columns[0], columns[-1]
    if not word.endswith(head) or word == head or "-" in word or " " in word:
        return None
    left = word[: -len(head)]
    if len(columns) == 4:
        link = columns[2].strip().rpartition(":")[2]
        stem = left.removesuffix(link)
    else:
        stems = [_common_stem(left, modifier) for modifier in columns[1].split("|")]
        stem = max(stems, key=len)
        link = left[len(stem) :]
    if len(stem) < 2 or len(link) > _LONGEST_LINK or stem + link != left:
        return None
    parts = (Part(stem), *([Part(link, linking=True)] if link else []), Part(head))
    return Segmentation(word, parts)


def _common_stem(left: str, modifier: str) -> str:
    """What `left` has in common with the dictionary form of the modifier, umlauts apart, if it lacks only an ending."""
    plain = [unicodedata.normalize("NFD", c)[0] for c in left]
    stem = [unicodedata.normalize("NFD", c)[0] for c in modifier]
    shared = next((i for i, (a, b) in enumerate(zip(plain, stem, strict=False)) if a != b), min(len(plain), len(stem)))
    return left[:shared] if len(modifier) - shared <= 2 else ""
