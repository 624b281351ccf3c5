"""Training of the log-bilinear models: the step size, resuming, early stopping, divergence, the penalty of rare rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch", reason="the neural extra is not installed")

from binyan import model_file  # noqa: E402
from binyan.errors import ModelFileError  # noqa: E402
from binyan.log_bilinear.gradients import likelihood  # noqa: E402
from binyan.log_bilinear.settings import Shape, TrainingSettings, Variant  # noqa: E402
from binyan.log_bilinear.step_guard import SMALLEST, StepGuard  # noqa: E402
from binyan.log_bilinear.training import Trainer, TrainingError  # noqa: E402
from binyan.text import Corpus  # noqa: E402
from log_bilinear_world import CLASS_OF, CORPUS, DEVELOPMENT, MAP, lm, text  # noqa: E402


@pytest.mark.parametrize("name", ["clbl++", "lbl"])
def test_a_falling_step_size_reaches_nothing_and_resumes(name: str, tmp_path: Path) -> None:
    def trainer(epochs: int = 3) -> Trainer:
        settings = TrainingSettings(epochs=epochs, batch=50, patience=9, noise_samples=5, decay=True, warm_up=0.2)
        return Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse(name), 3, 5), settings, MAP, CLASS_OF)

    steps: list[float] = []
    unbroken = trainer()
    update = unbroken.optimiser.update
    unbroken.optimiser.update = lambda g, share, shrink: (steps.append(shrink), update(g, share, shrink))  # type: ignore[method-assign, assignment, return-value]
    unbroken.run(progress=False)
    batches = math.ceil(CORPUS.events / 50)
    assert len(steps) == 3 * batches and steps[0] == 0.01
    done = [epoch + 50 * i / CORPUS.events for epoch in range(3) for i in range(batches)]
    assert sum(d < 0.2 for d in done) > 1
    assert steps == pytest.approx([min(1, 0.01 + d / 0.2) * (1 - d / 3) for d in done])

    class Stopped(Exception): ...

    def stop(_: object) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        trainer().run(tmp_path / "state", progress=False, after_epoch=stop)
    with pytest.raises(ModelFileError, match="another run"):
        trainer(4).run(tmp_path / "state")
    resumed = trainer()
    assert resumed.run(tmp_path / "state", progress=False).perplexity == unbroken.history.perplexity
    for one, other in zip(unbroken.network.parameters(), resumed.network.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("name", ["clbl++", "lbl"])
def test_resumed_training_equals_unbroken(name: str, tmp_path: Path) -> None:
    def trainer(epochs: int) -> Trainer:
        settings = TrainingSettings(epochs=epochs, batch=50, patience=9, noise_samples=5, decay=False)
        return Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse(name), 3, 5), settings, MAP, CLASS_OF)

    unbroken = trainer(4)
    unbroken.run(progress=False)
    trainer(2).run(tmp_path / "state", progress=False)
    resumed = trainer(4)
    history = resumed.run(tmp_path / "state", progress=False)
    assert history.perplexity == unbroken.history.perplexity and history.loss == unbroken.history.loss
    for one, other in zip(unbroken.network.parameters(), resumed.network.parameters(), strict=True):
        assert torch.equal(one, other)
    with pytest.raises(ModelFileError, match="another run"):
        Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse(name), 3, 5), TrainingSettings(step=0.5), MAP, CLASS_OF).run(
            tmp_path / "state"
        )


OTHER_ORDER = Corpus.encode(text()[::-1], CORPUS.vocabulary)
OTHER_DEVELOPMENT = Corpus.encode(text(20, 1)[::-1], CORPUS.vocabulary)
OTHER_CLASSES = np.where(CLASS_OF == 0, 1, np.where(CLASS_OF == 1, 0, CLASS_OF)).astype(np.uint32)
OTHER_CLASSES[-2:] = OTHER_CLASSES[-2:][::-1]


@pytest.mark.parametrize(
    ("what", "corpus", "development", "class_of"),
    [
        ("text", OTHER_ORDER, DEVELOPMENT, CLASS_OF),
        ("development text", CORPUS, OTHER_DEVELOPMENT, CLASS_OF),
        ("classes", CORPUS, DEVELOPMENT, OTHER_CLASSES),
    ],
)
def test_a_state_of_other_texts_or_classes_of_the_same_sizes_is_refused(
    what: str, corpus: Corpus, development: Corpus, class_of: NDArray[np.uint32], tmp_path: Path
) -> None:
    def trainer(corpus: Corpus, development: Corpus, class_of: NDArray[np.uint32], epochs: int) -> Trainer:
        settings = TrainingSettings(epochs=epochs, batch=50, decay=False)
        return Trainer(corpus, development, Shape(Variant.parse("clbl++"), 3, 5), settings, MAP, class_of)

    trainer(CORPUS, DEVELOPMENT, CLASS_OF, 1).run(tmp_path / "state", progress=False)
    with pytest.raises(ModelFileError, match=rf"not the same: {what}\)"):
        trainer(corpus, development, class_of, 2).run(tmp_path / "state", progress=False)


def test_a_state_that_does_not_say_what_it_was_trained_on_is_refused(tmp_path: Path) -> None:
    def trainer() -> Trainer:
        return Trainer(
            CORPUS, DEVELOPMENT, Shape(Variant.parse("clbl"), 3, 5), TrainingSettings(epochs=1), None, CLASS_OF
        )

    trainer().run(tmp_path / "state", progress=False)
    file = model_file.load(tmp_path / "state")
    earlier = {name: value for name, value in file.meta.items() if name != "inputs"}
    model_file.save(tmp_path / "state", file.kind, earlier, file.sections)
    with pytest.raises(ModelFileError, match="earlier version.*remove it"):
        trainer().run(tmp_path / "state", progress=False)


def test_training_stops_at_the_best_epoch() -> None:
    settings = TrainingSettings(step=0.5, l2=0.0, batch=20, epochs=30, patience=2, decay=False)
    trainer = Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse("clbl"), 3, 8), settings, None, CLASS_OF)
    history = trainer.run(progress=False)
    assert history.epochs == history.best + 2 < 30
    assert trainer.development_perplexity() == min(history.perplexity)


def test_a_diverging_run_keeps_the_last_good_state(tmp_path: Path) -> None:
    settings = TrainingSettings(step=0.06, batch=50, epochs=3, patience=9)
    trainer = Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse("clbl"), 3, 5), settings, None, CLASS_OF)

    def spoil(_: object) -> None:
        with torch.no_grad():
            trainer.network.C.fill_(math.nan)

    with pytest.raises(TrainingError, match=r"lower the step size \(now 0.06\)"):
        trainer.run(tmp_path / "state", progress=False, after_epoch=spoil)
    again = Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse("clbl"), 3, 5), settings, None, CLASS_OF)
    again.restore(tmp_path / "state")
    assert again.history.epochs == 1 and math.isfinite(again.development_perplexity())


@pytest.mark.parametrize("step", [2.0, 20.0, 2000.0])
def test_steps_that_would_undo_the_model_are_made_smaller(step: float) -> None:
    def trained(step: float) -> Trainer:
        settings = TrainingSettings(step=step, l2=0.0, batch=20, epochs=3, warm_up=0.0, patience=9)
        trainer = Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse("clbl"), 3, 8), settings, None, CLASS_OF)
        trainer.run(progress=False)
        return trainer

    good, large = trained(0.1), trained(step)
    assert good.history.step_share == [1.0, 1.0, 1.0]
    assert large.history.step_share[-1] < 1
    assert min(large.history.perplexity) < 1.3 * min(good.history.perplexity)


def guarded_epoch(losses: Callable[[int, float], float], batches: int = 400) -> tuple[list[float], int]:
    """An epoch of minibatches of 100 events: the share of the step size at each, and how many were computed in all."""
    guard = StepGuard(SimpleNamespace(parameters={}, sums={}))  # type: ignore[arg-type]
    guard.begin(batches)
    shares, start, computed = [1.0] * batches, 0, 0
    while start < batches:
        computed += 1
        assert computed < 10 * batches and guard.scale >= SMALLEST, "the guard never gives in"
        if guard.rose(100 * losses(start, guard.scale), 100, 100 * start, 0.0):
            start = guard.back()[0] // 100
            continue
        shares[start] = guard.scale
        start += 1
    return shares, computed


def test_hard_events_do_not_end_training() -> None:
    """Every twentieth minibatch, at which the guard looks, is one whose loss no step size changes."""
    shares, computed = guarded_epoch(lambda batch, share: 6.6 if batch in (100, 240) else 5.0)
    assert shares[101] == shares[241] == shares[-1] == 1.0 and computed < 700
    always, _ = guarded_epoch(lambda batch, share: 5.0)
    assert set(always) == {1.0}


def test_large_steps_are_told_from_hard_events() -> None:
    shares, _ = guarded_epoch(lambda batch, share: 5.0 + 40.0 * share * (batch > 90))
    assert shares[79] == 1.0 and 0 < shares[-1] < 0.05
    with pytest.raises(AssertionError, match="never gives in"):
        guarded_epoch(lambda batch, share: 5.0 if batch < 90 else 500.0)


def test_a_run_whose_steps_were_halved_resumes_bit_for_bit(tmp_path: Path) -> None:
    def trainer(epochs: int) -> Trainer:
        settings = TrainingSettings(step=20.0, l2=0.0, batch=20, epochs=epochs, warm_up=0.0, patience=9, decay=False)
        return Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse("clbl++"), 3, 8), settings, MAP, CLASS_OF)

    unbroken = trainer(4).run(progress=False)
    trainer(2).run(tmp_path / "state", progress=False)
    assert unbroken.step_share[1] < 1
    assert trainer(4).run(tmp_path / "state", progress=False) == unbroken


def test_training_learns_and_morphemes_help() -> None:
    plain, additive = lm("clbl"), lm("clbl++")
    held_out = text(40, 9)
    uniform = len(CORPUS.vocabulary)
    assert plain.score_sentences(held_out).perplexity < uniform / 1.5
    assert additive.score_sentences(held_out).perplexity < plain.score_sentences(held_out).perplexity


def test_penalty_of_rare_rows_is_unbiased() -> None:
    """Over an epoch the penalty of a row is lambda theta, however rarely the row is touched."""
    settings = TrainingSettings(batch=10, epochs=1, l2=1.0)
    trainer = Trainer(CORPUS, DEVELOPMENT, Shape(Variant.parse("clbl++"), 3, 5), settings, MAP, CLASS_OF)
    share = trainer.optimiser.touch_share["Q"]
    touches = torch.zeros_like(share)
    events = len(trainer.events)
    passes = 30
    for seed in range(passes):
        order = torch.from_numpy(np.random.default_rng(seed).permutation(events))
        for start in range(0, events, 10):
            chosen = order[start : start + 10]
            _, gradients = likelihood(trainer.network, trainer._contexts[chosen].long(), trainer._rows[chosen])
            touches[gradients["Q"].index] += len(chosen) / events / share[gradients["Q"].index]
    seen = touches > 0
    assert torch.allclose(touches[seen] / passes, torch.ones(int(seen.sum())), atol=0.15)
