"""What training by sampling works on: a corpus, the tree of its n-grams, the chains over it, and their checkpoint."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from binyan import model_file
from binyan.errors import ModelFileError, SettingsError
from binyan.model_file import ModelFile, Section
from binyan.ngram.backoff import context_tree, training_fields
from binyan.ngram.chains import Chain, Chains, Schedule
from binyan.progress import ProgressOption
from binyan.text import Corpus, Preparation, Vocabulary

_PREFIX = "chains/"


class Sampling:
    """The training of one model. Kinds of models differ in `make_chain`, and in what they add to fields and files."""

    kind: ClassVar[str]

    def __init__(
        self,
        corpus: Corpus,
        order: int,
        schedule: Schedule,
        preparation: Preparation,
        numbers: Sequence[int] | None = None,
    ) -> None:
        if order < 1:
            raise SettingsError(f"the order of an n-gram model is 1 or more, not {order}")
        self.corpus, self.order, self.preparation = corpus, order, preparation
        self.tree = context_tree(corpus, order)
        self.chains = Chains(self.make_chain(schedule.seed), schedule, numbers)

    def make_chain(self, seed: int) -> Callable[[int], Chain]:
        """A function from the number of a chain to the empty chain."""
        raise NotImplementedError

    def run(
        self,
        checkpoint: str | os.PathLike[str] | None,
        resume: bool,
        threads: int | None,
        seconds: float,
        progress: ProgressOption,
        scheduler: str | None = None,
    ) -> None:
        """Sweep until the schedule is done, from the checkpoint on if there is one and `resume` is set. With the address of
        a Dask `scheduler` its workers do, a chain each; the checkpoint is then written whenever a chain is done."""
        if resume and checkpoint is not None and Path(checkpoint).exists():
            self.resume(model_file.load(checkpoint))
        save = None if checkpoint is None else lambda: model_file.save(checkpoint, self.kind, *self.contents())
        if scheduler is None:
            self.chains.run(progress, threads, save, seconds)
        else:
            from binyan.ngram.spread_chains import run_on_cluster

            run_on_cluster(self, scheduler, save, progress)

    def fields(self) -> dict[str, Any]:
        """What the signature says of the training."""
        schedule = self.chains.schedule
        return training_fields(
            self.corpus,
            self.preparation,
            seed=schedule.seed,
            sweeps=self.chains.sweeps,
            samples=schedule.samples,
            chains=schedule.chains,
            initialisation=schedule.initialisation,
        )

    def settings(self) -> dict[str, Any]:
        """What must be the same for training to go on from a checkpoint."""
        schedule = self.chains.schedule
        return {
            "text": self.corpus.digest,
            "order": self.order,
            "seed": schedule.seed,
            "number of chains": schedule.chains,
            "initialisation": schedule.initialisation,
        }

    def resume(self, file: ModelFile) -> None:
        """Take up the chains of a checkpoint of the same training."""
        if file.kind != self.kind:
            raise SettingsError(f"{file.path}: holds a {file.kind} model; training of {self.kind} cannot go on from it")
        if "schedule" not in file.meta:
            raise ModelFileError(f"{file.path}: holds no chains: training cannot go on from a reduced model")
        for what, now in self.settings().items():
            then = file.meta.get("settings", {}).get(what)
            if then != now:
                raise SettingsError(
                    f"{file.path}: was trained with another {what} ({then}, now {now}); train without resuming, "
                    "or give the same settings"
                )
        sections = {n[len(_PREFIX) :]: s for n, s in file.sections.items() if n.startswith(_PREFIX)}
        self.chains.restore(sections, Schedule(**file.meta["schedule"]))

    def contents(self, numbers: Sequence[int] | None = None) -> tuple[dict[str, Any], dict[str, Section]]:
        """A checkpoint, of all chains or of those of `numbers`."""
        meta = {
            "order": self.order,
            "preparation": self.preparation.to_dict(),
            "schedule": self.chains.schedule.to_dict(),
            "settings": self.settings(),
            "sweeps": self.chains.sweeps,
            "r_hat": self.chains.r_hat,
        }
        sections: dict[str, Section] = {
            "vocabulary": self.corpus.vocabulary.to_bytes(),
            "corpus/words": self.corpus.words,
            "corpus/offsets": self.corpus.offsets,
        }
        return meta, sections | {_PREFIX + name: array for name, array in self.chains.sections(numbers).items()}

    @classmethod
    def from_file(cls, file: ModelFile, **more: Any) -> Self:
        """The inverse of `contents`; `more` goes to the constructor."""
        corpus = Corpus(
            file.array("corpus/words"), file.array("corpus/offsets"), Vocabulary.from_bytes(file.blob("vocabulary"))
        )
        preparation = Preparation.from_dict(file.meta["preparation"])
        sampling = cls(corpus, file.meta["order"], Schedule(**file.meta["schedule"]), preparation, **more)
        sampling.resume(file)
        return sampling
