"""What training by sampling works on: a corpus, the tree of its n-grams, the chains over it, and their checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

from binyan import model_file
from binyan.errors import ModelFileError, SettingsError
from binyan.model_file import ModelFile, Section
from binyan.ngram.backoff import context_tree, training_fields
from binyan.ngram.chains import Chain, Chains
from binyan.sampling import Run, Schedule, run_chains
from binyan.text import Corpus, Preparation, Vocabulary

_OWN_SAMPLES = "samples/"
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

    def run(self, run: Run) -> None:
        """Sweep until the schedule is done, resuming the checkpoint if there is one and `run.resume` is set."""
        checkpoint = run.checkpoint
        if run.resume and checkpoint is not None and Path(checkpoint).exists():
            self.resume(model_file.load(checkpoint))
        run_chains(
            self,
            progress=run.progress,
            threads=run.threads,
            checkpoint=None if checkpoint is None else lambda: model_file.save(checkpoint, self.kind, *self.contents()),
            seconds=run.checkpoint_seconds,
            scheduler=run.scheduler,
        )

    figure = "log_likelihood"

    @property
    def traces(self) -> Sequence[Sequence[Sequence[float]]]:
        """The log-likelihood and the hyperparameters after each sweep of each chain."""
        return self.chains.traces

    @property
    def total_sweeps(self) -> int:
        """Sweeps of each chain when sampling is done."""
        return self.chains.schedule.sweeps

    def round_done(self) -> None:
        """Nothing to decide between rounds: the schedule stands."""

    def advance(self, chain: int) -> None:
        """One sweep of a chain."""
        self.chains.advance(chain)

    def chain_to_bytes(self, chain: int) -> bytes:
        """A checkpoint with one chain."""
        return model_file.to_bytes(self.kind, *self.contents([self.chains.numbers[chain]]))

    def take_chain(self, chain: int, data: bytes) -> None:
        """Take up a chain of a checkpoint that `sample_chain` made."""
        sections = model_file.from_bytes(data).sections
        self.chains.restore(sections, self.chains.schedule, [self.chains.numbers[chain]])

    @classmethod
    def sample_chain(cls, job: bytes) -> bytes:
        """The chain of a checkpoint that holds one, sampled to the end of its schedule."""
        file = model_file.from_bytes(job)
        [number] = [int(name.split(".")[1]) for name in file.sections if name.endswith(".trace")]
        sampling = cls.from_file(file, [number])
        sampling.run(Run(progress=False))
        return model_file.to_bytes(file.kind, {}, sampling.chains.sections())

    def fields(self) -> dict[str, Any]:
        """What the signature says of the training."""
        return schedule_fields(self.corpus, self.preparation, self.chains.schedule, self.chains.sweeps)

    def settings(self) -> dict[str, Any]:
        """What must be the same for training to be resumed from a checkpoint."""
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
        kind = file.meta.get("open_vocabulary", {}).get("kind", file.kind)  # an open model is a closed one and more
        if kind != self.kind:
            raise SettingsError(
                f"{file.path}: holds a {file.kind} model; training of {self.kind} cannot be resumed from it"
            )
        if "schedule" not in file.meta:
            raise ModelFileError(f"{file.path}: holds no chains: training cannot be resumed from a reduced model")
        for what, now in self.settings().items():
            then = file.meta.get("settings", {}).get(what)
            if then != now:
                raise SettingsError(
                    f"{file.path}: was trained with another {what} ({then}, now {now}); train without resuming, "
                    "or give the same settings"
                )
        sections = {n[len(_PREFIX) :]: s for n, s in file.sections.items() if n.startswith(_PREFIX)}
        if not any(name.startswith("samples.") for name in sections):  # a finished model may have them as its own
            own = {n: s for n, s in file.sections.items() if n.startswith(_OWN_SAMPLES)}
            sections |= {f"samples.{n.removeprefix(_OWN_SAMPLES)}": s for n, s in own.items()}
        then, ours = Schedule.from_dict(file.meta["schedule"]), self.chains.schedule
        if ours.samples is None and then.sweeps < ours.sweeps:
            self.chains.schedule = replace(ours, burn_in=max(ours.burned, then.sweeps))
        self.chains.restore(sections, then)

    def contents(
        self, numbers: Sequence[int] | None = None, with_samples: bool = True
    ) -> tuple[dict[str, Any], dict[str, Section]]:
        """A checkpoint, of all chains or of those of `numbers`; a finished model may leave out the samples."""
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
        return meta, sections | {
            _PREFIX + name: array for name, array in self.chains.sections(numbers, with_samples).items()
        }

    @classmethod
    def from_file(cls, file: ModelFile, numbers: Sequence[int] | None = None) -> Self:
        """The inverse of `contents`; of all chains, or of those of `numbers`."""
        corpus = Corpus(
            file.array("corpus/words"), file.array("corpus/offsets"), Vocabulary.from_bytes(file.blob("vocabulary"))
        )
        preparation = Preparation.from_dict(file.meta["preparation"])
        schedule = Schedule.from_dict(file.meta["schedule"])
        sampling = cls(corpus, file.meta["order"], schedule, preparation, numbers=numbers, **cls.more_from(file))
        sampling.resume(file)
        return sampling

    @classmethod
    def more_from(cls, file: ModelFile) -> dict[str, Any]:
        """What the constructor of a kind of model takes beyond ours, from an opened model file."""
        return {}


def schedule_fields(
    corpus: Corpus, preparation: Preparation, schedule: Schedule, sweeps: int, **more: Any
) -> dict[str, Any]:
    """What the signature says of training by sampling."""
    return training_fields(
        corpus,
        preparation,
        seed=schedule.seed,
        sweeps=sweeps,
        samples=schedule.collected,
        chains=schedule.chains,
        initialisation=schedule.initialisation,
        **more,
    )
