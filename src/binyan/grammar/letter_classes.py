"""Classes of letters found in the words themselves: letters that stand beside the same letters.

They give the strings of a composed grammar a memory of one letter (see `composition`), so that a stem is more than a bag of letters.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from binyan.text.vowels import vowels

MOST_LETTERS = 80
"""Letters that are sorted into classes, the most frequent ones; the others share the first class."""

PRIOR = 0.1
"""The prior weight of a step from class to class and of a letter in its class."""

_SIZES = (1, 2, 4, 8, 16)
_MOST_PASSES = 20
_QUOTE = '"'  # the notation of grammars cannot list it among the letters of a class


def letter_classes(words: Iterable[Sequence[str]], count: int) -> list[list[str]]:
    """The letters of words in at most `count` classes, such that the class of a letter says as much as possible of the next one.

    Each word is a sequence of letters. The first class also takes every letter that is not listed, those that are rare or
    unseen. Letters move one by one to the class where the likelihood of the bigrams of classes is highest, until none gains.

    >>> letter_classes(["banana", "panama", "canada", "kasama"], 2)
    [['b', 'n', 'p', 'm', 'c', 'd', 'k', 's'], ['a']]
    """
    words = list(words)
    pairs, frequency = _counts(words)
    letters = [x for x, _ in frequency.most_common() if x != _QUOTE][:MOST_LETTERS]
    if not letters:
        return [[]]
    best = _best_classes(_table(pairs, letters), letters, vowels(words), min(count, len(letters)))
    seen_first = list(frequency)
    classes = [[x for x in seen_first if x in letters and best[letters.index(x)] == c] for c in range(count)]
    filled = [letters for letters in classes if letters]
    return sorted(filled, key=lambda letters: (-len(letters), letters))


def predictive_classes(words: Sequence[Sequence[str]]) -> list[list[str]]:
    """The letters of words in as many classes as predict words held back best; one class where no letter tells of the next.

    A fifth of the words is held back and spelt by bigrams of classes that are counted on the others.
    """
    held, rest = words[::5], [word for i, word in enumerate(words) if i % 5]
    sizes = [n for n in _SIZES if n < len({letter for word in words for letter in word})]
    tried = [
        (spelling_bits(rest, held, classes := letter_classes(rest, n)), len(classes)) for n in (*sizes, MOST_LETTERS)
    ]
    return letter_classes(words, min(tried)[1])


def spelling_bits(
    learnt: Iterable[Sequence[str]], held: Sequence[Sequence[str]], classes: Sequence[Sequence[str]]
) -> float:
    """Bits per letter of the words held back, by bigrams of classes and letters within their class, each with a sparse prior."""
    pairs, frequency = _counts(learnt)
    number = {letter: i + 1 for i, letters in enumerate(classes) for letter in letters} | {"": 0}
    steps = np.full((len(classes) + 1, len(classes) + 1), PRIOR)
    steps[0, 0] = 0.0  # no word is empty
    for (a, b), n in pairs.items():
        steps[number.get(a, 1), number.get(b, 1)] += n
    log_steps = np.log2(np.maximum(steps, 1e-300) / steps.sum(axis=1, keepdims=True))
    totals = [0.0, *(sum(frequency[x] + PRIOR for x in letters) + PRIOR for letters in classes)]
    log_letter = {x: math.log2((frequency[x] + PRIOR) / totals[number[x]]) for letters in classes for x in letters}
    unseen = math.log2(PRIOR / totals[1])
    bits = 0.0
    for word in held:
        bits -= sum(log_letter.get(letter, unseen) for letter in word)
        bits -= sum(float(log_steps[number.get(a, 1), number.get(b, 1)]) for a, b in pairwise(["", *word, ""]))
    return float(bits / max(1, sum(len(word) + 1 for word in held)))


def _counts(words: Iterable[Sequence[str]]) -> tuple[Counter[tuple[str, str]], Counter[str]]:
    pairs: Counter[tuple[str, str]] = Counter()
    frequency: Counter[str] = Counter()
    for word in words:
        frequency.update(word)
        pairs.update(pairwise(["", *word, ""]))
    return pairs, frequency


def _table(pairs: Counter[tuple[str, str]], letters: Sequence[str]) -> NDArray[np.float64]:
    """How often each letter stands before each other; the last row and column are the border of a word."""
    place = {x: i for i, x in enumerate(letters)} | {"": len(letters)}
    table = np.zeros((len(letters) + 1, len(letters) + 1))
    for (a, b), n in pairs.items():
        if a in place and b in place:
            table[place[a], place[b]] += n
    return table


def _best_classes(
    table: NDArray[np.float64], letters: Sequence[str], vowels: frozenset[str], count: int
) -> NDArray[np.int64]:
    """The better of two beginnings: letters dealt out in turn, and vowels apart from consonants."""
    if count == len(letters) or count < 2:
        return np.arange(len(letters)) % count
    half = max(1, count // 3)
    apart = [i % half if x in vowels else half + i % (count - half) for i, x in enumerate(letters)]
    found = [_exchanged(table, np.array(start), count) for start in (apart, np.arange(len(letters)) % count)]
    return max(found, key=lambda classes: _score(table, classes, count))


def _exchanged(table: NDArray[np.float64], classes: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    best = _score(table, classes, count)
    for _ in range(_MOST_PASSES if count < len(classes) else 0):
        before = best
        for letter in range(len(classes)):
            home = classes[letter]
            for c in range(count):
                tried = classes.copy()
                tried[letter] = c
                if c != home and (score := _score(table, tried, count)) > best + 1e-9:
                    classes, best = tried, score
        if best <= before:
            break
    return classes


def _score(table: NDArray[np.float64], classes: NDArray[np.int64], count: int) -> float:
    """The log likelihood of bigrams of classes, up to what no class changes."""
    member = np.zeros((len(table), count + 1))
    member[np.arange(len(classes)), classes] = 1.0
    member[-1, -1] = 1.0
    joint = member.T @ table @ member
    return _entropy_sum(joint) - _entropy_sum(joint.sum(axis=0)) - _entropy_sum(joint.sum(axis=1))


def _entropy_sum(counts: NDArray[np.float64]) -> float:
    positive = counts[counts > 0]
    return float((positive * np.log(positive)).sum())
