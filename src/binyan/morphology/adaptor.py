"""Learning morphology: adaptor grammars sampled by word-wise Metropolis-Hastings (thesis, chapter 5).

`AdaptorSampler` holds what never changes (grammar, words, forests). `init` gives the state of a chain, `step` moves it by
one sweep, `run` moves all chains to the end of the schedule, `freeze` gives the Segmenter.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core, model_file
from binyan.errors import InputError
from binyan.grammar.compiled import Compiled
from binyan.grammar.rules import Grammar
from binyan.morphology.segmenter import Segmenter, Snapshot
from binyan.morphology.settings import Settings
from binyan.morphology.word_list import WordList
from binyan.progress import ProgressOption
from binyan.sampling import r_hat, run_chains
from binyan.signature import Signature


@dataclass(frozen=True)
class SweepFigures:
    """What a sweep did. `log_joint` is log P(trees, seats | a, b) + log P(a, b); rates are of word proposals."""

    sweep: int
    log_joint: float
    acceptance: float
    changed: float
    tables: dict[str, int]

    COLUMNS = ("log_joint", "acceptance", "changed")


@dataclass
class ChainState:
    """All that the next sweep of a chain depends on, and what it has collected."""

    number: int
    core: _core.Chain
    samples: _core.Samples
    snapshots: list[Snapshot] = field(default_factory=list)
    trace: list[list[float]] = field(default_factory=list)
    """After each sweep: log joint, acceptance, changed, then a, b, customers and tables of each adapted symbol."""

    @property
    def sweeps(self) -> int:
        """Sweeps done."""
        return len(self.trace)


class AdaptorSampler:
    """A grammar and a word list, ready to be sampled.

    Words that the grammar cannot derive are listed in `unparsable`; they are left out or refused as the settings say.
    """

    def __init__(self, grammar: Grammar, words: WordList, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.words = words
        self.compiled = Compiled(grammar, words.alphabet)
        encoded = [self.compiled.encode(words.atoms(word)) for word in words.words]
        self._forests = _core.WordForests(
            self.compiled.core, [numbers or [] for numbers in encoded], self.settings.memory_mb << 20
        )
        self.unparsable = tuple(
            word for i, word in enumerate(words.words) if encoded[i] is None or not self._forests.parses(i)
        )
        self._report_unparsable()
        self.states: list[ChainState] = []

    def _report_unparsable(self) -> None:
        if not self.unparsable:
            return
        shown = ", ".join(self.unparsable[:5]) + (", ..." if len(self.unparsable) > 5 else "")
        message = (
            f"{len(self.unparsable)} of {len(self.words)} words cannot be derived by the grammar "
            f"{self.compiled.grammar.name}: {shown}"
        )
        if self.settings.unparsable == "refuse" or len(self.unparsable) == len(self.words):
            raise InputError(f"{message}; change the grammar, or leave such words out")
        warnings.warn(f"{message}; they are left out", stacklevel=3)

    @property
    def memory_mb(self) -> float:
        """What the forests take, which all chains share."""
        return float(self._forests.bytes) / 2**20

    def empty(self, chain: int) -> ChainState:
        """The state of a chain before its first trees."""
        core = _core.Chain(self._forests, self.compiled.adaptors(), self.settings.seed, chain)
        return ChainState(chain, core, _core.Samples())

    def init(self, chain: int = 0) -> ChainState:
        """The first state of a chain: every word has a tree."""
        state = self.empty(chain)
        state.core.initialise(self.settings.initialisation == "incremental")
        return state

    def step(self, state: ChainState) -> SweepFigures:
        """One sweep over all words, then over the hyperparameters; collects what the settings ask for."""
        sweep = state.sweeps + 1
        info = state.core.sweep(self.settings.temperature(sweep), self.settings.relabels(sweep), True)
        log_joint = state.core.log_joint + state.core.log_hyperprior
        rates = [info.accepted / max(info.proposals, 1), info.changed / max(info.proposals, 1)]
        adaptors = state.core.adaptors
        if sweep in self.settings.kept_sweeps:
            state.samples.add(state.core)
        if sweep in self.settings.snapshot_sweeps:
            state.snapshots.append(Snapshot.of(state.core))
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
        """All chains to the end of the schedule, each in a thread; `checkpoint` is called every `seconds`, at the end,
        and on Ctrl-C. The result does not depend on the number of threads.

        With the address of a Dask `scheduler` its workers sample, a chain each, to the same result; `checkpoint` is then
        called whenever a chain is done.
        """
        if not self.states:
            self.states = [self.empty(i) for i in range(self.settings.chains)]
        run_chains(
            self, progress=progress, threads=threads, checkpoint=checkpoint, seconds=seconds, scheduler=scheduler
        )

    figure = "log_joint"

    @property
    def traces(self) -> list[list[list[float]]]:
        """The figures after each sweep of each chain (see `trace_columns`)."""
        return [state.trace for state in self.states]

    @property
    def total_sweeps(self) -> int:
        """Sweeps of each chain when sampling is done."""
        return self.settings.sweeps

    def chain_to_bytes(self, chain: int) -> bytes:
        """All that sampling one chain elsewhere needs."""
        from binyan.morphology.storage import chain_to_bytes

        return chain_to_bytes(self, self.states[chain])

    def take_chain(self, chain: int, data: bytes) -> None:
        """Take up a chain that `sample_chain` has sampled."""
        from binyan.morphology.storage import restored_chain

        self.states[chain] = restored_chain(self, model_file.from_bytes(data), self.states[chain].number)

    @staticmethod
    def sample_chain(job: bytes) -> bytes:
        """The chain of `chain_to_bytes`, sampled to the end of its schedule."""
        from binyan.morphology.storage import KIND, chain_from_bytes, chain_sections

        sampler = chain_from_bytes(job)
        sampler.run(progress=False)
        return model_file.to_bytes(KIND, {}, chain_sections(sampler.states[0]))

    def advance(self, chain: int) -> None:
        """One sweep of a chain, which has its first trees before it."""
        state = self.states[chain]
        if state.sweeps == 0:
            state.core.initialise(self.settings.initialisation == "incremental")
        self.step(state)

    @property
    def sweeps(self) -> int:
        """Sweeps that all chains have done."""
        return min((state.sweeps for state in self.states), default=0)

    @property
    def trace_tables(self) -> list[NDArray[np.float64]]:
        """The trace of each chain, one row per sweep (see `trace_columns`)."""
        return [
            np.array(state.trace, np.float64).reshape(state.sweeps, -1 if state.trace else 0) for state in self.states
        ]

    @property
    def trace_columns(self) -> list[str]:
        """The names of the columns of `traces`."""
        of_symbols = [f"{x} {s}" for s in self.compiled.adapted_symbols for x in ("a", "b", "customers", "tables")]
        return [*SweepFigures.COLUMNS, *of_symbols]

    @property
    def r_hat(self) -> dict[str, float]:
        """R-hat after burn-in of the log joint probability and of the tables of each adapted symbol."""
        traces = [trace[self.settings.burned :] for trace in self.trace_tables]
        columns = [(i, name) for i, name in enumerate(self.trace_columns) if name.startswith(("log_joint", "tables"))]
        return {name: r_hat([trace[:, i].tolist() for trace in traces if len(trace)]) for i, name in columns}

    def agreement(self) -> float:
        """The share of words whose most frequent tree is the same in every chain; 1 for a single chain."""
        places = range(len(self.words))
        best = [[found[0][0] if (found := state.samples.of(i)) else None for i in places] for state in self.states]
        same = sum(all(tree == trees[0] for tree in trees) for trees in zip(*best, strict=True))
        return same / max(len(self.words), 1)

    @property
    def signature(self) -> Signature:
        """How the samples were made."""
        s = self.settings
        made = {
            "model": "adaptor-grammar",
            "grammar": self.compiled.grammar.name,
            "words": self.words.digest,
            "sweeps": self.sweeps,
            "burn-in": s.burned,
            "thin": s.thin,
            "chains": s.chains,
            "init": s.initialisation,
            "relabel": s.relabel or None,
            "anneal": f"{s.anneal_from:g}/{s.anneal_sweeps}" if s.anneal_sweeps else None,
            "seed": s.seed,
        }
        return Signature({name: value for name, value in made.items() if value is not None})

    def freeze(self) -> Segmenter:
        """The model as it is now, which analyses known and new words. Before anything was collected, the present trees."""
        samples = _core.Samples()
        snapshots: list[Snapshot] = []
        for state in self.states:
            samples.merge(state.samples)
            snapshots += state.snapshots
        if samples.kept == 0:
            if self.sweeps == 0:
                raise InputError("nothing was learnt yet: run the sampler before freezing it")
            for state in self.states:
                samples.add(state.core)
        snapshots = snapshots or [Snapshot.of(state.core) for state in self.states]
        return Segmenter(self.compiled, self.words, samples, snapshots, str(self.signature), self.unparsable)


def learn(
    words: WordList, grammar: Grammar, progress: ProgressOption = False, threads: int | None = None, **settings: Any
) -> Segmenter:
    """Learn from a word list and freeze: `learn(WordList.read("words.txt"), load_grammar("tpl+t4"), sweeps=200)`."""
    sampler = AdaptorSampler(grammar, words, Settings(**settings))
    sampler.run(progress, threads)
    return sampler.freeze()
