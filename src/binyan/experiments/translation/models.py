"""The language models of the translation study: their settings, and how they are trained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from binyan import HPYLM, CompoundHPYLM
from binyan.experiments.experiment import SettingValues, Workspace
from binyan.experiments.hpylm import europarl
from binyan.language_model import LanguageModel
from binyan.sampling import Schedule
from binyan.signature import digest
from binyan.text import Corpus
from binyan.translation.bitext import read_words
from binyan.translation.translator import Translator

SAMPLING = {"burn_in": 100, "iterations": 120, "samples": 5, "seed": 1}
NEURAL = {"order": 5, "dim": 100, "seed": 1}  # the rest is the recipe of `binyan lm train`
MAP = {"method": "flatcat", "perplexity_threshold": 50.0, "flatcat_epochs": 0, "seed": 1}


@dataclass(frozen=True)
class SystemModels:
    """The language models of a system, their settings, and the system's rows in the thesis's two tables."""

    kinds: tuple[str, ...]
    settings: SettingValues = field(default_factory=dict)
    needs_compounds: bool = False
    thesis_chapter_3: str | None = None
    thesis_chapter_4: str | None = None


SYSTEMS: Mapping[str, SystemModels] = {
    "mkn": SystemModels(("mkn",), thesis_chapter_3="MKN", thesis_chapter_4="MKN"),
    "hpylm": SystemModels(("hpylm",), SAMPLING, True, "HPYLM"),
    "hpylm+c-right": SystemModels(("hpylm+c",), {"head": "right", **SAMPLING}, True, "HPYLM+c ling"),
    "hpylm+c-left": SystemModels(("hpylm+c",), {"head": "left", **SAMPLING}, True, "HPYLM+c inv"),
    "mkn+clbl": SystemModels(("mkn", "clbl"), NEURAL, thesis_chapter_4="+CLBL"),
    "mkn+clbl++": SystemModels(("mkn", "clbl++"), NEURAL, thesis_chapter_4="+CLBL++"),
}


def trained(kind: str, model: SettingValues, system: Translator, train: Path, tune: Path, workspace: Workspace) -> Path:
    """The file of a language model of the target side, trained once for all experiments with the same settings."""
    if kind == "mkn":
        return system.folder / "language_model.binyan"
    keys = [key for key in sorted(model) if key in (*SAMPLING, *NEURAL, "head")]
    path = system.folder / f"{kind}.{digest(repr([(key, model[key]) for key in keys]).encode())}.binyan"
    if not path.exists():
        preparation = system.recipe.bitext.target
        corpus = Corpus.read([s for s in read_words(train, preparation) if s])
        development = [s for s in read_words(tune, preparation) if s]
        _train(kind, model, corpus, development, workspace).save(path)
    return path


def _train(
    kind: str, model: SettingValues, corpus: Corpus, development: Sequence[Sequence[str]], workspace: Workspace
) -> LanguageModel:
    if kind in ("hpylm", "hpylm+c"):
        return _train_sampled(kind, model, corpus, workspace)
    from binyan.log_bilinear import LogBilinear

    table = None
    if kind == "clbl++":
        from binyan.segmentation.morfessor import learn

        words = corpus.vocabulary.words
        table = learn(Counter(words[i] for i in corpus.words), progress=workspace.progress, **MAP)  # type: ignore[arg-type]
    settings = {key: model[key] for key in NEURAL}
    return LogBilinear(kind, word_map=table, **settings).fit(corpus, development, progress=workspace.progress)


def _train_sampled(kind: str, model: SettingValues, corpus: Corpus, workspace: Workspace) -> LanguageModel:
    schedule = Schedule.from_dict({name: model[name] for name in SAMPLING})
    if kind == "hpylm":
        return HPYLM(model["order"], schedule=schedule).fit(corpus, progress=workspace.progress)
    compounds = CompoundHPYLM(
        model["order"],
        schedule=schedule,
        segmentation=europarl.segmentation(corpus.vocabulary, workspace),
        head=model["head"],
        both_ways=False,
    )
    return compounds.fit(corpus, progress=workspace.progress)
