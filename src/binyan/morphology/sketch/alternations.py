"""Candidates for alternations: affixes that take turns, and stems that differ in a letter at their border.

Both are judged in the same way: where two variants stand, does a letter nearby tell which? Each place is predicted from the
others by the variant most frequent with the same letter, so that a letter seen once predicts nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from binyan.morphology.paradigm.families import WordReading
from binyan.morphology.paradigm.frame import Affix, Slot
from binyan.text.atoms import atoms

EDGE = "#"
"""In place of a neighbouring letter: the edge of the word."""

_LEAST_USES = 4  # of each of two affixes
_LEAST_PAIRS = 3  # of stems
_LEAST_EXPLAINED = 5
_MOST_AFFIXES = 150
_ACCURACY = 0.85
_MOST_SHARED = 0.1

Use = tuple[tuple[str, ...], str]
"""Where an affix was seen: the atoms before (of a prefix: behind) it, the nearest first; and the word."""


@dataclass(frozen=True)
class Alternation:
    """Two variants, what tells which of them stands where, how many words show it and how many do not, with examples.

    `kind` is "prefix", "suffix" or "stem"; `nearby` says what is looked at; `letters` has the letters with which each variant stands.
    `explained` says of how many more words the variant is told than by always guessing the commoner one.
    """

    kind: str
    variants: tuple[str, str]
    nearby: str
    letters: tuple[tuple[str, ...], tuple[str, ...]]
    words: int
    exceptions: int
    explained: int
    examples: tuple[tuple[str, ...], tuple[str, ...]]


def affix_alternations(words: Sequence[WordReading], likely_vowels: frozenset[str], most: int) -> list[Alternation]:
    """Pairs of affixes of one kind that look alike, share hardly any neighbour, and are told apart by a letter nearby."""
    uses: dict[tuple[str, str], list[Use]] = defaultdict(list)
    for word in words:
        for affix, around in _surroundings(word):
            uses[affix.label, affix.text].append((around, word.word))
    common = sorted(uses, key=lambda affix: -len(uses[affix]))[:_MOST_AFFIXES]
    found = []
    for (label, x), (other, y) in combinations(common, 2):
        if (
            label != other
            or not _alike(atoms(x), atoms(y), likely_vowels)
            or min(len(uses[label, x]), len(uses[label, y])) < _LEAST_USES
        ):
            continue
        places = [(around, 0, word) for around, word in uses[label, x]] + [(a, 1, w) for a, w in uses[label, y]]
        if _shared(places) <= _MOST_SHARED:
            variants = (f"-{x}", f"-{y}") if label == "suf" else (f"{x}-", f"{y}-")
            found += _told_apart("suffix" if label == "suf" else "prefix", variants, places, likely_vowels)
    return sorted(found, key=lambda a: -a.explained)[:most]


def stem_alternations(words: Sequence[WordReading], most: int) -> list[Alternation]:
    """Letters at the end of stems that change or fall, where the letter that follows the stem tells which is seen."""
    after: dict[tuple[str, ...], list[Use]] = defaultdict(list)
    for word in words:
        letters = _after_stem(word)
        if letters is not None:
            after[word.best.stem].append(((letters,), word.word))
    pairs = _border_pairs(after)
    found = []
    for (x, y), stems_of in pairs.items():
        apart = [(a, b) for a, b in stems_of if not {s for s, _ in after[a]} & {s for s, _ in after[b]}]
        if len(apart) >= _LEAST_PAIRS:
            places = [(s, side, w) for pair in apart for side in (0, 1) for s, w in after[pair[side]]]
            found += _told_apart("stem", (x, y or "∅"), places, frozenset())
    return sorted(found, key=lambda a: -a.explained)[:most]


def _border_pairs(
    stems: Iterable[tuple[str, ...]],
) -> Mapping[tuple[str, str], list[tuple[tuple[str, ...], tuple[str, ...]]]]:
    """Pairs of stems that differ in their last letter only, or by it, with the two letters ("" for none)."""
    known = {stem for stem in stems if len(stem) > 2}
    by_body: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
    for stem in sorted(known):
        by_body[stem[:-1]].append(stem)
    pairs: dict[tuple[str, str], list[tuple[tuple[str, ...], tuple[str, ...]]]] = defaultdict(list)
    for body, ends in by_body.items():
        for one, two in combinations(ends, 2):
            pairs[one[-1], two[-1]].append((one, two))
        if body in known:
            for stem in ends:
                pairs[stem[-1], ""].append((stem, body))
    return pairs


def _surroundings(word: WordReading) -> Iterable[tuple[Affix, tuple[str, ...]]]:
    """Each prefix with the atoms behind it, each suffix with those before it, the nearest first."""
    reading = word.best
    pieces = [
        list(reading.stem[p.start : p.end]) if isinstance(p, Slot) else atoms(p.text) for p in reading.affixes.parts
    ]
    for i, part in enumerate(reading.affixes.parts):
        if isinstance(part, Affix) and part.label in ("pre", "suf"):
            before = [atom for piece in pieces[:i] for atom in piece]
            behind = [atom for piece in pieces[i + 1 :] for atom in piece]
            yield part, tuple(reversed(before)) if part.label == "suf" else tuple(behind)


def _after_stem(word: WordReading) -> str | None:
    """The letter right behind the stem; the edge where there is none."""
    parts = word.best.affixes.parts
    last = max(i for i, part in enumerate(parts) if isinstance(part, Slot))
    following = parts[last + 1] if last + 1 < len(parts) else None
    return atoms(following.text)[0] if isinstance(following, Affix) else EDGE


def _alike(x: Sequence[str], y: Sequence[str], likely_vowels: frozenset[str]) -> bool:
    """Whether two affixes differ by one letter, or in a minority of letters, vowels standing for vowels."""
    if len(x) == len(y):
        changes = [(a, b) for a, b in zip(x, y, strict=True) if a != b]
        kindred = all((a in likely_vowels) == (b in likely_vowels) for a, b in changes)
        return kindred and (len(changes) == 1 or 2 * len(changes) < len(x))
    short, long = sorted((list(x), list(y)), key=len)
    return len(long) == len(short) + 1 and any(long[:i] + long[i + 1 :] == short for i in range(len(long)))


def _shared(places: Sequence[tuple[tuple[str, ...], int, str]]) -> float:
    sides = [{around for around, side, _ in places if side == which} for which in (0, 1)]
    return len(sides[0] & sides[1]) / min(len(sides[0]), len(sides[1]))


def _told_apart(
    kind: str,
    variants: tuple[str, str],
    places: Sequence[tuple[tuple[str, ...], int, str]],
    likely_vowels: frozenset[str],
) -> list[Alternation]:
    """The alternation, told by what predicts it best; nothing where nothing does."""
    features: Mapping[str, Callable[[tuple[str, ...]], str]] = {
        f"the letter {'before' if kind == 'suffix' else 'after'} it": lambda around: around[0] if around else EDGE,
        "the nearest vowel": lambda around: next((a for a in around if a in likely_vowels), EDGE),
    }
    best: tuple[float, str, list[str]] | None = None
    for name, feature in list(features.items())[: 2 if likely_vowels else 1]:
        seen = [feature(around) for around, _, _ in places]
        accuracy = _accuracy(seen, [side for _, side, _ in places])
        if best is None or accuracy > best[0]:
            best = accuracy, name, seen
    assert best is not None
    accuracy, name, seen = best
    sides = Counter(side for _, side, _ in places)
    chance = max(sides.values()) / len(places)
    if len(sides) < 2 or accuracy < _ACCURACY or 1 - accuracy > (1 - chance) / 2:
        return []
    letters, examples, exceptions = _distribution(seen, places)
    explained = len(places) - exceptions - max(sides.values())
    if explained < _LEAST_EXPLAINED:
        return []
    return [Alternation(kind, variants, name, letters, len(places), exceptions, explained, examples)]


def _accuracy(seen: Sequence[str], sides: Sequence[int]) -> float:
    """How often the other places with the same letter, by their majority, have the same variant."""
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for letter, side in zip(seen, sides, strict=True):
        counts[letter][side] += 1
    right = sum(counts[letter][side] - 1 > counts[letter][1 - side] for letter, side in zip(seen, sides, strict=True))
    return right / len(sides)


def _distribution(
    seen: Sequence[str], places: Sequence[tuple[tuple[str, ...], int, str]]
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], tuple[tuple[str, ...], tuple[str, ...]], int]:
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for letter, (_, side, _) in zip(seen, places, strict=True):
        counts[letter][side] += 1
    side_of = {letter: 0 if c[0] >= c[1] else 1 for letter, c in counts.items()}
    exceptions = sum(min(c[0], c[1]) for c in counts.values())
    letters, examples = [], []
    for which in (0, 1):
        own = [letter for letter in counts if side_of[letter] == which]
        letters.append(tuple(sorted(own, key=lambda letter: -sum(counts[letter].values()))))
        regular = [w for x, (_, side, w) in zip(seen, places, strict=True) if side == which == side_of[x]]
        examples.append(tuple(dict.fromkeys(regular))[:4])
    return (letters[0], letters[1]), (examples[0], examples[1]), exceptions
