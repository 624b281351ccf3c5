"""Rules of hierarchical translation, packed in the core: kept in a file, listed, restricted to sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError
from binyan.model import Model
from binyan.model_file import ModelFile, Section
from binyan.signature import Signature
from binyan.text import Corpus, Vocabulary
from binyan.text.vocabulary import BEGIN, END, UNKNOWN

GAPS = {_core.FIRST_GAP: 1, _core.SECOND_GAP: 2}
_SECTIONS = ("symbol", "first_child", "first_rule", "target", "features", "target_offset", "target_symbols")


@dataclass(frozen=True)
class TranslationRule:
    """One rule. A gap is written as its number, 1 or 2, by the order of the source side; words are strings."""

    source: tuple[str | int, ...]
    target: tuple[str | int, ...]
    features: NDArray[np.float32]


class RuleTable(Model):
    """Rules X -> (source, target) with `features`, packed in the core."""

    kind = "translation-grammar"
    commands = "binyan mt"

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

    def __str__(self) -> str:
        return f"Grammar of {len(self):,} rules, {self.native.nodes:,} source prefixes"

    def restricted(self, sentences: Sequence[Sequence[str]], max_span: int = 10) -> RuleTable:
        """The rules that can match somewhere in these sentences."""
        text = encode_words(sentences, self.source)
        native = self.native.restricted(text.words, text.offsets, max_span)
        return RuleTable(native, self.source, self.target, self.features, {**self.fields, "restricted": len(sentences)})

    def rules(self) -> Iterator[TranslationRule]:
        """All rules, in the order of the packed table."""
        symbols, offsets = self.native.sources()
        arrays = self.native.arrays
        first_rule, target = arrays["first_rule"], arrays["target"]
        target_offset, target_symbols = arrays["target_offset"], arrays["target_symbols"]
        values = arrays["features"].reshape(len(self), len(self.features))
        for node in np.flatnonzero(np.diff(first_rule.astype(np.int64))):
            left: list[str | int] = []
            for s in symbols[int(offsets[node]) : int(offsets[node + 1])]:
                gap = s == _core.FIRST_GAP
                left.append(1 + sum(isinstance(x, int) for x in left) if gap else self.source.words[s])
            for r in range(first_rule[node], first_rule[node + 1]):
                side = target_symbols[target_offset[target[r]] : target_offset[target[r] + 1]]
                right = tuple(GAPS[int(s)] if int(s) in GAPS else self.target.words[s] for s in side)
                yield TranslationRule(tuple(left), right, values[r])

    def signature(self) -> Signature:
        """How the rules were made."""
        return Signature({"grammar": "hierarchical", "rules": len(self), **self.fields})

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file."""
        arrays = self.native.arrays
        sections: dict[str, Section] = {name: arrays[name] for name in _SECTIONS}
        sections |= {"source_words": self.source.to_bytes(), "target_words": self.target.to_bytes()}
        return {"features": list(self.features), "fields": self.fields}, sections

    @classmethod
    def from_file(cls, file: ModelFile) -> RuleTable:
        """The inverse of `contents`."""
        source, target = (Vocabulary.from_bytes(file.blob(f"{side}_words")) for side in ("source", "target"))
        features = file.texts("features")
        arrays: dict[str, Any] = {name: file.array(name) for name in _SECTIONS}
        arrays |= {"source_words": len(source), "target_words": len(target)}
        native = _core.TranslationGrammar(len(features), **arrays)
        return cls(native, source, target, list(features), file.fields())


def encode_words(sentences: Sequence[Sequence[str]], vocabulary: Vocabulary) -> Corpus:
    """Words as ids; sentence boundaries that stand in the text as words are unknown words here."""
    return Corpus.encode([[w if w not in (BEGIN, END) else UNKNOWN for w in s] for s in sentences], vocabulary)
