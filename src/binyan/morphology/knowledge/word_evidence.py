"""What is known of words in the terms of the core: borders, labels and roots by atoms."""

from __future__ import annotations

from itertools import pairwise

from binyan import _core
from binyan.grammar.compiled import Compiled
from binyan.morphology.knowledge.knowledge import Contradiction
from binyan.morphology.knowledge.known_words import KnownWord
from binyan.morphology.word_list import WordList

EvidenceTuple = tuple[list[int], list[int], list[tuple[list[int], list[list[int]]]]]
"""Borders before each atom but the first (0 unknown, 1 there, 2 not there), label bits of each atom, and spellings."""

NO_PART = 31
"""The bit of atoms that may belong to no part."""

_ALL_LABELS = (1 << NO_PART) - 1
_THERE, _NOT_THERE = 1, 2


class WordEvidence:
    """The evidence of the words of a list, and what of it contradicts itself or the grammar."""

    def __init__(self, compiled: Compiled, words: WordList) -> None:
        self.compiled, self.words = compiled, words
        self.places = {word: i for i, word in enumerate(words.words)}
        grammar = compiled.grammar
        names = list(dict.fromkeys(grammar.segment_labels.values()))[:NO_PART]
        self.label_numbers = {name: i for i, name in enumerate(names)}
        self.labels = [self.label_numbers.get(grammar.segment_labels.get(s, ""), -1) for s in grammar.symbols]
        roots = grammar.with_role("root")
        self.root_symbols = [i for i, symbol in enumerate(grammar.symbols) if symbol in roots]
        self.tuples: dict[int, EvidenceTuple] = {}
        self.contradictions: list[Contradiction] = []
        self._sources: dict[int, KnownWord] = {}
        self._said_no_roots = False

    def refuse(self, known: KnownWord, reason: str) -> None:
        """Note that something of a word cannot be used."""
        self.contradictions.append(Contradiction(known.word, known.source, reason))

    def place(self, word: str) -> int | None:
        """The number of a word, as it is written in a file of known words; None where the list has no such word."""
        parts = self.words.prepare(word)
        return self.places.get(parts[0]) if len(parts) == 1 else None

    def encoded(self, place: int) -> list[int] | None:
        """The atoms of a word of the list as the grammar numbers them."""
        return self.compiled.encode_word(self.words.atoms(self.words.words[place]))

    def add(self, known: KnownWord) -> None:
        """Take up what is known of one word, together with what was known before."""
        if not (known.borders or known.labels or known.roots):
            return
        if self.compiled.edges:
            self.refuse(
                known, "the grammar has marks for the edges of words, and such a grammar takes no analysed words"
            )
            return
        place = self.place(known.word)
        offsets = None if place is None else self._atom_offsets(known, place)
        if place is None or offsets is None:
            self.refuse(known, "with the preparation of this model it is not one word, or its parts do not spell it")
            return
        length = offsets[len(known.word)]
        borders, labels, spellings = self.tuples.get(place, ([0] * (length - 1), [-1] * length, []))
        borders, labels = list(borders), [_ALL_LABELS | 1 << NO_PART if bits == -1 else bits for bits in labels]
        for offset, there in known.borders.items():
            at, mark = offsets.get(offset, 0), _THERE if there else _NOT_THERE
            if not 0 < at < length:
                continue
            if borders[at - 1] not in (0, mark):
                before = self._sources[place]
                self.refuse(
                    known,
                    f"two analyses disagree on the border after {known.word[:offset]!r} (the other: {before.source})",
                )
                return
            borders[at - 1] = mark
        for begin, end, names in known.labels:
            bits = sum(1 << self.label_numbers[name] for name in names if name in self.label_numbers)
            for at in range(offsets[begin], offsets[end]):
                labels[at] &= bits or _ALL_LABELS | 1 << NO_PART
        root = self._root(known)
        if root and spellings not in ([], root):
            self.refuse(known, f"two roots are given for it (the other: {self._sources[place].source})")
        self.tuples[place] = (borders, labels, spellings or root)
        self._sources.setdefault(place, known)

    def _atom_offsets(self, known: KnownWord, place: int) -> dict[int, int] | None:
        """The number of atoms before each offset that the evidence mentions; None where the pieces do not spell the word."""
        mentioned = {0, len(known.word), *known.borders, *(o for begin, end, _ in known.labels for o in (begin, end))}
        offsets = {0: 0}
        spelt: list[str] = []
        ordered = sorted(mentioned)
        for begin, end in pairwise(ordered):
            piece = self.words.prepare(known.word[begin:end])
            spelt += [atom for part in piece for atom in self.words.atoms(part)]
            offsets[end] = len(spelt)
        whole = self.words.atoms(self.words.words[place])
        if spelt == whole:
            return offsets
        # Letters of one atom that no border may split: only whole atoms count.
        return self._offsets_by_letters(known, whole)

    def _offsets_by_letters(self, known: KnownWord, whole: list[str]) -> dict[int, int] | None:
        if "".join(whole) != known.word:
            return None
        offsets, at = {0: 0}, 0
        for number, atom in enumerate(whole, start=1):
            offsets |= dict.fromkeys(range(at + 1, at + len(atom)), 0)
            at += len(atom)
            offsets[at] = number
        split = [o for o, there in known.borders.items() if there and not offsets[o]]
        return None if split else offsets

    def _root(self, known: KnownWord) -> list[tuple[list[int], list[list[int]]]]:
        if not known.roots:
            return []
        if not self.root_symbols:
            if not self._said_no_roots:
                self.refuse(
                    known,
                    f"the grammar {self.compiled.grammar.name} has no symbol with the role root, so no root is used",
                )
            self._said_no_roots = True
            return []
        place = self.place(known.word)
        assert place is not None
        letters = self.words.atoms(self.words.words[place])
        prepared = [[a for part in self.words.prepare(root) for a in self.words.atoms(part)] for root in known.roots]
        unseen = self.compiled.grammar.has_underlying  # then a root may have letters that the word does not show
        within = [root for root in prepared if unseen or _is_within(root, letters)]
        encoded = [numbers for root in within if (numbers := self.compiled.encode(root))]
        if not encoded:
            self.refuse(known, f"the letters of the root {' or '.join(known.roots)} are not in the word in this order")
            return []
        return [(self.root_symbols, encoded)]

    def check(self) -> None:
        """Leave out what the grammar cannot derive: the root where that is enough, else all that is known of the word."""
        for place, evidence in list(self.tuples.items()):
            known = self._sources[place]
            encoded = self.encoded(place)
            if encoded is None:
                self.refuse(known, "the grammar has no terminal for one of its characters")
            elif self.agreeing(encoded, evidence):
                continue
            elif evidence[2] and self.agreeing(encoded, (evidence[0], evidence[1], [])):
                self.refuse(known, f"no analysis by the grammar has the root {' or '.join(known.roots)}")
                self.tuples[place] = (evidence[0], evidence[1], [])
                continue
            else:
                self.refuse(known, f"the grammar {self.compiled.grammar.name} cannot derive this analysis")
            del self.tuples[place]

    def agreeing(self, encoded: list[int], evidence: EvidenceTuple) -> float:
        """How many analyses of a word agree."""
        return _core.agreeing_derivations(self.compiled.core, encoded, self.labels, evidence)


def _is_within(root: list[str], letters: list[str]) -> bool:
    ahead = iter(letters)
    return bool(root) and all(letter in ahead for letter in root)
