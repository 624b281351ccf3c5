"""Sampling an adaptor grammar by word-wise Metropolis-Hastings (thesis, chapter 5).

`AdaptorSampler` holds what never changes (grammar, words, forests). `init` gives the state of a chain, `step` moves it by
one sweep, `run` moves all chains to the end of the schedule.
"""

from __future__ import annotations

import copy
import logging
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core, model_file
from binyan.errors import InputError, ModelFileError, SettingsError
from binyan.grammar.compiled import Compiled
from binyan.grammar.rules import Grammar
from binyan.model_file import ModelFile, Section
from binyan.morphology.chain_state import ChainState, Snapshot, SweepFigures
from binyan.morphology.convergence import Agreement, Convergence, ConvergenceJudge
from binyan.morphology.history import AnalysisHistory, watched_words
from binyan.morphology.knowledge import Knowledge, apply_knowledge
from binyan.morphology.settings import MorphologySettings
from binyan.morphology.storage import KIND, source_contents, source_grammar, source_knowledge, source_words
from binyan.morphology.word_list import WordList
from binyan.progress import ProgressOption
from binyan.sampling import r_hat, run_chains
from binyan.signature import Signature

_LISTED = 5  # words of a message
_LEAST_SWEEPS = 40  # before a run may stop by itself


