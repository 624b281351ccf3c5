"""What is known of strings as parts of words: frequencies in a corpus, and roles in a gold list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.model_file import ModelFile
from binyan.segmentation.segmentation import Segmentation
from binyan.segmentation.table import SegmentationTable


@dataclass(frozen=True)
class PartCounts:
    """Strings with counts. Row 0 stands for every string that is not listed.

    `corpus[i]`: occurrences as a word of a text; `modifier[i, k]`: gold compounds in which it comes before linking
    element k (0: none); `head[i]`: gold compounds in which it is the last part. `links[0]` is empty.
    """

    strings: list[str]
    links: tuple[str, ...]
    corpus: NDArray[np.int64]
    modifier: NDArray[np.int32]
    head: NDArray[np.int32]

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each string."""
        return {string: row for row, string in enumerate(self.strings) if row}

    @cached_property
    def modifiers(self) -> NDArray[np.int64]:
        """Gold compounds in which a string is a modifier, with whichever linking element."""
        return np.asarray(self.modifier.sum(axis=1, dtype=np.int64))

    @classmethod
    def count(cls, gold: SegmentationTable, frequencies: Mapping[str, int], links: tuple[str, ...]) -> PartCounts:
        """Count the parts of `gold`, which are lowercase, and join `frequencies` of lowercase words."""
        place = {link: k for k, link in enumerate(links)}
        rows: dict[str, int] = {"": 0}
        uses: list[tuple[int, int]] = []
        for segmentation in gold.values():
            for string, link in components_with_links(segmentation):
                if len(segmentation) > 1 and (link is None or link in place):
                    uses.append((rows.setdefault(string, len(rows)), -1 if link is None else place[link]))
        for word in frequencies:
            rows.setdefault(word, len(rows))
        corpus = np.zeros(len(rows), np.int64)
        modifier = np.zeros((len(rows), len(links)), np.int32)
        head = np.zeros(len(rows), np.int32)
        for row, link_index in uses:
            if link_index < 0:
                head[row] += 1
            else:
                modifier[row, link_index] += 1
        for word, frequency in frequencies.items():
            corpus[rows[word]] += frequency
        corpus[0] = 0
        return cls(list(rows), links, corpus, modifier, head)

    @classmethod
    def from_file(cls, file: ModelFile, links: tuple[str, ...]) -> PartCounts:
        """The inverse of `to_sections`."""
        strings = file.blob("strings").decode().split("\n")
        corpus, modifier, head = (file.counts(name) for name in ("corpus", "modifier", "head"))
        if (
            corpus.shape != (len(strings),)
            or head.shape != corpus.shape
            or modifier.shape != (len(strings), len(links))
        ):
            raise InputError("the sections 'strings', 'corpus', 'modifier' and 'head' do not fit each other")
        return cls(strings, links, corpus, modifier, head)

    def to_sections(self) -> dict[str, Any]:
        """As sections of a model file."""
        return {
            "strings": "\n".join(self.strings).encode(),
            "corpus": self.corpus,
            "modifier": self.modifier,
            "head": self.head,
        }


def components_with_links(segmentation: Segmentation) -> list[tuple[str, str | None]]:
    """The components of a segmentation, each with the linking element after it; None after the last one."""
    components: list[tuple[str, str | None]] = []
    for part in segmentation:
        if part.linking and components:
            string, link = components[-1]
            components[-1] = (string, (link or "") + part.text)
        elif not part.linking:
            components.append((part.text, ""))
    string, link = components[-1]
    components[-1] = (string + (link or ""), None)
    return components
