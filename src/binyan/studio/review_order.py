"""In which order words are offered for review: those first whose decision says most about other words."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_LONGEST_AFFIX = 6
_STEMS = ("stem", "root", "template")


class ReviewOrder:
    """Collects the analyses of all words, then says which words to look at first.

    Every affix is worth as many looks as it has words, by the probabilities of their analyses. Each word that is looked at and has the affix,
    or could have it, takes its share of what the next look is worth: so looks are spread over affixes as words are, and words with several
    affixes that few looked at come first.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._uses: list[float] = []
        self._words: list[tuple[str, tuple[tuple[int, float], ...]]] = []

    def add(self, word: str, alternatives: Sequence[Mapping[str, Any]]) -> None:
        """A word with its analyses: each has `segmentation` and `probability`."""
        shares: defaultdict[int, float] = defaultdict(float)
        for analysis in alternatives:
            for affix in affixes(analysis["segmentation"]):
                number = self._numbers.setdefault(affix, len(self._numbers))
                shares[number] += analysis["probability"]
        self._uses += [0.0] * (len(self._numbers) - len(self._uses))
        for number, share in shares.items():
            self._uses[number] += share
        self._words.append((word, tuple(shares.items())))

    def first(self, most: int, decided: Iterable[str] = ()) -> list[str]:
        """The words to look at first, after `decided` ones were looked at."""
        looks = [0.0] * len(self._uses)
        done = set(decided)
        for word, shares in self._words:
            if word in done:
                self._look(word, shares, looks)

        def worth(place: int) -> float:
            return sum(share * self._uses[n] / (1.0 + looks[n]) for n, share in self._words[place][1])

        heap = [(-worth(i), i) for i, (word, _) in enumerate(self._words) if word not in done]
        heapq.heapify(heap)
        order: list[str] = []
        while heap and len(order) < most:
            place = heap[0][1]
            now = -worth(
                place
            )  # looks only make words worth less: the best stays the best unless it fell below the next
            if now > heap[0][0]:
                heapq.heapreplace(heap, (now, place))
                continue
            heapq.heappop(heap)
            self._look(*self._words[place], looks)
            order.append(self._words[place][0])
        return order

    def _look(self, word: str, shares: Iterable[tuple[int, float]], looks: list[float]) -> None:
        possible = {self._numbers[affix] for affix in edges(word) if affix in self._numbers}
        for number in possible:
            looks[number] += 1.0
        for number, share in shares:
            if number not in possible:
                looks[number] += share


def edges(word: str) -> set[str]:
    """All beginnings and ends of a word that could be affixes.

    >>> sorted(edges("was"))
    ['as/suf', 's/suf', 'w/pre', 'wa/pre']
    """
    lengths = range(1, min(len(word), _LONGEST_AFFIX + 1))
    return {f"{word[-n:]}/suf" for n in lengths} | {f"{word[:n]}/pre" for n in lengths}


def affixes(segmentation: str) -> set[str]:
    """The affixes of an analysis, without the positions of those with gaps.

    >>> sorted(affixes("un/pre do/stem ing/suf"))
    ['ing/suf', 'un/pre']
    """
    parts = (part.rpartition("/") for part in segmentation.split(" "))
    return {f"{text.partition('@')[0]}/{label}" for text, _, label in parts if label not in _STEMS}
