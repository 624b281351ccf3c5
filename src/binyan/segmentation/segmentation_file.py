"""Segmentations as other programs write them: one word per line, its parts separated by spaces or by ` + `, or after the word and a tab.

Four formats are told apart by the whole file, not line by line::

    binyan     walked<tab>walk/stem ed/suf        the word, a tab, its parts, and perhaps a probability
    morfessor  walk + ed                          what Morfessor shows of a model; a count may stand before it
    flatcat    walk/STM + ed/SUF                  the same with FlatCat's labels
    plain      walk ed                            what `morfessor-segment` writes
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from binyan.errors import InputError, SettingsError
from binyan.files import PathLike, write_text
from binyan.segmentation.segmentation import Part, Segmentation
from binyan.segmentation.table import SegmentationTable, parse_row
from binyan.text.reading import read_lines

SegmentationFormat = Literal["binyan", "morfessor", "flatcat", "plain"]
FORMATS: tuple[SegmentationFormat, ...] = ("binyan", "morfessor", "flatcat", "plain")

_JOINED = " + "
_COUNTED = re.compile(r"[0-9]+ +(?=\S)")
_LABELLED = re.compile(r"(?P<text>.+)/(?P<label>PRE|STM|SUF|ZZZ)")
_LABELS = {"PRE": "pre", "STM": "stem", "SUF": "suf", "ZZZ": ""}


@dataclass(frozen=True)
class SegmentationFile:
    """The segmentations of a file, the format it is in, and how many further analyses of words it has, which are left out."""

    table: SegmentationTable
    format: SegmentationFormat
    further: int = 0

    @property
    def signature(self) -> str:
        """The format and a digest of the segmentations."""
        return f"segmentations:{self.table.digest}|format:{self.format}|words:{len(self.table)}"

    def __str__(self) -> str:
        more = f"; {self.further:,} further analyses of the same words are left out" if self.further else ""
        return f"{len(self.table):,} words segmented, in the format {self.format}{more}"


def read_segmentations(path: PathLike, form: SegmentationFormat | None = None) -> SegmentationFile:
    """The segmentations of a file in one of the formats above, recognised unless `form` names it.

    Of several analyses of a word the first is kept. Whatever is wrong with a line is refused with its file and line.
    """
    lines = [(n, line) for n, line in read_lines(path) if line.strip() and not line.startswith("# ")]
    if not lines:
        raise InputError(f"{path}: there is no segmentation in it")
    form = form or recognise([line for _, line in lines])
    counted = form in ("morfessor", "flatcat") and all(_COUNTED.match(line) for _, line in lines)
    rows: dict[str, Segmentation] = {}
    for number, line in lines:
        try:
            row = _row(_COUNTED.sub("", line, count=1) if counted else line, form)
        except InputError as error:
            raise InputError(f"{path}:{number}: {error}") from error
        rows.setdefault(row.word, row)
    return SegmentationFile(SegmentationTable(rows.values()), form, len(lines) - len(rows))


def write_segmentations(
    table: SegmentationTable, path: PathLike, form: SegmentationFormat = "binyan", comment: str = ""
) -> None:
    """Write segmentations in one of the formats above. Only ours has comments, positions and linking elements."""
    if form not in FORMATS:
        raise SettingsError(f"segmentations are written as {', '.join(FORMATS)}, not {form!r}")
    if form == "binyan":
        table.write(path, comment)
        return
    labels = {ours: theirs for theirs, ours in _LABELS.items()} | {name: name for name in _LABELS}
    lines = []
    for row in table.values():
        parts = row.contiguous().parts
        texts = [f"{p.text}/{labels.get(p.label, 'ZZZ')}" if form == "flatcat" else p.text for p in parts]
        lines.append((" " if form == "plain" else _JOINED).join(texts) + "\n")
    write_text(path, "".join(lines))


def recognise(lines: Sequence[str]) -> SegmentationFormat:
    """The format of the lines of a file.

    >>> recognise(["walk + ed", "talk"]), recognise(["walk/STM + ed/SUF"]), recognise(["walk ed"])
    ('morfessor', 'flatcat', 'plain')
    """
    if any("\t" in line for line in lines):
        return "binyan"
    if all(_all_labelled(line) for line in lines):
        return "flatcat"
    return "morfessor" if any(_JOINED in line for line in lines) else "plain"


def _all_labelled(line: str) -> bool:
    return all(_LABELLED.fullmatch(part) for part in _COUNTED.sub("", line, count=1).split(_JOINED))


def _row(line: str, form: SegmentationFormat) -> Segmentation:
    if form == "binyan":
        return parse_row("\t".join(line.split("\t")[:2]))
    parts = tuple(_parts(line.split() if form == "plain" else line.strip().split(_JOINED), form))
    return Segmentation("".join(part.text for part in parts), parts)


def _parts(texts: Iterable[str], form: SegmentationFormat) -> Iterable[Part]:
    for text in texts:
        match = _LABELLED.fullmatch(text) if form == "flatcat" else None
        if " " in text or (form == "flatcat" and match is None):
            raise InputError(f"the part {text[:40]!r} is not one part of the format {form}")
        yield Part(match["text"], _LABELS[match["label"]]) if match else Part(text)
