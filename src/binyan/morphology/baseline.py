"""Morfessor on the words of a list: what a learnt morphology is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from binyan.morphology.word_list import WordList, WordSource
from binyan.progress import ProgressOption
from binyan.segmentation.morfessor import MorfessorSettings, learn
from binyan.segmentation.table import SegmentationTable
from binyan.settings import gather, setting, takes_settings
from binyan.signature import Signature
from binyan.text.preparation import Preparation


@dataclass(frozen=True)
class BaselineSettings(MorfessorSettings):
    """How Morfessor learns from a word list: by default Baseline, every word once."""

    method: str = setting("baseline", "baseline (no labels) or flatcat (prefixes, stems, suffixes).")
    dampening: str = setting("types", "How counts enter training: types (each word once), log or tokens (as they are).")


@dataclass(frozen=True)
class Baseline:
    """The words of a list as Morfessor segments them, and how it did."""

    table: SegmentationTable
    signature: Signature

    def __str__(self) -> str:
        parts = sum(len(row.parts) for row in self.table.values()) / max(len(self.table), 1)
        return f"{len(self.table):,} words, {parts:.2f} morphs per word\n{self.signature}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"words": len(self.table), "signature": str(self.signature)}


@takes_settings(BaselineSettings, Preparation)
def baseline(words: WordSource, *, progress: ProgressOption = None, **settings: Any) -> Baseline:
    """Learn from a word list by Morfessor, and segment its words. The words are read as `Morphology.fit` reads them."""
    how, prepare = gather("baseline", settings, BaselineSettings, Preparation)
    listed = WordList.of_any(words, prepare)
    table = learn(dict(zip(listed.words, listed.counts, strict=True)), **how.to_dict(), progress=progress)
    fields = {"method": how.method, "weight": how.corpus_weight, "dampening": how.dampening, "seed": how.seed}
    return Baseline(table, Signature({"morfessor": listed.digest, **fields, "prepared": prepare}))
