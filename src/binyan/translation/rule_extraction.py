"""Rules extracted from an aligned bitext (Chiang 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.progress import Progress, ProgressOption
from binyan.settings import Settings, setting
from binyan.text import Corpus
from binyan.translation.alignment import Alignments
from binyan.translation.bitext import Bitext
from binyan.translation.rule_table import RuleTable, encode_words

# Natural logarithms of: p(t|s), p(s|t), lexical weights both ways; how often the rule, then its source side, was seen, and 1
# if once; and the logarithm of the coherence of the source side: the share of the spans it matches in the bitext from which
# a rule was extracted (after the coherent probability of Lopez 2008, here a feature of its own).
EXTRACTED_FEATURES = (
    "TargetGivenSource",
    "SourceGivenTarget",
    "LexTargetGivenSource",
    "LexSourceGivenTarget",
    "LogCount",
    "Singleton",
    "LogSourceCount",
    "SingletonSource",
    "Coherence",
)
_CHUNK = 2000  # sentence pairs between two chances to interrupt


@dataclass(frozen=True)
class ExtractionLimits(Settings):
    """The limits of Chiang 2007, section 3.2."""

    max_span: int = setting(10, "Maximum number of words, on either side, of phrases that rules are extracted from.")
    max_symbols: int = setting(5, "Maximum number of words and gaps per source side.")
    max_gaps: int = setting(
        2, "Maximum number of gaps per rule: 0, 1 or 2; never adjacent on the source side.", on_command_line=False
    )
    min_count: int = setting(1, "Leave out rules with gaps that were seen fewer times than this.")
    max_targets: int = setting(0, "Target sides kept per source side, the most frequent (0: all).")

    def __post_init__(self) -> None:
        if not 1 <= self.max_span <= 100:
            raise SettingsError(f"the span of phrases is limited to between 1 and 100 words, not {self.max_span}")
        if not 0 <= self.max_gaps <= 2:
            raise SettingsError(f"rules have 0, 1 or 2 gaps, not {self.max_gaps}")
        if self.max_symbols < 1 or self.min_count < 1 or self.max_targets < 0:
            raise SettingsError("source sides have one symbol or more, counts are 1 or more")


def extract_rules(
    bitext: Bitext,
    alignments: Alignments | Sequence[Alignments],
    limits: ExtractionLimits | None = None,
    only_for: Sequence[Sequence[str]] | None = None,
    progress: ProgressOption = None,
) -> RuleTable:
    """The rules of a bitext; with `only_for`, those whose source side matches in these sentences.

    Several alignments count as if the bitext were repeated with each of them.
    """
    limits = limits or ExtractionLimits()
    aligned = [alignments] if isinstance(alignments, Alignments) else list(alignments)
    if not aligned:
        raise InputError("rules are extracted from an aligned bitext: there is no alignment")
    for one in aligned:
        if len(one) != len(bitext):
            raise InputError(f"{len(one)} alignments for {len(bitext)} sentence pairs")
    source, target = bitext.vocabularies()
    left, right = encode_words(bitext.source, source), encode_words(bitext.target, target)
    filtered = None if only_for is None else _filter(encode_words(only_for, source), limits)
    counter = _core.RuleCounter(**asdict(limits), filter=filtered)
    passes = 1 if filtered is None else 2
    with Progress("sentence pairs", len(bitext) * (passes * len(aligned) + 1), progress) as bar:
        for turn in range(passes):
            for one in aligned:
                _count(counter, left, right, one, turn == 1, bar)
        native = counter.finish()
        matches = _matches(native, left, limits, bar)
    native.divide(EXTRACTED_FEATURES.index("Coherence"), matches * np.uint32(len(aligned)))
    fields: dict[str, Any] = {"bitext": bitext.digest, "pairs": len(bitext)}
    fields |= {**asdict(limits), "instances": counter.instances}
    if len(aligned) > 1:
        fields["alignments"] = len(aligned)
    if only_for is not None:
        fields["only_for"] = len(only_for)
    return RuleTable(native, source, target, EXTRACTED_FEATURES, fields)


def _filter(text: Corpus, limits: ExtractionLimits) -> _core.PatternFilter:
    return _core.PatternFilter(text.words, text.offsets, limits.max_span, limits.max_symbols, limits.max_gaps)


def _count(
    counter: _core.RuleCounter, source: Corpus, target: Corpus, aligned: Alignments, totals: bool, bar: Progress
) -> None:
    """Count the rules of all sentence pairs, or (`totals`, the second of two passes) what filtered rules are divided by."""
    arrays = source.words, source.offsets, target.words, target.offsets, aligned.links, aligned.offsets
    for first, last in _chunks(len(aligned)):
        counter.add(*arrays, first, last, totals=totals)
        bar.advance(last - first, rules=counter.rules)


def _matches(native: _core.TranslationGrammar, source: Corpus, limits: ExtractionLimits, bar: Progress) -> Any:
    """How often each source side matches in the bitext."""
    matches = np.zeros(native.nodes, np.uint32)
    for first, last in _chunks(source.sentences):
        matches += native.count_matches(source.words, source.offsets, first, last, limits.max_span)
        bar.advance(last - first)
    return matches


def _chunks(pairs: int) -> list[tuple[int, int]]:
    return [(first, min(first + _CHUNK, pairs)) for first in range(0, pairs, _CHUNK)]
