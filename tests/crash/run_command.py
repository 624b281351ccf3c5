"""`binyan` with a checkpoint after every sweep, and with a study of one small experiment for `binyan reproduce`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from binyan.cli import main
from binyan.experiments.experiment import Experiment, Outcome, Workspace
from binyan.experiments.studies import STUDIES
from binyan.sampling import chains

TITLE = "Small"


def experiments() -> Sequence[Experiment]:
    """Three trainings that differ in their seeds."""
    return [
        Experiment(
            study="small", dataset=str(s), label="hpylm", data={"text": "text"}, model={"seed": s}, measure="train"
        )
        for s in (1, 2, 3)
    ]


def train(experiment: Experiment, workspace: Workspace) -> Outcome:
    """A sampled model, resumed from its checkpoint."""
    from binyan import HPYLM

    model = HPYLM(order=2, sweeps=30, seed=experiment.model["seed"])
    checkpoint = workspace.checkpoint(experiment)
    model.fit(workspace.source("text"), checkpoint=checkpoint, resume=True, progress=False)
    return Outcome({"trace": [t.tolist() for t in model.trace]}, str(model.signature()))


MEASURES = {"train": train}


def _checkpoint_often() -> None:
    run_here: Any = chains._run_here

    def often(sampler: Any, progress: Any, threads: Any, checkpoint: Any, seconds: float) -> None:
        run_here(sampler, progress, threads, checkpoint, 0.0)

    chains._run_here = often


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    STUDIES["small"] = "run_command"
    _checkpoint_often()
    sys.argv[0] = "binyan"
    main()
