"""Searching step size, penalty and minibatch on the development text: a study that stops and goes on (Optuna)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from binyan.errors import BinyanError, MissingExtra, SettingsError
from binyan.log_bilinear.training import Trainer, TrainingError, TrainingHistory, TrainingSettings
from binyan.log_bilinear.training_task import TrainingTask, train_elsewhere
from binyan.parallel import spread
from binyan.progress import Progress, ProgressOption

# name -> lowest, highest; drawn evenly on a logarithmic scale
RANGES: Mapping[str, tuple[float, float]] = {"step": (0.02, 0.3), "l2": (0.1, 30.0)}


@dataclass(frozen=True)
class Trial:
    """One trained setting."""

    number: int
    settings: Mapping[str, float]
    perplexity: float | None  # None where training diverged or was given up
    epochs: int


@dataclass(frozen=True)
class Study:
    """What a search has found so far."""

    best: Mapping[str, float]
    perplexity: float
    trials: tuple[Trial, ...]

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        return {
            "best": dict(self.best),
            "development_perplexity": self.perplexity,
            "trials": [
                {"number": t.number, **t.settings, "development_perplexity": t.perplexity, "epochs": t.epochs}
                for t in self.trials
            ],
        }


def tune(
    task: TrainingTask | Callable[[TrainingSettings], Trainer],
    settings: TrainingSettings,
    trials: int,
    storage: str | os.PathLike[str],
    ranges: Mapping[str, tuple[float, float]] = RANGES,
    name: str = "binyan",
    jobs: int = 1,
    scheduler: str | None = None,
    progress: ProgressOption = False,
) -> Study:
    """Search until the study in the file `storage` has `trials` trials; run again to go on or to have more.

    `task` makes a training run of given settings. A run that is worse than half of those before it at the same epoch is
    given up. The settings that are started with are the first trial.

    With `jobs` above 1, so many trials are drawn at a time and trained in processes, or on the workers of the Dask
    `scheduler` at that address; they are then trained to the end, since a cluster's workers do not know of each other.
    """
    if find_spec("optuna") is None:
        raise MissingExtra("tuning", "neural")
    if trials < 1 or jobs < 1:
        raise SettingsError(f"a study has at least one trial and one job at a time, not {trials} and {jobs}")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        study_name=name,
        storage=f"sqlite:///{os.fspath(storage)}",
        load_if_exists=True,
        pruner=optuna.pruners.MedianPruner(n_startup_trials=3, n_warmup_steps=1),
    )
    if not study.trials:
        study.enqueue_trial({k: getattr(settings, k) for k in ranges})
    with Progress("trials", trials, progress) as shown:
        shown.done = len(_finished(study))
        while (done := len(_finished(study))) < trials:
            apart = jobs > 1 or scheduler is not None
            study.sampler = optuna.samplers.TPESampler(seed=settings.seed + done, constant_liar=apart)
            if apart:
                _batch(study, task, settings, ranges, min(jobs, trials - done), jobs, scheduler, shown)
            else:
                _one(study, task, settings, ranges)
                shown.advance()
    listed = tuple(Trial(t.number, t.params, _value(t), t.user_attrs.get("epochs", 0)) for t in _finished(study))
    if all(t.perplexity is None for t in listed):
        raise SettingsError("no trial finished: every run diverged; search smaller steps")
    return Study(study.best_params, float(study.best_value), listed)


def _one(study: Any, task: Any, settings: TrainingSettings, ranges: Mapping[str, tuple[float, float]]) -> None:
    """A trial in this process, given up where it is worse than the median."""
    import optuna

    def objective(trial: Any) -> float:
        def report(course: TrainingHistory) -> None:
            trial.report(course.perplexity[-1], course.epochs)
            trial.set_user_attr("epochs", course.epochs)
            if trial.should_prune():
                raise optuna.TrialPruned

        try:
            run = task(replace(settings, **_drawn(trial, ranges)))
            return min(run.run(progress=False, after_epoch=report).perplexity)
        except TrainingError as error:
            raise optuna.TrialPruned from error

    study.optimize(objective, n_trials=1)


def _batch(
    study: Any,
    task: Any,
    settings: TrainingSettings,
    ranges: Mapping[str, tuple[float, float]],
    trials: int,
    jobs: int,
    scheduler: str | None,
    shown: Progress,
) -> None:
    """Trials drawn together, each trained elsewhere. What has come when the others are stopped is kept."""
    import optuna

    if not isinstance(task, TrainingTask):
        raise SettingsError("only a TrainingTask can be sent to other processes")
    asked = [study.ask() for _ in range(trials)]
    sent = task.to_bytes()
    threads = None if scheduler else max(1, (os.cpu_count() or 1) // jobs)
    work = [(sent, replace(settings, **_drawn(trial, ranges)).to_dict(), threads) for trial in asked]
    for place, came in spread(train_elsewhere, work, scheduler=scheduler, workers=jobs):
        if isinstance(came, BinyanError):
            study.tell(asked[place], state=optuna.trial.TrialState.FAIL)
            raise came
        for epoch, perplexity in enumerate(came or (), 1):
            asked[place].report(perplexity, epoch)
        asked[place].set_user_attr("epochs", len(came or ()))
        if came:
            study.tell(asked[place], min(came))
        else:
            study.tell(asked[place], state=optuna.trial.TrialState.PRUNED)
        shown.advance()


def _drawn(trial: Any, ranges: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    return {k: trial.suggest_float(k, low, high, log=True) for k, (low, high) in ranges.items()}


def _finished(study: Any) -> list[Any]:
    return [t for t in study.trials if t.state.name in ("COMPLETE", "PRUNED")]


def _value(trial: Any) -> float | None:
    return float(trial.value) if trial.value is not None and trial.state.name == "COMPLETE" else None
