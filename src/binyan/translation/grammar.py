"""Hierarchical grammars: extracted from an aligned bitext (Chiang 2007), kept packed, restricted to sentences."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core, model_file
from binyan.errors import InputError, ModelFileError, SettingsError
from binyan.progress import Progress, ProgressOption
from binyan.signature import Signature
from binyan.text import Corpus, Vocabulary
from binyan.translation.alignment import Alignments
from binyan.translation.bitext import Bitext

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
GAPS = {_core.FIRST_GAP: 1, _core.SECOND_GAP: 2}
_CHUNK = 2000  # sentence pairs between two chances to interrupt
_SECTIONS = ("symbol", "first_child", "first_rule", "target", "features", "target_offset", "target_symbols")


@dataclass(frozen=True)
class ExtractionLimits:
    """The limits of Chiang 2007, section 3.2.

    `max_span`: words of an initial phrase on either side. `max_symbols`: words and gaps of a source side. `max_gaps`: 0, 1
    or 2, never adjacent on the source side. `min_count`: rules with gaps seen fewer times are left out. `max_targets`: the
    most frequent target sides kept for a source side (0: all).
    """

    max_span: int = 10
    max_symbols: int = 5
    max_gaps: int = 2
    min_count: int = 1
    max_targets: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.max_span <= 100:
            raise SettingsError(f"the span of phrases is limited to between 1 and 100 words, not {self.max_span}")
        if not 0 <= self.max_gaps <= 2:
            raise SettingsError(f"rules have 0, 1 or 2 gaps, not {self.max_gaps}")
        if self.max_symbols < 1 or self.min_count < 1 or self.max_targets < 0:
            raise SettingsError("source sides have one symbol or more, counts are 1 or more")


@dataclass(frozen=True)
class Rule:
    """One rule. A gap is written as its number, 1 or 2, by the order of the source side; words are strings."""

    source: tuple[str | int, ...]
    target: tuple[str | int, ...]
    features: NDArray[np.float32]


class Grammar:
    """Rules X -> (source, target) with `features`, packed in the core."""

    def __init__(
        self,
        native: _core.TranslationGrammar,
        source: Vocabulary,
        target: Vocabulary,
        features: Sequence[str],
        fields: dict[str, Any] | None = None,
    ) -> None:
        if native.feature_count != len(features):
            raise InputError(f"{len(features)} feature names for a grammar with {native.feature_count} features")
        self.native, self.source, self.target = native, source, target
        self.features, self.fields = tuple(features), fields or {}

    def __len__(self) -> int:
        return self.native.rules

    def __repr__(self) -> str:
        return f"Grammar of {len(self):,} rules, {self.native.nodes:,} source prefixes"

    @classmethod
    def extract(
        cls,
        bitext: Bitext,
        alignments: Alignments | Sequence[Alignments],
        limits: ExtractionLimits | None = None,
        only_for: Sequence[Sequence[str]] | None = None,
        progress: ProgressOption = None,
    ) -> Grammar:
        """Extract the rules of a bitext; with `only_for`, those whose source side matches in these sentences.

        Several alignments count as if the bitext were repeated with each of them.
        """
        limits = limits or ExtractionLimits()
        aligned = [alignments] if isinstance(alignments, Alignments) else list(alignments)
        if not aligned:
            raise InputError("rules are extracted from an aligned bitext: there is no alignment")
        for one in aligned:
            if len(one) != len(bitext):
                raise InputError(f"{len(one)} alignments for {len(bitext)} sentence pairs")
        chunks = [(first, min(first + _CHUNK, len(bitext))) for first in range(0, len(bitext), _CHUNK)]
        source, target = bitext.vocabularies()
        left, right = _encode(bitext.source, source), _encode(bitext.target, target)
        wanted = None
        if only_for is not None:
            text = _encode(only_for, source)
            wanted = _core.PatternFilter(text.words, text.offsets, limits.max_span, limits.max_symbols, limits.max_gaps)
        counter = _core.RuleCounter(**asdict(limits), filter=wanted)
        passes = 1 if wanted is None else 2
        with Progress("sentence pairs", len(bitext) * (passes * len(aligned) + 1), progress) as shown:
            for turn in range(passes):
                for one in aligned:
                    for first, last in chunks:
                        counter.add(
                            left.words, left.offsets, right.words, right.offsets, one.links, one.offsets, first, last, totals=turn == 1
                        )  # fmt: skip
                        shown.advance(last - first, rules=counter.rules)
            native = counter.finish()
            matches = np.zeros(native.nodes, np.uint32)
            for first, last in chunks:
                matches += native.count_matches(left.words, left.offsets, first, last, limits.max_span)
                shown.advance(last - first)
        native.divide(EXTRACTED_FEATURES.index("Coherence"), matches * np.uint32(len(aligned)))
        fields = {"bitext": bitext.digest, "pairs": len(bitext), **asdict(limits), "instances": counter.instances}
        if len(aligned) > 1:
            fields["alignments"] = len(aligned)
        if only_for is not None:
            fields["only_for"] = len(only_for)
        return cls(native, source, target, EXTRACTED_FEATURES, fields)

    def restricted(self, sentences: Sequence[Sequence[str]], max_span: int = 10) -> Grammar:
        """The rules that can match somewhere in these sentences."""
        text = _encode(sentences, self.source)
        native = self.native.restricted(text.words, text.offsets, max_span)
        return Grammar(native, self.source, self.target, self.features, {**self.fields, "restricted": len(sentences)})

    def rules(self) -> Iterator[Rule]:
        """All rules, in the order of the packed grammar."""
        symbols, offsets = self.native.sources()
        arrays = self.native.arrays
        first_rule, target = arrays["first_rule"], arrays["target"]
        target_offset, target_symbols = arrays["target_offset"], arrays["target_symbols"]
        values = arrays["features"].reshape(-1, len(self.features))
        for node in np.flatnonzero(np.diff(first_rule.astype(np.int64))):
            left: list[str | int] = []
            for s in symbols[int(offsets[node]) : int(offsets[node + 1])]:
                gap = s == _core.FIRST_GAP
                left.append(1 + sum(isinstance(x, int) for x in left) if gap else self.source.words[s])
            for r in range(first_rule[node], first_rule[node + 1]):
                side = target_symbols[target_offset[target[r]] : target_offset[target[r] + 1]]
                right = tuple(GAPS[int(s)] if int(s) in GAPS else self.target.words[s] for s in side)
                yield Rule(tuple(left), right, values[r])

    def signature(self) -> Signature:
        """How the grammar was made."""
        return Signature({"grammar": "hierarchical", "rules": len(self), **self.fields})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the packed grammar to one file."""
        arrays = self.native.arrays
        sections: dict[str, model_file.Section] = {name: arrays[name] for name in _SECTIONS}
        sections |= {"source_words": self.source.to_bytes(), "target_words": self.target.to_bytes()}
        model_file.save(path, "translation-grammar", {"features": list(self.features), "fields": self.fields}, sections)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Grammar:
        """The inverse of `save`."""
        file = model_file.load(path)
        if file.kind != "translation-grammar":
            raise ModelFileError(f"{path}: holds a {file.kind!r} model, not a translation grammar")
        native = _core.TranslationGrammar(len(file.meta["features"]), **{name: file.array(name) for name in _SECTIONS})
        source, target = (Vocabulary.from_bytes(file.blob(f"{side}_words")) for side in ("source", "target"))
        return cls(native, source, target, file.meta["features"], file.meta["fields"])


def _encode(sentences: Sequence[Sequence[str]], vocabulary: Vocabulary) -> Corpus:
    """Words as ids; the three special words are unknown here."""
    return Corpus.encode([[w if w not in ("<s>", "</s>") else "<unk>" for w in s] for s in sentences], vocabulary)
