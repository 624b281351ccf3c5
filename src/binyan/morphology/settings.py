"""How an adaptor grammar is sampled, and what its words are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from binyan.errors import SettingsError
from binyan.files import PathLike
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
    list_format: str = setting("auto", "Format of the list: auto, words, csv, tsv, unimorph, sfm, hex or yld.")
    column: str | None = setting(
        None, "Column of the table that has the words: its name or number; for sfm, the marker.", metavar="NAME"
    )
    profile: PathLike | None = setting(
        None, "Orthography profile: one letter per line, or a table with the column Grapheme.", metavar="F"
    )
    digraphs: str | None = setting(
        None, "Strings that count as one letter, e.g. sh,ch; or auto (found in the words).", metavar="LIST"
    )
    syllables: bool = setting(False, "Take Ethiopic and Hangul syllables apart into consonants and vowels.")
    tones: bool = setting(False, "Treat tone marks as separate letters, for grammars with a tier of tones.")

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
    word does. As many words as `joint` times all of them are drawn in families as well: words that share a string are taken out and
    drawn again one after the other, so that they can leave an analysis that each of them would find again in the others. `joint_trees` does the same with trees
    in the caches, such as sequences of affixes: all of them take a suffix apart or put it together. Johnson and Goldwater (2009) found both to reach higher probabilities; the thesis did the first only. With
    `sum_out_seats`, a and b of an adapted symbol are drawn given how many customers and tables each cached tree has, but not how many customers sit at
    which table: this is then drawn again. The temperature
    falls geometrically from `anneal_from` to 1 over `anneal_sweeps`. With `until`, burn-in ends as soon as the chains agree on that
    share of the words and agreement has stopped moving; as many sweeps as are then a tenth of all are collected.

    >>> MorphologySettings(sweeps=100, burn_in=90, thin=5).kept_sweeps
    (95, 100)
    """

    initialisations: ClassVar[tuple[str, ...]] = ("batch", "sequential")
    other_initialisations: ClassVar[dict[str, str]] = {"incremental": "sequential"}

    sweeps: int = setting(1000, "Sweeps over all words.", metavar="N")
    burn_in: int | None = setting(
        None, "Sweeps before trees are collected; by default nine tenths of all sweeps.", metavar="N"
    )
    chains: int = setting(2, "Independent chains, each in a thread.", metavar="N")
    initialisation: str = setting(
        "batch", "First trees: batch (all from the base grammar) or sequential (each given the words before it)."
    )
    until: float | None = setting(
        None,
        "Stop when the chains agree on this share of the words (e.g. 0.95) and this is stable; at the latest after --sweeps.",
        metavar="SHARE",
    )
    thin: int = setting(1, "Collect the trees of every N-th sweep after burn-in.", metavar="N")
    relabel: int = setting(-1, "Resample cached trees in the first N sweeps; -1: in all.", metavar="N")
    joint: float = setting(
        0.5,
        "How many words per sweep are drawn together with others that share a string, as a share of all words; 0: none.",
        metavar="SHARE",
    )
    joint_trees: float = setting(
        0.0,
        "How many cached trees per sweep are drawn together with others that share a part, as a share of all words; 0: none.",
        metavar="SHARE",
    )
    sum_out_seats: bool = setting(
        False, "Draw a and b of adapted symbols with the table sizes summed out; the sizes are then drawn again."
    )
    anneal_from: float = setting(1.0, "Initial temperature of annealing.", metavar="T")
    anneal_sweeps: int = setting(0, "Sweeps until the temperature reaches 1.", metavar="N")
    snapshots: int = setting(10, "States of the grammar kept for analysing new words.", metavar="N")
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
        if self.until is not None and not 0.0 < self.until <= 1.0:
            raise SettingsError(f"chains can agree on a share of words above 0 and up to 1, not {self.until:g}")
        if self.until is not None and self.burn_in is not None:
            raise SettingsError("with until, burn-in ends when the chains agree: leave the burn-in out")
        for share in (self.joint, self.joint_trees):
            if not 0.0 <= share <= 100.0:
                raise SettingsError(f"what is drawn together is a share from 0 to 100 of all words, not {share:g}")
        if self.anneal_from <= 0.0 or self.anneal_sweeps < 0:
            raise SettingsError("annealing starts from a temperature above 0 and lasts 0 sweeps or more")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Settings of a model file. What was learnt before words were drawn together goes on without it."""
        return super().from_dict({"joint": 0.0, **values})

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

    def stopped_at(self, sweep: int | None) -> Self:
        """The settings of a run whose burn-in ended with `sweep`, because its chains agreed; None: these settings."""
        if sweep is None:
            return self
        return replace(self, burn_in=sweep, sweeps=sweep + max(sweep // 9, self.thin), until=None)

    def temperature(self, sweep: int) -> float:
        """The temperature of a sweep, counted from 1."""
        if sweep >= self.anneal_sweeps:
            return 1.0
        return float(self.anneal_from ** (1.0 - sweep / self.anneal_sweeps))

    def relabels(self, sweep: int) -> bool:
        """Whether cached trees are resampled in a sweep, counted from 1."""
        return self.relabel < 0 or sweep <= self.relabel
