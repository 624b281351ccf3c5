"""Forms of one stem: words that a word map takes apart at a common ending, such as klein+e and klein+es."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from binyan.segmentation import Segmentation

LONGEST_ENDING = 4
SHORTEST_STEM = 4
_STEMS_PER_ENDING = 0.004  # of all words: endings of fewer stems are accidents of the map
_FEWEST_STEMS = 3


@dataclass(frozen=True)
class RelatedForm:
    """Another form of a word, and its share of the occurrences of all other forms."""

    word: str
    share: float


@dataclass(frozen=True)
class WordForms:
    """Words with their stems: `stem_length` letters of each word; what follows is its ending. `counts`: occurrences.

    >>> forms = WordForms({"kleine": 5, "kleines": 5, "klein": 5}, {"kleine": 3, "kleines": 1, "klein": 2})
    >>> [form.word for form in forms.related("kleine")]
    ['klein', 'kleines']
    """

    stem_length: Mapping[str, int]
    counts: Mapping[str, int]

    @classmethod
    def of(cls, segmentations: Mapping[str, Segmentation], counts: Mapping[str, int]) -> Self:
        """From a word map. An ending is the longest sequence of last parts that many stems share.

        Only words that `counts` has are kept, so that every form is attested. Those that the map lacks are forms of the longest stem
        that the map has and that they may have.
        """
        cuts = {word: _cuts(segmentations[word]) for word in counts if word in segmentations}
        stems: defaultdict[str, set[str]] = defaultdict(set)
        for word, places in cuts.items():
            for place in places:
                stems[word[place:]].add(word[:place])
        fewest = max(_FEWEST_STEMS, round(_STEMS_PER_ENDING * len(cuts)))
        endings = {ending for ending, of_ending in stems.items() if len(of_ending) >= fewest}
        lengths = {
            word: min((place for place in places if word[place:] in endings), default=len(word))
            for word, places in cuts.items()
        }
        learnt = {word[:length] for word, length in lengths.items()}
        for word in counts:
            if word not in cuts and word.isalpha():
                may = (p for p in _places(word) if word[:p] in learnt and (p == len(word) or word[p:] in endings))
                if (cut := next(may, None)) is not None:
                    lengths[word] = cut
        return cls(lengths, {word: counts[word] for word in lengths})

    @cached_property
    def _families(self) -> dict[str, list[str]]:
        families: defaultdict[str, list[str]] = defaultdict(list)
        for word, length in self.stem_length.items():
            families[word[:length]].append(word)
        return {stem: words for stem, words in families.items() if len(stem) >= SHORTEST_STEM}

    @cached_property
    def endings(self) -> Counter[str]:
        """Endings, each with the number of its stems; the empty one is that of bare stems."""
        return Counter(word[length:] for word, length in self.stem_length.items())

    def stem(self, word: str) -> str:
        """The stem of a word; the word itself where it is not known."""
        return word[: self.stem_length.get(word, len(word))]

    def related(self, word: str) -> list[RelatedForm]:
        """The other attested forms of a word, the most frequent first; of an unknown word, by the longest stem it may have."""
        if word in self.stem_length:
            return self._shares(self._families.get(self.stem(word), ()), word)
        for place in _places(word):
            if word[place:] in self.endings and (family := self._families.get(word[:place])):
                return self._shares(family, word)
        return []

    def _shares(self, family: Iterable[str], without: str) -> list[RelatedForm]:
        others = sorted((w for w in family if w != without), key=lambda w: (-self.counts[w], w))
        total = sum(self.counts[w] for w in others)
        return [RelatedForm(w, self.counts[w] / total) for w in others]


def _places(word: str) -> range:
    """Where an ending may begin, the longest stem first."""
    return range(len(word), max(len(word) - LONGEST_ENDING, SHORTEST_STEM) - 1, -1)


def _cuts(segmentation: Segmentation) -> list[int]:
    """Where an ending may begin: before the last part, the last two, and so on, as far as it is short."""
    places, word = list[int](), segmentation.word
    place = len(word)
    if any(part.positions is not None for part in segmentation.parts):
        return places
    for part in reversed(segmentation.parts[1:]):
        place -= len(part.text)
        if len(word) - place > LONGEST_ENDING or place < SHORTEST_STEM:
            break
        places.append(place)
    return places
