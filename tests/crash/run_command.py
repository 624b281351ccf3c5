"""Commands in processes that can be killed, with a checkpoint after every sweep, and a small study for `binyan reproduce`."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
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


def prepare() -> None:
    """Checkpoints after every sweep; the study is known; what commands import is imported."""
    import binyan._core
    import binyan.experiments
    import binyan.language_model
    import binyan.mixture
    import binyan.translation

    try:
        import torch

        torch.set_num_threads(1)
        import binyan.log_bilinear  # noqa: F401
    except ImportError:
        pass
    run_here: Any = chains._run_here

    def often(sampler: Any, progress: Any, threads: Any, checkpoint: Any, seconds: float) -> None:
        run_here(sampler, progress, threads, checkpoint, 0.0)

    chains._run_here = often
    STUDIES["small"] = "run_command"


class Process:
    """A command in a process of its own, a copy of this one, which has imported everything: it begins with its work at once."""

    def __init__(self, folder: Path, arguments: Sequence[str], errors: Path) -> None:
        self.errors, self.returncode = errors, -1
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            code = 70
            try:
                code = _run(folder, arguments, errors)
            except KeyboardInterrupt:  # before the command had begun
                code = 130
            finally:
                os._exit(code)

    def wait(self, seconds: float) -> bool:
        """Whether it has ended within this many seconds; then there is a `returncode`, negative for a signal."""
        end = time.monotonic() + seconds
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
                return True
            if time.monotonic() >= end:
                return False
            time.sleep(0.002)

    def finish(self) -> None:
        """Wait for its end."""
        if not self.wait(600):
            os.kill(self.pid, signal.SIGKILL)
            raise TimeoutError("a command did not end within 600 seconds")

    @property
    def messages(self) -> str:
        """What it said on standard error."""
        return self.errors.read_text(encoding="utf-8", errors="replace") if self.errors.exists() else ""


def _run(folder: Path, arguments: Sequence[str], errors: Path) -> int:
    os.chdir(folder)
    for descriptor, path in ((1, os.devnull), (2, str(errors))):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    sys.argv = ["binyan", *arguments]
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        return 130
    except BaseException:
        traceback.print_exc()
        return 70
    finally:
        sys.stderr.flush()
    return 0
