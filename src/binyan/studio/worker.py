"""The worker: a process of its own that does the runs of one project, one after the other.

`python -m binyan.studio.worker FOLDER PARENT`. It may be killed at any moment: runs go on from their last checkpoint when the next one starts.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from binyan.errors import BinyanError
from binyan.morphology.choice import choose
from binyan.studio.learning import Learner, RunPlan, StopRun
from binyan.studio.project import Project
from binyan.studio.runs import RunRecord, worker_name

_POLL = 0.3  # seconds
_LEASE = 5.0


class Worker:
    """Takes runs from the queue until it is told to end, or the process that started it is gone and nothing waits."""

    def __init__(self, folder: Path, parent: int | None = None) -> None:
        self.project = Project(folder, durable=False)
        self.ending = False
        self._name = worker_name()
        self._parent = os.getppid() if parent is None else parent
        self._leased = 0.0

    def run(self, once: bool = False) -> None:
        """Work; `once`: until nothing waits."""
        while not self.project.runs.lease(self._name):
            if self.ending or self._alone():
                return
            time.sleep(1.0)
        self.project.runs.requeue_unfinished()
        while not self.ending:
            self._keep_lease()
            run = self.project.runs.claim()
            if run is not None:
                self.do(run)
            elif once or self._alone():
                return
            else:
                time.sleep(_POLL)

    def do(self, run: RunRecord) -> None:
        """One run, to its end, whatever that is."""
        runs = self.project.runs
        try:
            if run.kind == "choose":
                self._choose(run)
            else:
                Learner(self.project, run, self._beat).learn()
            runs.end(run.id, "done")
        except StopRun:
            runs.end(run.id, "queued" if self.ending else "stopped")
        except BinyanError as error:
            runs.end(run.id, "failed", str(error))
        except MemoryError:
            runs.end(
                run.id, "failed", "there is not enough memory for this run; take fewer chains or a simpler grammar"
            )
        except Exception as error:
            traceback.print_exc()
            runs.end(run.id, "failed", f"{type(error).__name__}: {error}")

    def _choose(self, run: RunRecord) -> None:
        """Which grammar suits the words, with the evidence."""

        def note(done: int, total: int | None, figures: dict[str, float]) -> None:
            self._beat()
            if self.project.runs.note(run.id, {"stage": "choose", "done": done, "total": total}) == "stop":
                raise StopRun

        plan = RunPlan.read(run.settings)
        known = self.project.evidence().words
        choice: Any = choose(self.project.word_list(), known=known, seed=plan.seed, progress=note)
        self.project.runs.set(run.id, result={"choice": choice.to_dict()})

    def _beat(self) -> None:
        self._keep_lease()
        if self.ending:
            raise StopRun

    def _keep_lease(self) -> None:
        if time.monotonic() - self._leased > _LEASE:
            self._leased = time.monotonic()
            if not self.project.runs.lease(self._name):
                self.ending = True

    def _alone(self) -> bool:
        """Whether the process that started this one is gone; Windows does not say."""
        return sys.platform != "win32" and os.getppid() != self._parent

    def end(self, *_: object) -> None:
        """End as soon as what was learnt is saved."""
        self.ending = True


def main(folder: str, parent: str | None = None) -> None:
    """The worker of one project, started by the process `parent`."""
    worker = Worker(Path(folder), None if parent is None else int(parent))
    signal.signal(signal.SIGTERM, worker.end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this process in its turn
    if hasattr(os, "nice"):
        os.nice(5)  # answers to the page come first
    worker.run()


if __name__ == "__main__":
    main(*sys.argv[1:3])
