"""How an adaptor grammar is sampled, and what its words are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from binyan.errors import SettingsError
from binyan.sampling import ChainSettings
from binyan.settings import Settings, setting
from binyan.text.atoms import Unit

AUTO = "auto"
"""Instead of a grammar: it is chosen by how well candidates predict words that are held back."""

DEFAULT_GRAMMAR = AUTO


@dataclass(frozen=True)
class WordSettings(Settings):
    """What words are made of."""

    unit: Unit = setting("grapheme", "Atoms of words: grapheme or codepoint.")

    def __post_init__(self) -> None:
        if self.unit not in ("grapheme", "codepoint"):
            raise SettingsError(f"atoms are of unit 'grapheme' or 'codepoint', not {self.unit!r}")


@dataclass(frozen=True)
class MorphologySettings(ChainSettings):
    """How the posterior is sampled. The thesis: 1000 sweeps, the trees of the last 100 collected.

    After `burn_in` sweeps the trees of every `thin`-th sweep are collected. `snapshots` states of the grammar, spread over the
    collected sweeps and chains, are kept to analyse new words with. `initialisation`: "batch" draws all first trees from the base
    grammar, "sequential" each given the words before it, so that their order matters. In the first `relabel` sweeps the trees in
    the caches are resampled, too (-1: in all): all words that use a stem change its analysis together, which no step of a single
    word does. Johnson and Goldwater (2009) found both to reach higher probabilities; the thesis did the first only. The temperature
    falls geometrically from `anneal_from` to 1 over `anneal_sweeps`.

    >>> MorphologySettings(sweeps=100, burn_in=90, thin=5).kept_sweeps
    (95, 100)
    """

    initialisations: ClassVar[tuple[str, ...]] = ("batch", "sequential")
    other_initialisations: ClassVar[dict[str, str]] = {"incremental": "sequential"}

    sweeps: int = setting(1000, "Sweeps over all words.", metavar="N")
    burn_in: int | None = setting(
        None, "Sweeps before trees are collected; by default nine tenths of them.", metavar="N"
    )
    chains: int = setting(2, "Independent chains, each in a thread.", metavar="N")
    initialisation: str = setting(
        "batch", "First trees: batch (all from the base grammar) or sequential (each given the words before it)."
    )
    thin: int = setting(1, "Collect the trees of every N-th sweep after burn-in.", metavar="N")
    relabel: int = setting(-1, "Resample cached trees in the first N sweeps; -1: in all.", metavar="N")
    anneal_from: float = setting(1.0, "First temperature.", metavar="T")
    anneal_sweeps: int = setting(0, "Sweeps until the temperature is 1.", metavar="N")
    snapshots: int = setting(10, "States of the grammar kept to analyse new words with.", metavar="N")
    memory_mb: int = setting(
        4096, "Maximum memory; larger runs are refused before they start.", option="--memory", metavar="MB"
    )
    unparsable: str = setting("skip", "Words that the grammar cannot derive: skip or refuse.")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_positive("thin", "snapshots", "memory_mb")
        if not self.kept_sweeps:
            raise SettingsError(f"thinning by {self.thin} leaves no sample of {self.sweeps - self.burned} sweeps")
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
