"""What is known of words beyond the rules: all forms of either side, their stems, how compounds are made, how names are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from binyan.errors import InputError, SettingsError
from binyan.model import Model
from binyan.model_file import ModelFile, Section
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.segmentation.compound_splitter import CompoundSplitter
from binyan.segmentation.segmentation import Part
from binyan.settings import Settings, setting
from binyan.signature import Signature
from binyan.translation.compound_parts import CompoundParts
from binyan.translation.transliteration import Transliterator, main_script
from binyan.translation.word_forms import WordForms
from binyan.translation.word_translations import WordTranslations

LONGEST_SPAN = 3
_LEAST_PATTERN = 3  # rules that show it
_LEAST_PATTERN_SHARE = 0.002  # of all rules that show any
_SAME = 3  # first letters by which a part of a compound is known to be a translation


@dataclass(frozen=True)
class NewWordSettings(Settings):
    """How many new words are offered. Each number bounds what one source span adds to the search."""

    compounds: int = setting(
        8, "Maximum number of compounds per source span, made from translated words.", option="--new-compounds"
    )
    forms: int = setting(5, "Maximum number of other forms of its translations, per source word.", option="--new-forms")
    unknown: int = setting(
        8, "Maximum number of translations of a source word that no rule translates.", option="--new-translations"
    )
    least_log_prob: float = setting(
        -6.0, "Minimum log-probability of offered compounds that no text has.", on_command_line=False
    )

    def __post_init__(self) -> None:
        if not all(0 <= number <= 100 for number in (self.compounds, self.forms, self.unknown)):
            raise SettingsError("of each kind of new words, between 0 and 100 are offered per source span")


@dataclass(frozen=True)
class Pattern:
    """Source spans that a compound translates: two words, or two with `middle` between them; `swapped`: the modifier comes last."""

    middle: str
    swapped: bool

    def parts(self, span: Sequence[str]) -> tuple[str, str]:
        """The source words of modifier and head."""
        return (span[-1], span[0]) if self.swapped else (span[0], span[-1])


@dataclass(frozen=True)
class SideWords:
    """The words of one language: occurrences, forms of one stem, parts of compounds."""

    counts: Mapping[str, int]
    forms: WordForms
    compounds: CompoundParts

    @classmethod
    def of(
        cls,
        counts: Mapping[str, int],
        segmentations: Mapping[str, Segmentation],
        splitter: CompoundSplitter | None = None,
    ) -> Self:
        """From the words of a text, a word map and, best, a compound splitter."""
        return cls(counts, WordForms.of(segmentations, counts), CompoundParts.of(counts, splitter))

    def parts(self, word: str) -> Segmentation | None:
        """The parts of a word: of a compound, else stem and ending; None where it has one part."""
        compound = self.compounds.splits.get(word)
        stem = self.forms.stem(word)
        if compound is not None or len(stem) == len(word):
            return compound
        return Segmentation(word, (Part(stem), Part(word[len(stem) :])))


class NewWords(Model):
    """What is needed to offer translations that the bitext does not have."""

    kind = "new-words"
    commands = "binyan mt"

    def __init__(
        self,
        source: SideWords,
        target: SideWords,
        patterns: Mapping[Pattern, int],
        transliterator: Transliterator | None = None,
        settings: NewWordSettings | None = None,
        fields: dict[str, Any] | None = None,
    ) -> None:
        self.source, self.target, self.patterns = source, target, dict(patterns)
        self.transliterator, self.settings = transliterator, settings or NewWordSettings()
        self.fields = fields or {}

    @cached_property
    def target_script(self) -> str | None:
        """The script of the target side."""
        return main_script(self.target.counts)

    @cached_property
    def source_splitter(self) -> CompoundSplitter:
        """Splits source words into words of the source side."""
        links = [link for link in self.source.compounds.links if link]
        frequencies = {word: count for word, count in self.source.counts.items() if len(word) > 2}
        return CompoundSplitter(links=" ".join(links)).fit(text=frequencies)

    def patterns_of(self, span: Sequence[str]) -> list[tuple[Pattern, float]]:
        """The patterns that a span of two or three words has, each with its share of all compounds."""
        total, middle = sum(self.patterns.values()), " ".join(span[1:-1])
        found = (Pattern(middle, swapped) for swapped in (False, True))
        return [(pattern, self.patterns[pattern] / total) for pattern in found if pattern in self.patterns]

    def __str__(self) -> str:
        written = "none" if self.transliterator is None else f"{self.transliterator.pairs:,} pairs of words"
        compounds = self.target.compounds
        return (
            f"{len(self.target.counts):,} target words, {len(compounds.splits):,} of them compounds "
            f"(linking elements: {_listed(compounds.links)}); {sum(self.patterns.values()):,} rules that translate by compounds; "
            f"transliteration: {written}"
        )

    def signature(self) -> Signature:
        """How the words were gathered."""
        fields = {"target_words": len(self.target.counts), **self.fields, **self.settings.to_dict()}
        return Signature({"model": self.kind, **fields})

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file."""
        sections: dict[str, Section] = {}
        for name, side in (("source", self.source), ("target", self.target)):
            words, stems = list(side.counts), side.forms.stem_length
            sections[f"{name}/words"] = "\n".join(words).encode()
            sections[f"{name}/counts"] = np.fromiter(side.counts.values(), np.int64, len(words))
            sections[f"{name}/stems"] = np.fromiter((stems.get(w, 0) for w in words), np.int64, len(words))
            sections[f"{name}/compounds"] = side.compounds.splits.to_bytes()
        meta = {
            "patterns": [[p.middle, p.swapped, count] for p, count in self.patterns.items()],
            "transliteration": None if self.transliterator is None else self.transliterator.to_dict(),
            "settings": self.settings.to_dict(),
            "fields": self.fields,
        }
        return meta, sections

    @classmethod
    def from_file(cls, file: ModelFile) -> NewWords:
        """The inverse of `contents`."""
        patterns = {Pattern(str(middle), bool(swapped)): int(n) for middle, swapped, n in file.meta["patterns"]}
        stored = file.meta["transliteration"]
        transliterator = None if stored is None else Transliterator.from_dict(stored)
        settings = NewWordSettings.from_dict(file.meta["settings"])
        source, target = _stored_side(file, "source"), _stored_side(file, "target")
        return cls(source, target, patterns, transliterator, settings, file.fields())


