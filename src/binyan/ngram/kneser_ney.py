"""Interpolated modified Kneser-Ney smoothing (the thesis, chapter 2): the baseline of all language models here.

Estimates equal those of KenLM's lmplz on the same text. Where a text gives no valid discounts for an order, the fallback
discounts are taken and a warning names the order and the missing counts.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from binyan import _core
from binyan.errors import SettingsError
from binyan.files import PathLike
from binyan.memory import ON_DISK_TOO, available_memory, check_memory, kneser_ney_bytes, memory_size
from binyan.model_file import ModelFile, Section
from binyan.ngram.backoff import BackoffLanguageModel, context_tree, training_corpus, training_fields, word_counts
from binyan.ngram.block_storage import InMemory
from binyan.ngram.blocks import BlockSettings, estimate_blocks
from binyan.progress import Progress, ProgressOption
from binyan.settings import Settings, gather, setting, takes_settings
from binyan.text import Corpus, Preparation, VocabularyPolicy
from binyan.text.reading import Source

FALLBACK = (0.5, 1.0, 1.5)
FELL_BACK = ("missing counts", "out of range")  # origins of discounts


class DiscountWarning(UserWarning):
    """Discounts that could not be estimated from the text, and what was taken instead."""


@dataclass(frozen=True)
class Discounts:
    """The discounts of n-grams of `order` words with adjusted count 1, 2 and 3 or more, and n1 ... n4 they come from."""

    order: int
    amounts: tuple[float, ...]
    counts_of_counts: tuple[int, ...]
    origin: str  # "estimated", "given", or why the fallback was taken: "missing counts", "out of range"


@dataclass(frozen=True)
class KneserNeySettings(Settings):
    """How a Kneser-Ney model is estimated."""

    order: int = setting(4, "Length of the longest n-grams.", short="-n", metavar="N")
    prune: tuple[int, ...] = setting(
        (),
        "Drop n-grams of k words seen `prune[k - 1]` times or less; the last value holds for longer ones.",
        on_command_line=False,
    )
    fallback: tuple[float, ...] = setting(
        FALLBACK, "Discounts of an order for which the text does not determine any.", on_command_line=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "prune", tuple(self.prune))
        object.__setattr__(self, "fallback", tuple(self.fallback))
        _check(self.order, self.prune, self.fallback)


class KneserNey(BackoffLanguageModel):
    """A modified Kneser-Ney model.

    >>> import warnings; warnings.simplefilter("ignore")  # so small a text takes the fallback discounts
    >>> model = KneserNey(order=2).fit(["der hund sah die katze", "die katze sah den hund", "der hund"])
    >>> model.next_words("die").most_common(1)
    [('katze', 0.5...)]
    """

    kind = "mkn"
    settings: KneserNeySettings
    policy: VocabularyPolicy
    discounts: tuple[Discounts, ...]

    @takes_settings(KneserNeySettings, VocabularyPolicy, Preparation)
    def __init__(self, order: int | None = None, **settings: Any) -> None:
        groups = KneserNeySettings, VocabularyPolicy, Preparation
        self.settings, self.policy, self.preparation = gather("KneserNey", {"order": order, **settings}, *groups)

    def fit(
        self,
        text: Corpus | Source | Sequence[Source],
        development: Source | None = None,
        *,
        memory: int | str | None = None,
        work: PathLike | None = None,
        scheduler: str | None = None,
        progress: ProgressOption = None,
    ) -> Self:
        """Estimate from a text file, several (a list of Path objects), sentences, or a corpus.

        `development`: a text file or sentences that discounts are fitted to; without it they are estimated from counts.
        `memory`: take at most about so much ("4G"), whatever the size of the text, and work in files of the folder `work`; the
        model is the same, bit for bit, and its arrays stay in a file without a name. `scheduler`: the address of a Dask scheduler
        whose workers see `work` too, and do half of that work.
        Emits DiscountWarning for each order whose discounts cannot be estimated; they are `fallback` then.
        """
        s = self.settings
        if memory is not None or scheduler is not None:
            if development is not None:
                raise SettingsError(
                    "discounts are fitted to a development text in memory alone: leave out one of the two"
                )
            return self._fit_on_disk(text, memory, work, scheduler, progress)
        corpus = training_corpus(text, self.preparation, policy=self.policy, progress=progress)
        check_memory(ON_DISK_TOO, corpus.words, s.order, partial(kneser_ney_bytes, corpus.words))
        if development is None and s.order > 1:
            native, estimates = estimate_blocks(corpus, self._block_settings(), InMemory(), progress=progress)
            return self._finished(corpus, native, estimates)
        tree = context_tree(corpus, s.order, progress)

        def estimate(given: Sequence[Sequence[float]] = ()) -> tuple[Any, list[Any]]:
            with Progress("levels estimated", s.order, progress) as bar:
                return _core.estimate_kneser_ney(
                    tree, list(s.prune), list(s.fallback), corpus.words, lambda level: bar.advance(), given
                )

        native, estimates = estimate()
        fitted_to = ""
        if development is not None:
            held_out = Corpus.encode_text(development, corpus.vocabulary, self.preparation)
            native, estimates = estimate(self._fit_discounts(tree, held_out, estimates, progress))
            fitted_to = held_out.digest
        return self._finished(corpus, native, estimates, fitted_to)

    def _fit_on_disk(
        self,
        text: Corpus | Source | Sequence[Source],
        memory: int | str | None,
        work: PathLike | None,
        scheduler: str | None,
        progress: ProgressOption,
    ) -> Self:
        from binyan.ngram.block_files import OnDisk, corpus_in, working_folder

        if self.settings.order < 2:
            raise SettingsError("single words need no memory: train a model of order 1 without a limit")
        limit = memory_size(memory) if memory is not None else (available_memory() or 2 << 30) // 2
        with working_folder(work) as folder:
            corpus = corpus_in(folder, text, self.preparation, self.policy, progress)
            storage = OnDisk(folder, limit, scheduler)
            native, estimates = estimate_blocks(corpus, self._block_settings(), storage, progress=progress)
            return self._finished(corpus, native, estimates)

    def _block_settings(self) -> BlockSettings:
        prune, order = self.settings.prune, self.settings.order
        return BlockSettings((*prune, *[prune[-1] if prune else 0] * (order - len(prune))), self.settings.fallback)

    def _finished(
        self, corpus: Corpus, native: _core.BackoffModel, estimates: Sequence[Any], fitted_to: str = ""
    ) -> Self:
        s = self.settings
        self.discounts = tuple(Discounts(n, tuple(d), tuple(c), o) for n, (d, c, o) in enumerate(estimates, 1))
        _warn(self.discounts)
        fields = training_fields(
            corpus,
            self.preparation,
            prune="-".join(map(str, s.prune)),
            fallback_orders="+".join(str(d.order) for d in self.discounts if d.origin in FELL_BACK),
            discounts_fitted_to=fitted_to,
        )
        return self._learnt(native, corpus.vocabulary, self.preparation, fields, word_counts(corpus))

    def _fit_discounts(
        self, tree: _core.ContextTree, held_out: Corpus, estimates: list[Any], progress: ProgressOption
    ) -> list[list[float]]:
        from binyan.ngram.discounts import fit_discounts  # it needs SciPy, which takes long to import

        thresholds = list(self._block_settings().thresholds)
        start = np.array([d for d, _, _ in estimates])
        fitted: list[list[float]] = fit_discounts(tree, held_out, start, thresholds, progress).tolist()
        return fitted

    def summary(self) -> dict[str, Any]:
        """What there is to say of a model that was just trained, for JSON."""
        discounts = [{"order": d.order, "discounts": d.amounts, "origin": d.origin} for d in self.discounts]
        return {**super().summary(), "discounts": discounts}

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file."""
        meta, sections = super().contents()
        meta["discounts"] = [[d.order, d.amounts, d.counts_of_counts, d.origin] for d in self.discounts]
        return meta, sections

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`."""
        model = super().from_file(file)
        model.discounts = tuple(Discounts(n, tuple(d), tuple(c), o) for n, d, c, o in file.meta["discounts"])
        return model


def _check(order: int, prune: Sequence[int], fallback: Sequence[float]) -> None:
    if order < 1:
        raise SettingsError(f"the order of an n-gram model is 1 or more, not {order}")
    if any(p < 0 for p in prune) or list(prune) != sorted(prune) or (prune and prune[0] != 0) or len(prune) > order:
        raise SettingsError(
            f"pruning thresholds are at most {order} numbers that begin with 0 and do not decrease, such as 0 0 1, "
            f"not {' '.join(map(str, prune))}; to leave out rare words choose the vocabulary"
        )
    if len(fallback) != 3 or not all(0 < d <= j for j, d in enumerate(fallback, 1)):
        raise SettingsError(f"fallback discounts are three numbers above 0 and at most 1, 2 and 3, not {fallback}")


def _warn(discounts: Sequence[Discounts]) -> None:
    for d in discounts:
        if d.origin not in FELL_BACK:
            continue
        if d.origin == "missing counts":
            missing = [str(j) for j in (1, 2, 3) if d.counts_of_counts[j - 1] == 0]
            reason = f"no {d.order}-gram has adjusted count {' or '.join(missing)}"
        else:
            counts = ", ".join(f"n{j}={n}" for j, n in enumerate(d.counts_of_counts, 1))
            reason = f"the counts of counts {counts} put them out of range"
        warnings.warn(
            f"order {d.order}: discounts cannot be estimated: {reason}; took {', '.join(f'{a:g}' for a in d.amounts)} "
            "for counts 1, 2 and 3+ (the text is small or artificial; the HPYLM needs no such counts)",
            DiscountWarning,
            stacklevel=4,
        )
