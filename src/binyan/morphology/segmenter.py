"""A learnt morphology, frozen: analyses of known and new words with probabilities, lexica of morphemes.

A word of the training list is analysed by the trees collected for it. Any other word is parsed with every kept state of the
grammar; the probability of an analysis is sum P(tree, word | state) / sum P(word | state) over the states.

A character that the training words do not have counts as one more terminal, never seen, of every symbol whose terminals were
filled in from the data: it has the rule's prior weight.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError
from binyan.grammar.compiled import Compiled
from binyan.grammar.tree_segments import LABELS, segment_symbols
from binyan.grammar.rules import Grammar
from binyan.morphology.analysis import Analysis
from binyan.morphology.lexicon import Lexicon, lexicon
from binyan.morphology.word_list import WordList
from binyan.segmentation import Segmentation, SegmentationTable

UNSEEN = "\U0010ffff"
"""The terminal that stands for every character that was not seen in training."""

_BEYOND = 20  # trees looked at beyond those asked for, so that probabilities of segmentations sum over many
_MOST_BYTES = 1 << 28  # of the derivations of one word, and of those remembered


@dataclass(frozen=True)
class Snapshot:
    """The state of a grammar after one sweep: rule counts, a and b, and the cached trees as rules in preorder."""

    rule_counts: NDArray[np.uint64]
    adaptors: NDArray[np.float64]
    trees: Mapping[str, NDArray[Any]]

    ARRAYS = ("rules", "ends", "adapted", "customers", "tables")

    @classmethod
    def of(cls, chain: _core.Chain) -> Snapshot:
        """The present state of a chain."""
        trees = chain.cached_trees()
        adaptors = np.array([[a, b] for a, b, _, _ in chain.adaptors], np.float64).reshape(-1, 2)
        return cls(chain.rule_counts, adaptors, {name: trees[name] for name in cls.ARRAYS})


@dataclass(frozen=True, slots=True)
class Derived:
    """One analysis of a word as rules of a grammar in preorder, with its posterior probability."""

    segmenter: Segmenter
    grammar: Compiled
    word: str
    rules: list[int]
    probability: float

    def analysis(self) -> Analysis:
        """The same with its tree."""
        tree = self.grammar.tree(self.rules, word=self.segmenter.words.atoms(self.word))
        return Analysis(self.word, tree, self.probability, self.segmenter.symbols)

    def parts(self) -> list[tuple[str, str]]:
        """Text and label of the parts of `analysis().segmentation`, in order."""
        texts: dict[int, str] = {}
        owners = self.grammar.owners(self.rules, self.segmenter.symbols)
        for atom, owner in zip(self.segmenter.words.atoms(self.word), owners, strict=True):
            texts[owner] = texts.get(owner, "") + atom
        labels = (self.grammar.grammar.rules[self.rules[owner]].lhs for owner in texts)
        return [(text, LABELS.get(label, label)) for text, label in zip(texts.values(), labels, strict=True)]


class Segmenter:
    """Analyses words. `words` are those it learnt from, `unparsable` those of them that the grammar cannot derive.

    >>> from binyan.grammar.notation import load_grammar
    >>> from binyan.morphology import WordList, learn
    >>> segmenter = learn(WordList.of(["walks", "walked", "talks", "talked"]), load_grammar("concat"), sweeps=20)
    >>> segmenter
    <Segmenter learnt from 4 words, 2 states of the grammar concat>
    >>> sum(probability for _, probability in segmenter.segment("walking", 100)) <= 1
    True
    """

    def __init__(
        self,
        compiled: Compiled,
        words: WordList,
        samples: _core.Samples,
        snapshots: list[Snapshot],
        signature: str,
        unparsable: tuple[str, ...] = (),
    ) -> None:
        self.compiled = compiled
        self.words = words
        self.samples = samples
        self.snapshots = snapshots
        self.signature = signature
        self.unparsable = unparsable

    def __repr__(self) -> str:
        states = f"{len(self.snapshots)} states of the grammar {self.compiled.source.name}"
        return f"<Segmenter learnt from {len(self.words.words):,} words, {states}>"

    @property
    def grammar(self) -> Grammar:
        """The grammar with its terminals filled in."""
        return self.compiled.grammar

    @cached_property
    def symbols(self) -> frozenset[str]:
        """The symbols along which words are split."""
        return segment_symbols(self.grammar)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words.words)}

    @cached_property
    def _open(self) -> Compiled:
        """The grammar with one more terminal."""
        source = self.compiled.source
        return Compiled(source, [*self.compiled.atoms, UNSEEN]) if source.open_terminals else self.compiled

    @cached_property
    def _states(self) -> _core.FrozenStates:
        numbers = {(r.lhs, r.arguments, r.rhs): i for i, r in enumerate(self._open.grammar.rules)}
        places = np.array([numbers[r.lhs, r.arguments, r.rhs] for r in self.grammar.rules], np.uint32)
        states = _core.FrozenStates(self._open.core, _MOST_BYTES)
        for snapshot in self.snapshots:
            counts = np.zeros(len(numbers), np.uint64)
            counts[places] = snapshot.rule_counts
            trees = dict(snapshot.trees)
            trees["rules"] = places[trees["rules"]]
            states.add(counts.tolist(), [(float(a), float(b), False, False) for a, b in snapshot.adaptors], **trees)
        return states

    def analyses(self, word: str, n: int = 5) -> list[Analysis]:
        """The n most probable trees of a word, best first; none if the grammar cannot derive it.

        For a word of the training list the first is the most frequent of its sampled trees.
        """
        return self._found(self.prepared(word), n)

    def _found(self, word: str, n: int) -> list[Analysis]:
        """The best trees of a prepared word, at most n."""
        return [found.analysis() for found in self.derivations(word, n)]

    def derivations(self, word: str, n: int = 5) -> list[Derived]:
        """What `analyses` tells, without making trees before they are asked for. The word must be prepared."""
        if word in self._place:
            samples = self.samples.of(self._place[word])
            total = sum(count for _, count in samples)
            return [Derived(self, self.compiled, word, rules, count / total) for rules, count in samples[:n]]
        numbers = self._numbers(word)
        parses = [] if numbers is None else self._states.best(numbers, n, 4 * n + 8)
        return [Derived(self, self._open, word, rules, math.exp(log_p)) for rules, log_p in parses]

    def _many(self, word: str, n: int) -> list[Analysis]:
        """Trees to sum over: all that were sampled, or some more than n of those found."""
        word = self.prepared(word)
        return self._found(word, 1_000_000 if word in self._place else n + _BEYOND)

    def _numbers(self, word: str) -> list[int] | None:
        """The atoms of a prepared word as the open grammar numbers them; None where it has no terminal for one."""
        known = self._known_atoms
        return self._open.encode([a if a in known else UNSEEN for a in self.words.atoms(word)]) or None

    @cached_property
    def _known_atoms(self) -> frozenset[str]:
        return frozenset(self._open.atoms)

    def segment(self, word: str, n: int = 5) -> list[tuple[Segmentation, float]]:
        """The n most probable segmentations of a word, each summed over the trees that give it, best first."""
        sums: dict[Segmentation, float] = {}
        for analysis in self._many(word, n):
            sums[analysis.segmentation] = sums.get(analysis.segmentation, 0.0) + analysis.probability
        return sorted(sums.items(), key=lambda found: -found[1])[:n]

    def roots(self, word: str, length: int = 3, method: Literal["A", "B"] = "A") -> dict[str, float]:
        """Every root candidate of so many radicals with its posterior probability, best first."""
        sums: dict[str, float] = {}
        for analysis in self._many(word, 0):
            for root in analysis.roots(length, method):
                sums[root] = sums.get(root, 0.0) + analysis.probability
        return dict(sorted(sums.items(), key=lambda found: -found[1]))

    def log_probability(self, word: str) -> float:
        """log P(word): the mean over the kept states of the grammar; -inf for a word it cannot derive."""
        numbers = self._numbers(self.prepared(word))
        return float("-inf") if numbers is None else self._states.log_probability(numbers)

    def prepared(self, word: str) -> str:
        """The word as the model sees it."""
        parts = self.words.preparation(word)
        if len(parts) != 1:
            raise InputError(f"{word!r} is not one word: give words one by one")
        return parts[0]

    def table(self, words: Iterable[str] | None = None) -> SegmentationTable:
        """The best segmentation of each word (of the training words, if None); words without any are left out."""
        return SegmentationTable(found[0][0] for word in self._all(words) if (found := self.segment(word, 1)))

    def best(self, words: Iterable[str] | None = None) -> Iterator[Analysis]:
        """The most probable tree of each word (of the training words, if None) that has any."""
        for word in self._all(words):
            yield from self.analyses(word, 1)

    def _all(self, words: Iterable[str] | None) -> Iterable[str]:
        return self.words.words if words is None else words

    def lexicon(self, symbol: str) -> Lexicon:
        """The strings of a symbol with their probabilities, averaged over the kept states of the grammar."""
        return lexicon(self.compiled, symbol, self.snapshots, self.best)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model without the chains: it analyses words, but learning cannot go on from it."""
        from binyan.morphology.storage import save_segmenter

        save_segmenter(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Segmenter:
        """Read a model that `save` or `binyan morph learn` wrote."""
        from binyan.morphology.storage import load_segmenter

        return load_segmenter(path)

    def to_bytes(self) -> bytes:
        """The model file as bytes, for databases and other processes; `from_bytes` is the inverse. Pickling uses it."""
        from binyan.morphology.storage import segmenter_to_bytes

        return segmenter_to_bytes(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> Segmenter:
        """The inverse of `to_bytes`."""
        from binyan.morphology.storage import segmenter_from_bytes

        return segmenter_from_bytes(data)

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return Segmenter.from_bytes, (self.to_bytes(),)
