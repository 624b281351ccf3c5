"""Words that share a stem or a root: what each base is seen with, and how widespread that is among bases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from binyan.grammar.rules import Grammar
from binyan.grammar.tree import Tree
from binyan.morphology.paradigm.frame import REST, Frame
from binyan.morphology.paradigm.reading import Reading, read
from binyan.progress import ProgressOption, track

By = Literal["stem", "root"]
Base = tuple[str, ...]
Key = tuple[str, str]
"""A cell as it is written: template (\"\" of a stem) and affixes."""

_ALL = 1_000_000


@dataclass(frozen=True)
class WordReading:
    """The readings of a word with their posterior probabilities, summed over its trees, best first."""

    word: str
    readings: tuple[tuple[Reading, float], ...]

    @property
    def best(self) -> Reading:
        """The stem and frame with the highest probability, whatever root and template they have."""
        return self._best(lambda r: (r.stem, str(r.affixes)))[0]

    @property
    def certainty(self) -> float:
        """The probability of that stem and frame."""
        return self._best(lambda r: (r.stem, str(r.affixes)))[1]

    @cached_property
    def rooted(self) -> Reading:
        """The most probable reading among those with the most probable root; that may be none."""
        return self._best(lambda r: r.root)[0]

    def _best(self, key: Callable[[Reading], object]) -> tuple[Reading, float]:
        sums: dict[object, float] = {}
        first: dict[object, Reading] = {}
        for reading, probability in self.readings:
            sums[key(reading)] = sums.get(key(reading), 0.0) + probability
            first.setdefault(key(reading), reading)
        best = max(sums, key=lambda k: sums[k])
        return first[best], sums[best]

    def alternatives(self) -> list[tuple[Reading, float]]:
        """One reading for each stem and frame with their probability, best first."""
        sums: dict[object, tuple[Reading, float]] = {}
        for reading, probability in self.readings:
            key = reading.stem, str(reading.affixes)
            before = sums.get(key, (reading, 0.0))
            sums[key] = before[0], before[1] + probability
        return sorted(sums.values(), key=lambda item: -item[1])


def read_words(
    words: Sequence[str],
    trees: Callable[[str, int], list[tuple[Tree, float]]],
    grammar: Grammar,
    progress: ProgressOption = None,
) -> Iterator[WordReading]:
    """The readings of each word that has an analysis; `trees` gives the trees of a word with their probabilities."""
    for word in track(words, "words read", len(words), progress, every=100):
        sums: dict[Reading, float] = {}
        for tree, probability in trees(word, _ALL):
            reading = read(tree, grammar)
            sums[reading] = sums.get(reading, 0.0) + probability
        if sums:
            yield WordReading(word, tuple(sorted(sums.items(), key=lambda item: -item[1])))


@dataclass(frozen=True)
class Member:
    """A word of a family: its base, its template (of a root), and the affixes around its stem."""

    word: str
    base: Base
    template: Frame | None
    affixes: Frame

    @property
    def key(self) -> Key:
        """The cell the word stands in."""
        return "" if self.template is None else str(self.template), str(self.affixes)


class Families:
    """Words by base. `templates` and `affixes` are the frames of the words by what they are written as."""

    def __init__(self, by: By, words: Iterable[WordReading]) -> None:
        self.by: By = by
        self.members: dict[Base, list[Member]] = {}
        self.templates: dict[str, Frame] = {}
        self.affixes: dict[str, Frame] = {}
        for word in words:
            reading = word.best if by == "stem" else word.rooted
            base, template = (reading.stem, None) if by == "stem" else (reading.root, reading.template)
            if base is None:
                continue
            self.members.setdefault(base, []).append(Member(word.word, base, template, reading.affixes))
            self.affixes.setdefault(str(reading.affixes), reading.affixes)
            if template is not None:
                self.templates.setdefault(str(template), template)

    @cached_property
    def bases_with(self) -> dict[Key, set[Base]]:
        """The bases seen in each cell; with "" for affixes, those seen in a template with any."""
        having: dict[Key, set[Base]] = {}
        for base, members in self.members.items():
            for key in self.cells_of(members):
                having.setdefault(key, set()).add(base)
        return having

    def cells_of(self, members: Iterable[Member]) -> set[Key]:
        """The cells in which words stand, and the templates with any affixes."""
        keys = {member.key for member in members}
        return keys | {(template, "") for template, _ in keys if template}

    @cached_property
    def widespread(self) -> list[Key]:
        """The cells of `bases_with`, those of most bases first."""
        return sorted(self.bases_with, key=lambda key: (-len(self.bases_with[key]), len("".join(key)), key))

    @cached_property
    def common_affixes(self) -> list[str]:
        """The frames of affixes, those of most words first."""
        counts = Counter(str(m.affixes) for members in self.members.values() for m in members)
        return sorted(counts, key=lambda text: (-counts[text], len(text), text))

    @cached_property
    def _lengths(self) -> Counter[int]:
        return Counter(map(len, self.members))

    def share(self, key: Key) -> float:
        """The share of bases, of those that fit into the cell, that are seen in it."""
        radicals = self.templates[key[0]].radicals if key[0] in self.templates else None
        fitting = len(self.members) if radicals is None else self._lengths[radicals]
        return len(self.bases_with.get(key, ())) / max(fitting, 1)

    def share_alike(self, base: Base, key: Key) -> float:
        """The same among the other bases that share a cell with this one, by stem that of the bare stem not counted."""
        own = self.cells_of(self.members.get(base, ())) - {key, ("", REST)}
        if self.by == "root":
            own = {(template, affixes) for template, affixes in own if not affixes and template != key[0]}
        alike: set[Base] = set().union(*(self.bases_with[k] for k in own)) - {base}
        return len(alike & self.bases_with.get(key, set())) / len(alike) if alike else 0.0
