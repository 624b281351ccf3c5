"""How grammars are learnt in the experiments of chapter 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from binyan.evaluation.gold import GoldWord
from binyan.evaluation.morphology import BestAnalyses
from binyan.experiments.adaptor.sample_scores import SampledAnalyses
from binyan.experiments.experiment import Experiment, SettingValues, Workspace

if TYPE_CHECKING:
    from binyan.morphology import Morphology


def learn(model: SettingValues, words: Sequence[str], workspace: Workspace, checkpoint: Path) -> Morphology:
    """A morphology learnt with these settings; learning is resumed from `checkpoint` if it exists."""
    from binyan.grammar import Grammar
    from binyan.morphology import Morphology

    grammar = Grammar.load(model["grammar"])
    if "unadapted" in model:
        left = {s: how for s, how in grammar.adapted.items() if s not in model["unadapted"].split()}
        grammar = replace(grammar, adapted=left, name=f"{grammar.name}-unadapted")
    morphology = Morphology(
        grammar,
        sweeps=model["sweeps"],
        burn_in=model["burn_in"],
        chains=1,
        seed=model["seed"],
        initialisation=model["initialisation"],
        relabel=model.get("relabel", 0),
        joint=0.0,
        unit="codepoint",
    )
    # The file of a grammar may have changed.
    resume = checkpoint.exists() and Morphology.load(checkpoint).grammar.same_rules(grammar)
    how = {"checkpoint": checkpoint, "checkpoint_seconds": 600.0, "resume": resume}
    return morphology.fit(words, progress=workspace.progress, **how)


def learn_again(
    experiment: Experiment, changes: SettingValues, gold: Sequence[GoldWord], workspace: Workspace
) -> tuple[Morphology, BestAnalyses]:
    """One of the morphologies that an experiment learns, with its settings changed, and its best analyses of the words."""
    model: dict[str, Any] = {**experiment.model, **changes}
    checkpoint = workspace.checkpoint(experiment)
    morphology = learn(model, [word.word for word in gold], workspace, checkpoint)
    checkpoint.unlink(missing_ok=True)
    return morphology, SampledAnalyses.of(morphology, gold, ()).best
