"""Searching step size, penalty and minibatch on the development text: a study that stops and goes on (Optuna)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from binyan.errors import MissingExtra, SettingsError
from binyan.log_bilinear.training import Course, Trainer, TrainingError, TrainingSettings

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
    trainer: Callable[[TrainingSettings], Trainer],
    settings: TrainingSettings,
    trials: int,
    storage: str | os.PathLike[str],
    ranges: Mapping[str, tuple[float, float]] = RANGES,
    name: str = "binyan",
) -> Study:
    """Search until the study in the file `storage` has `trials` trials; run again to go on or to have more.

    `trainer` makes a training run of given settings. A run that is worse than half of those before it at the same epoch is
    given up. The settings that are started with are the first trial.
    """
    if find_spec("optuna") is None:
        raise MissingExtra("tuning", "neural")
    if trials < 1:
        raise SettingsError(f"a study has at least one trial, not {trials}")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def objective(trial: Any) -> float:
        chosen = {k: trial.suggest_float(k, low, high, log=True) for k, (low, high) in ranges.items()}

        def report(course: Course) -> None:
            trial.report(course.perplexity[-1], course.epochs)
            trial.set_user_attr("epochs", course.epochs)
            if trial.should_prune():
                raise optuna.TrialPruned

        try:
            run = trainer(replace(settings, **chosen))
            return min(run.run(progress=False, after_epoch=report).perplexity)
        except TrainingError as error:
            raise optuna.TrialPruned from error

    study = optuna.create_study(
        study_name=name,
        storage=f"sqlite:///{os.fspath(storage)}",
        load_if_exists=True,
        sampler=optuna.samplers.TPESampler(seed=settings.seed),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=3, n_warmup_steps=1),
    )
    finished = (optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED)
    if not study.trials:
        study.enqueue_trial({k: getattr(settings, k) for k in ranges})
    done = len([t for t in study.trials if t.state in finished])
    if done < trials:
        study.sampler = optuna.samplers.TPESampler(seed=settings.seed + done)
        study.optimize(objective, n_trials=trials - done)
    kept = [t for t in study.trials if t.state in finished]
    listed = tuple(Trial(t.number, t.params, _value(t), t.user_attrs.get("epochs", 0)) for t in kept)
    if all(t.perplexity is None for t in listed):
        raise SettingsError("no trial finished: every run diverged; search smaller steps")
    return Study(study.best_params, float(study.best_value), listed)


def _value(trial: Any) -> float | None:
    return float(trial.value) if trial.value is not None and trial.state.name == "COMPLETE" else None
