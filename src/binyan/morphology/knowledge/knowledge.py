"""All that is known before learning, as it is given and as a model keeps it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from binyan.errors import SettingsError
from binyan.grammar.letters import LetterSource
from binyan.morphology.knowledge.known_words import KnownSource, KnownWord, read_known_words
from binyan.morphology.knowledge.morphemes import (
    MOST_COPIES,
    KnownMorpheme,
    MorphemeSource,
    read_affixes,
    read_roots,
)
from binyan.morphology.word_list import WordList
from binyan.settings import Settings, setting
from binyan.signature import digest


@dataclass(frozen=True)
class KnowledgeSettings(Settings):
    """What is known before learning."""

    known: KnownSource | None = setting(
        None, "Words with a full or partial analysis: rows of word, segments, root.", metavar="FILE"
    )
    affixes: MorphemeSource | None = setting(
        None,
        "Known affixes: w-, -hm, -um-, ke-...-an, one per line, optionally with a tab and a strength.",
        metavar="FILE",
    )
    roots: MorphemeSource | None = setting(
        None, "Known roots, one per line, and templates such as -A-i-.", metavar="FILE"
    )
    letters: LetterSource | None = setting(
        None, "Classes of letters for <vowel> and the like: lines such as 'vowel a e i o u'.", metavar="FILE"
    )
    affix_strength: int | None = setting(
        None, "How many uses a known morpheme counts for; by default chosen on held-out words.", metavar="N"
    )

    def __post_init__(self) -> None:
        if self.affix_strength is not None and not 0 <= self.affix_strength <= MOST_COPIES:
            raise SettingsError(
                f"the strength of known morphemes is a number from 0 to {MOST_COPIES:,}, not {self.affix_strength}"
            )


@dataclass(frozen=True)
class Contradiction:
    """Something given that cannot be used: what, where it was given, and why."""

    what: str
    source: str
    reason: str

    def __str__(self) -> str:
        return f"{self.source}: {self.what}: {self.reason}" if self.source else f"{self.what}: {self.reason}"


@dataclass(frozen=True)
class Knowledge:
    """Known words and morphemes.

    `strength` is how many uses a morpheme counts for that has no strength of its own; `strength_bits` has the bits per character of
    held-back words by which it was chosen.
    """

    words: tuple[KnownWord, ...] = ()
    morphemes: tuple[KnownMorpheme, ...] = ()
    strength: int | None = None
    strength_bits: Mapping[int, float] = field(default_factory=dict)

    @classmethod
    def read(cls, settings: KnowledgeSettings) -> Knowledge:
        """What the settings name. Raises InputError with the file and line of what cannot be read."""
        words = () if settings.known is None else tuple(read_known_words(settings.known))
        affixes = [] if settings.affixes is None else read_affixes(settings.affixes)
        roots = [] if settings.roots is None else read_roots(settings.roots)
        return cls(words, (*affixes, *roots), settings.affix_strength)

    def __bool__(self) -> bool:
        return bool(self.words or self.morphemes)

    @property
    def needs_strength(self) -> bool:
        """Whether some morpheme counts for a number of uses that is still to be chosen."""
        return self.strength is None and any(m.strength is None for m in self.morphemes)

    def copies(self, morpheme: KnownMorpheme) -> int:
        """How many uses a morpheme counts for."""
        return (self.strength or 0) if morpheme.strength is None else morpheme.strength

    def same_as(self, other: Knowledge) -> bool:
        """Whether two say the same of words and morphemes, wherever that stands, and however a strength was chosen."""
        strengths = {self.strength, other.strength} - {None}
        return self._said() == other._said() and len(strengths) < 2

    def _said(self) -> tuple[Any, ...]:
        words = [{**word.to_dict(), "source": ""} for word in self.words]
        return words, [replace(morpheme, source="") for morpheme in self.morphemes]

    def with_words_of(self, listed: WordList) -> WordList:
        """The word list and the known words that it does not have."""
        prepared = [part for known in self.words for part in listed.prepare(known.word)]
        more = [word for word in dict.fromkeys(prepared) if word not in set(listed.words)]
        if not more:
            return listed
        return replace(listed, words=(*listed.words, *more), counts=(*listed.counts, *(1 for _ in more)))

    @property
    def signature(self) -> str | None:
        """What stands for it in signatures; None where nothing is known."""
        if not self:
            return None
        words = [{**word.to_dict(), "source": ""} for word in self.words]
        morphemes = [{**morpheme.to_dict(), "source": ""} for morpheme in self.morphemes]
        text = json.dumps([words, morphemes, self.strength], ensure_ascii=False, sort_keys=True)
        return f"{len(self.words)}+{len(self.morphemes)}/{digest(text.encode())}"

    def to_dict(self) -> dict[str, Any]:
        """For a model file."""
        return {
            "words": [word.to_dict() for word in self.words],
            "morphemes": [morpheme.to_dict() for morpheme in self.morphemes],
            "strength": self.strength,
            "strength_bits": [[strength, bits] for strength, bits in self.strength_bits.items()],
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Knowledge:
        """The inverse of `to_dict`."""
        words = tuple(KnownWord.from_dict(word) for word in fields.get("words", ()))
        morphemes = tuple(KnownMorpheme.from_dict(morpheme) for morpheme in fields.get("morphemes", ()))
        bits = {int(strength): float(bits) for strength, bits in fields.get("strength_bits", ())}
        return cls(words, morphemes, fields.get("strength"), bits)

    def summary(self) -> dict[str, Any]:
        """For JSON: how much is known, and how the strength was chosen."""
        counts = {"words": len(self.words), "morphemes": len(self.morphemes)}
        return counts | {
            "strength": self.strength,
            "bits_by_strength": {str(n): b for n, b in self.strength_bits.items()},
        }
