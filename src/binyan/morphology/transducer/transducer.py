"""A weighted finite-state transducer of a learnt morphology: words on one side, their analyses on the other."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from binyan.errors import InputError
from binyan.files import PathLike
from binyan.morphology.transducer.lattice import Arc, Lattice
from binyan.morphology.transducer.tape import RADICAL, is_tag, read_tape
from binyan.segmentation import Segmentation
from binyan.text.atoms import Unit, atoms
from binyan.text.reading import check_length

if TYPE_CHECKING:
    from binyan.text.preparation import Preparation

EPSILON = 0
"""The number of the empty symbol."""

OTHER = "@_IDENTITY_SYMBOL_@"
"""The symbol of every letter that the transducer does not have, as foma and HFST write it."""

_BEYOND = 10  # analyses looked at beyond those asked for, so that segmentations have the sum of many


@dataclass(frozen=True)
class FstAnalysis:
    """An analysis of a word by a transducer: its `text` on the analysis side, and what that says.

    `probability` is that of the analysis given the word; `weight` is -log P(word, analysis).
    """

    text: str
    segmentation: Segmentation
    roots: tuple[str, ...]
    templates: tuple[str, ...]
    probability: float
    weight: float

    def __str__(self) -> str:
        return f"{self.text}\t{self.probability:.4f}"


@dataclass(frozen=True, repr=False)
class Transducer:
    """States, arcs and symbols. State 0 is the first; arcs are sorted by their sources; weights are -log probabilities.

    An arc of a letter has it on both sides, one of a tag the empty symbol on the side of words. `exact` says whether the
    transducer gives every word the probability that the model gives it, `note` how it was made and what it lacks.
    """

    symbols: tuple[str, ...]
    first_arc: array[int]
    inputs: array[int]
    outputs: array[int]
    targets: array[int]
    weights: array[float]
    finals: dict[int, float]
    exact: bool = True
    note: str = ""
    signature: str = ""
    unit: Unit = "grapheme"
    preparation: Preparation | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"<Transducer of {self.states:,} states and {self.arcs:,} arcs{'' if self.exact else ', not exact'}>"

    @property
    def states(self) -> int:
        """How many states there are."""
        return len(self.first_arc) - 1

    @property
    def arcs(self) -> int:
        """How many arcs there are."""
        return len(self.targets)

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters it knows."""
        return tuple(s for i, s in enumerate(self.symbols) if i != EPSILON and not is_tag(s) and s != OTHER)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of its analyses."""
        return tuple(s for s in self.symbols if is_tag(s))

    # Words.

    def log_probability(self, word: str) -> float:
        """Log P(word), over all analyses; -inf for a word it does not have."""
        return self._lattice(word)[1].log_probability

    def analyse(self, word: str, n: int = 5) -> list[FstAnalysis]:
        """The n most probable analyses of a word, best first: exactly, the ways that lead to one analysis added."""
        letters, lattice = self._lattice(word)
        total = lattice.log_probability
        analyses = []
        for outputs, log_p in lattice.best(n):
            symbols = self._spelt(outputs, letters)
            reading = read_tape(symbols, math.exp(log_p - total))
            text = "".join(symbols)
            probability = math.exp(log_p - total)
            analyses.append(
                FstAnalysis(text, reading.segmentation, reading.roots, reading.templates, probability, -log_p)
            )
        return analyses

    def segmentations(self, word: str, n: int = 5) -> list[Segmentation]:
        """The n most probable segmentations of a word, best first; analyses that differ in roots only are added."""
        sums: dict[Segmentation, float] = {}
        beyond = _BEYOND if RADICAL in self._numbers else 0
        for analysis in self.analyse(word, n + beyond):
            sums[analysis.segmentation] = sums.get(analysis.segmentation, 0.0) + analysis.probability
        best = sorted(sums.items(), key=lambda item: -item[1])[:n]
        return [replace(segmentation, probability=probability) for segmentation, probability in best]

    def generate(self, analysis: str | Segmentation | FstAnalysis | Sequence[str]) -> list[tuple[str, float]]:
        """The words of an analysis, with -log P(word, analysis); none where the transducer does not have it.

        An analysis is that of `analyse`, its text (`un<pre>do<stem>`), its symbols, or a segmentation with labels; the latter says
        nothing of roots, so that stems with roots are also found.
        """
        if isinstance(analysis, Segmentation):
            return self._generate_segmentation(analysis)
        text = analysis.text if isinstance(analysis, FstAnalysis) else analysis
        symbols = self.tokens(text) if isinstance(text, str) else list(text)
        letters = [s for s in symbols if not is_tag(s)]
        wanted = [self._number(s) for s in symbols]
        lattice = Lattice(self, self._encoded(letters))
        log_p = lattice.log_probability_of(wanted)
        return [("".join(letters), -log_p)] if log_p > -math.inf else []

    def _generate_segmentation(self, segmentation: Segmentation) -> list[tuple[str, float]]:
        rows = [a for a in self.analyse(segmentation.word, 50) if a.segmentation == segmentation]
        if not rows:
            return []
        return [(segmentation.word, -math.log(math.fsum(math.exp(-a.weight) for a in rows)))]

    def tokens(self, text: str) -> list[str]:
        """The symbols of the text of an analysis: tags it knows, and letters."""
        symbols: list[str] = []
        rest = text
        while rest:
            tag = next((t for t in self._long_tags if rest.startswith(t)), None)
            if tag is None:
                end = min((place for t in self.tags if (place := rest.find(t)) > 0), default=len(rest))
                symbols += atoms(rest[:end], self.unit)
                rest = rest[end:]
            else:
                symbols.append(tag)
                rest = rest[len(tag) :]
        return symbols

    # What words and symbols are in numbers.

    @cached_property
    def _long_tags(self) -> list[str]:
        return sorted(self.tags, key=len, reverse=True)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {symbol: i for i, symbol in enumerate(self.symbols)}

    def _number(self, symbol: str) -> int:
        return self._numbers.get(symbol, -1 if is_tag(symbol) else self._numbers.get(OTHER, -1))

    def _encoded(self, letters: Sequence[str]) -> list[int]:
        return [-1 if is_tag(letter) else self._number(letter) for letter in letters]

    def lattice(self, word: str) -> Lattice:
        """All ways of a prepared word."""
        return Lattice(self, self._encoded(atoms(word, self.unit)))

    def _lattice(self, word: str) -> tuple[list[str], Lattice]:
        if self.preparation is not None:
            parts = self.preparation(word)
            if len(parts) != 1:
                raise InputError(f"{word!r} is not one word: give words one by one")
            word = parts[0]
        check_length(word)
        return atoms(word, self.unit), self.lattice(word)

    def _spelt(self, outputs: Sequence[int], letters: Sequence[str]) -> list[str]:
        """The symbols of an analysis, the letters as they stand in the word."""
        place, symbols = 0, []
        for number in outputs:
            symbol = self.symbols[number]
            if not is_tag(symbol):
                symbol = letters[place]
                place += 1
            symbols.append(symbol)
        return symbols

    def arcs_of(self, state: int) -> dict[int, list[Arc]]:
        """The arcs of a state by the number of the letter that they read; those that read none are at 0."""
        by_letter = self._index.get(state)
        if by_letter is None:
            by_letter = self._index[state] = {}
            for i in range(self.first_arc[state], self.first_arc[state + 1]):
                arc = self.outputs[i], self.targets[i], math.exp(-self.weights[i])
                by_letter.setdefault(self.inputs[i], []).append(arc)
        return by_letter

    @cached_property
    def _index(self) -> dict[int, dict[int, list[Arc]]]:
        return {}

    # Files and other programs.

    def save(self, path: PathLike, generator: bool = False) -> None:
        """Write the transducer by the ending of `path`: .hfst (HFST), .foma (foma), .fst (OpenFst), any other as AT&T text.

        Words are on the first side and analyses on the second: an analyser; with `generator` the other way round. All but AT&T text need
        `pip install 'binyan[fst]'`, OpenFst `binyan[openfst]`.
        """
        from binyan.morphology.transducer.formats import save_transducer

        save_transducer(self, path, generator)

    @classmethod
    def read(cls, path: PathLike, unit: Unit = "grapheme") -> Transducer:
        """A transducer that was saved as AT&T text, as an analyser. Raises InputError, which names the line."""
        from binyan.morphology.transducer.formats import read_att

        return read_att(path, unit)

    def to_pyfoma(self) -> Any:
        """The transducer as an FST of pyfoma."""
        from binyan.morphology.transducer.formats import to_pyfoma

        return to_pyfoma(self)

    def to_dict(self) -> dict[str, Any]:
        """Its size and how it was made, for JSON."""
        return {
            "states": self.states,
            "arcs": self.arcs,
            "symbols": len(self.symbols),
            "exact": self.exact,
            "note": self.note,
            "signature": self.signature,
        }

    def __str__(self) -> str:
        return (
            f"{self.states:,} states, {self.arcs:,} arcs, {len(self.symbols):,} symbols\n{self.note}\n{self.signature}"
        )


def packed(
    symbols: list[str],
    outgoing: list[list[tuple[int, int, int, float]]],
    finals: dict[int, float],
    unit: Unit = "grapheme",
) -> Transducer:
    """A transducer of lists of arcs (symbol of the word, symbol of the analysis, target, weight), one list per state."""
    first, inputs, outputs, targets = array("q", [0]), array("l"), array("l"), array("q")
    weights = array("d")
    for arcs in outgoing:
        for left, right, target, weight in sorted(arcs):
            inputs.append(left)
            outputs.append(right)
            targets.append(target)
            weights.append(weight)
        first.append(len(targets))
    return Transducer(tuple(symbols), first, inputs, outputs, targets, weights, finals, unit=unit)
