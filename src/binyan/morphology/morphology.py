"""Morphology learnt from a word list by an adaptor grammar (thesis, chapter 5): analyses of known and new words, lexica of morphemes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from binyan import model_file
from binyan.errors import InputError, SettingsError
from binyan.files import PathLike
from binyan.grammar.letters import read_letters
from binyan.grammar.notation import load_grammar, read_grammar
from binyan.grammar.rules import Grammar
from binyan.grammar.tree import Tree
from binyan.grammar.tree_segments import Method, simplified
from binyan.model import Model
from binyan.model_file import ModelFile, Section
from binyan.morphology.adaptor import AdaptorSampler, trace_columns
from binyan.morphology.analysis import Analysis, written
from binyan.morphology.choice import choose
from binyan.morphology.choice_report import Choice
from binyan.morphology.convergence import Agreement
from binyan.morphology.export_methods import ExportMethods
from binyan.morphology.knowledge import Knowledge, KnowledgeSettings, apply_knowledge
from binyan.morphology.knowledge.strength import with_strength
from binyan.morphology.lexicon import Lexicon, lexicon
from binyan.morphology.paradigm import ParadigmMethods
from binyan.morphology.posterior import Posterior
from binyan.morphology.reports import SegmentedWords, WordAnalyses, describe_learning, learning_summary
from binyan.morphology.roots import RootOutcomes, WordRoots, root_outcomes
from binyan.morphology.settings import AUTO, DEFAULT_GRAMMAR, MorphologySettings, WordSettings
from binyan.morphology.storage import KIND
from binyan.morphology.transformer import MorphemeTransformer
from binyan.morphology.word_list import WordList, WordSource
from binyan.morphology.word_reading import read_words
from binyan.sampling import Run
from binyan.segmentation import Segmentation
from binyan.settings import gather, takes_settings
from binyan.signature import Signature
from binyan.text import Preparation

_BEYOND = 20  # trees looked at beyond those asked for, so that probabilities of segmentations sum over many
_TRACE = re.compile(r"(chain\.\d+\.trace|trace\.\d+)")
_OF_CHAINS = "settings", "sweeps", "r_hat", "stopped"
_GROUPS = MorphologySettings, WordSettings, Preparation, KnowledgeSettings


class Morphology(MorphemeTransformer, ParadigmMethods, ExportMethods, Model):
    """Learns how words are built, from nothing but words and a grammar: the name of a shipped one, a grammar file, or a Grammar.

    With "auto", the default, `fit` chooses the grammar (see `binyan.morphology.choose`) and `choice` has the evidence.

    `trace[i][s]` has the figures of chain i after sweep s + 1, named by `trace_columns`. The class also works as a transformer of
    scikit-learn: `transform` turns words into their morphemes.

    >>> words = ["walks", "walked", "walking", "talks", "talked", "talking", "jumps", "jumped", "jumping"]
    >>> m = Morphology("concat", sweeps=50, seed=1).fit(words)
    >>> "".join(part.text for part in m.segment("walked"))
    'walked'
    >>> sum(s.probability for s in m.segmentations("stalking", 100)) <= 1.000001
    True
    """

    kind = KIND
    commands = "binyan morph"
    grammar: Grammar
    settings: MorphologySettings
    preparation: Preparation
    posterior: Posterior

    @takes_settings(*_GROUPS)
    def __init__(self, grammar: str | PathLike | Grammar = DEFAULT_GRAMMAR, **settings: Any) -> None:
        self._given_grammar = grammar
        self.settings, self._word_settings, self.preparation, self._known = gather("Morphology", settings, *_GROUPS)
        if isinstance(grammar, Grammar) or grammar != AUTO:
            self._take_grammar(grammar if isinstance(grammar, Grammar) else load_grammar(Path(grammar)))
        self.choice: Choice | None = None
        self.knowledge = Knowledge.read(self._known)
        self._sampler: AdaptorSampler | None = None
        self._file: ModelFile | None = None

    @property
    def is_fitted(self) -> bool:
        """Whether the model has learnt something."""
        return "posterior" in vars(self)

    # Learning.

    @takes_settings(Run)
    def fit(self, words: WordSource, y: Any = None, **run: Any) -> Self:
        """Learn from a file of words, from several (a list of Path objects), or from words; `y` is ignored.

        A file has one word per line, optional tab and count; or running text, whose words are taken. The keywords say how and where learning runs and change nothing in the result: `checkpoint` names a file that is written
        every `checkpoint_seconds` and on Ctrl-C; with `resume`, learning is resumed from it if it exists. Chains run in at most
        `threads` threads, or on the workers of the Dask `scheduler` at that address.
        """
        [how] = gather("fit", run, Run)
        listed = self.knowledge.with_words_of(read_words(words, self.preparation, self._word_settings))
        if self._given_grammar == AUTO:
            self._choose_grammar(listed, how)
        sampler = self._begin(listed, how)

        path = how.checkpoint
        checkpoint = None if path is None else lambda: self._learnt(sampler).save(path)
        sampler.run(how.progress, how.threads, checkpoint, how.checkpoint_seconds, how.scheduler)
        return self._learnt(sampler)

    def _take_grammar(self, grammar: Grammar) -> None:
        letters = self._known.letters
        self.grammar = grammar if letters is None else grammar.with_letters(read_letters(letters))

    def _choose_grammar(self, words: WordList, how: Run) -> None:
        """The grammar of the checkpoint that is resumed, or one chosen anew."""
        if how.checkpoint is not None and how.resume and Path(how.checkpoint).exists():
            before = type(self).load(how.checkpoint)
            self.grammar, self.choice = before.grammar, before.choice
            return
        of_run: Any = {"threads": how.threads, "progress": how.progress}
        known = self.knowledge.words
        self.choice = choose(words, known=known, seed=self.settings.seed, memory_mb=self.settings.memory_mb, **of_run)
        self._take_grammar(read_grammar(self.choice.grammar, self.choice.name))

    def _begin(self, words: WordList, how: Run) -> AdaptorSampler:
        if how.checkpoint is None or not (how.resume and Path(how.checkpoint).exists()):
            known = with_strength(self.knowledge, self.grammar, words, self.settings)
            return AdaptorSampler(self.grammar, words, self.settings, known)
        before = type(self).load(how.checkpoint)
        if before.words.digest != words.digest or not before.grammar.same_rules(self.grammar):
            raise SettingsError(
                f"{how.checkpoint}: was learnt from other words or with another grammar; learn without resuming"
            )
        if not before.knowledge.same_as(self.knowledge):
            raise SettingsError(
                f"{how.checkpoint}: was learnt with other knowledge; give the same, or learn without resuming"
            )
        assert before._file is not None
        return AdaptorSampler.from_file(before._file, self.settings, grammar=self.grammar)

    @classmethod
    def from_sampler(cls, sampler: AdaptorSampler) -> Self:
        """What a sampler has learnt so far."""
        return cls._made_for(sampler.compiled.source, sampler.words, sampler.settings)._learnt(sampler)

    @classmethod
    def _made_for(cls, grammar: Grammar, words: WordList, settings: MorphologySettings) -> Self:
        return cls(grammar, settings=settings, unit=words.unit, preparation=words.preparation)

    def _learnt(self, sampler: AdaptorSampler) -> Self:
        self._sampler, self._file = sampler, None
        self.knowledge = sampler.knowledge
        self.posterior = Posterior.of(sampler)
        self._signature = sampler.signature()
        return self

    # What was learnt from.

    @property
    def words(self) -> WordList:
        """The words it has learnt from, prepared."""
        return self.posterior.words

    @property
    def unparsable(self) -> tuple[str, ...]:
        """Those of the words that the grammar cannot derive."""
        return self.posterior.unparsable

    def signature(self) -> Signature:
        """How the model was made."""
        self._require_fitted()
        return self._signature

    def __repr__(self) -> str:
        if not self.is_fitted:
            name = self.grammar.name if hasattr(self, "grammar") else AUTO
            return f"<Morphology by the grammar {name}, not fitted>"
        states = f"{len(self.posterior.snapshots)} states of the grammar {self.grammar.name}"
        return f"<Morphology learnt from {len(self.words):,} words, {states}>"

    def as_morphology(self) -> Self:
        """The model itself."""
        return self

    # Analyses of one word.

    def analyses(self, word: str, n: int = 5) -> WordAnalyses:
        """The n most probable trees of a word, best first; none if the grammar cannot derive it.

        For a word of the training list the first is the most frequent of its sampled trees.
        """
        return WordAnalyses(word, self._analyses(self.prepared(word), n), str(self.signature()))

    def _analyses(self, word: str, n: int, beyond: bool = False) -> tuple[Analysis, ...]:
        return tuple(Analysis(word, tree, p, self.grammar) for tree, p in self.posterior.trees(word, n, beyond))

    def _many(self, word: str, n: int) -> tuple[Analysis, ...]:
        """Trees to sum over: all that were sampled, or all that the search for more than n finds."""
        return self._analyses(self.prepared(word), n + _BEYOND, beyond=True)

    def segment(self, word: str) -> Segmentation:
        """The most probable segmentation of a word, with its `probability`. Raises InputError where the grammar cannot derive it."""
        best = self.segmentations(word, 1)
        if not best:
            raise self._underivable(word)
        return best[0]

    def segmentations(self, word: str, n: int = 5) -> list[Segmentation]:
        """The n most probable segmentations of a word, the probability of each summed over the trees that give it, best first."""
        sums: dict[Segmentation, float] = {}
        for analysis in self._many(word, n):
            sums[analysis.segmentation] = sums.get(analysis.segmentation, 0.0) + analysis.probability
        best = sorted(sums.items(), key=lambda item: -item[1])[:n]
        return [replace(written(s, self.words.letters), probability=probability) for s, probability in best]

    def tree(self, word: str, full: bool = True) -> Tree:
        """The most probable tree of a word, which draws itself; without `full`, symbols of single characters are left out.

        Raises InputError where the grammar cannot derive the word.
        """
        best = self.analyses(word, 1)
        if not best:
            raise self._underivable(word)
        return best[0].tree if full else simplified(best[0].tree, self.grammar)

    def root(self, word: str, length: int | None = None, method: Method = "A") -> str | None:
        """The most probable root of a word; None where it is more probable to have none, or one of another length."""
        return self.root_outcomes(word, method).root(length)

    def root_outcomes(self, word: str, method: Method = "A") -> RootOutcomes:
        """Every root that a word may have with its posterior probability, and the probability that it has none."""
        return root_outcomes(self._many(word, 0), self.grammar, method)

    def roots(self, word: str, length: int | None = None, method: Method = "A") -> dict[str, float]:
        """Every root candidate, of `length` radicals or of any number, with its posterior probability, best first.

        Method A takes the constituents with the role of a root, method B also those with the role of a template.
        """
        return self.root_outcomes(word, method).of_length(length)

    def template(self, word: str) -> str | None:
        """The most probable template of a word, with a dash in the place of each radical; None where there is no root."""
        sums: dict[str, float] = {}
        for analysis in self._many(word, 0):
            if analysis.template is not None:
                sums[analysis.template] = sums.get(analysis.template, 0.0) + analysis.probability
        return max(sums, key=lambda template: sums[template], default=None)

    def log_probability(self, word: str) -> float:
        """Log P(word): the mean over the kept states of the grammar; -inf for a word it cannot derive."""
        return self.posterior.log_probability(self.prepared(word))

    def prepared(self, word: str) -> str:
        """The word as the model sees it."""
        parts = self.words.prepare(word)
        if len(parts) != 1:
            raise InputError(f"{word!r} is not one word: give words one by one")
        return parts[0]

    def _underivable(self, word: str) -> InputError:
        return InputError(f"the grammar {self.grammar.name} cannot derive {word!r}: it has no analysis")

    # Many words.

    def best(self, words: Iterable[str] | None = None) -> Iterator[Analysis]:
        """The most probable tree of each word (of the training words, if None) that has any."""
        for word in self.words.words if words is None else words:
            yield from self.analyses(word, 1)

    def segment_words(self, words: WordSource | None = None, n: int = 1) -> SegmentedWords:
        """The n most probable segmentations of each word (of the training words, if None), as `binyan morph segment` prints them.

        `table` has the best ones, for language models.
        """
        return SegmentedWords(
            {word: self.segmentations(word, n) for word in self._listed(words)}, str(self.signature())
        )

    def find_roots(self, words: WordSource | None = None, length: int | None = None, method: Method = "A") -> WordRoots:
        """The roots of each word (of the training words, if None), or none, as `binyan morph roots` prints them."""
        outcomes = {word: self.root_outcomes(word, method) for word in self._listed(words)}
        return WordRoots.of(outcomes, length, method, str(self.signature()), self.best)

    def lexicon(self, symbol: str) -> Lexicon:
        """The morphemes of a symbol with their probabilities, averaged over the kept states of the grammar."""
        posterior = self.posterior
        beforehand = apply_knowledge(self.knowledge, posterior.compiled, self.words).uses_beforehand
        return lexicon(posterior.compiled, symbol, posterior.snapshots, self.best, str(self.signature()), beforehand)

    def _listed(self, words: WordSource | None) -> tuple[str, ...]:
        return self.words.words if words is None else WordList.of_any(words).words

    # The chains, and files.

    @property
    def sampler(self) -> AdaptorSampler:
        """The sampler with its chains. Raises ModelFileError for a model that was saved without them."""
        self._require_fitted()
        if self._sampler is None:
            assert self._file is not None
            self._sampler = AdaptorSampler.from_file(self._file, self.settings, grammar=self.grammar)
        return self._sampler

    @property
    def trace(self) -> list[NDArray[np.float64]]:
        """The trace of each chain: one row per sweep, with the columns of `trace_columns`. Empty in reduced models of version 0.1."""
        self._require_fitted()
        if self._sampler is not None:
            return self._sampler.trace_tables
        sections = {} if self._file is None else self._file.sections
        return [np.asarray(section) for name, section in sections.items() if _TRACE.fullmatch(name)]

    @property
    def trace_columns(self) -> list[str]:
        """The names of the figures of a trace."""
        return trace_columns(self.posterior.compiled)

    @property
    def agreement(self) -> list[Agreement]:
        """How far the chains agreed on words and lexicon entries as learning went on; empty where that was not recorded."""
        self._require_fitted()
        if self._file is not None and "agreement" in self._file.meta:
            return [Agreement(*row) for row in self._file.meta["agreement"]]
        has_chains = self._sampler is not None or (self._file is not None and "sweeps" in self._file.meta)
        return self.sampler.agreement_trace() if has_chains else []

    def chain(self, number: int) -> Self:
        """What one chain has learnt, counted from 0: a model of its own, without what resuming needs."""
        alone = type(self).from_sampler(self.sampler.only(number))
        return type(self).from_file(model_file.from_bytes(model_file.to_bytes(self.kind, *alone._reduced_contents())))

    def summary(self) -> dict[str, Any]:
        """What there is to say of a morphology that was just learnt, for JSON."""
        choice = {} if self.choice is None else {"choice": self.choice.to_dict()}
        return learning_summary(self.sampler) | choice

    @property
    def description(self) -> str:
        """The same for people: the chains, and whether they agree."""
        choice = "" if self.choice is None else f"{self.choice}\n"
        return choice + describe_learning(self.sampler)

    def save(self, path: PathLike, reduced: bool = False) -> None:
        """Write the model to one file: whole, so that learning can be resumed bit for bit, or only what queries and traces need."""
        self._require_fitted()
        meta, sections = self._reduced_contents() if reduced else self.contents()
        if reduced:
            meta["agreement"] = [list(vars(a).values()) for a in self.agreement]
        model_file.save(path, self.kind, meta, sections)

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections for a model file."""
        meta, sections = self._reduced_contents()
        if self._sampler is None and self._file is not None:
            chains = {name: section for name, section in self._file.sections.items() if name.startswith("chain.")}
            more = {name: self._file.meta[name] for name in _OF_CHAINS if chains and name in self._file.meta}
        else:
            more, chains = self.sampler.contents()
        if chains:
            sections = {name: section for name, section in sections.items() if not _TRACE.fullmatch(name)}
        return meta | more, sections | chains

    def _reduced_contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        meta, sections = self.posterior.contents()
        meta |= {"signature": str(self._signature), "settings": self.settings.to_dict()}
        meta |= {} if self.choice is None else {"choice": self.choice.to_dict()}
        return meta, sections | {f"trace.{i}": trace for i, trace in enumerate(self.trace)}

    @classmethod
    def from_file(cls, file: ModelFile) -> Self:
        """The inverse of `contents`."""
        posterior = Posterior.from_file(file)
        settings = MorphologySettings.from_dict(file.meta.get("settings", {}))
        model = cls._made_for(posterior.compiled.source, posterior.words, settings)
        model.posterior, model.knowledge = posterior, posterior.knowledge
        model._signature = Signature.parse(file.meta["signature"])
        model.choice = Choice.from_dict(file.meta["choice"]) if "choice" in file.meta else None
        needed = {
            n: s for n, s in file.sections.items() if n in ("words", "counts") or n.startswith(("chain.", "trace."))
        }
        model._file = replace(file, sections=needed)
        return model
