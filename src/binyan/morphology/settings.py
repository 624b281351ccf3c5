"""How an adaptor grammar is sampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from binyan.errors import SettingsError


@dataclass(frozen=True)
class Settings:
    """How the posterior is sampled. The thesis: 1000 sweeps, the trees of the last 100 collected.

    `thin`: collect every so many sweeps after `burn_in` (90 per cent of the sweeps, if None). `snapshots`: how many states
    of the grammar, spread over the collected sweeps and chains, are kept to analyse new words with. `initialisation`:
    "batch" draws all first trees from the base grammar, "incremental" each given the words before it, so that their order
    matters. `relabel`: in so many first sweeps the trees in the caches are resampled, too (-1: in all): all words that use a
    stem change its analysis together, which no step of a single word does. Johnson and Goldwater (2009) found both to
    reach higher probabilities; the thesis did the first only. `anneal_from`: the first temperature, lowered geometrically
    to 1 over `anneal_sweeps`. `unparsable`: what to do with words the grammar cannot derive.

    >>> Settings(sweeps=100, burn_in=90, thin=5).kept_sweeps
    (95, 100)
    """

    sweeps: int = 1000
    burn_in: int | None = None
    thin: int = 1
    chains: int = 1
    seed: int = 1
    snapshots: int = 10
    initialisation: Literal["incremental", "batch"] = "batch"
    relabel: int = -1
    anneal_from: float = 1.0
    anneal_sweeps: int = 0
    memory_mb: int = 4096
    unparsable: Literal["skip", "refuse"] = "skip"

    def __post_init__(self) -> None:
        for name in ("sweeps", "thin", "chains", "snapshots", "memory_mb"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name.replace('_', ' ')} is 1 or more, not {getattr(self, name)}")
        if not 0 <= self.burned < self.sweeps:
            raise SettingsError(f"burn-in is below the {self.sweeps} sweeps, not {self.burn_in}")
        if not self.kept_sweeps:
            raise SettingsError(f"thinning by {self.thin} leaves no sample of {self.sweeps - self.burned} sweeps")
        if self.initialisation not in ("incremental", "batch"):
            raise SettingsError(f"initialisation is incremental or batch, not {self.initialisation!r}")
        if self.unparsable not in ("skip", "refuse"):
            raise SettingsError(f"unparsable words are skipped (skip) or refused (refuse), not {self.unparsable!r}")
        if self.anneal_from <= 0.0 or self.anneal_sweeps < 0:
            raise SettingsError("annealing starts from a temperature above 0 and lasts 0 sweeps or more")

    @property
    def burned(self) -> int:
        """Sweeps before the first sample can be collected."""
        return self.sweeps * 9 // 10 if self.burn_in is None else self.burn_in

    @property
    def kept_sweeps(self) -> tuple[int, ...]:
        """After which sweeps, counted from 1, the trees are collected."""
        return tuple(range(self.burned + self.thin, self.sweeps + 1, self.thin))

    @property
    def snapshot_sweeps(self) -> frozenset[int]:
        """After which of them the state of the grammar is kept: each chain has its share, the last sweep among them."""
        kept = self.kept_sweeps
        share = min(-(-self.snapshots // self.chains), len(kept))
        return frozenset(kept[len(kept) * (i + 1) // share - 1] for i in range(share))

    def temperature(self, sweep: int) -> float:
        """The temperature of a sweep, counted from 1."""
        if sweep >= self.anneal_sweeps:
            return 1.0
        return float(self.anneal_from ** (1.0 - sweep / self.anneal_sweeps))

    def relabels(self, sweep: int) -> bool:
        """Whether cached trees are resampled in a sweep, counted from 1."""
        return self.relabel < 0 or sweep <= self.relabel

    def to_dict(self) -> dict[str, Any]:
        """As stored in a model file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Settings:
        """The inverse of `to_dict`."""
        return cls(**fields)