class AdaptorSampler:
    """A grammar and a word list, ready to be sampled, with what is known beforehand.

    Words that the grammar cannot derive are listed in `unparsable`; they are left out or refused as the settings say. What of
    `knowledge` contradicts itself, the words or the grammar is left out, with a warning unless `quiet`.
    """

    def __init__(
        self,
        grammar: Grammar,
        words: WordList,
        settings: MorphologySettings | None = None,
        knowledge: Knowledge | None = None,
        quiet: bool = False,
    ) -> None:
        self.settings = settings or MorphologySettings()
        self.words = words
        self.knowledge = knowledge or Knowledge()
        self.compiled = Compiled(grammar, words.alphabet)
        encoded = [self.compiled.encode_word(words.atoms(word)) for word in words.words]
        self.applied = apply_knowledge(self.knowledge, self.compiled, words)
        if not quiet:
            self.applied.report()
        self._forests = _core.WordForests(
            self.compiled.core,
            [numbers or [] for numbers in encoded],
            self.settings.memory_mb << 20,
            self.applied.labels,
            self.applied.evidence,
            [seed.numbers for seed in self.applied.seeds if seed.copies],
            self.applied.shared_stems,
        )
        self.unparsable = tuple(
            word for i, word in enumerate(words.words) if encoded[i] is None or not self._forests.parses(i)
        )
        if not quiet:
            self._report_unparsable()
        unparsable = frozenset(self.unparsable)
        self._watched = watched_words([i for i, word in enumerate(words.words) if word not in unparsable])
        self._judge = ConvergenceJudge(self.compiled, words)
        self.states: list[ChainState] = []
        self.stopped: int | None = None
        """With `until`: the sweep after which the chains agreed, so that burn-in ended."""

    def _report_unparsable(self) -> None:
        if not self.unparsable:
            return
        some = ", ".join(self.unparsable[:_LISTED]) + (", ..." if len(self.unparsable) > _LISTED else "")
        message = (
            f"{len(self.unparsable)} of {len(self.words)} words cannot be derived by the grammar "
            f"{self.compiled.grammar.name}: {some}"
        )
        if self.settings.unparsable == "refuse" or len(self.unparsable) == len(self.words):
            raise InputError(f"{message}; change the grammar, or leave such words out")
        warnings.warn(f"{message}; they are left out", stacklevel=3)

    @property
    def memory_mb(self) -> float:
        """What the forests take, which all chains share."""
        return float(self._forests.bytes) / 2**20

    # Chains.

    def empty(self, chain: int, adaptors: Sequence[Any] | None = None) -> ChainState:
        """The state of a chain before its first trees; with `adaptors`, its hyperparameters are other ones than at first."""
        core = _core.Chain(self._forests, adaptors or self.compiled.adaptors(), self.settings.seed, chain)
        return ChainState(chain, core, _core.Samples(), history=AnalysisHistory(self._watched))

    def init(self, chain: int = 0) -> ChainState:
        """The first state of a chain: every word has a tree."""
        state = self.empty(chain)
        state.core.initialise(self.settings.is_sequential, _let_interrupts_in)
        return state

    def step(self, state: ChainState) -> SweepFigures:
        """One sweep over all words, then over the hyperparameters; collects what the settings ask for."""
        sweep = state.sweeps + 1
        info = state.core.sweep(
            self.settings.temperature(sweep),
            self.settings.relabels(sweep),
            True,
            self.settings.joint,
            self.settings.joint_trees,
            self.settings.sum_out_seats,
        )
        log_joint = state.core.log_joint + state.core.log_hyperprior
        rates = [info.accepted / max(info.proposals, 1), info.changed / max(info.proposals, 1)]
        adaptors = state.core.adaptors
        if sweep in self.schedule.kept_sweeps:
            state.samples.add(state.core)
        if sweep in self.schedule.snapshot_sweeps:
            state.snapshots.append(Snapshot.of(state.core))
        state.history.note(sweep, state.core)
        state.trace.append([log_joint, *rates, *(float(x) for adaptor in adaptors for x in adaptor)])
        tables = {s: m for s, (_, _, _, m) in zip(self.compiled.adapted_symbols, adaptors, strict=True)}
        return SweepFigures(sweep, log_joint, rates[0], rates[1], tables)

    def run(
        self,
        progress: ProgressOption = None,
        threads: int | None = None,
        checkpoint: Callable[[], None] | None = None,
        seconds: float = 60.0,
        scheduler: str | None = None,
    ) -> None:
        """All chains to the end of the schedule, as `binyan.sampling.run_chains` does."""
        if self.settings.until is not None and scheduler is not None:
            raise SettingsError("chains on a cluster do not see one another: leave until or the scheduler out")
        if not self.states:
            self.states = [self.empty(i) for i in range(self.settings.chains)]
        logging.getLogger("binyan").log(
            logging.DEBUG if progress is False else logging.INFO,
            "%s words, %s MB for their analyses",
            f"{len(self.words):,}",
            f"{self.memory_mb:,.0f}",
        )
        run_chains(
            self, progress=progress, threads=threads, checkpoint=checkpoint, seconds=seconds, scheduler=scheduler
        )

    # What the loop over chains asks for.

    figure = "log_joint"

    @property
    def traces(self) -> list[list[list[float]]]:
        """The figures after each sweep of each chain (see `trace_columns`)."""
        return [state.trace for state in self.states]

    @property
    def schedule(self) -> MorphologySettings:
        """The settings, with the end of burn-in and of the run where the chains have agreed before."""
        return self.settings.stopped_at(self.stopped)

    @property
    def total_sweeps(self) -> int:
        """Sweeps of each chain when sampling is done."""
        return self.schedule.sweeps

    def round_done(self) -> None:
        """All chains have done the same number of sweeps: does burn-in end here?"""
        least, sweep = self.settings.until, self.sweeps
        if least is None or self.stopped is not None or not _LEAST_SWEEPS <= sweep <= self.settings.burned:
            return
        if all(state.history.sweeps[-1:] == [sweep] for state in self.states):
            convergence = self.convergence()
            if convergence is not None and convergence.is_stable(least):
                self.stopped = sweep

    def advance(self, chain: int) -> None:
        """One sweep of a chain, which has its first trees before it."""
        state = self.states[chain]
        if state.sweeps == 0 and not state.begun:
            state.core.initialise(self.settings.is_sequential, _let_interrupts_in)
        self.step(state)

    def chain_to_bytes(self, chain: int) -> bytes:
        """All that sampling one chain elsewhere needs."""
        meta, sections = source_contents(self.compiled, self.words, self.knowledge)
        state = self.states[chain]
        meta |= {"settings": self.settings.to_dict(), "chain": state.number}
        return model_file.to_bytes(KIND, meta, sections | state.sections())

    def take_chain(self, chain: int, data: bytes) -> None:
        """Take up a chain that `sample_chain` has sampled."""
        state = self.empty(self.states[chain].number)
        state.restore(model_file.from_bytes(data), self.compiled.core, rules=len(self.compiled.grammar.rules))
        self.states[chain] = state

    @staticmethod
    def sample_chain(job: bytes) -> bytes:
        """The chain of `chain_to_bytes`, sampled to the end of its schedule."""
        file = model_file.from_bytes(job)
        sampler = AdaptorSampler.from_file(file, chains=[file.meta["chain"]])
        sampler.run(progress=False)
        return model_file.to_bytes(KIND, {}, sampler.states[0].sections())

    # Checkpoints.

    def contents(self) -> tuple[dict[str, Any], dict[str, Section]]:
        """Settings and sections of the chains for a model file: `from_file` resumes them bit for bit."""
        meta = {"settings": self.settings.to_dict(), "sweeps": self.sweeps, "r_hat": self.r_hat}
        if self.stopped is not None:
            meta["stopped"] = self.stopped
        sections: dict[str, Section] = {}
        for state in self.states:
            sections |= state.sections()
        return meta, sections

    @classmethod
    def from_file(
        cls,
        file: ModelFile,
        settings: MorphologySettings | None = None,
        chains: Sequence[int] | None = None,
        grammar: Grammar | None = None,
    ) -> AdaptorSampler:
        """The sampler of a model file with chains, or with those of `chains`.

        `settings` may ask for more sweeps than before; with a burn-in beyond the sweeps done, what was collected so far is dropped.
        `grammar` is one with the same rules, to take the place of the file's.
        """
        if not any(name.startswith("chain.") and name.endswith(".trace") for name in file.sections):
            raise ModelFileError(
                f"{file.path}: the model was saved without its chains: learning cannot be resumed from it"
            )
        old = MorphologySettings.from_dict(file.meta["settings"])
        new = settings or old
        if "joint" not in file.meta["settings"]:  # begun before words were drawn together: goes on as it was
            new = replace(new, joint=0.0)
        for name in ("seed", "chains", "initialisation", "unparsable"):
            if getattr(new, name) != getattr(old, name):
                raise SettingsError(
                    f"{file.path}: {name} was {getattr(old, name)} when learning began and cannot become {getattr(new, name)}"
                )
        _check_sweeps_done(file, old, new)
        sampler = cls(grammar or source_grammar(file), source_words(file), new, source_knowledge(file), quiet=True)
        stopped = file.meta.get("stopped")
        if stopped is not None and new.until == old.until and stopped <= new.burned:
            sampler.stopped = stopped
        for number in range(new.chains) if chains is None else chains:
            state = sampler.empty(number)
            keep = _keeps_collected(file, old.stopped_at(stopped), sampler.schedule, number)
            state.restore(file, sampler.compiled.core, keep, len(sampler.compiled.grammar.rules))
            sampler.states.append(state)
        return sampler

    # Figures.

    @property
    def sweeps(self) -> int:
        """Sweeps that all chains have done."""
        return min((state.sweeps for state in self.states), default=0)

    @property
    def trace_tables(self) -> list[NDArray[np.float64]]:
        """The trace of each chain, one row per sweep (see `trace_columns`)."""
        return [state.trace_table for state in self.states]

    @property
    def r_hat(self) -> dict[str, float]:
        """R-hat after burn-in of the log joint probability and of the tables of each adapted symbol."""
        traces = [trace[self.schedule.burned :] for trace in self.trace_tables]
        columns = [
            (i, name) for i, name in enumerate(trace_columns(self.compiled)) if name.startswith(("log_joint", "tables"))
        ]
        return {name: r_hat([trace[:, i].tolist() for trace in traces if len(trace)]) for i, name in columns}

    def agreement(self) -> float:
        """The share of words whose most frequent tree is the same in every chain; 1 for a single chain."""
        places = range(len(self.words))
        best = [[trees[0][0] if (trees := state.samples.of(i)) else None for i in places] for state in self.states]
        same = sum(all(tree == trees[0] for tree in trees) for trees in zip(*best, strict=True))
        return same / max(len(self.words), 1)

    def only(self, chain: int) -> AdaptorSampler:
        """A sampler with one of the chains, counted from 0, alone."""
        if not 0 <= chain < len(self.states):
            raise SettingsError(f"there are {len(self.states)} chains, counted from 0: there is no chain {chain}")
        alone = copy.copy(self)
        alone.states = [self.states[chain]]
        alone.settings = replace(self.schedule, chains=1)
        return alone

    def convergence(self) -> Convergence | None:
        """How far the chains agree on words and lexicon entries, and whether that still moves; None after too few sweeps."""
        return self._judge.judge([state.history for state in self.states], self.sweeps)

    def agreement_trace(self) -> list[Agreement]:
        """How the agreement of the chains moved over the last three quarters of the sweeps."""
        return self._judge.trace([state.history for state in self.states], self.sweeps)

    def signature(self) -> Signature:
        """How the samples were made."""
        s = self.schedule
        fields = {
            "model": "adaptor-grammar",
            "grammar": self.compiled.grammar.name,
            "words": self.words.digest,
            "known": self.knowledge.signature,
            "sweeps": self.sweeps,
            "burn-in": s.burned,
            "until": self.settings.until,
            "thin": s.thin,
            "chains": s.chains,
            "init": s.initialisation,
            "relabel": s.relabel or None,
            "joint": s.joint or None,
            "joint-trees": s.joint_trees or None,
            "sum-out-seats": s.sum_out_seats or None,
            "anneal": f"{s.anneal_from:g}/{s.anneal_sweeps}" if s.anneal_sweeps else None,
            "seed": s.seed,
        }
        return Signature().extended(**fields)


