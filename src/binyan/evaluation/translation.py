"""Translations against references: BLEU and chrF by sacrebleu, paired bootstrap, and the thesis's measures of compounds."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError, MissingExtra, SettingsError
from binyan.files import PathLike
from binyan.segmentation import SegmentationTable
from binyan.settings import Settings, check_seed, gather, setting, takes_settings
from binyan.text import Preparation, read_lines

Lines = PathLike | Sequence[str]  # a file, or its lines


@dataclass(frozen=True)
class EvaluationSettings(Settings):
    """How translations are scored."""

    examples: int = setting(10, "With a baseline and compounds: list up to N sentences that differ.", metavar="N")
    tokenise: str = setting("none", "Tokenisation of sacrebleu: none (already tokenised), 13a, intl ...")
    lowercase: bool = setting(False, "Make all letters lower case.")
    samples: int = setting(1000, "Number of resamplings in the paired bootstrap.")
    seed: int = setting(1, "Random seed.", metavar="S")


@dataclass(frozen=True)
class TranslationScore:
    """A score of sacrebleu, with its signature and how it is written."""

    name: str
    score: float
    signature: str
    text: str


@dataclass(frozen=True)
class PairedDifference:
    """Two systems under one measure: `p_value` is the chance of a difference this large if they were equally good.

    None where it was not computed.
    """

    name: str
    baseline: float
    system: float
    p_value: float | None
    signature: str


@dataclass(frozen=True)
class CompoundScore:
    """Micro-averaged over the sets of compounds of each sentence (thesis, chapter 3)."""

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

    def to_dict(self) -> dict[str, float]:
        """The score for JSON."""
        shares = {"precision": self.precision, "recall": self.recall, "f": self.f_score}
        return {**shares, "hypothesised": self.hypothesised, "reference": self.in_reference}

    def __str__(self) -> str:
        shares = f"precision {100 * self.precision:.1f}, recall {100 * self.recall:.1f}, F {100 * self.f_score:.1f}"
        return f"{shares} ({self.matched} of {self.hypothesised}; {self.in_reference} in the reference"


@dataclass(frozen=True)
class CompoundDifference:
    """A sentence where one system writes a compound of the reference that the other does not."""

    sentence: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    reference: tuple[str, ...]


@dataclass(frozen=True)
class CompoundReport:
    """Compounds of one system, or of two and where they differ; `texts` are then both systems' lines and the reference's."""

    table: str
    scores: Mapping[str, CompoundScore]
    differences: tuple[CompoundDifference, ...] | None = None
    texts: tuple[Sequence[str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The report for JSON."""
        counted = {} if self.differences is None else {"differences": len(self.differences)}
        return {"table": self.table} | {name: score.to_dict() for name, score in self.scores.items()} | counted

    def lines(self, examples: int) -> Iterator[str]:
        """The report as text, with up to `examples` of the differences."""
        for name, score in self.scores.items():
            yield f"compounds of the {name}: {score}; table {self.table})"
        for d in (self.differences or ())[:examples]:
            sides = {"baseline": d.only_first, "system": d.only_second, "reference": d.reference}
            yield f"{d.sentence + 1}: " + " | ".join(f"{name} {' '.join(own) or '-'}" for name, own in sides.items())
            yield from (f"  {text[d.sentence]}" for text in self.texts)


@dataclass(frozen=True)
class TranslationReport:
    """How good translations are; `paired` and the differences of `compounds` compare them with a baseline."""

    scores: tuple[TranslationScore, ...]
    paired: tuple[PairedDifference, ...] = ()
    compounds: CompoundReport | None = None
    examples: int = EvaluationSettings.examples

    def __getitem__(self, name: str) -> float:
        """A score by its name: "BLEU" or "chrF2"."""
        return next(s.score for s in self.scores if s.name == name)

    def to_dict(self) -> dict[str, Any]:
        """The report for JSON."""
        figures: dict[str, Any] = {s.name: {"score": s.score, "signature": s.signature} for s in self.scores}
        if self.paired:
            figures["paired"] = {
                p.name: {"baseline": p.baseline, "system": p.system, "p": p.p_value, "signature": p.signature}
                for p in self.paired
            }
        if self.compounds is not None:
            figures["compounds"] = self.compounds.to_dict()
        return figures

    def __str__(self) -> str:
        lines = [f"{s.text}\n  {s.signature}" for s in self.scores]
        lines += [
            f"{p.name}: {p.baseline:.2f} -> {p.system:.2f}, p = {_p_text(p.p_value)}\n  {p.signature}"
            for p in self.paired
        ]
        if self.compounds is not None:
            lines += self.compounds.lines(self.examples)
        return "\n".join(lines)


