"""Chains of a Pitman-Yor sampler over n-grams: what they collect, their traces, and the state that a checkpoint holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from binyan.errors import ModelFileError, SettingsError
from binyan.sampling import Schedule, r_hat

Arrays = dict[str, NDArray[Any]]


class Chain(Protocol):
    """One chain of the native core. Its `state` is all that the next step depends on."""

    @property
    def hyperparameters(self) -> list[tuple[float, float]]:
        """(discount, strength) of each level of restaurants."""

    def initialise(self, sequential: bool) -> float:
        """Seat all customers."""

    def step(self) -> float:
        """A sweep and an update of the hyperparameters; returns the log-likelihood."""

    def state(self) -> dict[str, Any]:
        """The checkpoint."""

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of `state`."""

    def sample_rows(self) -> dict[str, Any]:
        """Rows of the arrays that `collect` fills, by name."""

    def collect(self, samples: dict[str, Any], column: int) -> None:
        """Write what prediction needs of the present sample into a column of `samples`."""


class Chains:
    """The chains of one model and what they have collected.

    `make(chain)` gives the empty native chain of that number. `numbers` are the chains of the schedule that are here: all,
    unless others are sampled elsewhere.
    """

    def __init__(self, make: Callable[[int], Chain], schedule: Schedule, numbers: Sequence[int] | None = None) -> None:
        self.schedule = schedule
        self.numbers = tuple(range(schedule.chains) if numbers is None else numbers)
        self.chains = [make(i) for i in self.numbers]
        self.traces: list[list[list[float]]] = [[] for _ in self.chains]
        rows = self.chains[0].sample_rows()
        columns = len(self.chains) * schedule.collected
        # A column that was not collected yet is not a number: it cannot be taken for a probability.
        self.samples: Arrays = {name: np.full((n, columns), np.nan, np.float32) for name, n in rows.items()}

    def advance(self, i: int) -> None:
        """One sweep of a chain; the first seats all customers before it."""
        chain, trace = self.chains[i], self.traces[i]
        if not trace:
            chain.initialise(self.schedule.is_sequential)
        figures = [chain.step()]
        for pair in chain.hyperparameters:
            figures.extend(pair)
        if len(trace) + 1 in self.schedule.kept_sweeps:
            column = i * self.schedule.collected + self.schedule.kept_sweeps.index(len(trace) + 1)
            chain.collect(self.samples, column)
        trace.append(figures)

    @property
    def sweeps(self) -> int:
        """Sweeps that all chains have done."""
        return min(len(trace) for trace in self.traces)

    @property
    def log_likelihoods(self) -> list[list[float]]:
        """The log-likelihood after each sweep, by chain."""
        return [[figures[0] for figures in trace] for trace in self.traces]

    @property
    def r_hat(self) -> float:
        """R-hat of the log-likelihood over the sweeps after burn-in."""
        return r_hat([chain[self.schedule.burned :] for chain in self.log_likelihoods])

    def predictive(self) -> Arrays:
        """The collected samples; before there are any, the present state of each chain."""
        collected = sum(s <= self.sweeps for s in self.schedule.kept_sweeps)
        if collected:
            columns = [i * self.schedule.collected + j for i in range(len(self.chains)) for j in range(collected)]
            whole = collected == self.schedule.collected
            samples = (
                self.samples if whole else {n: np.ascontiguousarray(s[:, columns]) for n, s in self.samples.items()}
            )
            if any(np.isnan(rows).any() for rows in samples.values()):
                raise ModelFileError("a sample that the schedule asks for was never collected: train again")
            return samples
        if self.sweeps == 0:
            raise ModelFileError("training was stopped before every chain had begun: resume it before using the model")
        return self._now(self.chains)

    @property
    def has_lost_samples(self) -> bool:
        """Whether samples that were collected are not here: a finished model that holds their mean does not keep them."""
        collected = sum(s <= self.sweeps for s in self.schedule.kept_sweeps)
        return collected > 0 and bool(np.isnan(next(iter(self.samples.values()))[:1]).any())

    def last_sample(self) -> Arrays:
        """The present state of the last chain as a sample; where its sampling is done, the last that it collected."""
        return self._now(self.chains[-1:])

    def _now(self, chains: Sequence[Chain]) -> Arrays:
        now = {name: np.zeros((len(rows), len(chains)), np.float32) for name, rows in self.samples.items()}
        for i, chain in enumerate(chains):
            chain.collect(now, i)
        return now

    def sections(self, numbers: Collection[int] | None = None, with_samples: bool = True) -> Arrays:
        """All of it, or some chains, for a model file; without samples only chains that have done all sweeps can be resumed."""
        places = self._places(numbers)
        columns = [place * self.schedule.collected + j for place in places for j in range(self.schedule.collected)]
        whole = len(places) == len(self.chains)
        samples = self.samples if with_samples else {}
        result: Arrays = {f"samples.{name}": rows if whole else rows[:, columns] for name, rows in samples.items()}
        for place in places:
            prefix, trace = f"chain.{self.numbers[place]}.", self.traces[place]
            result[f"{prefix}trace"] = np.array(trace, np.float64)
            if trace:
                result |= {f"{prefix}{name}": array for name, array in self.chains[place].state().items()}
        return result

    def restore(self, sections: Mapping[str, Any], schedule: Schedule, numbers: Collection[int] | None = None) -> None:
        """Take up the chains, or those of `numbers`, that `sections` describe.

        They were made under `schedule`, which differs from ours in sweeps at most.
        """
        places = self._places(numbers)
        for place in places:
            prefix = f"chain.{self.numbers[place]}."
            own = {name[len(prefix) :]: array for name, array in sections.items() if name.startswith(prefix)}
            if "trace" not in own:
                raise ModelFileError("the model was saved without its chains: training cannot be resumed from it")
            self.traces[place] = own.pop("trace").tolist()
            if self.traces[place]:
                self.chains[place].restore(own)
        for row, place in enumerate(places):
            self._take_samples(place, row, sections, schedule)

    def _take_samples(self, place: int, row: int, sections: Mapping[str, Any], schedule: Schedule) -> None:
        """The samples that a chain, the `row`-th of those in `sections`, has collected under `schedule`; a finished model may have none.

        A sweep that ours collects as well keeps its sample. One that the chain has passed without collecting is lost: refused.
        """
        done = len(self.traces[place])
        if schedule == self.schedule and not any(name.startswith("samples.") for name in sections):
            return
        for j, sweep in enumerate(self.schedule.kept_sweeps):
            if sweep > done:
                continue
            if sweep not in schedule.kept_sweeps:
                raise SettingsError(
                    f"chain {self.numbers[place]} has done {done} sweeps, but samples are to be taken after sweeps "
                    f"{', '.join(map(str, self.schedule.kept_sweeps))}: set a later burn-in or more sweeps"
                )
            stored = row * schedule.collected + schedule.kept_sweeps.index(sweep)
            for name, columns in self.samples.items():
                columns[:, place * self.schedule.collected + j] = sections[f"samples.{name}"][:, stored]

    def _places(self, numbers: Collection[int] | None) -> list[int]:
        return [place for place, number in enumerate(self.numbers) if numbers is None or number in numbers]
