"""Training: minibatches, AdaGrad, early stopping on development perplexity, checkpoints that resume bit for bit."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from binyan import model_file
from binyan.errors import BinyanError, ModelFileError, SettingsError
from binyan.log_bilinear.distributed import Processes
from binyan.log_bilinear.events import Events
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.gradients import Gradients, likelihood
from binyan.log_bilinear.network import LogBilinearNetwork, Shape, Targets
from binyan.log_bilinear.noise_contrastive import BLOCK, contrast, noise_words
from binyan.log_bilinear.optimiser import AdaGrad
from binyan.progress import Progress, ProgressOption
from binyan.text.corpus import Corpus
from binyan.text.vocabulary import UNKNOWN_ID

CHECKPOINT_KIND = "log-bilinear-training"
_SCORED_AT_ONCE = 8192  # events
_FIRST_STEP = 0.01  # of the step size, where it rises
_RISEN = 1.0  # nats an event that the first epoch's loss may be above that of its first minibatch


def use_threads(number: int) -> None:
    """How many threads PyTorch takes in this process; small models are faster with one."""
    torch.set_num_threads(number)


class TrainingWarning(UserWarning):
    """Training that will not come to a good model, and what to change."""


class TrainingError(BinyanError):
    """Training that cannot go on; the last good state is kept."""

    exit_code = 7


@dataclass(frozen=True)
class TrainingSettings:
    """`step` and `l2` are the step size xi and the penalty lambda of section 4.4; `batch` is L events.

    Training stops after `epochs`, or once `patience` epochs in a row did not lower development perplexity. With `decay` the
    step size falls linearly to 0 over the `epochs`: a few of them then do what many do without. It first rises over `warm_up`
    epochs: AdaGrad divides by the gradients seen so far, and after few of them a step of the whole size can undo a model.
    """

    step: float = 0.06
    l2: float = 8.0
    batch: int = 2000
    epochs: int = 20
    patience: int = 1
    noise_samples: int = 100
    seed: int = 1
    device: str = "cpu"
    decay: bool = False
    warm_up: float = 0.2

    def __post_init__(self) -> None:
        for name in ("step", "batch", "epochs", "patience", "noise_samples"):
            if getattr(self, name) <= 0:
                raise SettingsError(f"{name.replace('_', ' ')} must be positive, not {getattr(self, name)}")
        if self.l2 < 0:
            raise SettingsError(f"the penalty lambda is 0 or more, not {self.l2}")
        if self.warm_up < 0:
            raise SettingsError(f"warming up takes 0 epochs or more, not {self.warm_up}")

    def to_dict(self) -> dict[str, Any]:
        """As stored in a model file."""
        return asdict(self)


@dataclass
class TrainingHistory:
    """What happened so far, an entry an epoch: mean training loss in nats an event, development perplexity."""

    loss: list[float] = field(default_factory=list)
    perplexity: list[float] = field(default_factory=list)

    @property
    def epochs(self) -> int:
        """Epochs done."""
        return len(self.loss)

    @property
    def best(self) -> int:
        """The epoch, from 1, of the lowest development perplexity; 0 before the first."""
        return int(np.argmin(self.perplexity)) + 1 if self.perplexity else 0


class Trainer:
    """One training run. `state` holds all that the next epoch needs: a run resumed from it equals an unbroken one."""

    def __init__(
        self,
        corpus: Corpus,
        development: Corpus,
        shape: Shape,
        settings: TrainingSettings | None = None,
        word_map: FactorMap | None = None,
        class_of: NDArray[np.uint32] | None = None,
    ) -> None:
        if shape.variant.additive and word_map is None:
            raise SettingsError(f"{shape.variant} adds morpheme vectors: give it a word map")
        if shape.variant.classes and class_of is None:
            raise SettingsError(f"{shape.variant} is class-based: give it word classes")
        self.shape, self.settings = shape, settings or TrainingSettings()
        self.processes = Processes.join()
        vocabulary = corpus.vocabulary
        targets = Targets(class_of if shape.variant.classes else None, vocabulary)
        self.word_map = word_map or FactorMap.identity(len(vocabulary))
        outside = self.word_map.outside if shape.variant.context else ()
        self.events = Events.of(corpus, shape.order, outside)
        self.development = Events.of(development, shape.order, outside)
        self.counts = self.events.counts(len(vocabulary))
        self.device = torch.device(self.settings.device)
        self.model = LogBilinearNetwork(shape, targets, self.word_map, self.settings.seed)
        self.model.set_biases(self.counts)
        if not self.counts[UNKNOWN_ID]:  # never seen: better nothing than its first, random vector
            with torch.no_grad():
                self.model.Q[UNKNOWN_ID] = 0.0
        self.model.to(self.device)
        self.model.centred = shape.variant.nonlinear
        self._contexts = torch.from_numpy(self.events.contexts)
        self._rows = torch.from_numpy(targets.row_of[self.events.words])
        self._log_unigram = self.model.b.detach().clone()
        self.optimiser = AdaGrad(self.model, self.settings.step, self.settings.l2, self._touch_shares())
        self.processes.wrap(self.model)
        self.history = TrainingHistory()
        self.best = {name: p.detach().clone() for name, p in self.model.named_parameters()}

    def epoch(self, progress: ProgressOption = None) -> None:
        """One pass through the training events in an order that depends on seed and epoch alone."""
        order = torch.from_numpy(
            np.random.default_rng([self.settings.seed, self.history.epochs]).permutation(len(self.events))
        )
        generator = torch.Generator().manual_seed(self.settings.seed * 100_003 + self.history.epochs)
        total, first = torch.zeros((), dtype=torch.float64), math.inf
        with Progress(f"epoch {self.history.epochs + 1}, events", len(order), progress) as shown:
            for start in range(0, len(order), self.settings.batch):
                chosen = order[start : start + self.settings.batch]
                loss = self._minibatch(chosen, generator, self._shrink(start / len(order)))
                total += loss
                mean = float(loss) / len(chosen)
                first = mean if start == 0 else first
                shown.advance(len(chosen), loss=mean)
        perplexity = self.development_perplexity()
        if not math.isfinite(perplexity):
            raise self._diverged(f"development perplexity {perplexity}")
        self.history.loss.append(float(total) / len(order))
        if self.history.epochs == 1 and self.history.loss[0] > first + _RISEN and self.processes.first:
            warnings.warn(
                f"the loss rose from {first:.2f} to {self.history.loss[0]:.2f} on average over the first epoch: the steps are too "
                f"large, and the model will be a bad one; lower the step size (now {self.settings.step:g}) or raise the warm-up (now "
                f"{self.settings.warm_up:g} epochs)",
                TrainingWarning,
                stacklevel=2,
            )
        self.history.perplexity.append(perplexity)
        if self.history.best == self.history.epochs:
            for name, p in self.model.named_parameters():
                self.best[name].copy_(p.detach())

    def run(
        self,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: ProgressOption = None,
        after_epoch: Callable[[TrainingHistory], None] | None = None,
    ) -> TrainingHistory:
        """Epochs until development perplexity stops falling; the best parameters end up in the model.

        `checkpoint`: a file written after each epoch and, where it exists already, gone on from. `after_epoch` may raise to
        stop.
        """
        if checkpoint is not None and os.path.exists(checkpoint):
            self.restore(checkpoint)
        while self.history.epochs < self.settings.epochs and not self.finished:
            self.epoch(progress)
            if checkpoint is not None and self.processes.first:
                self.save(checkpoint)
            if after_epoch is not None:
                after_epoch(self.history)
        with torch.no_grad():
            for name, p in self.model.named_parameters():
                p.copy_(self.best[name])
        if self.model.centred:
            self.model.uncentre()
        return self.history

    @property
    def finished(self) -> bool:
        """Whether the last `patience` epochs brought nothing."""
        return self.history.epochs - self.history.best >= self.settings.patience

    def development_perplexity(self) -> float:
        """Over all development events, as the model is now."""
        return math.exp(-float(np.mean(score_events(self.model, self.development))))

    def _shrink(self, done: float) -> float:
        """How much of the step size is taken once a share `done` of this epoch is."""
        passes, whole = self.history.epochs + done, self.settings
        rise = min(1.0, _FIRST_STEP + passes / whole.warm_up) if whole.warm_up else 1.0
        return rise * (1 - passes / whole.epochs if whole.decay else 1.0)

    def _minibatch(self, chosen: Tensor, generator: torch.Generator, shrink: float) -> Tensor:
        mine = self.processes.part(chosen)
        contexts, rows = self._contexts[mine].long().to(self.device), self._rows[mine].to(self.device)
        if self.shape.variant.classes:

            def loss(model: LogBilinearNetwork) -> tuple[Tensor, Gradients]:
                return likelihood(model, contexts, rows)

        else:
            noise = noise_words(self._log_unigram, len(rows), self.settings.noise_samples, generator)

            def loss(model: LogBilinearNetwork) -> tuple[Tensor, Gradients]:
                return contrast(model, contexts, rows, noise, self._log_unigram)

        value, gradients = self.processes.gradients(loss, self.model)
        if not math.isfinite(float(value)):
            raise self._diverged(f"the loss became {float(value)}")
        self.optimiser.update(gradients, len(chosen) / len(self.events), shrink)
        return value.double()

    def _diverged(self, seen: str) -> TrainingError:
        return TrainingError(
            f"{seen} in epoch {self.history.epochs + 1}; the state after epoch {self.history.epochs} is kept: "
            f"lower the step size (now {self.settings.step:g}), or raise lambda (now {self.settings.l2:g})"
        )

    def _touch_shares(self) -> dict[str, Tensor]:
        """For each factor, the chance that a minibatch touches it."""
        batch, history = min(self.settings.batch, len(self.events)), self.shape.order - 1
        model = self.model
        contexts = len(model.context_map.offsets) - 1

        def share(counts: NDArray[np.int64], draws: float, composition: Any) -> Tensor:
            of_word = torch.from_numpy(counts).double()[:, None]
            of_factor = composition.cpu().back(of_word)[:, 0] / max(1, counts.sum())
            composition.to(self.device)
            chance = -torch.expm1(draws * torch.log1p(-of_factor.clamp(max=1 - 1e-12)))
            return chance.clamp_(min=batch / len(self.events) / 10).to(model.Q.dtype).to(self.device)

        shares = {"Q": share(self.events.context_counts(contexts), batch * history, model.context_map)}
        if not self.shape.variant.classes:
            draws = batch + math.ceil(batch / BLOCK) * self.settings.noise_samples
            shares["R"] = share(self.counts[model.targets.word_of], draws, model.target_map)
        return shares

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file."""
        meta = {
            "shape": self.shape.to_dict(),
            "settings": self.settings.to_dict(),
            "loss": self.history.loss,
            "perplexity": self.history.perplexity,
            "events": len(self.events),
            "map": self.word_map.digest,
        }
        sections: dict[str, model_file.Section] = {}
        for name, p in self.model.named_parameters():
            sections[f"parameter {name}"] = p.detach().cpu().numpy()
            sections[f"sum {name}"] = self.optimiser.sums[name].cpu().numpy()
            sections[f"best {name}"] = self.best[name].cpu().numpy()
        model_file.save(path, CHECKPOINT_KIND, meta, sections)

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Go on from a saved state. Raises ModelFileError where it is of another model, text or seed."""
        file = model_file.load(path)
        if file.kind != CHECKPOINT_KIND:
            raise ModelFileError(f"{path}: holds a {file.kind!r}, not the state of a training run")
        # What may differ between the parts of a run.
        free = ("patience", "device") if self.settings.decay else ("epochs", "patience", "device")
        here = {k: v for k, v in self.settings.to_dict().items() if k not in free}
        there = {k: v for k, v in file.meta["settings"].items() if k not in free}
        same = file.meta["shape"] == self.shape.to_dict() and file.meta["events"] == len(self.events)
        if not same or here != there or file.meta["map"] != self.word_map.digest:
            raise ModelFileError(
                f"{path}: is the state of another run (model, text, map or settings differ); remove it or use its settings"
            )
        with torch.no_grad():
            for name, p in self.model.named_parameters():
                p.copy_(torch.from_numpy(file.array(f"parameter {name}")))
                self.optimiser.sums[name].copy_(torch.from_numpy(file.array(f"sum {name}")))
                self.best[name].copy_(torch.from_numpy(file.array(f"best {name}")))
        self.model.centred = self.shape.variant.nonlinear
        self.history = TrainingHistory(list(file.meta["loss"]), list(file.meta["perplexity"]))


@torch.no_grad()
def score_events(model: LogBilinearNetwork, events: Events) -> NDArray[np.float64]:
    """Natural log-probabilities of events, normalised, in batches."""
    context_vectors, target_vectors = model.compiled()
    rows = torch.from_numpy(model.targets.row_of[events.words]).to(model.Q.device)
    contexts = torch.from_numpy(events.contexts).to(model.Q.device)
    size = _SCORED_AT_ONCE if model.shape.variant.classes else 1024
    scores = [
        model.log_prob(model.predict(context_vectors[c.long()]), r, target_vectors)
        for c, r in zip(contexts.split(size), rows.split(size), strict=True)
    ]
    return torch.cat(scores).double().cpu().numpy()
