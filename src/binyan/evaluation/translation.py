"""Translations against references: BLEU and chrF by sacrebleu, paired bootstrap, and the thesis's measures of compounds."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from binyan.errors import InputError, MissingExtra
from binyan.segmentation import SegmentationTable


@dataclass(frozen=True)
class TranslationScore:
    """A score of sacrebleu, with its signature and how it is written."""

    name: str
    score: float
    signature: str
    text: str


@dataclass(frozen=True)
class PairedDifference:
    """Two systems under one measure: `p_value` is the chance of so large a difference if they were equally good."""

    name: str
    baseline: float
    system: float
    p_value: float
    signature: str


@dataclass(frozen=True)
class CompoundScore:
    """Micro-averaged over the sets of compounds of each sentence (chapter 3, "Compound-specific evaluation")."""

    matched: int
    hypothesised: int
    in_reference: int

    @property
    def precision(self) -> float:
        """Share of the hypothesised compounds that are in the reference; 0 where there are none."""
        return self.matched / self.hypothesised if self.hypothesised else 0.0

    @property
    def recall(self) -> float:
        """Share of the reference's compounds that are hypothesised; 0 where there are none."""
        return self.matched / self.in_reference if self.in_reference else 0.0

    @property
    def f_score(self) -> float:
        """Harmonic mean of the two."""
        return 2 * self.precision * self.recall / (self.precision + self.recall) if self.matched else 0.0


@dataclass(frozen=True)
class CompoundDifference:
    """A sentence where one system writes a compound of the reference that the other does not."""

    sentence: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    reference: tuple[str, ...]


def compound_words(table: SegmentationTable) -> frozenset[str]:
    """The words of a segmentation table that have two components or more, lower case too."""
    words = [w for w in table if len(table.components(w)) > 1]
    return frozenset(words) | frozenset(w.lower() for w in words)


def compound_score(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], compounds: Collection[str]
) -> CompoundScore:
    """P = sum |H_i & R_i| / sum |H_i|, R = sum |H_i & R_i| / sum |R_i| over the sets of compounds of each sentence.

    >>> compound_score([["haustür", "auf"], ["bahnhof"]], [["haustür"], ["flughafen"]], {"haustür", "bahnhof", "flughafen"})
    CompoundScore(matched=1, hypothesised=2, in_reference=2)
    """
    _check_pairs(hypotheses, references)
    matched = hypothesised = in_reference = 0
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        ours = {w for w in hypothesis if w in compounds}
        theirs = {w for w in reference if w in compounds}
        matched += len(ours & theirs)
        hypothesised += len(ours)
        in_reference += len(theirs)
    return CompoundScore(matched, hypothesised, in_reference)


def compound_differences(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    compounds: Collection[str],
) -> Iterator[CompoundDifference]:
    """Sentences where the compounds of two systems differ, and one of them is right or wrong alone."""
    _check_pairs(first, references)
    _check_pairs(second, references)
    for i, (a, b, reference) in enumerate(zip(first, second, references, strict=True)):
        ours, others = ({w for w in words if w in compounds} for words in (a, b))
        if ours != others:
            right = {w for w in reference if w in compounds}
            yield CompoundDifference(
                i, tuple(sorted(ours - others)), tuple(sorted(others - ours)), tuple(sorted(right))
            )


def translation_scores(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], tokenise: str = "none", lowercase: bool = False
) -> list[TranslationScore]:
    """BLEU and chrF. `references`: one or more sets, each with a line a hypothesis. `tokenise`: as sacrebleu has it; "none"
    for text that is tokenised already."""
    for reference in references:
        _check_pairs(hypotheses, reference)
    scores = []
    for metric in _metrics(tokenise, lowercase):
        result = metric.corpus_score(list(hypotheses), [list(r) for r in references])
        scores.append(TranslationScore(result.name, result.score, str(metric.get_signature()), str(result)))
    return scores


def paired_bootstrap(
    baseline: Sequence[str],
    system: Sequence[str],
    references: Sequence[Sequence[str]],
    samples: int = 1000,
    seed: int = 1,
    tokenise: str = "none",
    lowercase: bool = False,
) -> list[PairedDifference]:
    """Paired bootstrap resampling (Koehn 2004) of BLEU and chrF, by sacrebleu."""
    for reference in references:
        _check_pairs(baseline, reference)
        _check_pairs(system, reference)
    metrics = {type(m).__name__: m for m in _metrics(tokenise, lowercase)}
    from sacrebleu.significance import PairedTest

    before = os.environ.get("SACREBLEU_SEED")
    os.environ["SACREBLEU_SEED"] = str(seed)
    try:
        systems: list[tuple[str, Sequence[str]]] = [("baseline", list(baseline)), ("system", list(system))]
        test = PairedTest(systems, metrics, [list(r) for r in references], test_type="bs", n_samples=samples)
        signatures, found = test()
        scores: dict[str, Any] = dict(found)
    finally:
        os.environ.pop("SACREBLEU_SEED") if before is None else os.environ.__setitem__("SACREBLEU_SEED", before)
    return [
        PairedDifference(
            name, results[0].score, results[1].score, float(results[1].p_value or 0.0), str(signatures[name])
        )
        for name, results in scores.items()
        if name in signatures
    ]


def _metrics(tokenise: str, lowercase: bool) -> list[Any]:
    try:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
    except ImportError as error:
        raise MissingExtra("scoring of translations", "mt") from error
    return [BLEU(tokenize=tokenise, lowercase=lowercase, force=True), CHRF(lowercase=lowercase)]


def _check_pairs(hypotheses: Sequence[Any], references: Sequence[Any]) -> None:
    if len(hypotheses) != len(references):
        raise InputError(
            f"{len(hypotheses):,} hypotheses and {len(references):,} references: line n of one must belong to line n of the other"
        )
    if not hypotheses:
        raise InputError("there is no hypothesis to score")
