"""The training of hpylm+i."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from binyan import _core
from binyan.model_file import ModelFile, Section
from binyan.ngram.backoff import word_counts
from binyan.ngram.chains import Chain
from binyan.ngram.sampling import Sampling
from binyan.ngram.segmentation_candidates import SegmentationCandidates
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
        candidates: SegmentationCandidates,
        numbers: Sequence[int] | None = None,
    ) -> None:
        self.table, self.ways, self.candidates = table, tuple(ways), candidates
        self.tokens = tokens_of(corpus, table, ways, candidates)
        super().__init__(corpus, order, schedule, preparation, numbers)

    def make_chain(self, seed: int) -> Callable[[int], Chain]:
        """A function from the number of a chain to the empty chain."""
        self.forest = self.tokens.forest(self.tree)
        return lambda i: _core.InflectionHPYLM(self.forest, seed, i)

    def fields(self) -> dict[str, Any]:
        """What the signature says of the training."""
        fields = super().fields() | {"segmentation": self.table.digest, "split": self.tokens.split}
        return fields | ({"candidates": self.candidates.digest} if len(self.candidates) else {})

    def settings(self) -> dict[str, Any]:
        """What must be the same for training to be resumed from a checkpoint."""
        ways = [way.to_dict() for way in self.ways]
        own = {"segmentation": self.table.digest, "ways": ways, "candidates": self.candidates.digest}
        return super().settings() | own

    @classmethod
    def more_from(cls, file: ModelFile) -> dict[str, Any]:
        """Segmentation and ways in an opened model file."""
        table, ways, candidates = words_from(file)
        return {"table": table, "ways": ways, "candidates": candidates}

    def contents(
        self, numbers: Sequence[int] | None = None, with_samples: bool = True
    ) -> tuple[dict[str, Any], dict[str, Section]]:
        """A checkpoint, of all chains or of those of `numbers`."""
        meta, sections = super().contents(numbers, with_samples)
        sections |= {"segmentation": self.table.to_bytes(), "candidates": self.candidates.to_bytes()}
        return meta | {"ways": [way.to_dict() for way in self.ways]}, sections


def tokens_of(
    corpus: Corpus, table: SegmentationTable, ways: Sequence[Way], candidates: SegmentationCandidates
) -> WordTokens:
    """The tokens of the words of a text: of the segmentation in the table, then of the candidates."""

    def analyses(word: str) -> list[Parts]:
        return list(dict.fromkeys([parts_of(table, word), *candidates.parts(word)]))

    return WordTokens(corpus.vocabulary, analyses, ways, word_counts(corpus))


def words_from(file: ModelFile) -> tuple[SegmentationTable, tuple[Way, ...], SegmentationCandidates]:
    """Segmentation, ways and candidates in an opened model file."""
    table = SegmentationTable.from_bytes(file.blob("segmentation"))
    candidates = SegmentationCandidates.from_bytes(file.blob("candidates"))
    return table, tuple(Way(**way) for way in file.meta["ways"]), candidates
