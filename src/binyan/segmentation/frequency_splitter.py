"""A splitter that needs no gold list: the split whose parts have the greatest geometric mean of frequencies.

Koehn and Knight, "Empirical methods for compound splitting", EACL 2003.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from binyan import model_file
from binyan.progress import ProgressOption, track
from binyan.segmentation.hyphens import join_pieces, lowered, pieces
from binyan.segmentation.segmentation import Part, Segmentation
from binyan.segmentation.table import SegmentationTable

KIND = "frequency-splitter"


@dataclass(frozen=True)
class FrequencySplitter:
    """Splits by word frequencies alone; `links` are the linking elements that may stand between parts.

    >>> splitter = FrequencySplitter.from_counts({"küche": 50, "tisch": 90, "küchentisch": 2}, links=["n"])
    >>> print(splitter.split(["Küchentisch"])["Küchentisch"])
    Küche +n tisch
    """

    frequencies: Mapping[str, int]
    links: tuple[str, ...] = ("",)
    min_part: int = 3

    @classmethod
    def from_counts(
        cls, frequencies: Mapping[str, int], links: Sequence[str] = (), min_part: int = 3
    ) -> FrequencySplitter:
        """A splitter from words and their counts, which are lowercased, with linking elements beside none."""
        counts = Counter[str]()
        for word, count in frequencies.items():
            counts[word.lower()] += count
        return cls(dict(counts), ("", *(link for link in links if link)), min_part)

    @property
    def settings(self) -> dict[str, Any]:
        """What goes under figures."""
        return {"links": list(self.links), "min_part": self.min_part, "text_words": sum(self.frequencies.values())}

    def split(self, words: Iterable[str], progress: ProgressOption = None) -> SegmentationTable:
        """The best segmentation of each word, in their order; hyphens always split."""
        unique = track(dict.fromkeys(words), "words split", show=progress, every=10_000)
        return SegmentationTable(
            join_pieces(word, [self._split_piece(piece) for piece in pieces(word)]) for word in unique
        )

    def _split_piece(self, piece: str) -> Segmentation:
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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save to a model file."""
        sections: dict[str, model_file.Section] = {
            "words": "\n".join(self.frequencies).encode(),
            "counts": np.fromiter(self.frequencies.values(), np.int64, len(self.frequencies)),
        }
        model_file.save(path, KIND, self.settings, sections)

    @classmethod
    def from_file(cls, file: model_file.ModelFile) -> FrequencySplitter:
        """From a model file that is read already."""
        words = file.blob("words").decode().split("\n")
        frequencies = dict(zip(words, file.array("counts").tolist(), strict=True))
        return cls(frequencies, tuple(file.meta["links"]), file.meta["min_part"])
