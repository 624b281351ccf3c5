"""Which letters are vowels, as far as the words alone tell."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise


def vowels(words: Iterable[Sequence[str]]) -> frozenset[str]:
    """The letters that Sukhotin's algorithm takes for vowels: those that stand most often beside letters that are none.

    Each word is a sequence of letters.

    >>> sorted(vowels([list("banana"), list("kitap"), list("masalar"), list("deniz"), list("ruh")]))
    ['a', 'e', 'i', 'u']
    """
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    for letters in words:
        for left, right in pairwise(letters):
            if left != right:
                beside[left][right] += 1
                beside[right][left] += 1
    sums = {letter: sum(counts.values()) for letter, counts in beside.items()}
    found: set[str] = set()
    while sums:
        letter = max(sums, key=lambda x: (sums[x], x))
        if sums.pop(letter) <= 0:
            break
        found.add(letter)
        for other, times in beside[letter].items():
            if other in sums:
                sums[other] -= 2 * times
    return frozenset(found)
