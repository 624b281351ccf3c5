"""The models of chapter 3's experiments: their settings, and how they are trained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from binyan import HPYLM, CompoundHPYLM, KneserNey
from binyan.experiments.experiment import SettingValues, Workspace
from binyan.experiments.hpylm import europarl
from binyan.progress import ProgressOption
from binyan.sampling import Schedule
from binyan.text import Corpus

# The thesis had 300 sweeps from a random seating and one sample. A sequential seating is close to where perplexity settles
# after a few tens of sweeps (the report draws the traces).
SAMPLING = {"burn_in": 100, "iterations": 120, "samples": 10, "seed": 1, "initialisation": "sequential"}
COMPOUND = {**SAMPLING, "gold": "+".join(europarl.GOLD)}
# label -> settings
MODELS: Mapping[str, SettingValues] = {
    "mkn": {"kind": "mkn"},
    "hpylm": {"kind": "hpylm", **SAMPLING},
    "hpylm+c-right": {"kind": "hpylm+c", "head": "right", **COMPOUND},
    "hpylm+c-left": {"kind": "hpylm+c", "head": "left", **COMPOUND},
    "hpylm+g": {"kind": "hpylm+g", "head": "right", **COMPOUND},
}
COMPOUND_KINDS = ("hpylm+c", "hpylm+g")


def schedule(settings: SettingValues) -> Schedule:
    """The schedule of a sampled model."""
    return Schedule.from_dict({name: settings[name] for name in SAMPLING})


def train(
    settings: SettingValues,
    corpus: Corpus,
    workspace: Workspace,
    checkpoint: Any = None,
    progress: ProgressOption = None,
) -> Any:
    """The model with these settings, trained on `corpus`. Sampled models resume from `checkpoint` if it exists."""
    order, preparation = settings["order"], europarl.PREPARATION
    if settings["kind"] == "mkn":
        return KneserNey(order, preparation=preparation).fit(corpus, progress=progress)
    run = {"checkpoint": checkpoint, "checkpoint_seconds": 600.0, "resume": True, "progress": progress}
    if settings["kind"] == "hpylm":
        return HPYLM(order, schedule=schedule(settings), preparation=preparation).fit(corpus, **run)
    model = CompoundHPYLM(
        order,
        schedule=schedule(settings),
        preparation=preparation,
        segmentation=europarl.segmentation(corpus.vocabulary, workspace),
        head=settings["head"],
        both_ways=settings["kind"] == "hpylm+g",
    )
    return model.fit(corpus, **run)
