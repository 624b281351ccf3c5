"""The language models of the translation study: what `binyan lm train` makes of the target text without further options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from binyan import HPYLM, CompoundHPYLM, KneserNey
from binyan.experiments.experiment import SettingValues, Workspace
from binyan.files import replacing
from binyan.language_model import LanguageModel
from binyan.morphology.map_sources import OWN, MapLearner
from binyan.sampling import Schedule
from binyan.segmentation import SegmentationTable
from binyan.segmentation.gold import read_gold
from binyan.text import Preparation

ORDER = 4  # of n-gram models
SAMPLING = {"sweeps": Schedule().sweeps, "samples": Schedule().collected}
GERMAN_COMPOUNDS = "germanet18_links.tsv.xz"


@dataclass(frozen=True)
class SystemModels:
    """The language models of a system, their settings, and the system's rows in the thesis's two tables."""

    names: tuple[str, ...]
    settings: SettingValues = field(default_factory=dict)
    thesis_chapter_3: str | None = None
    thesis_chapter_4: str | None = None


SYSTEMS: Mapping[str, SystemModels] = {  # each is compared with the one before
    "mkn": SystemModels(("mkn",), {}, "MKN", "MKN"),
    "hpylm": SystemModels(("hpylm",), SAMPLING, "HPYLM"),
    "hpylm+c-right": SystemModels(("hpylm+c-right",), SAMPLING, "HPYLM+c ling"),
    "hpylm+c-left": SystemModels(("hpylm+c-left",), SAMPLING, "HPYLM+c inv"),
    "hpylm+g": SystemModels(("hpylm+g",), SAMPLING),
    "mkn+clbl": SystemModels(("mkn", "clbl"), thesis_chapter_4="+CLBL"),
    "mkn+clbl++": SystemModels(("mkn", "clbl++"), thesis_chapter_4="+CLBL++"),
}

OF_CHAPTER_4 = tuple(label for label, models in SYSTEMS.items() if models.thesis_chapter_4)


@dataclass(frozen=True)
class TargetText:
    """The target side of a bitext, which language models learn from, and the folder of all that is made of the bitext."""

    folder: Path
    language: str
    train: Path
    development: Path

    def model(self, name: str, workspace: Workspace) -> Path:
        """The file of a language model, trained once for all experiments on the bitext."""
        path = self.folder / f"{name}.binyan"
        if not path.exists():
            trained = self._trained(name, workspace)
            with replacing(path) as unfinished:
                trained.save(unfinished)
        return path

    def _trained(self, name: str, workspace: Workspace) -> LanguageModel:
        kind, _, head = name.partition("-")
        prepared, progress = Preparation(tokenise=self.language, lowercase=True), workspace.progress
        if kind.startswith("clbl"):
            from binyan import LogBilinear

            word_map = self._learner if "+" in kind else None
            network = LogBilinear(kind, word_map=word_map, preparation=prepared)
            return network.fit(self.train, self.development, progress=progress)
        if kind == "mkn":
            return KneserNey(ORDER, preparation=prepared).fit(self.train, progress=progress)
        if kind == "hpylm":
            return HPYLM(ORDER, preparation=prepared).fit(self.train, progress=progress)
        model = CompoundHPYLM(
            ORDER,
            head=head or "right",
            both_ways=kind == "hpylm+g",
            segmentation=german_compounds(workspace) if self.language == "de" else self._learner,
            preparation=prepared,
        )
        return model.fit(self.train, progress=progress)

    @property
    def _learner(self) -> MapLearner:
        return MapLearner(OWN, kept_in=self.folder)


def german_compounds(workspace: Workspace) -> SegmentationTable:
    """GermaNet's compounds and their parts."""
    return read_gold(workspace.source(f"compounds/{GERMAN_COMPOUNDS}")).table
