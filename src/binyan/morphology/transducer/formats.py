"""Transducers in files: AT&T text, which foma, HFST and OpenFst read, and the formats of pyfoma, hfst and pynini."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from binyan.errors import InputError, MissingExtra
from binyan.files import PathLike, replacing, write_text
from binyan.morphology.transducer.tape import is_tag
from binyan.morphology.transducer.transducer import OTHER, Transducer, packed
from binyan.text.atoms import Unit
from binyan.text.reading import read_lines

EMPTY, SPACE = "@0@", "@_SPACE_@"
"""The empty symbol and the space, as foma and HFST write them."""

_MOST_ARCS = 50_000_000
_LONGEST_NUMBER, _LOWEST_WEIGHT = 40, -100.0


def save_transducer(transducer: Transducer, path: PathLike, generator: bool) -> None:
    """Write a transducer in the format that the ending of `path` names; AT&T text for any other ending."""
    writers = {".hfst": _save_hfst, ".hfstol": _save_hfst, ".foma": _save_foma, ".fst": _save_openfst}
    writer = writers.get(Path(path).suffix.lower())
    if writer is None:
        write_text(path, att_text(transducer, generator))
    else:
        with replacing(path, InputError) as part:
            writer(transducer, part, Path(path).suffix.lower(), generator)


# AT&T text.


def att_text(transducer: Transducer, generator: bool = False) -> str:
    """One arc per line: source, target, symbol of either side, weight; a final state and its weight on a line of their own.

    Words are on the first side, or, with `generator`, analyses. Columns are separated by tabs.
    """
    names = [_written(symbol) for symbol in transducer.symbols]
    lines = []
    for source, target, first, second, weight in _arcs(transducer, generator):
        lines.append(f"{source}\t{target}\t{names[first]}\t{names[second]}\t{weight:.17g}\n")
    lines += [f"{state}\t{weight:.17g}\n" for state, weight in sorted(transducer.finals.items())]
    return "".join(lines)


def _arcs(transducer: Transducer, generator: bool) -> Iterator[tuple[int, int, int, int, float]]:
    first, second = transducer.inputs, transducer.outputs
    if generator:
        first, second = second, first
    for state in range(transducer.states):
        for i in range(transducer.first_arc[state], transducer.first_arc[state + 1]):
            weight = transducer.weights[i]
            yield state, transducer.targets[i], first[i], second[i], (0.0 if weight == 0.0 else weight)


def _written(symbol: str) -> str:
    return {"": EMPTY, " ": SPACE}.get(symbol, symbol)


def read_att(path: PathLike, unit: Unit = "grapheme") -> Transducer:
    """An analyser from its AT&T text; lines without a weight have weight 0, and the source of the first line is the first state.

    An arc has a letter on both sides, or the empty symbol and a tag. Raises InputError for any other transducer.
    """
    reader = _AttReader(path)
    for number, line in read_lines(path):
        if line:
            reader.add(line.split("\t"), f"{path}:{number}")
    if not reader.outgoing:
        raise InputError(f"{path}: holds no transducer; AT&T text has one arc per line")
    reader.refuse_circles()
    return packed(list(reader.symbols), reader.outgoing, reader.finals, unit)


class _AttReader:
    """States and arcs so far."""

    def __init__(self, path: PathLike) -> None:
        self.path, self.arcs = path, 0
        self.states: dict[str, int] = {}
        self.symbols: dict[str, int] = {"": 0}
        self.outgoing: list[list[tuple[int, int, int, float]]] = []
        self.finals: dict[int, float] = {}

    def add(self, columns: list[str], where: str) -> None:
        """Add what a line says."""
        if len(columns) not in (1, 2, 4, 5):
            raise InputError(
                f"{where}: {len(columns)} columns where AT&T text has 4 or 5 (an arc) or 1 or 2 (a final state), separated by tabs"
            )
        weight = _weight(columns[-1], where) if len(columns) in (2, 5) else 0.0
        if len(columns) <= 2:
            self.finals[self._state(columns[0])] = weight
            return
        first, second = ({EMPTY: "", SPACE: " "}.get(s, s) for s in columns[2:4])
        if "" in columns[2:4] or not ((first == second != "" and not is_tag(first)) or (not first and is_tag(second))):
            raise InputError(
                f"{where}: an arc of an analyser has a letter on both sides, or {EMPTY} and a tag such as <stem>, not "
                f"{columns[2][:20]!r} and {columns[3][:20]!r}"
            )
        source, target = self._state(columns[0]), self._state(columns[1])
        left, right = (self.symbols.setdefault(s, len(self.symbols)) for s in (first, second))
        self.outgoing[source].append((left, right, target, weight))
        self.arcs += 1
        if self.arcs > _MOST_ARCS:
            raise InputError(f"{where}: more than {_MOST_ARCS:,} arcs")

    def _state(self, name: str) -> int:
        number = self.states.setdefault(name, len(self.states))
        if number == len(self.outgoing):
            self.outgoing.append([])
        return number

    def refuse_circles(self) -> None:
        """Raises InputError where tags lead in a circle, so that a word would have analyses without end."""
        arriving = [0] * len(self.outgoing)
        tags = [[target for left, _, target, _ in arcs if left == 0] for arcs in self.outgoing]
        for targets in tags:
            for target in targets:
                arriving[target] += 1
        free = [state for state, count in enumerate(arriving) if count == 0]
        for state in free:  # grows
            for target in tags[state]:
                arriving[target] -= 1
                if arriving[target] == 0:
                    free.append(target)
        if len(free) < len(self.outgoing):
            raise InputError(
                f"{self.path}: tags lead in a circle without a letter; a word would have analyses without end"
            )


def _weight(text: str, where: str) -> float:
    try:
        value = float(text) if len(text) <= _LONGEST_NUMBER else math.nan
    except ValueError:
        value = math.nan
    if not value >= _LOWEST_WEIGHT:
        raise InputError(f"{where}: a weight is -log of a probability, not {text[:40]!r}")
    return value


# Other programs.


def to_pyfoma(transducer: Transducer, generator: bool = False) -> Any:
    """An FST of pyfoma, words on its first side; `fst.generate(word)` gives analyses, `fst.analyze(analysis)` words."""
    try:
        from pyfoma.atomic import State
        from pyfoma.fst import FST, LITERAL_DOT
    except ImportError as error:
        raise MissingExtra("pyfoma", "fst") from error
    names = [{OTHER: ".", ".": LITERAL_DOT}.get(symbol, symbol) for symbol in transducer.symbols]
    fst = FST()
    states = [fst.initialstate, *(State() for _ in range(transducer.states - 1))]
    for source, target, first, second, weight in _arcs(transducer, generator):
        label = (names[first],) if first == second else (names[first], names[second])
        states[source].add_transition(states[target], label, weight)
    for number, weight in transducer.finals.items():
        states[number].finalweight = weight
    fst.states = set(states)
    fst.finalstates = {states[number] for number in transducer.finals}
    fst.alphabet = {name for name in names if name}
    return fst


def _save_foma(transducer: Transducer, path: Path, ending: str, generator: bool) -> None:
    """As pyfoma writes it, with weights."""
    fst = to_pyfoma(transducer, generator)
    type(fst).save_foma({"binyan": fst}, str(path))


def _save_hfst(transducer: Transducer, path: Path, ending: str, generator: bool) -> None:
    try:
        import hfst
    except ImportError as error:
        raise MissingExtra("HFST", "fst") from error
    basic = hfst.HfstBasicTransducer()
    names = [s or "@_EPSILON_SYMBOL_@" for s in transducer.symbols]
    for source, target, first, second, weight in _arcs(transducer, generator):
        basic.add_transition(source, target, names[first], names[second], weight)
    for state, weight in transducer.finals.items():
        basic.set_final_weight(state, weight)
    whole = hfst.HfstTransducer(basic)
    if ending == ".hfstol":
        whole.convert(hfst.ImplementationType.HFST_OLW_TYPE)
    out = hfst.HfstOutputStream(filename=str(path), type=whole.get_type())
    out.write(whole)
    out.close()


def _save_openfst(transducer: Transducer, path: Path, ending: str, generator: bool) -> None:
    """OpenFst knows no letters beyond its symbols: letters that the transducer does not have are one symbol."""
    try:
        import pynini
    except ImportError as error:
        raise MissingExtra("pynini", "openfst") from error
    table = pynini.SymbolTable()
    for number, symbol in enumerate(transducer.symbols):
        table.add_symbol(symbol or "<epsilon>", number)
    fst = pynini.Fst()
    fst.add_states(transducer.states)
    fst.set_start(0)
    for source, target, first, second, weight in _arcs(transducer, generator):
        fst.add_arc(source, pynini.Arc(first, second, pynini.Weight(fst.weight_type(), weight), target))
    for state, weight in transducer.finals.items():
        fst.set_final(state, pynini.Weight(fst.weight_type(), weight))
    fst.set_input_symbols(table)
    fst.set_output_symbols(table)
    fst.write(str(path))
