"""The compound splitter: learnt from gold compounds, from word frequencies alone, or best from both."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar, Self

from binyan.errors import SettingsError
from binyan.files import PathLike
from binyan.model import Model
from binyan.model_file import ModelFile, Section
from binyan.progress import Progress, ProgressOption
from binyan.segmentation.frequencies import Texts, listed_words, word_frequencies
from binyan.segmentation.frequency_engine import FrequencyEngine
from binyan.segmentation.gold import Gold, GoldSource, gather_gold, gold_words, recursive
from binyan.segmentation.hyphens import join_pieces, pieces
from binyan.segmentation.lattice_engine import LatticeEngine
from binyan.segmentation.segmentation import Segmentation
from binyan.segmentation.splitter_settings import SplitterSettings
from binyan.segmentation.table import SegmentationTable
from binyan.settings import gather, takes_settings
from binyan.signature import Signature
from binyan.text.preparation import Preparation

_BATCH = 20_000
_GROUPS = SplitterSettings, Preparation


class CompoundSplitter(Model):
    """Splits compounds into their parts. Words are looked at in lowercase and segmented as they are written; hyphens always split.

    With gold compounds it learns a log-linear model of where they are split; without, it takes the split whose parts have the
    greatest geometric mean of frequencies (Koehn and Knight 2003). `gold` has what was read of each gold list.

    >>> splitter = CompoundSplitter(links="n").fit(text={"küche": 50, "tisch": 90, "küchentisch": 2})
    >>> print(splitter.split("Küchentisch"))
    Küche +n tisch
    """

    commands = "binyan compounds"
    engines: ClassVar[Mapping[str, type[LatticeEngine] | type[FrequencyEngine]]] = {
        engine.kind: engine for engine in (LatticeEngine, FrequencyEngine)
    }
    settings: SplitterSettings
    preparation: Preparation
    engine: LatticeEngine | FrequencyEngine
    gold: Mapping[str, Gold]

    @takes_settings(*_GROUPS)
    def __init__(self, **settings: Any) -> None:
        self.settings, self.preparation = gather("CompoundSplitter", settings, *_GROUPS)

    @property
    def kind(self) -> str:  # type: ignore[override]
        """The kind of its model file, by how it was learnt."""
        return self.engine.kind

    @property
    def is_fitted(self) -> bool:
        """Whether the splitter has learnt something."""
        return "engine" in vars(self)

    def fit(
        self,
        gold: GoldSource | None = None,
        text: Texts | Mapping[str, int] | None = None,
        *,
        exclude: GoldSource | None = None,
        simplex: PathLike | Iterable[str] | None = None,
        progress: ProgressOption = None,
    ) -> Self:
        """Learn from gold lists, from a text, or best from both.

        Gold lists are files in any known format, or a table; a text is files, sentences, or words with their counts. The words of `exclude`, a development set, are kept out of the gold. `simplex` words are not to be split, a file or words; by
        default they are the gold parts that are never split.
        """
        if gold is None and text is None:
            raise SettingsError(
                "a splitter is made from gold compounds, from text, or best from both; neither was given"
            )
        frequencies = text if isinstance(text, Mapping) else word_frequencies(text, self.preparation, progress)
        self.gold = {} if gold is None else gather_gold(gold)
        if gold is None:
            self.engine = FrequencyEngine.of(frequencies, self.settings)
            return self
        held_out = set() if exclude is None else set(gold_words(gather_gold(exclude)))
        table = SegmentationTable(row for row in gold_words(self.gold).values() if row.word not in held_out)
        if self.settings.recursive:
            table = recursive(table)
        words = listed_words(simplex) if isinstance(simplex, (str, os.PathLike)) else simplex
        self.engine = LatticeEngine.train(table, frequencies, words, self.settings, progress)
        return self

    def split(self, word: str) -> Segmentation:
        """The best segmentation of a word."""
        return self.split_words([word], progress=False)[word]

    def split_words(self, words: Iterable[str], progress: ProgressOption = None) -> SegmentationTable:
        """The best segmentation of each word, in their order."""
        self._require_fitted()
        table = SegmentationTable()
        remaining = iter(dict.fromkeys(words))
        with Progress("words split", show=progress) as bar:
            while some := list(islice(remaining, _BATCH)):
                for segmentation in self._split(some):
                    table.add(segmentation)
                bar.advance(len(some))
        return table

    def _split(self, words: Sequence[str]) -> list[Segmentation]:
        cut = [pieces(word) for word in words]
        distinct = list({piece: None for of_word in cut for piece in of_word if self.engine.takes(piece)})
        best = dict(zip(distinct, self.engine.split(distinct), strict=True))
        return [
            join_pieces(word, [best.get(piece) or Segmentation.simplex(piece) for piece in of_word])
            for word, of_word in zip(words, cut, strict=True)
        ]

    def segmentations(self, word: str, n: int = 5) -> list[Segmentation]:
        """The `n` best segmentations of a word with their probabilities, best first; without gold only one, without probability."""
        joined: list[tuple[list[Segmentation], float | None]] = [([], 1.0)]
        for piece in pieces(word):
            ways = [replace(Segmentation.simplex(piece), probability=1.0)]
            if self.engine.takes(piece):
                ways = self.engine.segmentations(piece, n)
            joined = [([*before, way], _product(p, way.probability)) for before, p in joined for way in ways]
            joined = sorted(joined, key=lambda item: -(item[1] or 0.0))[:n]
        return [replace(join_pieces(word, ways), probability=p) for ways, p in joined]

    @property
    def description(self) -> str:
        """How it was learnt, in a few words."""
        return self.engine.description

    def signature(self) -> Signature:
        """How the splitter was made."""
        fields = self.engine.fields
        kept = {name: fields[name] for name in ("gold", "text_words", "words", "penalty", "min_part") if name in fields}
        return Signature({"model": self.kind, **kept})

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file."""
        return self.engine.contents()

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`."""
        splitter = cls()
        splitter.engine, splitter.gold = cls.engines[file.kind].from_file(file), {}
        return splitter


def _product(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one * other
