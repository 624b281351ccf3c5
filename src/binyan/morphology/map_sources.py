"""Who learns the word map of a language model from its training text: our own morphology, by any grammar, or Morfessor."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from binyan.clustering import word_frequencies
from binyan.errors import SettingsError
from binyan.files import PathLike
from binyan.grammar.library import library_text
from binyan.morphology.settings import AUTO
from binyan.progress import ProgressOption
from binyan.segmentation import SegmentationTable
from binyan.segmentation.word_map_file import WordMapTable
from binyan.text import Corpus

if TYPE_CHECKING:
    from binyan.morphology.map_learning import LearntMap

OWN = "own"
MORFESSOR = "morfessor"
_GRAMMAR_FILE = ".grammar"


@dataclass(frozen=True)
class MapLearner:
    """Learns a word map from the words of a text.

    `name`: own (our own morphology, its grammar by the script of the text), morfessor, auto (a grammar chosen by trials), a shipped
    grammar, or a file NAME.grammar. A map that our own morphology has learnt is kept in the folder `kept_in`, where one is named, and
    taken from there when the same words are met again; `say` is told of both.

    >>> MapLearner("affixes").name, MapLearner.named("map.tsv") is None
    ('affixes', True)
    """

    name: str = OWN
    kept_in: PathLike | None = None
    say: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        if not _is_learner(self.name):
            raise SettingsError(
                f"{self.name!r} is neither a file nor what learns a word map: {OWN}, {MORFESSOR}, {AUTO}, a grammar that "
                f"`binyan grammar list` shows, or a file NAME{_GRAMMAR_FILE}"
            )

    @classmethod
    def named(cls, given: object) -> MapLearner | None:
        """The learner that `given` is or names; None for anything else, such as the file of a word map."""
        if isinstance(given, MapLearner):
            return given
        if not isinstance(given, (str, os.PathLike)):
            return None
        name = os.fspath(given)
        if name in (OWN, MORFESSOR) or name.endswith(_GRAMMAR_FILE):
            return cls(name)
        return cls(name) if _is_bare(name) and not os.path.exists(name) else None

    def factors(self, corpus: Corpus, seed: int, progress: ProgressOption = None) -> WordMapTable:
        """The word map of an additive model."""
        if self.name == MORFESSOR:
            return _by_morfessor(corpus, seed, progress)
        return self._own(corpus, seed, progress).factors

    def segmentations(self, corpus: Corpus, seed: int, progress: ProgressOption = None) -> SegmentationTable:
        """The word map of a model of parts that spell the word."""
        if self.name == MORFESSOR:
            return _by_morfessor(corpus, seed, progress)
        return self._own(corpus, seed, progress).segmentations

    def _own(self, corpus: Corpus, seed: int, progress: ProgressOption) -> LearntMap:
        from binyan.morphology.kept_maps import learn_or_take
        from binyan.morphology.map_learning import MapSettings

        settings = MapSettings(seed=seed)
        if self.name != OWN:
            settings = replace(settings, grammar=self.name)
        return learn_or_take(_counts(corpus), settings, self.kept_in, self.say, progress)


SegmentationSource = SegmentationTable | Mapping[str, str] | PathLike | MapLearner
"""Segmentations as they are, in a file or in a mapping; or who learns them, or their name."""


def segmentation_source(given: SegmentationSource) -> SegmentationTable | MapLearner:
    """A table that is given or in a file, or who is to learn one."""
    return MapLearner.named(given) or SegmentationTable.of_any(given)  # type: ignore[arg-type]


def learn_segmentations(
    source: SegmentationTable | MapLearner, corpus: Corpus, seed: int, progress: ProgressOption = None
) -> SegmentationTable:
    """A table that is given, or one learnt from the words of a text, for models of parts that spell the word."""
    return source if isinstance(source, SegmentationTable) else source.segmentations(corpus, seed, progress)


def _is_learner(name: str) -> bool:
    return name in (OWN, MORFESSOR, AUTO) or name.endswith(_GRAMMAR_FILE) or library_text(name) is not None


def _is_bare(name: str) -> bool:
    """Whether a name has no folder and no ending, so that it is hardly a file that is missing."""
    return bool(name) and not os.path.dirname(name) and not os.path.splitext(name)[1]


def _by_morfessor(corpus: Corpus, seed: int, progress: ProgressOption) -> SegmentationTable:
    from binyan.segmentation.morfessor import learn

    return learn({w: n for w, n in word_frequencies(corpus).items() if n}, seed=seed, progress=progress)


def _counts(corpus: Corpus) -> Counter[str]:
    """How often each word stands in a text, also those outside the vocabulary."""
    return Counter({w: int(n) for w, n in word_frequencies(corpus).items() if n}) + Counter(corpus.outside)
