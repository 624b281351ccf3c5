"""Words that share a stem, in the terms of the core: groups of words, and the stems that all words of a group can have."""

from __future__ import annotations

from collections.abc import Iterable

from binyan import _core
from binyan.morphology.knowledge.knowledge import Contradiction
from binyan.morphology.knowledge.known_words import KnownWord
from binyan.morphology.knowledge.word_evidence import WordEvidence

SharedStemTuple = tuple[list[int], list[int], list[list[int]]]
"""Words of a group, the symbols of stems, and the stems that are possible in each of the words."""


def shared_stems(
    known: Iterable[KnownWord], evidence: WordEvidence
) -> tuple[list[SharedStemTuple], list[Contradiction]]:
    """The groups of words that share a stem, and the words for which that is not possible."""
    contradictions: list[Contradiction] = []
    leader: dict[int, int] = {}
    sources: dict[int, KnownWord] = {}
    for one in known:
        for other in one.shares:
            mine, its = evidence.place(one.word), evidence.place(other)
            if mine is None or its is None:
                missing = one.word if mine is None else other
                contradictions.append(Contradiction(one.word, one.source, f"the word list has no word {missing!r}"))
                continue
            first, second = _leader(leader, mine), _leader(leader, its)
            leader[max(first, second)] = min(first, second)
            sources.setdefault(mine, one)
            sources.setdefault(its, one)
    groups: dict[int, list[int]] = {}
    for place in sorted(sources):
        groups.setdefault(_leader(leader, place), []).append(place)
    grammar = evidence.compiled.grammar
    symbols = [i for i, symbol in enumerate(grammar.symbols) if symbol in grammar.with_role("stem")]
    shared = []
    for places in (group for group in groups.values() if len(group) > 1):
        stems = _common_stems(places, symbols, evidence)
        if stems:
            shared.append((places, symbols, stems))
            continue
        words = ", ".join(evidence.words.words[place] for place in places)
        source = sources[places[0]]
        contradictions.append(Contradiction(source.word, source.source, f"no stem is possible in all of {words}"))
    return shared, contradictions


def _leader(leader: dict[int, int], place: int) -> int:
    while leader.setdefault(place, place) != place:
        place = leader[place]
    return place


def _common_stems(places: list[int], symbols: list[int], evidence: WordEvidence) -> list[list[int]]:
    common: set[tuple[int, ...]] | None = None
    for place in places:
        encoded = evidence.encoded(place)
        if encoded is None or not symbols:
            return []
        known = evidence.tuples.get(place, ([], [], []))
        possible = _core.possible_strings(evidence.compiled.core, encoded, evidence.labels, known, symbols)
        strings = {tuple(string) for string in possible}
        common = strings if common is None else common & strings
    return [list(string) for string in sorted(common or ())]
