"""Training of recurrent models: seeds, checkpoints, budgets of time, and what happens when numbers run away or a run is stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from binyan import memory
from binyan.errors import ModelFileError, NoMemoryError
from binyan.log_bilinear.history import TrainingHistory
from binyan.log_bilinear.training import TrainingError, TrainingWarning
from binyan.recurrent import Recurrent, training
from log_bilinear_world import CLASSES, CORPUS, TABLE, text, torch

SMALL: dict[str, Any] = {"dim": 4, "hidden": 5, "epochs": 3, "batch": 40, "step": 0.02, "dropout": 0.3}
DEVELOPMENT = text(20, 1)


def model_of(**more: Any) -> Recurrent:
    return Recurrent("lstm++", **(SMALL | {"word_map": TABLE, "classes": CLASSES} | more))


def fit(model: Recurrent, **more: Any) -> Recurrent:
    return model.fit(CORPUS, DEVELOPMENT, progress=False, **more)


def parameters(model: Recurrent) -> list[np.ndarray]:
    return [p.detach().numpy() for p in model.network.parameters()]


def same(one: Recurrent, other: Recurrent) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(parameters(one), parameters(other), strict=True))


class Stop(Exception):
    """What a test raises to stop training."""


def stop_after(epoch: int, error: type[BaseException] = Stop) -> Any:
    def after_epoch(history: TrainingHistory) -> None:
        if history.epochs == epoch:
            raise error

    return after_epoch


def test_training_lowers_perplexity_and_finds_the_agreement() -> None:
    model = fit(model_of(epochs=12, hidden=12, step=0.05, dropout=0.0, patience=12))
    assert model.history is not None
    assert min(model.history.perplexity) < 0.75 * model.history.perplexity[0]
    after = model.next_words("hausst gehst")
    assert after["hofst"] > 3 * after["hofen"]


def test_the_same_seed_gives_the_same_model() -> None:
    one, other = fit(model_of()), fit(model_of())
    assert same(one, other) and one.history == other.history
    assert not same(one, fit(model_of(seed=2)))


def test_global_random_numbers_have_no_part_in_it() -> None:
    one = fit(model_of())
    torch.manual_seed(77)
    np.random.seed(77)
    assert same(one, fit(model_of()))


def test_a_resumed_run_equals_an_unbroken_one(tmp_path: Path) -> None:
    whole = fit(model_of())
    with pytest.raises(Stop):
        fit(model_of(), checkpoint=tmp_path / "c", after_epoch=stop_after(1))
    resumed = fit(model_of(), checkpoint=tmp_path / "c")
    assert same(whole, resumed) and whole.history == resumed.history
    assert resumed.signature() == whole.signature()


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    fit(model_of(), checkpoint=tmp_path / "c")
    with pytest.raises(ModelFileError, match="another run.*hidden"):
        fit(model_of(hidden=6), checkpoint=tmp_path / "c")
    fit(model_of()).save(tmp_path / "m")
    with pytest.raises(ModelFileError, match="not the state of the training"):
        fit(model_of(), checkpoint=tmp_path / "m")


def test_the_best_parameters_are_kept_and_training_stops_early() -> None:
    model = fit(model_of(epochs=30, step=0.3, dropout=0.0, patience=2, hidden=20))
    assert model.history is not None
    history = model.history
    assert history.epochs < 30 and history.epochs == history.best + 2
    assert model.perplexity(DEVELOPMENT) == pytest.approx(min(history.perplexity), rel=1e-6)


def test_an_interrupt_keeps_the_best_so_far() -> None:
    model = model_of()
    with pytest.warns(TrainingWarning, match="stopped in epoch 3"):
        fit(model, after_epoch=stop_after(2, KeyboardInterrupt))
    assert model.history is not None and model.history.epochs == 2
    assert model.perplexity(DEVELOPMENT) == pytest.approx(min(model.history.perplexity), rel=1e-6)


def test_an_interrupt_before_the_first_epoch_is_over_ends_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "likelihood", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fit(model_of())


def with_not_a_number(monkeypatch: pytest.MonkeyPatch, calls: set[int]) -> list[int]:
    """The loss of these minibatches is not a number, and so are the gradients."""
    made: list[int] = []
    likelihood = training.likelihood

    def sometimes(*arguments: Any) -> Any:
        made.append(len(made))
        loss, gradients, hidden = likelihood(*arguments)
        if made[-1] in calls:
            gradients["b"].fill_(np.nan)
            return loss * np.nan, gradients, hidden
        return loss, gradients, hidden

    monkeypatch.setattr(training, "likelihood", sometimes)
    return made


def test_after_a_loss_that_is_no_number_the_epoch_begins_again_with_half_the_step(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unbroken = fit(model_of())
    with_not_a_number(monkeypatch, {10})
    with pytest.warns(TrainingWarning, match=r"the loss became nan in epoch 2.*half the step size \(0.01\)"):
        model = fit(model_of(), checkpoint=tmp_path / "c")
    assert model.history is not None and unbroken.history is not None
    assert model.history.epochs == 3 and np.isfinite(model.history.loss).all()
    assert model.history.perplexity[0] == unbroken.history.perplexity[0]
    assert all(np.isfinite(p).all() for p in parameters(model))


def test_training_that_never_comes_right_ends_with_the_last_good_state_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with_not_a_number(monkeypatch, set(range(10, 1000)))
    with pytest.warns(TrainingWarning), pytest.raises(TrainingError, match="after epoch 1.*lower the step size"):
        fit(model_of(), checkpoint=tmp_path / "c")
    monkeypatch.undo()
    resumed = fit(model_of(), checkpoint=tmp_path / "c")
    assert same(resumed, fit(model_of()))


def test_minutes_end_training_with_the_step_size_down(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10_000))
    monkeypatch.setattr(training.time, "monotonic", lambda: float(next(clock)))
    shrinks: list[float] = []
    update = training.Adam.update
    monkeypatch.setattr(
        training.Adam, "update", lambda self, g, shrink: (shrinks.append(shrink), update(self, g, shrink))
    )
    model = fit(model_of(minutes=0.25, warm_up=0.0, patience=100))
    assert model.history is not None and model.history.epochs >= 1
    assert 5 <= len(shrinks) <= 16
    assert shrinks == sorted(shrinks, reverse=True) and shrinks[-1] < 0.2
    assert "minutes" in model.signature().fields


def test_the_step_size_rises_then_falls_to_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    shrinks: list[float] = []
    update = training.Adam.update
    monkeypatch.setattr(
        training.Adam, "update", lambda self, g, shrink: (shrinks.append(shrink), update(self, g, shrink))
    )
    fit(model_of(warm_up=0.5))
    top = int(np.argmax(shrinks))
    assert shrinks[: top + 1] == sorted(shrinks[: top + 1]) and shrinks[top:] == sorted(shrinks[top:], reverse=True)
    assert shrinks[0] < 0.1 and 0 < shrinks[-1] < 0.1


def test_what_will_not_fit_into_memory_is_refused_with_what_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 2_000_000)
    with pytest.raises(NoMemoryError, match="vectors of 500 dimensions.*layers of"):
        fit(model_of(dim=500, hidden=500))
    fit(model_of())
