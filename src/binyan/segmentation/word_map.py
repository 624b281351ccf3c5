"""Word maps: words with their morphemes, learnt from text by our own morphology or by Morfessor, or read from a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from binyan.errors import NotFittedError, SettingsError
from binyan.files import PathLike
from binyan.progress import ProgressOption
from binyan.segmentation import morfessor
from binyan.segmentation.factor_table import FactorTable
from binyan.segmentation.frequencies import Texts, sentences
from binyan.segmentation.morfessor import MorfessorSettings
from binyan.segmentation.segmentation import Segmentation
from binyan.segmentation.table import SegmentationTable
from binyan.settings import gather, names, setting, takes_settings
from binyan.signature import Signature
from binyan.text.preparation import Preparation

OWN = "own"


@dataclass(frozen=True)
class WordMapSettings(MorfessorSettings):
    """How a word map is learnt: by our own morphology, or by Morfessor, whose settings these are but for `method` and `grammar`."""

    method: str = setting(
        OWN,
        "own (an adaptor grammar), flatcat (Morfessor: prefixes, stems, suffixes) or baseline (Morfessor, no labels).",
    )
    grammar: str | None = setting(
        None,
        "For own: affixes, auto (chosen by trials), another grammar or its file; by default chosen by the script.",
        metavar="G",
    )

    def __post_init__(self) -> None:
        if self.method != OWN:
            super().__post_init__()
            if self.grammar is not None:
                raise SettingsError("Morfessor has no grammar; leave the grammar out, or take the method 'own'")

    @property
    def morfessor(self) -> MorfessorSettings:
        """The settings of Morfessor."""
        return MorfessorSettings(**{name: getattr(self, name) for name in names(MorfessorSettings)})


_GROUPS = WordMapSettings, Preparation


class WordMap(SegmentationTable):
    """A mapping of words to their segmentations that can be learnt: `WordMap().fit("train.txt")`.

    By default our own morphology learns it, and `factor_table` has what additive models add up, such as roots and templates too; with
    `method="flatcat"` or "baseline" Morfessor does.

    `WordMap.read("map.tsv")`, or `binyan.load`, reads one from a file; `WordMap.of_any({"unlocked": "un/PRE lock/STM ed/SUF"})` takes
    one that is known.
    """

    @takes_settings(*_GROUPS)
    def __init__(self, segmentations: Iterable[Segmentation] = (), **settings: Any) -> None:
        self.settings, self.preparation = gather("WordMap", settings, *_GROUPS)
        self._signature: Signature | None = None
        self.factor_table: FactorTable | None = None
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
        s, more_words = self.settings, dict.fromkeys(self._words(also))
        if s.method == OWN:
            return self._fit_own(counts, more_words, progress)
        table = morfessor.learn(counts, more_words, settings=s.morfessor, progress=progress)
        self._rows, self.repeated, self.factor_table = dict(table), 0, None
        fields = {
            "map": s.method,
            "threshold": s.perplexity_threshold,
            "weight": s.corpus_weight,
            "dampening": s.dampening,
        }
        more = {"epochs": s.flatcat_epochs, "min_count": s.min_count, "seed": s.seed, "prepared": self.preparation}
        self._signature = Signature({**fields, **more})
        return self

    def _fit_own(self, counts: Counter[str], more_words: Iterable[str], progress: ProgressOption) -> Self:
        from binyan.morphology.map_learning import MapSettings, learn_map

        s = self.settings
        how = MapSettings(seed=s.seed) if s.grammar is None else MapSettings(grammar=s.grammar, seed=s.seed)
        wanted = Counter({word: count for word, count in counts.items() if count >= s.min_count})
        learnt = learn_map(wanted, dict.fromkeys([*counts, *more_words]), settings=how, progress=progress)
        self._rows, self.repeated = dict(learnt.segmentations), 0
        self.factor_table, self.origin = learnt.factors, learnt.origin
        fields = {"map": OWN, "grammar": learnt.grammar, "sweeps": how.sweeps, "types": min(how.types, len(wanted))}
        self._signature = Signature({**fields, "min_count": s.min_count, "seed": s.seed, "prepared": self.preparation})
        return self

    def _words(self, text: Texts | None) -> Iterable[str]:
        return (word for sentence in sentences(text, self.preparation) for word in sentence)

    def signature(self) -> Signature:
        """How the map was learnt, or what its rows are."""
        return self._signature or Signature({"map": self.digest})

    def save(self, path: PathLike, factors: bool = False) -> None:
        """Write the map as text, one word per line, with its signature at the top; `binyan.load` opens it.

        With `factors`, all factors that were learnt are written (`root=ktb`), for additive models alone.
        """
        if not self:
            raise NotFittedError("WordMap")
        if not factors:
            self.write(path, str(self.signature()))
        elif self.factor_table is None:
            raise SettingsError("only a map that our own morphology has learnt has factors: take the method 'own'")
        else:
            self.factor_table.named().write(path, str(self.signature()))

    @property
    def morphemes_per_word(self) -> float:
        """The mean number of parts."""
        return sum(len(s.parts) for s in self.values()) / max(len(self), 1)

    @property
    def description(self) -> str:
        """The map in a few words."""
        origin = f", {self.origin}" if self.origin else ""
        return f"{len(self):,} words, {self.morphemes_per_word:.2f} morphemes per word{origin}"

    def summary(self) -> dict[str, Any]:
        """What there is to say of the map, for JSON."""
        return {"words": len(self), "morphemes_per_word": self.morphemes_per_word, "signature": str(self.signature())}

    def __repr__(self) -> str:
        return f"<WordMap of {self.description}>" if self else "<WordMap, not fitted>"
