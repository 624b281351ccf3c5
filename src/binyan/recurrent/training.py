"""Training of recurrent models: minibatches of sentences, early stopping on development perplexity, checkpoints.

A checkpoint resumes bit for bit, where the length of training is given in epochs.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from binyan.errors import SettingsError
from binyan.files import PathLike
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.gradients import Gradients
from binyan.log_bilinear.history import TrainingHistory
from binyan.log_bilinear.memory_needed import TrainingSizes
from binyan.log_bilinear.output import Targets
from binyan.log_bilinear.training import TrainingError, TrainingWarning
from binyan.log_bilinear.training_data import TrainingData
from binyan.progress import Progress, ProgressOption
from binyan.recurrent import checkpoint as checkpoints
from binyan.recurrent.batches import Sentences
from binyan.recurrent.gradients import Dropout, Minibatch, likelihood
from binyan.recurrent.memory_needed import check_training_memory
from binyan.recurrent.network import RecurrentNetwork
from binyan.recurrent.optimiser import Adam
from binyan.recurrent.scorer import score_sentences
from binyan.recurrent.settings import RecurrentShape, RecurrentTraining
from binyan.signature import digest

_FIRST_STEP = 0.01  # of the step size, where it rises
_HALVINGS = 6  # of the step size, after numbers that are not finite, before training gives up


class _NotFinite(Exception):
    """A loss, or a perplexity, that is not a finite number."""


class RecurrentTrainer:
    """One training run. `state` holds all that the next epoch needs: a run resumed from it equals an unbroken one."""

    def __init__(self, data: TrainingData, shape: RecurrentShape, settings: RecurrentTraining) -> None:
        if shape.variant.additive and data.factor_map is None:
            raise SettingsError(f"{shape.variant} adds morpheme vectors: give it a word map")
        self.shape, self.settings, vocabulary = shape, settings, data.corpus.vocabulary
        targets = Targets(data.class_of, vocabulary)
        self.factor_map = data.factor_map or FactorMap.identity(len(vocabulary))
        if settings.device == "cpu":
            texts = data.corpus.events, data.development.events
            sizes = TrainingSizes(*texts, len(vocabulary), self.factor_map.size, targets.classes)
            check_training_memory(shape, settings, sizes)
        outside = self.factor_map.outside if shape.variant.context else ()
        self.sentences, self.development = (Sentences.of(c, outside) for c in (data.corpus, data.development))
        self.counts = self.sentences.counts(len(vocabulary))
        self.inputs = {
            "text": self.sentences.digest,
            "development text": self.development.digest,
            "vocabulary": vocabulary.digest,
            "classes": digest(targets.row_of.tobytes(), targets.class_of_row.tobytes()),
            "word map": self.factor_map.digest,
        }
        self.device = torch.device(settings.device)
        self.network = RecurrentNetwork(shape, targets, self.factor_map, settings.seed)
        self.network.set_biases(self.counts)
        self.network.to(self.device)
        self.optimiser = Adam(self.network, settings.step)
        self.history, self.halvings, self.seconds = TrainingHistory(), 0, 0.0
        self.passes = 0.0
        """How often the text was gone through."""
        self.best = _copies(dict(self.network.named_parameters()))
        self._good = _copies(self.state)

    @property
    def state(self) -> dict[str, Tensor]:
        """The parameters, and what the optimiser knows."""
        parameters = {f"parameter {name}": p.detach() for name, p in self.network.named_parameters()}
        return parameters | {f"optimiser {name}": value for name, value in self.optimiser.state.items()}

    # A run.

    def run(
        self,
        checkpoint: PathLike | None = None,
        progress: ProgressOption = None,
        after_epoch: Callable[[TrainingHistory], None] | None = None,
    ) -> TrainingHistory:
        """Epochs until the time is over or development perplexity stops falling; the best parameters end up in the network.

        `checkpoint`: a file written after each epoch; training is resumed from it where it exists. Ctrl-C ends the run with the best
        parameters so far, once there are any. `after_epoch` may raise to stop.
        """
        if checkpoint is not None and Path(checkpoint).exists():
            checkpoints.restore(self, checkpoint)
        try:
            while not self.finished:
                self.epoch(progress)
                if checkpoint is not None:
                    checkpoints.save(self, checkpoint)
                if after_epoch is not None:
                    after_epoch(self.history)
        except KeyboardInterrupt:
            if not self.history.epochs:
                raise
            self._warn(f"stopped in epoch {self.history.epochs + 1}; the model is the best of the epochs before")
        self._take_best()
        return self.history

    @property
    def finished(self) -> bool:
        """Whether the time is over, or the last `patience` epochs brought nothing."""
        stale = self.history.epochs - self.history.best >= self.settings.patience
        return self.done >= 1 or (stale and self.history.epochs > 0)

    @property
    def done(self) -> float:
        """The share of training that is done, by the clock or by epochs."""
        if self.settings.minutes is not None:
            return self.seconds / 60 / self.settings.minutes
        return self.passes / self.settings.epochs

    def epoch(self, progress: ProgressOption = None) -> None:
        """One pass through the text, or what time is left for, in an order that depends on seed and epoch alone.

        Where a number becomes infinite, or none, the epoch begins again from the state before it with half the step size.
        """
        before = self.passes, self.seconds
        while True:
            try:
                loss = self._pass(progress)
                perplexity = self.development_perplexity()
                break
            except _NotFinite as error:
                self._recover(str(error), *before)
        self.history.loss.append(loss)
        self.history.perplexity.append(perplexity)
        if self.history.best == self.history.epochs:
            for name, p in self.network.named_parameters():
                self.best[name].copy_(p.detach())
        else:
            self.halvings += 1
            self._take_best()
        self.history.step_share.append(0.5**self.halvings)
        self.keep()

    @torch.no_grad()
    def _take_best(self) -> None:
        for name, p in self.network.named_parameters():
            p.copy_(self.best[name])

    def keep(self) -> None:
        """Take the state as it is now as the one to go back to."""
        for name, value in self.state.items():
            self._good[name].copy_(value)

    def _pass(self, progress: ProgressOption) -> float:
        """The mean loss of a pass."""
        random = np.random.default_rng([self.settings.seed, self.history.epochs])
        dropout = Dropout(self.settings.dropout, self.settings.seed * 100_003 + self.history.epochs, self.device)
        total, events, whole, clock = 0.0, 0, len(self.sentences.events), time.monotonic()
        with Progress(f"epoch {self.history.epochs + 1}, events", whole, progress) as bar:
            for chosen in self.sentences.batches(self.settings.batch, random):
                if self.done >= 1:
                    break
                loss, number = self._sentences(chosen, dropout)
                total, events = total + loss, events + number
                self.passes = self.history.epochs + events / whole
                self.seconds, clock = self.seconds + time.monotonic() - clock, time.monotonic()
                bar.advance(number, loss=loss / number)
        return total / max(1, events)

    def _sentences(self, chosen: Any, dropout: Dropout) -> tuple[float, int]:
        """Train on sentences side by side: their loss, and how many events they have."""
        hidden, total, number = None, 0.0, 0
        for inputs, events, places in self.sentences.stretches(chosen, self.settings.steps_back):
            input_rows = self.network.input_row_of[inputs]
            rows = self.network.targets.row_of[self.sentences.events[places]]
            batch = Minibatch(*(torch.from_numpy(a).to(self.device) for a in (input_rows, events, rows)))
            loss, gradients, hidden = likelihood(self.network, batch, hidden, dropout)
            value = float(loss)
            if not math.isfinite(value):
                raise _NotFinite(f"the loss became {value}")
            self.optimiser.update(self._clipped(gradients, len(rows)), self._shrink())
            total, number = total + value, number + len(rows)
        return total, number

    def _clipped(self, gradients: Gradients, events: int) -> Gradients:
        """The gradients per event, those of the layers no longer together than `clip`."""
        layers = [g for name, g in gradients.items() if name.startswith(("layers.", "out.")) and isinstance(g, Tensor)]
        norm = float(torch.stack([g.square().sum() for g in layers]).sum().sqrt()) / events
        for gradient in layers:
            gradient.mul_(min(1.0, self.settings.clip / max(norm, 1e-12)))
        for each in gradients.values():
            (each if isinstance(each, Tensor) else each.values).div_(events)
        return gradients

    def _shrink(self) -> float:
        """The share of the step size that is taken now."""
        done, warm_up = self.done, self.settings.warm_up
        rise = min(1.0, _FIRST_STEP + done / warm_up) if warm_up else 1.0
        return float(rise * max(0.0, 1 - done) * 0.5**self.halvings)

    def development_perplexity(self) -> float:
        """Over all development events, as the network is now."""
        perplexity = math.exp(min(700.0, -float(np.mean(score_sentences(self.network, self.development)))))
        if not math.isfinite(perplexity):
            raise _NotFinite(f"development perplexity became {perplexity}")
        return perplexity

    # What went wrong.

    def _recover(self, seen: str, passes: float, seconds: float) -> None:
        """Go back to the state before the epoch, with half the step size."""
        self.halvings += 1
        number = self.history.epochs + 1
        if self.halvings > _HALVINGS:
            raise TrainingError(
                f"{seen} in epoch {number}, also with a step size of {self.settings.step * 0.5**_HALVINGS:g}; the checkpoint has the "
                f"state after epoch {number - 1}: lower the step size (now {self.settings.step:g})"
            )
        self._warn(
            f"{seen} in epoch {number}, which begins again from the state before it with half the step size "
            f"({self.settings.step * 0.5**self.halvings:g})"
        )
        with torch.no_grad():
            for name, value in self.state.items():
                value.copy_(self._good[name])
        self.passes = passes
        if self.settings.minutes is None:
            self.seconds = seconds

    def _warn(self, text: str) -> None:
        warnings.warn(text, TrainingWarning, stacklevel=3)

    def fields(self) -> dict[str, Any]:
        """What the signature of a model says of its training."""
        training, history = self.settings, self.history
        return {
            **({"map": self.factor_map.inside.digest} if self.shape.variant.additive else {}),
            **{name: getattr(training, name) for name in ("step", "batch", "dropout", "seed")},
            "epochs": f"{history.best}of{history.epochs}",
            **({"minutes": training.minutes} if training.minutes is not None else {"decay": training.epochs}),
        }


def _copies(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in tensors.items()}