@takes_settings(EvaluationSettings)
def evaluate_translations(
    hypotheses: Lines,
    references: Sequence[Lines],
    *,
    baseline: Lines | None = None,
    compounds: SegmentationTable | PathLike | None = None,
    **settings: Any,
) -> TranslationReport:
    """BLEU and chrF of translations against one set of references or more; texts are files or lists of lines.

    With `baseline`, the translations of another system, also a paired bootstrap; with `compounds` (words that have several
    parts), also how many of these are right.
    """
    [own] = gather("evaluate_translations", settings, EvaluationSettings)
    ours, right = _lines(hypotheses), [_lines(reference) for reference in references]
    theirs = None if baseline is None else _lines(baseline)
    scores = translation_scores(ours, right, own.tokenise, own.lowercase)
    paired: list[PairedDifference] = []
    if theirs is not None:
        paired = paired_bootstrap(theirs, ours, right, own.samples, own.seed, own.tokenise, own.lowercase)
    compared = None
    if compounds is not None:
        compared = compound_report(SegmentationTable.of_any(compounds), ours, right[0], theirs, own.lowercase)
    return TranslationReport(tuple(scores), tuple(paired), compared, own.examples)


def compound_report(
    table: SegmentationTable,
    hypotheses: Sequence[str],
    references: Sequence[str],
    baseline: Sequence[str] | None = None,
    lowercase: bool = False,
) -> CompoundReport:
    """The compounds of translations, and, with a baseline, where the two differ."""
    words, prepare = compound_words(table), Preparation(lowercase=lowercase)
    right = [prepare(line) for line in references]
    systems = {"system": hypotheses} | ({} if baseline is None else {"baseline": baseline})
    texts = {name: [prepare(line) for line in lines] for name, lines in systems.items()}
    scores = {name: compound_score(text, right, words) for name, text in texts.items()}
    if baseline is None:
        return CompoundReport(table.digest, scores)
    differences = tuple(compound_differences(texts["baseline"], texts["system"], right, words))
    return CompoundReport(table.digest, scores, differences, (baseline, hypotheses, references))


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
    """BLEU and chrF.

    `references`: one or more sets, each with one line per hypothesis. `tokenise`: as sacrebleu has it; "none" for text that
    is tokenised already.
    """
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
    """Paired bootstrap resampling (Koehn 2004) of BLEU and chrF by sacrebleu.

    Two-sided: p = (hits + 1) / (samples + 1), a hit being a sample whose difference, less the mean difference of all samples, is at
    least as large as the observed one, ties included. A system against itself has p = 1. (sacrebleu's own test leaves ties out, so that
    there a system differs significantly from itself, and subtracts the mean after taking absolute values.)
    """
    if samples < 1:
        raise SettingsError(f"a bootstrap has 1 sample or more, not {samples}")
    for reference in references:
        _check_pairs(baseline, reference)
        _check_pairs(system, reference)
    drawn = np.random.default_rng(check_seed(seed)).choice(len(system), size=(samples, len(system)))
    weights = np.stack([np.bincount(row, minlength=len(system)) for row in drawn])
    results = []
    for metric in _metrics(tokenise, lowercase):
        right = [list(r) for r in references]
        scores, resampled = [], []
        for hypotheses in (baseline, system):
            statistics = np.array(metric._extract_corpus_statistics(list(hypotheses), right), np.float64)
            scores.append(metric._compute_score_from_stats(statistics.sum(0)))
            resampled.append([metric._compute_score_from_stats(row).score for row in weights @ statistics])
        p = two_sided_p(np.subtract(resampled[1], resampled[0]), scores[1].score - scores[0].score)
        signature = f"{metric.get_signature()}|bs:{samples}|seed:{seed}|p:two-sided"
        results.append(PairedDifference(scores[0].name, scores[0].score, scores[1].score, p, signature))
    return results


def two_sided_p(differences: NDArray[np.float64], observed: float) -> float | None:
    """The chance of a difference as large as the `observed` one, from the differences of bootstrap samples.

    None where there are no samples, or a difference is not a number.

    >>> two_sided_p(np.zeros(9), 0.0), two_sided_p(np.array([0.9, 1.1, 1.0]), 1.0)
    (1.0, 0.25)
    """
    if not len(differences) or not (np.isfinite(differences).all() and math.isfinite(observed)):
        return None
    hits = int((np.abs(differences - differences.mean()) >= abs(observed)).sum())
    return (hits + 1) / (len(differences) + 1)


def _p_text(p: float | None) -> str:
    return "-" if p is None else f"{p:.4f}"


def _lines(text: Lines) -> Sequence[str]:
    return [line for _, line in read_lines(text)] if isinstance(text, (str, os.PathLike)) else text


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
