"""Pairs of letters that are written for one sound, found in a list of words.

A letter belongs to digraphs if it hardly ever stands alone: most of its occurrences follow (the h of sh, ch) or precede (the q of qu) few other
letters, and each of these pairs is more frequent than chance by a wide margin (pointwise mutual information). Both letters are vowels or
both consonants, as Sukhotin's algorithm tells them apart, unless one is never without the other. Pairs with always the same letters
around them are parts of affixes, and are left out.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from binyan.text.vowels import vowels

LEAST_COUNT = 10
LEAST_SHARE = 0.6  # of the occurrences of a letter that its digraphs cover
NEVER_APART = 0.95  # share from which a vowel and a consonant may be one letter
LEAST_INFORMATION = 2.0  # bits
LEAST_NEIGHBOURS = 4  # different letters before the pair, and after it

Pair = tuple[str, str]


@dataclass(frozen=True)
class Digraph:
    """A pair that counts as one letter.

    How often it is there, its pointwise mutual information in bits, and what share of the occurrences of its bound letter the digraphs of
    that letter cover.
    """

    text: str
    count: int
    information: float
    share: float


def find_digraphs(words: Iterable[str], atoms: Callable[[str], list[str]] = list) -> list[Digraph]:
    """The digraphs of a list of words, most frequent first; `atoms` are the letters of a word.

    >>> words = [f"{a}{v}sh{w}{b}" for a in "ptkm" for b in "lrnd" for v in "aeiou" for w in "aeiou"]
    >>> words += [f"{a}{v}s{w}{b}" for a in "ptkm" for b in "lrnd" for v in "aei" for w in "aei"]
    >>> [digraph.text for digraph in find_digraphs(words)]
    ['sh']
    """
    spelt = [atoms(word) for word in words]
    letters = Counter(letter for word in spelt for letter in word)
    pairs = Counter(pair for word in spelt for pair in pairwise(word) if pair[0] != pair[1])
    total = sum(letters.values())
    information = {(x, y): math.log2(n * total / (letters[x] * letters[y])) for (x, y), n in pairs.items()}
    free = _free_pairs(spelt)
    frequent = [p for p, n in pairs.items() if n >= LEAST_COUNT and information[p] >= LEAST_INFORMATION]
    likely = [p for p in frequent if p in free and all(letter[0].isalpha() for letter in p)]
    likely_vowels = vowels(spelt)
    found: dict[Pair, Digraph] = {}

    def fits(pair: Pair, count: int) -> bool:
        alike = (pair[0] in likely_vowels) == (pair[1] in likely_vowels)
        return pair in found or alike or pairs[pair] >= NEVER_APART * count

    for place in (0, 1):
        for letter, count in letters.items():
            mine = [p for p in likely if p[place] == letter and fits(p, count)]
            share = sum(pairs[p] for p in mine) / count
            if share >= LEAST_SHARE:
                found |= {p: Digraph("".join(p), pairs[p], information[p], share) for p in mine if p not in found}
    return sorted(found.values(), key=lambda digraph: (-digraph.count, digraph.text))


def _free_pairs(spelt: Iterable[list[str]]) -> set[Pair]:
    """Pairs that stand before and after different letters."""
    around: dict[Pair, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for word in spelt:
        for i, pair in enumerate(pairwise(word)):
            around[pair][0].add(word[i - 1] if i else "")
            around[pair][1].add(word[i + 2] if i + 2 < len(word) else "")
    return {pair for pair, sides in around.items() if min(map(len, sides)) >= LEAST_NEIGHBOURS}