def _stored_side(file: ModelFile, name: str) -> SideWords:
    words = file.blob(f"{name}/words").decode().split("\n")
    counts, stems = (file.counts(f"{name}/{kind}").tolist() for kind in ("counts", "stems"))
    if not len(words) == len(counts) == len(stems):
        raise InputError(f"the words of the {name} side and their counts do not fit together")
    known = dict(zip(words, counts, strict=True))
    lengths = {word: length for word, length in zip(words, stems, strict=True) if length}
    lower = Counter[str]()
    for word, count in known.items():
        lower[word.lower()] += count
    splits = SegmentationTable.from_bytes(file.blob(f"{name}/compounds"))
    return SideWords(known, WordForms(lengths, {w: known[w] for w in lengths}), CompoundParts(splits, dict(lower)))


def learn_patterns(translations: WordTranslations, compounds: CompoundParts) -> dict[Pattern, int]:
    """Which source spans compounds of two parts translate, with the number of rules where both parts translate a word."""
    pairs = {word: row.components("delete") for word, row in compounds.splits.items() if len(row) == 2}
    found = Counter[Pattern]()
    for length in range(2, LONGEST_SPAN + 1):
        for span, word in translations.phrases_for(_cased(pairs), length):
            for pattern in (Pattern(" ".join(span[1:-1]), swapped) for swapped in (False, True)):
                sources = pattern.parts(span)
                if all(map(_is_translation, (translations,) * 2, sources, pairs[word.lower()])):
                    found[pattern] += 1
    least = max(_LEAST_PATTERN, _LEAST_PATTERN_SHARE * found.total())
    return {pattern: count for pattern, count in found.most_common() if count >= least}


def _cased(words: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(words) | frozenset(word[:1].upper() + word[1:] for word in words)


def _is_translation(translations: WordTranslations, source: str, part: str) -> bool:
    letters = max(_SAME, len(part) - 1)
    return any(t.word.lower()[:letters] == part[:letters] for t in translations.of(source))


def _listed(links: Mapping[str, int]) -> str:
    total = max(sum(links.values()), 1)
    return (
        ", ".join(f"{link or 'none'} {100 * count / total:.0f}%" for link, count in list(links.items())[:6]) or "none"
    )
