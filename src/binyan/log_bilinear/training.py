"""Training: minibatches, AdaGrad, early stopping on development perplexity, checkpoints that resume bit for bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from binyan import model_file
from binyan.errors import BinyanError, ModelFileError, SettingsError
from binyan.files import PathLike
from binyan.log_bilinear.distributed import Processes
from binyan.log_bilinear.events import Events
from binyan.log_bilinear.factor_map import FactorMap
from binyan.log_bilinear.gradients import Gradients, likelihood
from binyan.log_bilinear.history import TrainingHistory
from binyan.log_bilinear.network import LogBilinearNetwork
from binyan.log_bilinear.noise_contrastive import BLOCK, contrast, noise_words
from binyan.log_bilinear.optimiser import AdaGrad
from binyan.log_bilinear.output import Targets
from binyan.log_bilinear.recipe import TrainingPlan, plan
from binyan.log_bilinear.sampled_softmax import WordSampler, sampled_likelihood
from binyan.log_bilinear.settings import Shape, TrainingSettings
from binyan.log_bilinear.step_guard import SMALLEST, StepGuard
from binyan.progress import Progress, ProgressOption
from binyan.signature import digest
from binyan.text.corpus import Corpus
from binyan.text.vocabulary import UNKNOWN_ID

CHECKPOINT_KIND = "log-bilinear-training"
SCORED_AT_ONCE = 8192
"""Events, of models with classes."""
_SCORES_AT_ONCE = 2**22  # of models without classes; more are in new pages each time, at twice the cost
_FIRST_STEP = 0.01  # of the step size, where it rises
_UNDONE = 2.0  # times the development perplexity after an earlier epoch: the model is undone, not overfitted


def use_threads(number: int) -> None:
    """How many threads PyTorch takes in this process; small models are faster with one."""
    torch.set_num_threads(number)


class TrainingWarning(UserWarning):
    """Training that will not come to a good model, and what to change."""


class TrainingError(BinyanError):
    """Training that cannot go on; the last good state is kept."""

    exit_code = 7


class Trainer:
    """One training run. `state` holds all that the next epoch needs: a run resumed from it equals an unbroken one."""

    def __init__(
        self,
        corpus: Corpus,
        development: Corpus,
        shape: Shape,
        settings: TrainingSettings | TrainingPlan | None = None,
        factor_map: FactorMap | None = None,
        class_of: NDArray[np.uint32] | None = None,
    ) -> None:
        if shape.variant.additive and factor_map is None:
            raise SettingsError(f"{shape.variant} adds morpheme vectors: give it a word map")
        if shape.variant.classes and class_of is None:
            raise SettingsError(f"{shape.variant} is class-based: give it word classes")
        self.shape, self.settings = shape, plan(settings or TrainingSettings(), shape, corpus, factor_map)
        self.processes = Processes.join()
        vocabulary = corpus.vocabulary
        targets = Targets(class_of if shape.variant.classes else None, vocabulary)
        self.factor_map = factor_map or FactorMap.identity(len(vocabulary))
        outside = self.factor_map.outside if shape.variant.context else ()
        self.events = Events.of(corpus, shape.order, outside)
        self.development = Events.of(development, shape.order, outside)
        self.inputs = {
            "text": self.events.digest,
            "development text": self.development.digest,
            "vocabulary": vocabulary.digest,
            "classes": digest(targets.row_of.tobytes(), targets.class_of_row.tobytes()),
            "word map": self.factor_map.digest,
        }
        self.counts = self.events.counts(len(vocabulary))
        self.device = torch.device(self.settings.device)
        self.network = LogBilinearNetwork(shape, targets, self.factor_map, self.settings.seed)
        self.network.set_biases(self.counts)
        if not self.counts[UNKNOWN_ID]:  # never seen: better nothing than its first, random vector
            with torch.no_grad():
                self.network.Q[UNKNOWN_ID] = 0.0
        self.network.to(self.device)
        self.network.centred = shape.variant.nonlinear
        self._contexts = torch.from_numpy(self.events.contexts)
        self._rows = torch.from_numpy(targets.row_of[self.events.words])
        self._log_unigram = self.network.b.detach().clone()
        self._sampler = WordSampler(self.counts[targets.word_of], self.settings.softmax_words, self.device)
        self.optimiser = AdaGrad(self.network, self.settings.step, self.settings.l2, self._touch_shares())
        self.guard = StepGuard(self.optimiser)
        self.processes.wrap(self.network)
        self.history = TrainingHistory()
        self.best = {name: p.detach().clone() for name, p in self.network.named_parameters()}

    def epoch(self, progress: ProgressOption = None) -> None:
        """One pass through the training events in an order that depends on seed and epoch alone."""
        order = torch.from_numpy(
            np.random.default_rng([self.settings.seed, self.history.epochs]).permutation(len(self.events))
        )
        generator = torch.Generator().manual_seed(self.settings.seed * 100_003 + self.history.epochs)
        self.guard.begin(math.ceil(len(order) / self.settings.batch))
        start, total, perplexity = 0, 0.0, math.nan
        with Progress(f"epoch {self.history.epochs + 1}, events", len(order), progress) as bar:
            while start < len(order) or not self._is_sane(perplexity := self.development_perplexity()):
                if start == len(order):
                    start, total = self._smaller_steps(f"development perplexity became {perplexity:.4g}")
                chosen = order[start : start + self.settings.batch]
                loss, gradients = self._gradients(chosen, generator)
                if self.guard.rose(loss, len(chosen), start, total):
                    start, total = self._smaller_steps(f"the loss became {loss / len(chosen):.4g}")
                    continue
                self.optimiser.update(gradients, len(chosen) / len(self.events), self._shrink(start / len(order)))
                start, total = start + len(chosen), total + loss
                bar.advance(len(chosen), loss=loss / len(chosen))
        self._note(total / len(order), perplexity)

    def _note(self, loss: float, perplexity: float) -> None:
        """The figures of the epoch, and its parameters where they are the best."""
        self.history.loss.append(loss)
        self.history.perplexity.append(perplexity)
        self.history.step_share.append(self.guard.scale)
        if self.history.best == self.history.epochs:
            for name, p in self.network.named_parameters():
                self.best[name].copy_(p.detach())

    def _is_sane(self, perplexity: float) -> bool:
        """Whether the last steps of an epoch left the model whole."""
        return math.isfinite(perplexity) and perplexity < _UNDONE * min(self.history.perplexity, default=math.inf)

    def _smaller_steps(self, seen: str) -> tuple[int, float]:
        """Go back to where training went well; where it did nowhere, raise TrainingError."""
        if self.guard.scale < SMALLEST:
            raise TrainingError(
                f"{seen} in epoch {self.history.epochs + 1}, and smaller steps do not help; the state after epoch "
                f"{self.history.epochs} is kept: lower the step size (now {self.settings.step:g}), or raise lambda (now "
                f"{self.settings.l2:g})"
            )
        return self.guard.back()

    def run(
        self,
        checkpoint: PathLike | None = None,
        progress: ProgressOption = None,
        after_epoch: Callable[[TrainingHistory], None] | None = None,
    ) -> TrainingHistory:
        """Epochs until development perplexity stops falling; the best parameters end up in the model.

        `checkpoint`: a file written after each epoch; training is resumed from it where it exists. `after_epoch` may raise to
        stop.
        """
        if checkpoint is not None and Path(checkpoint).exists():
            self.restore(checkpoint)
        while self.history.epochs < self.settings.epochs and not self.finished:
            self.epoch(progress)
            if checkpoint is not None and self.processes.first:
                self.save(checkpoint)
            if after_epoch is not None:
                after_epoch(self.history)
        with torch.no_grad():
            for name, p in self.network.named_parameters():
                p.copy_(self.best[name])
        if self.network.centred:
            self.network.uncentre()
        return self.history

    @property
    def finished(self) -> bool:
        """Whether the last `patience` epochs brought nothing."""
        return self.history.epochs - self.history.best >= self.settings.patience

    def development_perplexity(self) -> float:
        """Over all development events, as the model is now."""
        return math.exp(-float(np.mean(score_events(self.network, self.development))))

    def _shrink(self, done: float) -> float:
        """The share of the step size that is taken once a share `done` of this epoch is done."""
        passes, whole = self.history.epochs + done, self.settings
        rise = min(1.0, _FIRST_STEP + passes / whole.warm_up) if whole.warm_up else 1.0
        return self.guard.scale * rise * (1 - passes / whole.epochs if whole.decay else 1.0)

    def _gradients(self, chosen: Tensor, generator: torch.Generator) -> tuple[float, Gradients]:
        """The sum of losses of a minibatch, and its gradient."""
        mine = self.processes.part(chosen)
        contexts, rows = self._contexts[mine].long().to(self.device), self._rows[mine].to(self.device)
        if self.shape.variant.classes:

            def loss(model: LogBilinearNetwork) -> tuple[Tensor, Gradients]:
                return likelihood(model, contexts, rows)

        elif self.settings.noise_samples is None:
            sample = self._sampler.draw(generator)

            def loss(model: LogBilinearNetwork) -> tuple[Tensor, Gradients]:
                return sampled_likelihood(model, contexts, rows, sample)

        else:
            noise = noise_words(self._log_unigram, len(rows), self.settings.noise_samples, generator)

            def loss(model: LogBilinearNetwork) -> tuple[Tensor, Gradients]:
                return contrast(model, contexts, rows, noise, self._log_unigram)

        value, gradients = self.processes.gradients(loss, self.network)
        return float(value.double()), gradients

    def _touch_shares(self) -> dict[str, Tensor]:
        """For each factor, the chance that a minibatch touches it."""
        batch, history = min(self.settings.batch, len(self.events)), self.shape.order - 1
        model = self.network
        contexts = len(model.context_map.offsets) - 1

        def share(counts: NDArray[np.int64], draws: float, composition: Any) -> Tensor:
            of_word = torch.from_numpy(counts).double()[:, None]
            of_factor = composition.cpu().back(of_word)[:, 0] / max(1, counts.sum())
            composition.to(self.device)
            chance = -torch.expm1(draws * torch.log1p(-of_factor.clamp(max=1 - 1e-12)))
            return chance.clamp_(min=batch / len(self.events) / 10).to(model.Q.dtype).to(self.device)

        shares = {"Q": share(self.events.context_counts(contexts), batch * history, model.context_map)}
        if not self.shape.variant.classes and self.settings.noise_samples is not None:
            draws = batch + math.ceil(batch / BLOCK) * self.settings.noise_samples
            shares["R"] = share(self.counts[model.targets.word_of], draws, model.target_map)
        return shares

    def save(self, path: PathLike) -> None:
        """Write the state to a file."""
        meta = {
            "shape": self.shape.to_dict(),
            "settings": self.settings.to_dict(),
            **self.history.to_dict(),
            "lowest_loss": self.guard.lowest,
            "inputs": self.inputs,
        }
        sections: dict[str, model_file.Section] = {}
        for name, p in self.network.named_parameters():
            sections[f"parameter {name}"] = p.detach().cpu().numpy()
            sections[f"sum {name}"] = self.optimiser.sums[name].cpu().numpy()
            sections[f"best {name}"] = self.best[name].cpu().numpy()
        model_file.save(path, CHECKPOINT_KIND, meta, sections)

    def restore(self, path: PathLike) -> None:
        """Resume from a saved state. Raises ModelFileError where it is of another model, text or seed."""
        file = model_file.load(path)
        if file.kind != CHECKPOINT_KIND:
            raise ModelFileError(f"{path}: holds a {file.kind!r}, not the state of a training run")
        if "inputs" not in file.meta:
            raise ModelFileError(
                f"{path}: was written by an earlier version, which did not note its texts and classes: training cannot be resumed "
                "from it; remove it to train from the start"
            )
        # What may differ between the parts of a run.
        free = ("patience", "device") if self.settings.decay else ("epochs", "patience", "device")
        stored = file.meta["shape"] | file.meta["settings"] | file.meta["inputs"]
        here = self.shape.to_dict() | self.settings.to_dict() | self.inputs
        differ = [name.replace("_", " ") for name in here if name not in free and stored.get(name) != here[name]]
        if differ:
            raise ModelFileError(
                f"{path}: is the state of another run (not the same: {', '.join(differ)}); remove it, or give what it was begun with"
            )
        with torch.no_grad():
            for name, p in self.network.named_parameters():
                p.copy_(torch.from_numpy(file.array(f"parameter {name}")))
                self.optimiser.sums[name].copy_(torch.from_numpy(file.array(f"sum {name}")))
                self.best[name].copy_(torch.from_numpy(file.array(f"best {name}")))
        self.network.centred = self.shape.variant.nonlinear
        noted = {name: list(file.meta[name]) for name in ("loss", "perplexity", "step_share") if name in file.meta}
        self.history = TrainingHistory(**noted)
        self.guard.lowest = file.meta.get("lowest_loss", math.inf)
        self.guard.scale = self.history.step_share[-1] if self.history.step_share else 1.0


def events_at_once(with_classes: bool, words: int) -> int:
    """How many events are scored together; without classes each has a score for every word."""
    return SCORED_AT_ONCE if with_classes else max(1, _SCORES_AT_ONCE // words)


@torch.no_grad()
def score_events(model: LogBilinearNetwork, events: Events) -> NDArray[np.float64]:
    """Natural log-probabilities of events, normalised, in batches."""
    context_vectors, target_vectors = model.compiled()
    rows = torch.from_numpy(model.targets.row_of[events.words]).to(model.Q.device)
    contexts = torch.from_numpy(events.contexts).to(model.Q.device)
    size = events_at_once(model.shape.variant.classes, len(target_vectors))
    scores = [
        model.log_prob(model.predict(context_vectors[c.long()]), r, target_vectors)
        for c, r in zip(torch.split(contexts, size), torch.split(rows, size), strict=True)
    ]
    return torch.cat(scores).double().cpu().numpy()
