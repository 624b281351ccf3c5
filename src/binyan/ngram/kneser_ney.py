"""Interpolated modified Kneser-Ney smoothing (the thesis, chapter 2): the baseline of all language models here.

Estimates equal those of KenLM's lmplz on the same text. Where a text gives no valid discounts for an order, the fallback
discounts are taken and a warning names the order and the missing counts.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from binyan import _core
from binyan.errors import SettingsError
from binyan.model_file import ModelFile, Section
from binyan.ngram.backoff import BackoffLanguageModel, context_tree, training_corpus, training_fields, word_counts
from binyan.progress import Progress, ProgressOption
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


class KneserNey(BackoffLanguageModel):
    """A modified Kneser-Ney model.

    >>> import warnings; warnings.simplefilter("ignore")  # so small a text takes the fallback discounts
    >>> model = KneserNey.train(["der hund sah die katze", "die katze sah den hund", "der hund"], order=2)
    >>> state = model.score(model.begin(), "die").state
    >>> model.vocabulary.words[model.next_words(state).argmax()]
    'katze'
    """

    kind = "mkn"
    discounts: tuple[Discounts, ...]

    @classmethod
    def train(
        cls,
        text: Corpus | Source | Sequence[Source],
        order: int = 4,
        *,
        prune: Sequence[int] = (),
        fallback: Sequence[float] = FALLBACK,
        development: Source | None = None,
        preparation: Preparation | None = None,
        policy: VocabularyPolicy | None = None,
        progress: ProgressOption = None,
    ) -> Self:
        """Estimate from a corpus, a text file, several (a list of Path objects), or sentences.

        `prune`: n-grams of k words seen `prune[k - 1]` times or less are dropped; the last value holds for longer ones.
        `development`: a text file or sentences that discounts are fitted to; without it they are estimated from counts.
        Emits DiscountWarning for each order whose discounts cannot be estimated; they are `fallback` then.
        """
        _check(order, prune, fallback)
        prepared = preparation or Preparation()
        corpus = training_corpus(text, prepared, policy=policy, progress=progress)
        tree = context_tree(corpus, order, progress)

        def estimated(given: Sequence[Sequence[float]] = ()) -> tuple[Any, list[Any]]:
            with Progress("levels estimated", order, progress) as shown:
                return _core.estimate_kneser_ney(
                    tree, list(prune), list(fallback), corpus.words, lambda level: shown.advance(), given
                )

        native, found = estimated()
        fitted_to = ""
        if development is not None:
            from binyan.ngram.discounts import fit_discounts  # it needs SciPy, which takes long to import

            held_out = Corpus.encode_text(development, corpus.vocabulary, prepared)
            thresholds = [*prune, *[prune[-1] if prune else 0] * (order - len(prune))]
            start = np.array([d for d, _, _ in found])
            native, found = estimated(fit_discounts(tree, held_out, start, thresholds, progress).tolist())
            fitted_to = held_out.digest
        discounts = tuple(Discounts(n, tuple(d), tuple(c), o) for n, (d, c, o) in enumerate(found, 1))
        _warn(discounts)
        fell_back = "+".join(str(d.order) for d in discounts if d.origin in FELL_BACK)
        fields = training_fields(
            corpus, prepared, prune="-".join(map(str, prune)), fallback_orders=fell_back, discounts_fitted_to=fitted_to
        )
        model = cls(native, corpus.vocabulary, prepared, fields, word_counts(corpus))
        model.discounts = discounts
        return model

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
            shown = ", ".join(f"n{j}={n}" for j, n in enumerate(d.counts_of_counts, 1))
            reason = f"the counts of counts {shown} put them out of range"
        warnings.warn(
            f"order {d.order}: discounts cannot be estimated: {reason}; took {', '.join(f'{a:g}' for a in d.amounts)} "
            "for counts 1, 2 and 3+ (the text is small or artificial; the HPYLM needs no such counts)",
            DiscountWarning,
            stacklevel=3,
        )
