"""How a language puts compounds together: modifiers, heads and linking elements, learnt from words that a splitter takes apart."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from binyan.progress import ProgressOption
from binyan.segmentation import Segmentation, SegmentationTable
from binyan.segmentation.compound_splitter import CompoundSplitter
from binyan.segmentation.segmentation import Part

SHORTEST_PART = 3
_SHORTEST_KNOWN_PART = 4  # letters, where linking elements are looked for
_LONGEST_LINK = 2
_LEAST_LINK_TYPES = 5
_LEAST_LINK_SHARE = 0.02  # of words without linking element
_PRIOR = 1.0  # words that the linking elements of a rarer pattern count for
_LEAST_LOG_PROB = -20.0  # of two words to be parts of a compound
_UNSEEN = 0.01  # occurrences of a part that was never a modifier, or never a head


@dataclass(frozen=True)
class PutTogether:
    """A compound of two words, and the log-probability that the two are joined, and joined in this way."""

    modifier: str
    link: str
    head: str
    log_prob: float

    @property
    def word(self) -> str:
        """The compound."""
        return self.modifier + self.link + self.head

    @property
    def parts(self) -> Segmentation:
        """The compound as a splitter would take it apart."""
        link = (Part(self.link, linking=True),) if self.link else ()
        return Segmentation(self.word, (Part(self.modifier), *link, Part(self.head)))


@dataclass(frozen=True)
class CompoundParts:
    """Compounds that were taken apart, and how often all words occur.

    >>> table = {"küchentisch": "küche +n tisch", "küchentür": "küche +n tür", "haustür": "haus tür"}
    >>> parts = CompoundParts(SegmentationTable.of_any(table), {"küchentisch": 2, "küchentür": 1, "haustür": 3, "haus": 9, "tür": 9})
    >>> [c.word for c in parts.joined("küche", "haus")][:1]
    ['küchenhaus']
    """

    splits: SegmentationTable
    counts: Mapping[str, int]

    @classmethod
    def of(
        cls, counts: Mapping[str, int], splitter: CompoundSplitter | None = None, progress: ProgressOption = None
    ) -> Self:
        """Split all words of a text with their counts; without a splitter, by their frequencies and by the links found there."""
        lower = Counter[str]()
        for word, count in counts.items():
            if word.isalpha():
                lower[word.lower()] += count
        if splitter is None:
            frequent = {word: count for word, count in lower.items() if len(word) >= SHORTEST_PART}
            splitter = CompoundSplitter(links=" ".join(found_links(lower)), min_part=_SHORTEST_KNOWN_PART)
            splitter.fit(text=frequent)
        words = [word for word in lower if len(word) >= 2 * SHORTEST_PART]
        table = splitter.split_words(words, progress)
        compounds = [row for row in table.values() if _is_compound(row)]
        return cls(SegmentationTable(compounds), dict(lower))

    @cached_property
    def _links(self) -> dict[str, Counter[str]]:
        """Linking elements with their numbers of compounds: of each modifier, of each last letter ("=x"), and of all ("")."""
        links: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for row in self.splits.values():
            for modifier, link in zip(row.components("delete")[:-1], _links_of(row), strict=True):
                for key in (modifier, "=" + modifier[-1], ""):
                    links[key][link] += 1
        return dict(links)

    @cached_property
    def _modifiers(self) -> Counter[str]:
        """Occurrences of words as modifiers."""
        return self._parts_at(slice(None, -1))

    @cached_property
    def _heads(self) -> Counter[str]:
        """Occurrences of words as heads."""
        return self._parts_at(slice(-1, None))

    def _parts_at(self, places: slice) -> Counter[str]:
        found = Counter[str]()
        for word, row in self.splits.items():
            for part in row.components("delete")[places]:
                found[part] += self.counts.get(word, 1)
        return found

    @property
    def links(self) -> dict[str, int]:
        """All linking elements with the number of compounds they occur in, the most frequent first."""
        return dict(self._links.get("", Counter()).most_common())

    def is_modifier(self, word: str) -> bool:
        """Whether a word was a modifier of some compound."""
        return word.lower() in self._modifiers

    def is_head(self, word: str) -> bool:
        """Whether a word was the head of some compound."""
        return word.lower() in self._heads

    def joined(self, modifier: str, head: str) -> list[PutTogether]:
        """The compounds of two words, by each linking element, the most probable first.

        The log-probability is that of the linking element after the modifier, and of either word to be part of a compound rather
        than to stand alone. A compound begins with a capital letter where its head does.
        """
        first, last = modifier.lower(), head.lower()
        if min(len(first), len(last)) < SHORTEST_PART or not (first.isalpha() and last.isalpha()):
            return []
        as_parts = self._share(first, self._modifiers) + self._share(last, self._heads)
        if as_parts < _LEAST_LOG_PROB:
            return []
        made = []
        for link in self.links:
            chance = self._link_chance(first, link)
            if chance > 0:
                written = first[0].upper() + first[1:] if head[0].isupper() else first
                made.append(PutTogether(written, link, last, as_parts + math.log(chance)))
        return sorted(made, key=lambda c: (-c.log_prob, c.word))

    def _share(self, word: str, of_kind: Counter[str]) -> float:
        inside = of_kind[word] + _UNSEEN
        return math.log(inside / (inside + self.counts.get(word, 0)))

    def _link_chance(self, modifier: str, link: str) -> float:
        chance = 0.0
        for key in ("", "=" + modifier[-1], modifier):
            of_key = self._links.get(key, Counter[str]())
            prior = _PRIOR if key else 0.0
            if total := of_key.total() + prior:
                chance = (of_key[link] + prior * chance) / total
        return chance


def found_links(counts: Mapping[str, int]) -> list[str]:
    """Linking elements of words that are two other words with something between them, the most frequent first.

    >>> words = ["tag", "licht", "arbeit", "zimmer", "freiheit", "kampf", "liebe", "lied", "hoffnung", "zeit", "leben"]
    >>> made = ["arbeitszimmer", "freiheitskampf", "liebeslied", "hoffnungszeit", "lebenszeit", "arbeitszeit"]
    >>> found_links(dict.fromkeys([*words, *made], 2))
    ['s']
    """
    known = {word for word, count in counts.items() if len(word) >= _SHORTEST_KNOWN_PART and count > 1}
    found = Counter[str]()
    for word in counts:
        if (link := _shortest_link(word, known)) is not None:
            found[link] += 1
    least = max(_LEAST_LINK_TYPES, _LEAST_LINK_SHARE * found[""])
    return [link for link, count in found.most_common() if link and count >= least]


def _shortest_link(word: str, known: set[str]) -> str | None:
    for length in range(_LONGEST_LINK + 1):
        for place in range(_SHORTEST_KNOWN_PART, len(word) - length - _SHORTEST_KNOWN_PART + 1):
            if word[:place] in known and word[place + length :] in known:
                return word[place : place + length]
    return None


def _is_compound(row: Segmentation) -> bool:
    components = [part for part in row if not part.linking]
    return len(components) > 1 and not row.parts[0].linking and all(len(p.text) >= SHORTEST_PART for p in components)


def _links_of(row: Segmentation) -> list[str]:
    """What stands between the components of a compound, "" where nothing does."""
    links, link = list[str](), ""
    for part in row.parts[1:]:
        if part.linking:
            link += part.text
        else:
            links.append(link)
            link = ""
    return links
