"""Searching step size, penalty, dimension and order on the development text: a study that is kept in a file and resumed (Optuna)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from binyan.errors import BinyanError, MissingExtra, SettingsError
from binyan.files import PathLike
from binyan.log_bilinear.history import TrainingHistory
from binyan.log_bilinear.settings import SearchSettings, TrainingSettings
from binyan.log_bilinear.training import Trainer, TrainingError
from binyan.log_bilinear.training_task import TrainingTask, train_elsewhere
from binyan.parallel import run_each
from binyan.progress import Progress, ProgressOption

Ranges = Mapping[str, tuple[float, float]]
# name -> lowest, highest; drawn evenly on a logarithmic scale
RANGES: Ranges = {"step": (0.02, 0.5), "l2": (1.0, 200.0), "dim": (40, 250), "order": (3, 7)}
OF_SHAPE = ("dim", "order")


@dataclass(frozen=True)
class TuningTrial:
    """One setting that was trained with."""

    number: int
    settings: Mapping[str, float]
    perplexity: float | None  # None where training diverged or was given up
    epochs: int

    def __str__(self) -> str:
        result = "given up" if self.perplexity is None else f"{self.perplexity:.2f}"
        values = "  ".join(f"{name} {_written(name, value)}" for name, value in self.settings.items())
        return f"{values}  development perplexity {result}"


@dataclass(frozen=True)
class TuningResult:
    """The best settings of a study, their development perplexity, and all trials."""

    best: Mapping[str, float]
    perplexity: float
    trials: tuple[TuningTrial, ...]

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

    def __str__(self) -> str:
        best = " ".join(f"--{name} {_written(name, value)}" for name, value in self.best.items())
        return "\n".join([*map(str, self.trials), f"best: {best}  development perplexity {self.perplexity:.2f}"])


def _written(name: str, value: float) -> str:
    return format(value, {"step": ".4f", "l2": ".3f"}.get(name, "d"))


def tune(
    task: TrainingTask | Callable[[TrainingSettings], Trainer],
    settings: TrainingSettings,
    tuning: SearchSettings,
    study: PathLike | None = None,
    *,
    ranges: Ranges | None = None,
    name: str = "binyan",
    scheduler: str | None = None,
    progress: ProgressOption = False,
) -> TuningResult:
    """Search until the study in the file `study` has `tuning.trials` trials; without a file, the study is not kept.

    `task` makes a training run of given settings; the first trial is with the settings and the shape that are given, the others with
    what is drawn from `ranges`, by default those of `tuning.searched`. A run that is worse than half of those before
    it at the same epoch is given up. With `tuning.jobs` above 1, that many trials are drawn at a time and trained in processes, or
    on the workers of the Dask `scheduler` at that address; they are then trained to the end, since a cluster's workers do not
    know of each other.
    """
    first = _first(task, settings)
    ranges = {k: _around(*(ranges or RANGES)[k], first[k]) for k in ranges or tuning.searched if k in first}
    search = _Search(_open_study(study, name), task, settings, ranges)
    together = tuning.jobs > 1 or scheduler is not None
    if not search.study.trials:
        search.study.enqueue_trial({k: first[k] for k in ranges})
    with Progress("trials", tuning.trials, progress) as bar:
        bar.done = len(search.finished)
        while (done := len(search.finished)) < tuning.trials:
            search.draw_anew(done, together)
            if together:
                search.several(min(tuning.jobs, tuning.trials - done), tuning.jobs, scheduler, bar)
            else:
                search.one()
                bar.advance()
    return search.result()


def _first(task: TrainingTask | Callable[[TrainingSettings], Trainer], settings: TrainingSettings) -> dict[str, Any]:
    """What can be searched, with the values that are given or follow from the text."""
    if not isinstance(task, TrainingTask):
        return {name: value for name, value in settings.to_dict().items() if value is not None}
    chosen = task.plan(settings)
    return {"step": chosen.step, "l2": chosen.l2, "dim": task.shape.dim, "order": task.shape.order}


def _around(low: float, high: float, value: float) -> tuple[float, float]:
    """A range that holds a value."""
    return min(low, value), max(high, value)


def _open_study(path: PathLike | None, name: str) -> Any:
    if find_spec("optuna") is None:
        raise MissingExtra("tuning", "neural")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna.create_study(
        study_name=name,
        storage=None if path is None else f"sqlite:///{os.fspath(path)}",
        load_if_exists=True,
        pruner=optuna.pruners.MedianPruner(n_startup_trials=3, n_warmup_steps=1),
    )


@dataclass(frozen=True)
class _Search:
    """An Optuna study of the settings of a task."""

    study: Any
    task: TrainingTask | Callable[[TrainingSettings], Trainer]
    settings: TrainingSettings
    ranges: Ranges

    @property
    def finished(self) -> list[Any]:
        """The trials that came to an end, good or bad."""
        return [t for t in self.study.trials if t.state.name in ("COMPLETE", "PRUNED")]

    def draw_anew(self, done: int, together: bool) -> None:
        """Draw the next trials from a new generator.

        It depends on the seed and the number of trials done alone, so that a resumed study equals an unbroken one.
        """
        import optuna

        self.study.sampler = optuna.samplers.TPESampler(seed=self.settings.seed + done, constant_liar=together)

    def _drawn(self, trial: Any) -> tuple[dict[str, int], TrainingSettings]:
        """Changes to the shape, and the settings."""
        values: dict[str, Any] = {
            k: trial.suggest_int(k, int(low), int(high), log=True)
            if k in OF_SHAPE
            else trial.suggest_float(k, low, high, log=True)
            for k, (low, high) in self.ranges.items()
        }
        shape = {k: values.pop(k) for k in OF_SHAPE if k in values}
        return shape, replace(self.settings, **values)

    def _run(self, trial: Any) -> Trainer:
        shape, settings = self._drawn(trial)
        return (self.task.of_shape(**shape) if isinstance(self.task, TrainingTask) else self.task)(settings)

    def one(self) -> None:
        """A trial in this process, given up where it is worse than the median."""
        import optuna

        def objective(trial: Any) -> float:
            def report(history: TrainingHistory) -> None:
                trial.report(history.perplexity[-1], history.epochs)
                trial.set_user_attr("epochs", history.epochs)
                if trial.should_prune():
                    raise optuna.TrialPruned

            try:
                return min(self._run(trial).run(progress=False, after_epoch=report).perplexity)
            except TrainingError as error:
                raise optuna.TrialPruned from error

        self.study.optimize(objective, n_trials=1)

    def several(self, trials: int, jobs: int, scheduler: str | None, bar: Progress) -> None:
        """Trials drawn together, each trained elsewhere. Those that are finished when the others are stopped are kept."""
        import optuna

        if not isinstance(self.task, TrainingTask):
            raise SettingsError("only a TrainingTask can be sent to other processes")
        asked = [self.study.ask() for _ in range(trials)]
        task = self.task.to_bytes()
        threads = None if scheduler else max(1, (os.cpu_count() or 1) // jobs)
        drawn = [self._drawn(trial) for trial in asked]
        work = [(task, shape, settings.to_dict(), threads) for shape, settings in drawn]
        for place, result in run_each(train_elsewhere, work, scheduler=scheduler, workers=jobs):
            trial = asked[place]
            if isinstance(result, BinyanError):
                self.study.tell(trial, state=optuna.trial.TrialState.FAIL)
                raise result
            perplexities = result or []
            for epoch, perplexity in enumerate(perplexities, 1):
                trial.report(perplexity, epoch)
            trial.set_user_attr("epochs", len(perplexities))
            if perplexities:
                self.study.tell(trial, min(perplexities))
            else:
                self.study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            bar.advance()

    def result(self) -> TuningResult:
        """All trials, and the best."""
        trials = tuple(
            TuningTrial(t.number, t.params, _perplexity(t), t.user_attrs.get("epochs", 0)) for t in self.finished
        )
        if all(t.perplexity is None for t in trials):
            raise SettingsError("no trial finished: every run diverged; search smaller steps")
        return TuningResult(self.study.best_params, float(self.study.best_value), trials)


def _perplexity(trial: Any) -> float | None:
    return float(trial.value) if trial.value is not None and trial.state.name == "COMPLETE" else None
