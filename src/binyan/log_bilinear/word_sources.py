"""Where the word map and the word classes of a model come from: given, read from a file, or learnt from the training text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from binyan.clustering import WordClasses, brown, word_frequencies
from binyan.errors import SettingsError
from binyan.files import PathLike
from binyan.log_bilinear.settings import Variant
from binyan.progress import ProgressOption
from binyan.segmentation import SegmentationTable
from binyan.text import Corpus

MORFESSOR: Literal["morfessor"] = "morfessor"
WordMapSource = SegmentationTable | Mapping[str, str] | PathLike | None
ClassesSource = WordClasses | PathLike | int | None


@dataclass(frozen=True)
class WordSources:
    """What a model was given, checked against what its variant takes."""

    word_map: SegmentationTable | Literal["morfessor"] | None = None
    classes: WordClasses | int | None = None

    @classmethod
    def of_any(cls, variant: Variant, word_map: WordMapSource, classes: ClassesSource) -> WordSources:
        """Read what is in files. Raises SettingsError for a word map or classes that the variant lacks or has no use for."""
        if word_map is None and variant.additive:
            raise SettingsError(
                f"{variant} needs a word map, either --word-map TSV (word_map=...) or --morfessor (word_map='morfessor')"
            )
        if word_map is not None and not variant.additive:
            raise SettingsError(f"{variant} has no morphemes; add +c, +o or ++ to its name, or leave out the word map")
        if classes is not None and not variant.classes:
            name = str(variant).replace("lbl", "clbl")
            raise SettingsError(f"{variant} has no classes; leave out the classes and their number, or train {name}")
        table: SegmentationTable | Literal["morfessor"] | None = None
        if isinstance(word_map, str) and word_map == MORFESSOR:
            table = MORFESSOR
        elif word_map is not None:
            table = SegmentationTable.of_any(word_map)
        return cls(table, WordClasses.read(classes) if isinstance(classes, (str, os.PathLike)) else classes)

    def table(self, corpus: Corpus, seed: int, progress: ProgressOption = None) -> SegmentationTable | None:
        """The word map: learnt by Morfessor from the words of the text where that is asked for."""
        if self.word_map != MORFESSOR:
            return self.word_map
        from binyan.segmentation.morfessor import learn

        return learn({w: n for w, n in word_frequencies(corpus).items() if n}, seed=seed, progress=progress)

    def word_classes(self, corpus: Corpus, variant: Variant, progress: ProgressOption = None) -> WordClasses | None:
        """The classes: Brown clusters of the text where they are not given; None for a variant without."""
        if not variant.classes or isinstance(self.classes, WordClasses):
            return self.classes if isinstance(self.classes, WordClasses) else None
        return brown(corpus, self.classes, progress=progress)
