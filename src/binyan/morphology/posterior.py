"""The posterior over the trees of words, as samples and snapshots have it.

A word of the training list has the trees collected for it. Any other word is parsed with every kept state of the grammar; the
probability of an analysis is sum P(tree, word | state) / sum P(word | state) over the states.

A character that the training words do not have counts as one more terminal, never seen, of every symbol whose terminals were
filled in from the data: it has the rule's prior weight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from binyan import _core
from binyan.errors import InputError
from binyan.grammar.compiled import Compiled
from binyan.grammar.tree import Tree
from binyan.model_file import ModelFile, Section
from binyan.morphology.adaptor import AdaptorSampler
from binyan.morphology.chain_state import Snapshot, snapshot_sections, snapshots_of
from binyan.morphology.knowledge import Knowledge
from binyan.morphology.storage import source_contents, source_grammar, source_knowledge, source_words
from binyan.morphology.word_list import WordList
from binyan.text.reading import check_length

UNSEEN = "\U0010ffff"
"""The terminal that stands for every character that was not seen in training."""

_MOST_BYTES = 1 << 28  # of the derivations of one word, and of those remembered


@dataclass(frozen=True)
class Posterior:
    """What was collected of an adaptor grammar: the trees of the training words, and states of the grammar for other words.

    `unparsable` are the training words that the grammar cannot derive.
    """

    compiled: Compiled
    words: WordList
    samples: _core.Samples
    snapshots: Sequence[Snapshot]
    unparsable: tuple[str, ...] = ()
    most_bytes: int = _MOST_BYTES
    """Of the derivations of one word that is parsed; a word with more is refused with InputError."""
    knowledge: Knowledge = field(default_factory=Knowledge)

    @classmethod
    def of(cls, sampler: AdaptorSampler) -> Self:
        """What a sampler has collected; the present trees where that is nothing yet."""
        samples = _core.Samples()
        snapshots: list[Snapshot] = []
        for state in sampler.states:
            samples.merge(state.samples)
            snapshots += state.snapshots
        if samples.kept == 0:
            if sampler.sweeps == 0:
                raise InputError("nothing was learnt yet: run the sampler first")
            for state in sampler.states:
                samples.add(state.core)
        snapshots = snapshots or [Snapshot.of(state.core) for state in sampler.states]
        known = sampler.knowledge
        return cls(sampler.compiled, sampler.words, samples, snapshots, sampler.unparsable, knowledge=known)

    def trees(self, word: str, n: int, beyond: bool = False) -> list[tuple[Tree, float]]:
        """The n most probable trees of a prepared word with their probabilities, best first; `beyond`: all that are found.

        Trees of a word outside the training list are searched for until they have 95 per cent of its probability, or to the bound of
        512 ways of making them in each state.
        """
        check_length(word)
        atoms = self.words.atoms(word)
        if word in self._places:
            samples = self.samples.of(self._places[word])
            total = sum(count for _, count in samples)
            return [
                (self.compiled.tree(rules, word=atoms), count / total)
                for rules, count in samples[: None if beyond else n]
            ]
        numbers = self._encoded(word)
        derivations = [] if numbers is None else self._parser.best(numbers, n, 4 * n + 8, beyond)
        return [(self._open.tree(rules, word=atoms), math.exp(log_p)) for rules, log_p in derivations]

    def is_known(self, word: str) -> bool:
        """Whether a prepared word is one of the training words."""
        return word in self._places

    def log_probability(self, word: str) -> float:
        """Log P(word) of a prepared word: the mean over the states; -inf where the grammar cannot derive it."""
        numbers = self._encoded(word)
        return -math.inf if numbers is None else self._parser.log_probability(numbers)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words.words)}

    @property
    def open_grammar(self) -> Compiled:
        """The grammar with one more terminal, for letters that were never seen, where it takes any letters."""
        return self._open

    @cached_property
    def _open(self) -> Compiled:
        """The grammar with one more terminal."""
        source = self.compiled.source
        return Compiled(source, [*self.compiled.atoms, UNSEEN]) if source.open_terminals else self.compiled

    @cached_property
    def _parser(self) -> _core.PosteriorParser:
        rules = self.compiled.grammar.rules
        numbers = {(r.lhs, r.arguments, r.rhs, r.underlying): i for i, r in enumerate(self._open.grammar.rules)}
        places = np.array([numbers[r.lhs, r.arguments, r.rhs, r.underlying] for r in rules], np.uint32)
        parser = _core.PosteriorParser(self._open.core, self.most_bytes)
        for snapshot in self.snapshots:
            counts = np.zeros(len(numbers), np.uint64)
            counts[places] = snapshot.rule_counts
            trees = dict(snapshot.trees)
            trees["rules"] = places[trees["rules"]]
            parser.add(counts.tolist(), [(float(a), float(b), False, False) for a, b in snapshot.adaptors], **trees)
        return parser

    @cached_property
    def _known_atoms(self) -> frozenset[str]:
        return frozenset(self._open.atoms)

    def _encoded(self, word: str) -> list[int] | None:
        """The atoms of a prepared word as the open grammar numbers them; None where it has no terminal for one."""
        check_length(word)
        known = self._known_atoms
        return self._open.encode_word([a if a in known else UNSEEN for a in self.words.atoms(word)]) or None

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file."""
        meta, sections = source_contents(self.compiled, self.words, self.knowledge)
        meta["unparsable"] = list(self.unparsable)
        sections["samples"] = self.samples.state()
        return meta, sections | snapshot_sections(list(self.snapshots))

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`."""
        compiled = Compiled(source_grammar(file), file.meta["atoms"])
        samples = _core.Samples()
        samples.restore(file.array("samples"), compiled.core)
        words, snapshots = source_words(file), snapshots_of(file.sections)
        if samples.words not in (0, len(words)):
            raise InputError(f"section 'samples' has {samples.words} words, 'words' has {len(words)}")
        for i, snapshot in enumerate(snapshots):
            try:
                snapshot.check(len(compiled.grammar.rules), len(compiled.adapted_symbols))
            except InputError as error:
                raise InputError(f"sections 'snapshot.{i}': {error}") from error
        known = source_knowledge(file)
        return cls(compiled, words, samples, snapshots, tuple(file.meta["unparsable"]), knowledge=known)
