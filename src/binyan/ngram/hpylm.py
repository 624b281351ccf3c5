"""The hierarchical Pitman-Yor language model (thesis, chapter 3), trained by Gibbs sampling in the core.

One posterior sample is an interpolated back-off model; several are averaged column by column. A saved model holds its
chains, so that training can go on from it bit for bit; a reduced one holds only what queries need.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import ModelFileError, SettingsError
from binyan.model_file import ModelFile, Section
from binyan.ngram.backoff import BackoffLanguageModel, training_corpus, word_counts
from binyan.ngram.chains import Arrays, Chain, Schedule
from binyan.ngram.sampling import Sampling
from binyan.progress import ProgressOption
from binyan.text import Corpus, Preparation, VocabularyPolicy
from binyan.text.reading import Source


class HPYLM(BackoffLanguageModel):
    """A hierarchical Pitman-Yor language model.

    `trace[i][s]` has the log-likelihood and the hyperparameters (discount and strength by context length) of chain i after
    sweep s + 1. `sampling` has corpus, tree and chains, or is None in a reduced model.

    >>> model = HPYLM.train(["der hund sah die katze", "die katze sah den hund"], 2, Schedule(iterations=20, seed=3))
    >>> state = model.score(model.begin(), "die").state
    >>> model.vocabulary.words[model.next_words(state).argmax()]
    'katze'
    """

    kind = "hpylm"
    sampling: HPYLMSampling | None
    trace: list[NDArray[np.float64]]

    @classmethod
    def train(
        cls,
        text: Corpus | Source | Sequence[Source],
        order: int = 4,
        schedule: Schedule | None = None,
        *,
        preparation: Preparation | None = None,
        policy: VocabularyPolicy | None = None,
        threads: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_seconds: float = 60.0,
        resume: bool = False,
        progress: ProgressOption = None,
        scheduler: str | None = None,
    ) -> Self:
        """Sample from the posterior given a corpus, a text file, several (a list of Path objects), or sentences.

        `checkpoint` names a file that is written every `checkpoint_seconds` and on Ctrl-C; with `resume`, training goes on
        from it if it exists, to the same result as without the pause. Chains run in at most `threads` threads,
        or on the workers of the Dask `scheduler` at that address.
        """
        prepared = preparation or Preparation()
        corpus = training_corpus(text, prepared, policy=policy, progress=progress)
        sampling = HPYLMSampling(corpus, order, schedule or Schedule(), prepared)
        sampling.run(checkpoint, resume, threads, checkpoint_seconds, progress, scheduler)
        return cls._finished(sampling)

    @classmethod
    def _finished(cls, sampling: HPYLMSampling) -> Self:
        corpus, native = sampling.corpus, freeze(sampling.tree, sampling.chains.predictive())
        model = cls(native, corpus.vocabulary, sampling.preparation, sampling.fields(), word_counts(corpus))
        model.sampling = sampling
        model.trace = [np.array(trace) for trace in sampling.chains.traces]
        return model

    def one_sample(self) -> Self:
        """The last sample of the last chain as a model of its own, reduced."""
        if self.sampling is None:
            raise SettingsError("a reduced model does not keep its samples apart")
        last = {name: np.ascontiguousarray(rows[:, -1:]) for name, rows in self.sampling.chains.predictive().items()}
        fields = {**self.fields, "samples": 1}
        one = type(self)(freeze(self.sampling.tree, last), self.vocabulary, self.preparation, fields, self.counts)
        one.sampling, one.trace = None, self.trace
        return one

    @property
    def hyperparameters(self) -> list[tuple[float, float]]:
        """(discount, strength) by context length after the last sweep of the first chain."""
        last = self.trace[0][-1, 1:]
        return [(float(a), float(b)) for a, b in zip(last[::2], last[1::2], strict=True)]

    def save(self, path: str | os.PathLike[str], reduced: bool = False) -> None:
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
            more, chains = self.sampling.contents()
            meta |= more
            sections |= chains
        sections |= {f"trace/{i}": trace for i, trace in enumerate(self.trace)}
        return meta, sections

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`; also loads a checkpoint of training that was not finished."""
        sampling = HPYLMSampling.from_file(file) if "schedule" in file.meta else None
        if "columns" not in file.meta:
            if sampling is None:
                raise ModelFileError(f"{file.path}: holds neither a finished model nor chains")
            return cls._finished(sampling)
        model = super().from_file(file)
        model.sampling = sampling
        model.trace = [file.array(f"trace/{i}") for i in range(sum(s.startswith("trace/") for s in file.sections))]
        return model


class HPYLMSampling(Sampling):
    """The training of an HPYLM."""

    kind = "hpylm"

    def make_chain(self, seed: int) -> Callable[[int], Chain]:
        """A function from the number of a chain to the empty chain."""
        return lambda i: _core.HPYLM(self.tree, seed, i)


def freeze(tree: _core.ContextTree, samples: Arrays) -> _core.BackoffModel:
    """Samples over the n-grams of `tree`, one a column, as a model that answers queries with their mean."""
    levels = range(1, tree.order)
    return _core.BackoffModel.freeze(
        tree,
        samples["unigrams"].shape[1],
        samples["unigrams"].reshape(-1),
        [samples[f"log_prob.{k}"].reshape(-1) for k in levels],
        [samples[f"log_backoff.{k}"].reshape(-1) for k in levels],
    )
