"""Word maps: words with their morphemes, learnt from text by Morfessor or read from a file, for the additive models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Self

from binyan.errors import NotFittedError
from binyan.files import PathLike
from binyan.progress import ProgressOption
from binyan.segmentation import morfessor
from binyan.segmentation.frequencies import Texts, sentences
from binyan.segmentation.morfessor import MorfessorSettings
from binyan.segmentation.segmentation import Segmentation
from binyan.segmentation.table import SegmentationTable
from binyan.settings import gather, takes_settings
from binyan.signature import Signature
from binyan.text.preparation import Preparation

_GROUPS = MorfessorSettings, Preparation


class WordMap(SegmentationTable):
    """A mapping of words to their segmentations that can be learnt: `WordMap(method="flatcat").fit("train.txt")`.

    `WordMap.read("map.tsv")`, or `binyan.load`, reads one from a file; `WordMap.of_any({"unlocked": "un/PRE lock/STM ed/SUF"})` takes
    one that is known.
    """

    @takes_settings(*_GROUPS)
    def __init__(self, segmentations: Iterable[Segmentation] = (), **settings: Any) -> None:
        self.settings, self.preparation = gather("WordMap", settings, *_GROUPS)
        self._signature: Signature | None = None
        super().__init__(segmentations)

    def fit(
        self,
        text: Texts,
        also: Texts | None = None,
        *,
        progress: ProgressOption = None,
    ) -> Self:
        """Learn from the words of a text: a file, several (a list of Path objects), or sentences.

        The further words of `also` are segmented, but not learnt from. What the map had before is replaced.
        """
        counts = Counter(self._words(text))
        table = morfessor.learn(counts, dict.fromkeys(self._words(also)), settings=self.settings, progress=progress)
        self._rows, self.repeated = dict(table), 0
        s = self.settings
        fields = {
            "map": s.method,
            "threshold": s.perplexity_threshold,
            "weight": s.corpus_weight,
            "dampening": s.dampening,
        }
        more = {"epochs": s.flatcat_epochs, "min_count": s.min_count, "seed": s.seed, "prepared": self.preparation}
        self._signature = Signature({**fields, **more})
        return self

    def _words(self, text: Texts | None) -> Iterable[str]:
        return (word for sentence in sentences(text, self.preparation) for word in sentence)

    def signature(self) -> Signature:
        """How the map was learnt, or what its rows are."""
        return self._signature or Signature({"map": self.digest})

    def save(self, path: PathLike) -> None:
        """Write the map as text, one word per line, with its signature at the top; `binyan.load` opens it."""
        if not self:
            raise NotFittedError("WordMap")
        self.write(path, str(self.signature()))

    @property
    def morphemes_per_word(self) -> float:
        """The mean number of parts."""
        return sum(len(s.parts) for s in self.values()) / max(len(self), 1)

    @property
    def description(self) -> str:
        """The map in a few words."""
        return f"{len(self):,} words, {self.morphemes_per_word:.2f} morphemes per word"

    def summary(self) -> dict[str, Any]:
        """What there is to say of the map, for JSON."""
        return {"words": len(self), "morphemes_per_word": self.morphemes_per_word, "signature": str(self.signature())}

    def __repr__(self) -> str:
        return f"<WordMap of {self.description}>" if self else "<WordMap, not fitted>"
