"""Lexica of morphemes: what strings a symbol of a learnt grammar has, and how probable each is (thesis, section 5.8.5)."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from binyan.errors import SettingsError
from binyan.grammar.compiled import Compiled
from binyan.grammar.tree import Tree


class GrammarState(Protocol):
    """A kept state of a grammar (see `chain_state.Snapshot`)."""

    @property
    def trees(self) -> Mapping[str, NDArray[np.uint32]]:
        """Cached trees in arrays."""


class HasTree(Protocol):
    """Anything with a tree."""

    @property
    def tree(self) -> Tree:
        """The tree of a word."""


@dataclass(frozen=True)
class LexiconEntry:
    """A morpheme: the string of each argument (('k','t','b') for a root), its probability, and its uses."""

    strings: tuple[str, ...]
    probability: float
    uses: float

    @property
    def text(self) -> str:
        """The strings, gaps not shown."""
        return "".join(self.strings)


@dataclass(frozen=True, repr=False)
class Lexicon(Sequence[LexiconEntry]):
    """The morphemes of a symbol, most probable first. `signature` says how they were learnt."""

    symbol: str
    entries: tuple[LexiconEntry, ...]
    signature: str = ""

    @overload
    def __getitem__(self, place: int) -> LexiconEntry: ...
    @overload
    def __getitem__(self, place: slice) -> Lexicon: ...
    def __getitem__(self, place: int | slice) -> LexiconEntry | Lexicon:
        if isinstance(place, slice):
            return replace(self, entries=self.entries[place])
        return self.entries[place]

    def __iter__(self) -> Iterator[LexiconEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        some = ", ".join("…".join(entry.strings) for entry in self.entries[:5])
        return f"<Lexicon of {self.symbol}, {len(self):,} entries: {some}{' …' if len(self) > 5 else ''}>"

    def _repr_html_(self) -> str:
        """The most probable entries as a table, for a notebook."""
        rows = "".join(
            f'<tr><td dir="auto">{html.escape("…".join(e.strings))}</td><td>{e.uses:.0f}</td><td>{e.probability:.2%}</td></tr>'
            for e in self.entries[:20]
        )
        more = f"<p>and {len(self) - 20:,} more</p>" if len(self) > 20 else ""
        return (
            f"<table><tr><th>{html.escape(self.symbol)}</th><th>uses</th><th>probability</th></tr>{rows}</table>{more}"
        )

    def __str__(self) -> str:
        """One morpheme per line: its strings joined by a middle dot, its probability, its uses."""
        return "\n".join(f"{'·'.join(e.strings)}\t{e.probability:.6f}\t{e.uses:g}" for e in self.entries)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        entries = [{"strings": e.strings, "probability": e.probability, "uses": e.uses} for e in self.entries]
        return {"category": self.symbol, "entries": entries, "signature": self.signature}

    def probabilities(self) -> dict[str, float]:
        """Text and probability; entries that differ in their gaps only are added."""
        sums: dict[str, float] = {}
        for entry in self.entries:
            sums[entry.text] = sums.get(entry.text, 0.0) + entry.probability
        return sums


def lexicon(
    compiled: Compiled,
    symbol: str,
    states: Sequence[GrammarState],
    best: Callable[[], Iterable[HasTree]],
    signature: str = "",
    beforehand: Mapping[tuple[str, tuple[str, ...]], int] | None = None,
) -> Lexicon:
    """P(string | symbol): the share of the symbol's customers that the string's trees have, averaged over the states.

    The uses that known morphemes count for `beforehand`, by symbol and strings, are left out.

    A symbol that is not adapted has no cache: its strings are counted in the best trees of the words.
    """
    if symbol not in compiled.grammar.symbols or compiled.grammar.hidden(symbol):
        known = ", ".join(s for s in compiled.grammar.symbols if not compiled.grammar.hidden(s))
        raise SettingsError(f"the grammar has no symbol {symbol!r}; it has {known}")
    uses: Counter[tuple[str, ...]] = Counter()
    if symbol in compiled.adapted_symbols:
        number = compiled.adapted_symbols.index(symbol)
        for state in states:
            rules, ends = state.trees["rules"], state.trees["ends"]
            for i in np.flatnonzero(state.trees["adapted"] == number):
                derivation = rules[int(ends[i - 1]) if i else 0 : int(ends[i])].tolist()
                uses[compiled.strings(derivation)] += int(state.trees["customers"][i])
        share = max(len(states), 1)
        for (name, strings), copies in (beforehand or {}).items():
            if name == symbol:
                uses[strings] -= copies * len(states)
        uses = +uses
    else:
        for analysis in best():
            for tree in analysis.tree.find(symbol):
                uses[tree.pieces()] += 1
        share = 1
    total = sum(uses.values())
    entries = [LexiconEntry(strings, n / total, n / share) for strings, n in uses.items()]
    return Lexicon(symbol, tuple(sorted(entries, key=lambda e: (-e.probability, e.strings))), signature)
