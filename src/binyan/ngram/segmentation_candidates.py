"""Several segmentations of a word, among which a language model learns to choose."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from binyan.errors import InputError
from binyan.files import PathLike
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.segmentation.table import parse_row
from binyan.signature import digest
from binyan.text.reading import read_lines

MOST = 16
"""Segmentations that a word may have at most."""


class SegmentationCandidates:
    """The segmentations that a word may have, in the order given; a word may have up to `MOST`.

    >>> candidates = SegmentationCandidates.of_any({"domem": ["dom em", "dome m"]})
    >>> candidates.parts("domem"), candidates.parts("dom")
    ([('dom', 'em'), ('dome', 'm')], [])
    """

    def __init__(self, rows: Iterable[Segmentation] = ()) -> None:
        self._rows: dict[str, list[Segmentation]] = {}
        for row in rows:
            self.add(row)

    @classmethod
    def of_any(
        cls, given: SegmentationCandidates | Mapping[str, Sequence[str]] | PathLike | None
    ) -> SegmentationCandidates:
        """Candidates as they are, from a file, or from a mapping of words to several segmentations in the text format."""
        if isinstance(given, SegmentationCandidates):
            return given
        if given is None:
            return cls()
        if isinstance(given, (str, os.PathLike)):
            return cls.read(given)
        return cls(Segmentation.parse(word, parts) for word, each in given.items() for parts in each)

    @classmethod
    def read(cls, path: PathLike) -> SegmentationCandidates:
        """Read a table of words and parts, in which a word may have several rows."""
        candidates = cls()
        for number, line in read_lines(path):
            if not line.strip(" \t") or line.startswith("#"):
                continue
            try:
                candidates.add(parse_row(line))
            except InputError as error:
                raise InputError(f"{path}:{number}: {error}") from error
        return candidates

    def add(self, row: Segmentation) -> None:
        """Add a segmentation of a word; the same again is left out."""
        rows = self._rows.setdefault(row.word, [])
        if row not in rows:
            rows.append(row)
        if len(rows) > MOST:
            raise InputError(f"{row.word!r} has more than {MOST} segmentations to choose from: give the best of them")

    def parts(self, word: str) -> list[tuple[str, ...]]:
        """The parts of a word, from left to right, in each of its segmentations that spell it."""
        found = (row.components("left") for row in self._rows.get(word, ()))
        return [parts for parts in found if "".join(parts) == word]

    def rows(self) -> Iterator[Segmentation]:
        """All segmentations of all words."""
        return (row for rows in self._rows.values() for row in rows)

    def is_full(self, word: str) -> bool:
        """Whether a word has as many segmentations as it may have."""
        return len(self._rows.get(word, ())) >= MOST

    def __len__(self) -> int:
        return len(self._rows)

    def to_bytes(self) -> bytes:
        """The text format as bytes, for model files."""
        return b"".join(SegmentationTable([row]).to_bytes() for row in self.rows())

    @classmethod
    def from_bytes(cls, data: bytes) -> SegmentationCandidates:
        """The inverse of `to_bytes`."""
        return cls(map(parse_row, data.decode().split("\n")[:-1]))

    @property
    def digest(self) -> str:
        """Digits that stand for the rows and their order."""
        return digest(self.to_bytes())
