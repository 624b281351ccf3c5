"""When a sampler stops, what it collects, and how it starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from binyan.errors import SettingsError
from binyan.settings import Settings, setting

SAMPLES = 10  # to average, where no number is given and there are as many sweeps


@dataclass(frozen=True)
class ChainSettings(Settings):
    """What all samplers have: chains, their sweeps, how many of these are burn-in, and how chains start."""

    renamed: ClassVar = {"iterations": "sweeps"}
    initialisations: ClassVar[tuple[str, ...]] = ("sequential", "random")
    other_initialisations: ClassVar[dict[str, str]] = {}
    """Earlier names of ways to start."""

    sweeps: int = setting(100, "Sweeps over the data.", metavar="N")
    burn_in: int | None = setting(None, "Sweeps before the first sample; by default half of all sweeps.", metavar="N")
    chains: int = setting(1, "Independent chains, run in parallel.", metavar="N")
    seed: int = setting(1, "Random seed.", metavar="S")
    initialisation: str = setting("sequential", "Initial seating of customers: sequential, or random as in the thesis.")

    def __post_init__(self) -> None:
        modern = self.other_initialisations.get(self.initialisation, self.initialisation)
        object.__setattr__(self, "initialisation", modern)
        self.require_positive("sweeps", "chains")
        if self.initialisation not in self.initialisations:
            raise SettingsError(f"initialisation is {' or '.join(self.initialisations)}, not {self.initialisation!r}")
        if not 0 <= self.burned < self.sweeps:
            raise SettingsError(f"burn-in is below the {self.sweeps} sweeps, not {self.burn_in}")

    def require_positive(self, *names: str) -> None:
        """Raise SettingsError for the first of these settings that is below 1."""
        for name in names:
            if getattr(self, name) < 1:
                raise SettingsError(f"{name.replace('_', ' ')} is 1 or more, not {getattr(self, name)}")

    @property
    def burned(self) -> int:
        """Sweeps before the first sample can be collected."""
        return self.sweeps // 2 if self.burn_in is None else self.burn_in

    @property
    def kept_sweeps(self) -> tuple[int, ...]:
        """After which sweeps, counted from 1, a sample is collected."""
        raise NotImplementedError

    @property
    def is_sequential(self) -> bool:
        """Whether each item is first drawn given those before it."""
        return self.initialisation == "sequential"


@dataclass(frozen=True)
class Schedule(ChainSettings):
    """How a posterior is sampled.

    `sweeps` per chain; after `burn_in` of them, `samples` are collected from each chain, evenly spaced, the last after the last
    sweep. Prediction averages over all collected samples.

    >>> Schedule(sweeps=40, samples=4).kept_sweeps
    (25, 30, 35, 40)
    >>> Schedule(sweeps=40).collected
    10
    """

    samples: int | None = setting(None, "Samples to average, per chain; by default ten.", metavar="N")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.samples is None:
            return
        self.require_positive("samples")
        if self.samples > self.sweeps - self.burned:
            raise SettingsError(
                f"{self.samples} samples do not fit into {self.sweeps - self.burned} sweeps after burn-in"
            )

    @property
    def collected(self) -> int:
        """Samples that each chain collects."""
        return min(SAMPLES, self.sweeps - self.burned) if self.samples is None else self.samples

    @property
    def kept_sweeps(self) -> tuple[int, ...]:
        """After which sweeps, counted from 1, a sample is collected."""
        left = self.sweeps - self.burned
        return tuple(self.burned + left * (i + 1) // self.collected for i in range(self.collected))