def _let_interrupts_in() -> None:
    """Called by the core now and then: Python raises KeyboardInterrupt here."""


def trace_columns(compiled: Compiled) -> list[str]:
    """The names of the columns of a trace."""
    of_symbols = [f"{x} {s}" for s in compiled.adapted_symbols for x in ("a", "b", "customers", "tables")]
    return [*SweepFigures.COLUMNS, *of_symbols]


def _check_sweeps_done(file: ModelFile, old: MorphologySettings, new: MorphologySettings) -> None:
    """Refuse settings under which a sweep that is done would have been another."""
    done = range(1, 1 + max(len(file.array(f"chain.{i}.trace")) for i in range(old.chains) if _has_chain(file, i)))
    for sweep in done:
        if _moves(old, sweep) != _moves(new, sweep):
            raise SettingsError(
                f"{file.path}: sweep {sweep} was done with other settings of annealing, relabelling, joint moves or seats; learn without resuming, or "
                "give the same settings"
            )


def _moves(settings: MorphologySettings, sweep: int) -> tuple[float, bool, float, float, bool]:
    s = settings
    return s.temperature(sweep), s.relabels(sweep), s.joint, s.joint_trees, s.sum_out_seats


def _has_chain(file: ModelFile, chain: int) -> bool:
    return f"chain.{chain}.trace" in file.sections


def _keeps_collected(file: ModelFile, old: MorphologySettings, new: MorphologySettings, chain: int) -> bool:
    """Whether what a chain has collected stays. Samples of sweeps that were not collected cannot be had any more."""
    done = len(file.array(f"chain.{chain}.trace"))
    collected, required = ({s for s in x.kept_sweeps if s <= done} for x in (old, new))
    if required and required != collected:
        raise SettingsError(
            f"{file.path}: {done} sweeps are done; samples of other sweeps than those collected cannot be had any more: "
            f"set a burn-in of {done} or more"
        )
    return bool(required)
