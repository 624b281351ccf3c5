"""The training of hpylm+i."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from binyan import _core
from binyan.model_file import ModelFile, Section
from binyan.ngram.backoff import word_counts
from binyan.ngram.chains import Chain
from binyan.ngram.sampling import Sampling
from binyan.ngram.word_ways import Parts, Way, WordTokens
from binyan.sampling import Schedule
from binyan.segmentation import SegmentationTable
from binyan.text import Corpus, Preparation


def parts_of(table: SegmentationTable, word: str) -> Parts:
    """The parts of a word from left to right; the word alone where the table lacks it or its parts do not spell it."""
    parts = table.components(word, "left")
    return parts if "".join(parts) == word else (word,)


class InflectionSampling(Sampling):
    """The training of one model over one segmentation of its words."""

    kind = "hpylm+i"

    def __init__(
        self,
        corpus: Corpus,
        order: int,
        schedule: Schedule,
        preparation: Preparation,
        table: SegmentationTable,
        ways: Sequence[Way],
        numbers: Sequence[int] | None = None,
    ) -> None:
        self.table, self.ways = table, tuple(ways)
        self.tokens = tokens_of(corpus, table, ways)
        super().__init__(corpus, order, schedule, preparation, numbers)

    def make_chain(self, seed: int) -> Callable[[int], Chain]:
        """A function from the number of a chain to the empty chain."""
        self.forest = self.tokens.forest(self.tree)
        return lambda i: _core.InflectionHPYLM(self.forest, seed, i)

    def fields(self) -> dict[str, Any]:
        """What the signature says of the training."""
        return super().fields() | {"segmentation": self.table.digest, "split": self.tokens.split}

    def settings(self) -> dict[str, Any]:
        """What must be the same for training to be resumed from a checkpoint."""
        ways = [way.to_dict() for way in self.ways]
        return super().settings() | {"segmentation": self.table.digest, "ways": ways}

    @classmethod
    def more_from(cls, file: ModelFile) -> dict[str, Any]:
        """Segmentation and ways in an opened model file."""
        table, ways = words_from(file)
        return {"table": table, "ways": ways}

    def contents(self, numbers: Sequence[int] | None = None) -> tuple[dict[str, Any], dict[str, Section]]:
        """A checkpoint, of all chains or of those of `numbers`."""
        meta, sections = super().contents(numbers)
        sections["segmentation"] = self.table.to_bytes()
        return meta | {"ways": [way.to_dict() for way in self.ways]}, sections


def tokens_of(corpus: Corpus, table: SegmentationTable, ways: Sequence[Way]) -> WordTokens:
    """The tokens of the words of a text."""
    return WordTokens(corpus.vocabulary, lambda word: [parts_of(table, word)], ways, word_counts(corpus))


def words_from(file: ModelFile) -> tuple[SegmentationTable, tuple[Way, ...]]:
    """Segmentation and ways in an opened model file."""
    table = SegmentationTable.from_bytes(file.blob("segmentation"))
    return table, tuple(Way(**way) for way in file.meta["ways"])
