"""Reading the words to learn from as the settings say: form of the list, letters, and what is to be said about them."""

from __future__ import annotations

import logging
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from binyan.errors import SettingsError
from binyan.morphology.settings import WordSettings
from binyan.morphology.word_list import WordList, WordSource
from binyan.text.digraphs import find_digraphs
from binyan.text.letters import Letters, outside_profile, read_profile
from binyan.text.preparation import Preparation
from binyan.text.scripts import script

AUTO = "auto"
_ABJADS = frozenset({"arabic", "hebrew", "syriac", "thaana", "samaritan", "mandaic"})
_LEAST_MIXED = 0.02  # of the words of a list that have marks, or have none


def read_words(words: WordSource, preparation: Preparation, settings: WordSettings) -> WordList:
    """The words of a source, prepared, in the letters that the settings ask for. A word list is taken as it is."""
    if isinstance(words, WordList):
        return words
    s = settings
    listed = WordList.of_any(words, preparation, s.unit, s.list_format, s.column)
    if (mixed := mixed_marks(listed.words)) is not None:
        warnings.warn(mixed, stacklevel=3)
    letters = Letters(_named(s), s.tones, s.syllables)
    if not letters and s.digraphs is None:
        return listed
    listed = _taken_apart(listed, letters)
    if s.digraphs == AUTO:
        found = find_digraphs(listed.words, listed.atoms)
        shown = ", ".join(f"{d.text} ({d.count:,} times, {d.information:.1f} bits)" for d in found) or "none"
        logging.getLogger("binyan").info("digraphs found, each one letter from here on: %s", shown)
        letters = replace(letters, graphemes=(*letters.graphemes, *(d.text for d in found)))
        listed = replace(listed, letters=letters)
    if s.profile is not None and (missing := outside_profile(letters.graphemes, listed.alphabet, str(s.profile))):
        warnings.warn(missing, stacklevel=3)
    return listed


def _named(settings: WordSettings) -> tuple[str, ...]:
    """The letters of a profile and the digraphs that are given."""
    profile = () if settings.profile is None else read_profile(str(settings.profile))
    if settings.digraphs in (None, AUTO):
        return profile
    given = [text.strip() for text in str(settings.digraphs).split(",")]
    if not all(given):
        raise SettingsError(f"digraphs are separated by commas, as in sh,ch, or {AUTO}; not {settings.digraphs!r}")
    return tuple(dict.fromkeys([*profile, *given]))


def _taken_apart(listed: WordList, letters: Letters) -> WordList:
    counts: Counter[str] = Counter()
    for word, count in zip(listed.words, listed.counts, strict=True):
        counts[letters.take_apart(word)] += count
    return replace(listed, words=tuple(counts), counts=tuple(counts.values()), letters=letters)


def mixed_marks(words: Iterable[str]) -> str | None:
    """A sentence on a list in a script of consonants in which some words have vowel marks and others none; None for other lists.

    >>> mixed_marks(["كَتَبَ", "كتب", "درس"])
    '1 of 3 words have vowel marks and the others none: with --strip-marks all are learnt from without; or keep them in lists apart'
    """
    abjad = [w for w in words if not w.isascii() and any(script(c) in _ABJADS for c in w)]
    marked = sum(any(unicodedata.category(c) == "Mn" for c in word) for word in abjad)
    if not abjad or not _LEAST_MIXED <= marked / len(abjad) <= 1 - _LEAST_MIXED:
        return None
    return (
        f"{marked:,} of {len(abjad):,} words have vowel marks and the others none: with --strip-marks all are learnt from without; "
        "or keep them in lists apart"
    )
