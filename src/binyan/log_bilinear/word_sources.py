"""Where the word map and the word classes of a model come from: given, read from a file, or learnt from the training text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from binyan.clustering import WordClasses, brown
from binyan.errors import SettingsError
from binyan.files import PathLike
from binyan.log_bilinear.settings import Variant
from binyan.morphology.map_sources import MapLearner
from binyan.progress import ProgressOption
from binyan.segmentation.word_map_file import WordMapTable, word_map_of_any
from binyan.text import Corpus, Preparation

WordMapSource = WordMapTable | Mapping[str, str] | PathLike | MapLearner | None
ClassesSource = WordClasses | PathLike | int | None


@dataclass(frozen=True)
class WordSources:
    """What a model was given, checked against what its variant takes."""

    word_map: WordMapTable | MapLearner | None = None
    classes: WordClasses | int | None = None

    @classmethod
    def of_any(
        cls,
        variant: Variant,
        word_map: WordMapSource,
        classes: ClassesSource,
        preparation: Preparation | None = None,
    ) -> WordSources:
        """Read what is in files. Raises SettingsError for a word map or classes that the variant has no use for.

        An additive variant without a word map learns it from the words of the text.
        """
        if word_map is not None and not variant.additive:
            raise SettingsError(f"{variant} has no morphemes; add +c, +o or ++ to its name, or leave out the word map")
        if classes is not None and not variant.classes:
            name = str(variant).replace("lbl", "clbl")
            raise SettingsError(f"{variant} has no classes; leave out the classes and their number, or train {name}")
        source: WordMapTable | MapLearner | None = None
        if variant.additive:
            source = MapLearner() if word_map is None else MapLearner.named(word_map)
            source = source or word_map_of_any(word_map, preparation)  # type: ignore[arg-type]
        return cls(source, WordClasses.read(classes) if isinstance(classes, (str, os.PathLike)) else classes)

    def table(self, corpus: Corpus, seed: int, progress: ProgressOption = None) -> WordMapTable | None:
        """The word map: learnt from the words of the text where none is given."""
        return self.word_map.factors(corpus, seed, progress) if isinstance(self.word_map, MapLearner) else self.word_map

    def word_classes(self, corpus: Corpus, variant: Variant, progress: ProgressOption = None) -> WordClasses | None:
        """The classes: Brown clusters of the text where they are not given; None for a variant without."""
        if not variant.classes or isinstance(self.classes, WordClasses):
            return self.classes if isinstance(self.classes, WordClasses) else None
        return brown(corpus, self.classes, progress=progress)
