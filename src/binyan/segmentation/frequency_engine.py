"""Splitting without a gold list: the split whose parts have the greatest geometric mean of frequencies.

Koehn and Knight, "Empirical methods for compound splitting", EACL 2003.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from binyan.model_file import ModelFile, Section
from binyan.segmentation.hyphens import lowered
from binyan.segmentation.segmentation import Part, Segmentation
from binyan.segmentation.splitter_settings import SplitterSettings


@dataclass(frozen=True)
class FrequencyEngine:
    """Splits by word frequencies alone; `links` are the linking elements that may stand between parts."""

    frequencies: Mapping[str, int]
    links: tuple[str, ...] = ("",)
    min_part: int = 3
    kind: ClassVar[str] = "frequency-splitter"

    @classmethod
    def of(cls, frequencies: Mapping[str, int], settings: SplitterSettings) -> Self:
        """From words and their counts, which are lowercased."""
        counts = Counter[str]()
        for word, count in frequencies.items():
            counts[word.lower()] += count
        return cls(dict(counts), ("", *settings.links.split()), settings.min_part)

    @property
    def fields(self) -> dict[str, Any]:
        """How it was made."""
        return {"links": list(self.links), "min_part": self.min_part, "text_words": sum(self.frequencies.values())}

    @property
    def description(self) -> str:
        """In a few words."""
        return f"splits by the frequencies of {len(self.frequencies):,} words"

    def takes(self, piece: str) -> bool:
        """Whether a piece of a word may be split."""
        return True

    def split(self, pieces: Sequence[str]) -> list[Segmentation]:
        """The best segmentation of each piece of a word between hyphens."""
        return [self._split(piece) for piece in pieces]

    def segmentations(self, piece: str, n: int) -> list[Segmentation]:
        """The best segmentation; no other is considered."""
        return [self._split(piece)]

    def _split(self, piece: str) -> Segmentation:
        word = lowered(piece)
        n = len(word)
        # best[k, j]: the greatest sum of log frequencies of k parts that cover word[:j], and how it was reached.
        best: dict[tuple[int, int], tuple[float, tuple[tuple[int, int, int], ...]]] = {(0, 0): (0.0, ())}
        for i in range(n):
            states = [(k, value) for (k, place), value in best.items() if place == i]
            if not states:
                continue
            for j in range(i + self.min_part, n + 1):
                frequency = self.frequencies.get(word[i:j], 0)
                if not frequency:
                    continue
                for link in self.links if j < n else ("",):
                    after = j + len(link)
                    if word.startswith(link, j) and (after < n or not link):
                        for k, (total, path) in states:
                            reached = (total + math.log(frequency), (*path, (i, j, after)))
                            if (k + 1, after) not in best or reached[0] > best[k + 1, after][0]:
                                best[k + 1, after] = reached
        ways = [(total / k, -k, path) for (k, place), (total, path) in best.items() if place == n and k]
        parts: list[Part] = []
        for i, j, after in max(ways)[2] if ways else ((0, n, n),):
            parts += [Part(piece[i:j]), *([Part(piece[j:after], linking=True)] if after > j else [])]
        return Segmentation(piece, tuple(parts))

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file."""
        return self.fields, {
            "words": "\n".join(self.frequencies).encode(),
            "counts": np.fromiter(self.frequencies.values(), np.int64, len(self.frequencies)),
        }

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`."""
        words = file.blob("words").decode().split("\n")
        frequencies = dict(zip(words, file.counts("counts").tolist(), strict=True))
        return cls(frequencies, file.texts("links"), file.number("min_part"))
