"""Words with their segmentations: read from and written to text, one word per line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from binyan.errors import InputError
from binyan.files import PathLike, write_bytes
from binyan.segmentation.segmentation import Linking, Segmentation, escape, unescape
from binyan.signature import digest
from binyan.text.reading import read_lines


class SegmentationTable(Mapping[str, Segmentation]):
    """A mapping of words to segmentations; a word that is missing counts as simplex (see `of` and `coverage`).

    >>> table = SegmentationTable([Segmentation.parse("küchentisch", "küche +n tisch")])
    >>> table.components("küchentisch", "left"), table.components("haus")
    (('küchen', 'tisch'), ('haus',))
    >>> print(table.coverage(["haus", "küchentisch"]))
    1 of 2 words have no segmentation and count as simplex, e.g. haus
    """

    def __init__(self, segmentations: Iterable[Segmentation] = ()) -> None:
        self._rows: dict[str, Segmentation] = {}
        self.repeated = 0
        self.origin = ""
        for segmentation in segmentations:
            self.add(segmentation)

    @classmethod
    def of_any(cls, given: SegmentationTable | Mapping[str, str | Segmentation] | PathLike) -> SegmentationTable:
        """A table as it is, from a file, or from a mapping of words to segmentations or to their parts in the text format.

        >>> SegmentationTable.of_any({"küchentisch": "küche +n tisch"}).components("küchentisch")
        ('küchen', 'tisch')
        """
        if isinstance(given, SegmentationTable):
            return given
        if isinstance(given, (str, os.PathLike)):
            return cls.read(given)
        return cls(
            parts if isinstance(parts, Segmentation) else Segmentation.parse(word, parts)
            for word, parts in given.items()
        )

    def add(self, segmentation: Segmentation) -> None:
        """Add a row. The same row again is counted in `repeated`; another analysis of the same word is refused."""
        before = self._rows.setdefault(segmentation.word, segmentation)
        if before is not segmentation:
            if before != segmentation:
                raise InputError(
                    f"{segmentation.word!r} is segmented as '{segmentation}' and before as '{before}'; keep one"
                )
            self.repeated += 1

    def __getitem__(self, word: str) -> Segmentation:
        return self._rows[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"SegmentationTable of {len(self):,} words"

    @property
    def digest(self) -> str:
        """Digits that stand for the rows and their order."""
        return digest(self.to_bytes())

    def of(self, word: str) -> Segmentation:
        """The segmentation of `word`, which is simplex where the table lacks it."""
        return self._rows.get(word) or Segmentation.simplex(word)

    def components(self, word: str, linking: Linking = "left") -> tuple[str, ...]:
        """The components of `word`, with linking elements merged to the left, to the right, or deleted."""
        row = self._rows.get(word)
        return (word,) if row is None else row.components(linking)

    def factors(self, word: str) -> list[str]:
        """The morphemes of `word`, without one that is the bare word itself; none where the table lacks it."""
        row = self._rows.get(word)
        return [] if row is None else [m for m in row.morphemes if m != word]

    @property
    def links(self) -> frozenset[str]:
        """The linking elements of all words."""
        return frozenset(part.text for row in self._rows.values() for part in row if part.linking)

    def coverage(self, words: Iterable[str]) -> Coverage:
        """How many of `words` the table lacks; these count as simplex."""
        listed = list(words)
        return Coverage(len(listed), tuple(word for word in listed if word not in self._rows))

    def to_bytes(self) -> bytes:
        """The text format as bytes, for model files."""
        return "".join(f"{escape(row.word)}\t{row}\n" for row in self._rows.values()).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The inverse of `to_bytes`."""
        return cls(map(parse_row, data.decode().split("\n")[:-1]))

    def write(self, path: PathLike, comment: str = "") -> None:
        """Write the text format, with `comment` lines (a signature, say) at the top."""
        heading = "".join(f"# {line}\n" for line in comment.splitlines())
        write_bytes(path, heading.encode(), self.to_bytes())

    @classmethod
    def read(cls, path: PathLike) -> Self:
        """Read the text format. Whatever is wrong with a row is refused with its file and line."""
        table = cls()
        lines: dict[str, int] = {}
        for number, line in read_lines(path):
            if not line.strip(" \t") or line.startswith("#"):
                continue
            try:
                row = parse_row(line)
                first = lines.setdefault(row.word, number)
                table.add(row)
            except InputError as error:
                clash = f" (first on line {first})" if "before as" in str(error) else ""
                raise InputError(f"{path}:{number}: {error}{clash}") from error
        return table


@dataclass(frozen=True)
class Coverage:
    """How many of the words asked for a table lacks."""

    words: int
    missing: tuple[str, ...]

    def __str__(self) -> str:
        if not self.missing:
            return f"all {self.words:,} words have a segmentation"
        return (
            f"{len(self.missing):,} of {self.words:,} words have no segmentation and count as simplex, "
            f"e.g. {' '.join(self.missing[:5])}"
        )


def parse_row(line: str) -> Segmentation:
    """One row of the text format: word, tab, parts."""
    columns = line.split("\t")
    if len(columns) != 2:
        row = line if len(line) <= 60 else f"{line[:60]}..."
        raise InputError(
            f"{len(columns)} columns where a segmentation has two: the word, a tab, its parts: {row!r}; "
            "'binyan compounds split' and 'binyan wordmap learn' make such files"
        )
    if not columns[0]:
        raise InputError(f"the word is empty: {line!r}")
    return Segmentation.parse(unescape(columns[0]), columns[1])
