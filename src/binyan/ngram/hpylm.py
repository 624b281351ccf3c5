"""The hierarchical Pitman-Yor language model (thesis, chapter 3), trained by Gibbs sampling in the core.

One posterior sample is an interpolated back-off model; several are averaged column by column. A saved model holds its
chains, so that training can be resumed bit for bit; a reduced one holds only what queries need.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import ModelFileError, SettingsError
from binyan.files import PathLike
from binyan.memory import check_memory, hpylm_bytes, memory_size
from binyan.model_file import ModelFile, Section
from binyan.ngram.backoff import BackoffLanguageModel, training_corpus, word_counts
from binyan.ngram.chains import Arrays, Chain
from binyan.ngram.sampling import Sampling, schedule_fields
from binyan.ngram.spelling import SpellingModel, SpellingSettings, strings_of
from binyan.sampling import Run, Schedule
from binyan.settings import Settings, gather, setting, takes_settings
from binyan.text import Corpus, Preparation, VocabularyPolicy
from binyan.text.reading import Source
from binyan.text.vocabulary import UNKNOWN_ID

_SPELLING = "spelling."


@dataclass(frozen=True)
class OrderSettings(Settings):
    """What every model of n-grams that is sampled has beside its schedule."""

    order: int = setting(4, "Length of the longest n-grams.", short="-n", metavar="N")

    def __post_init__(self) -> None:
        if self.order < 1:
            raise SettingsError(f"the order of an n-gram model is 1 or more, not {self.order}")


@dataclass(frozen=True)
class HPYLMSettings(OrderSettings):
    """What an HPYLM has beside its schedule."""

    blocks: bool = setting(
        False,
        "Sweep by blocks of contexts, on several threads: a different draw from the same posterior. --memory implies it.",
    )


class HPYLM(BackoffLanguageModel):
    """A hierarchical Pitman-Yor language model.

    `trace[i][s]` has the log-likelihood and the hyperparameters (discount and strength by context length) of chain i after
    sweep s + 1. `sampling` has corpus, tree and chains, or is None in a reduced model. Unless a number of `samples` is given, ten are
    averaged and become one table.

    >>> model = HPYLM(order=2, sweeps=20, seed=3).fit(["der hund sah die katze", "die katze sah den hund"])
    >>> model.next_words("die").most_common(1)[0][0]
    'katze'
    """

    kind = "hpylm"
    settings: HPYLMSettings
    schedule: Schedule
    policy: VocabularyPolicy
    _sampling: HPYLMSampling | ModelFile | None  # a file: chains that nobody has asked for yet
    _trace: list[NDArray[np.float64]]
    _spelling: SpellingModel | None

    @takes_settings(HPYLMSettings, Schedule, VocabularyPolicy, Preparation)
    def __init__(self, order: int | None = None, **settings: Any) -> None:
        groups = HPYLMSettings, Schedule, VocabularyPolicy, Preparation
        self.settings, self.schedule, self.policy, self.preparation = gather(
            "HPYLM", {"order": order, **settings}, *groups
        )

    @takes_settings(Run)
    def fit(
        self,
        text: Corpus | Source | Sequence[Source],
        *,
        memory: int | str | None = None,
        work: PathLike | None = None,
        **run: Any,
    ) -> Self:
        """Sample from the posterior given a text file, several (a list of Path objects), sentences, or a corpus.

        The keywords say how and where training runs and change nothing in the result: `checkpoint` names a file that is written
        every `checkpoint_seconds` and on Ctrl-C; with `resume`, training is resumed from it if it exists. Chains run in at most
        `threads` threads, or on the workers of the Dask `scheduler` at that address.
        With the setting `blocks`, every sweep runs on `threads` threads, by default one for each core. With `memory`, which sets it too,
        training takes at most about so much ("4G"), whatever the size of the text, and works in files of the folder `work`: the model is the
        one that `blocks` gives without it, bit for bit. Models trained so are reduced, and their training cannot be resumed.
        """
        [how] = gather("fit", run, Run)
        if self.settings.blocks or memory is not None:
            return self._fit_by_blocks(text, memory, work, how)
        corpus = training_corpus(text, self.preparation, policy=self.policy, progress=how.progress)
        self._check_memory(corpus)
        spelt = self.policy.is_open and not bool((corpus.words == UNKNOWN_ID).any())
        kind = SpeltSampling if spelt else HPYLMSampling
        sampling = kind(corpus, self.settings.order, self.schedule, self.preparation)
        sampling.run(how)
        if how.checkpoint is not None and sampling.chains.has_lost_samples:
            self.__dict__ = vars(self.load(how.checkpoint)) | vars(self)  # it was finished: there was nothing to do
            return self
        return self._finished(sampling)

    def _fit_by_blocks(
        self, text: Corpus | Source | Sequence[Source], memory: int | str | None, work: PathLike | None, how: Run
    ) -> Self:
        from binyan.ngram import block_sampling

        if self.settings.order < 2:
            raise SettingsError(
                "single words need no blocks: train a model of order 1 without blocks or a limit of memory"
            )
        if how.resume or how.scheduler is not None:
            raise SettingsError("training by blocks cannot be resumed, and runs on one machine")
        if self.policy.is_open:
            raise SettingsError("blocks have no model of spelling: take a closed vocabulary, or train without blocks")
        if memory is None:
            corpus = training_corpus(text, self.preparation, policy=self.policy, progress=how.progress)
            self._check_memory(corpus)
            sampled = block_sampling.sample_in_memory(corpus, self.settings.order, self.schedule, how)
        else:
            sampled = block_sampling.sample_in_files(
                text, self.preparation, self.policy, self.settings.order, self.schedule, how, memory_size(memory), work
            )
        self.sampling, self._spelling = None, None
        self._trace = [np.array(trace) for trace in sampled.traces]
        fields = schedule_fields(sampled.corpus, self.preparation, self.schedule, self.schedule.sweeps, blocks=True)
        return self._learnt(
            self._predicting(sampled.native, self.schedule),
            sampled.corpus.vocabulary,
            self.preparation,
            fields,
            word_counts(sampled.corpus),
        )

    def _check_memory(self, corpus: Corpus) -> None:
        def needed(order: int, tokens: int | None) -> int:
            return hpylm_bytes(corpus.words, order, self.schedule.chains, self.schedule.collected, tokens)

        check_memory("an HPYLM", corpus.words, self.settings.order, needed)

    def _finished(self, sampling: HPYLMSampling) -> Self:
        samples = sampling.chains.predictive()
        corpus, native = sampling.corpus, self._predicting(freeze(sampling.tree, samples), sampling.chains.schedule)
        self.sampling = sampling
        self._trace = [np.array(trace) for trace in sampling.chains.traces]
        self._spelling = sampling.spelling(samples)
        return self._learnt(native, corpus.vocabulary, sampling.preparation, sampling.fields(), word_counts(corpus))

    @staticmethod
    def _predicting(native: _core.BackoffModel, schedule: Schedule) -> _core.BackoffModel:
        """The mean of samples itself where their number was asked for, otherwise as one table: as good, smaller, and faster."""
        return _core.one_column(native) if schedule.samples is None and native.columns > 1 else native

    @property
    def own_spelling(self) -> SpellingModel | None:
        """The model of spelling that was learnt with the model; None unless its vocabulary is open."""
        return self._spelling

    def training_text(self) -> Corpus | None:
        """The training text; None in a reduced model."""
        return None if self.sampling is None else self.sampling.corpus

    @property
    def sampling(self) -> HPYLMSampling | None:
        """Corpus, tree and chains; None in a reduced model. Those of a large file are read when they are first asked for."""
        if isinstance(self._sampling, ModelFile):
            self._sampling = _sampling_from(self._sampling)
        return self._sampling

    @sampling.setter
    def sampling(self, sampling: HPYLMSampling | ModelFile | None) -> None:
        self._sampling = sampling

    @property
    def trace(self) -> list[NDArray[np.float64]]:
        """The trace of each chain: one row per sweep."""
        return self._trace

    def summary(self) -> dict[str, Any]:
        """What there is to say of a model that was just trained, for JSON."""
        hyperparameters = [{"discount": a, "strength": b} for a, b in self.hyperparameters]
        log_likelihood = [float(trace[-1, 0]) for trace in self.trace]
        return {**super().summary(), "log_likelihood": log_likelihood, "hyperparameters": hyperparameters}

    def one_sample(self) -> Self:
        """The last sample of the last chain as a model of its own, reduced."""
        if self.sampling is None:
            raise SettingsError("a reduced model does not keep its samples apart")
        last = self.sampling.chains.last_sample()
        fields = {**self.fields, "samples": 1}
        one = copy.copy(self)
        one.sampling, one._spelling = None, self.sampling.spelling(last)
        return one._learnt(freeze(self.sampling.tree, last), self.vocabulary, self.preparation, fields, self.counts)

    @property
    def hyperparameters(self) -> list[tuple[float, float]]:
        """(discount, strength) by context length after the last sweep of the first chain."""
        last = self.trace[0][-1, 1 : 1 + 2 * self.order]
        return [(float(a), float(b)) for a, b in zip(last[::2], last[1::2], strict=True)]

    def quantised(self, bits: int = 8) -> Self:
        """The model with probabilities and back-off weights of 2 to 16 bits, reduced."""
        other = super().quantised(bits)
        other.sampling = None
        return other

    def save(self, path: PathLike, reduced: bool = False) -> None:
        """Write the model to one file: whole, or only what queries need."""
        sampling, self.sampling = self.sampling, None if reduced else self.sampling
        try:
            super().save(path)
        finally:
            self.sampling = sampling

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file."""
        meta, sections = super().contents()
        if self.sampling is not None:
            more, chains = self.sampling.contents(with_samples=self.sampling.chains.schedule.samples is not None)
            meta |= more
            sections |= chains
        if self._spelling is not None:
            sections |= self._spelling.sections()
        sections |= {f"trace/{i}": trace for i, trace in enumerate(self.trace)}
        return meta, sections

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`; also loads a checkpoint of training that was not finished."""
        if "columns" not in file.meta:
            if "schedule" not in file.meta:
                raise ModelFileError(f"{file.path}: holds neither a finished model nor chains")
            return cls.__new__(cls)._finished(_sampling_from(file))
        model = super().from_file(file)
        later = file if file.region is not None else None
        model._sampling = (later or _sampling_from(file)) if "schedule" in file.meta else None
        model._spelling = SpellingModel.from_file(file)
        model._trace = [file.array(f"trace/{i}") for i in range(sum(s.startswith("trace/") for s in file.sections))]
        return model


class HPYLMSampling(Sampling):
    """The training of an HPYLM."""

    kind = "hpylm"

    def make_chain(self, seed: int) -> Callable[[int], Chain]:
        """A function from the number of a chain to the empty chain."""
        return lambda i: _core.HPYLM(self.tree, seed, i)

    def spelling(self, samples: Arrays) -> SpellingModel | None:
        """The model of spelling in some samples; None where there is none."""
        return None


class SpeltSampling(HPYLMSampling):
    """The training of an HPYLM over a model of spelling, which is learnt with it."""

    def __init__(
        self,
        corpus: Corpus,
        order: int,
        schedule: Schedule,
        preparation: Preparation,
        spelling_order: int = SpellingSettings.spelling_order,
        numbers: Sequence[int] | None = None,
    ) -> None:
        self.spelling_order = spelling_order
        self.alphabet, self.symbol_tree, self.strings = strings_of(corpus.vocabulary, spelling_order)
        super().__init__(corpus, order, schedule, preparation, numbers)

    def make_chain(self, seed: int) -> Callable[[int], Chain]:
        """A function from the number of a chain to the empty chain."""
        return lambda i: _core.OpenHPYLM(self.tree, self.strings, seed, i)

    def spelling(self, samples: Arrays) -> SpellingModel:
        """The model of spelling in some samples."""
        own = {name.removeprefix(_SPELLING): rows for name, rows in samples.items() if name.startswith(_SPELLING)}
        return SpellingModel(self.alphabet, freeze(self.symbol_tree, own))

    def fields(self) -> dict[str, Any]:
        """What the signature says of the training."""
        return super().fields() | {"base": f"spelling-{self.spelling_order}"}

    def settings(self) -> dict[str, Any]:
        """What must be the same for training to be resumed from a checkpoint."""
        return super().settings() | {"order of spelling": self.spelling_order}

    @classmethod
    def more_from(cls, file: ModelFile) -> dict[str, Any]:
        """The order of the model of spelling in an opened model file."""
        return {"spelling_order": file.number("spelling_order")}

    def contents(
        self, numbers: Sequence[int] | None = None, with_samples: bool = True
    ) -> tuple[dict[str, Any], dict[str, Section]]:
        """A checkpoint, of all chains or of those of `numbers`; a finished model may leave out the samples."""
        meta, sections = super().contents(numbers, with_samples)
        return meta | {"spelling_order": self.spelling_order}, sections


def _sampling_from(file: ModelFile) -> HPYLMSampling:
    kind = SpeltSampling if "spelling_order" in file.meta else HPYLMSampling
    return kind.from_file(file)


def freeze(tree: _core.ContextTree, samples: Arrays) -> _core.BackoffModel:
    """Samples over the n-grams of `tree`, one per column, as a model that answers queries with their mean."""
    levels = range(1, tree.order)
    return _core.BackoffModel.freeze(
        tree,
        samples["unigrams"].shape[1],
        samples["unigrams"].reshape(-1),
        [samples[f"log_prob.{k}"].reshape(-1) for k in levels],
        [samples[f"log_backoff.{k}"].reshape(-1) for k in levels],
    )
