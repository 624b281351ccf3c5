"""Transducers in files: AT&T text, which foma, HFST and OpenFst read, and the formats of pyfoma, hfst and pynini."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from binyan.errors import InputError, MissingExtra
from binyan.files import PathLike, replacing, write_text
from binyan.morphology.transducer.transducer import OTHER, Transducer, packed
from binyan.text.atoms import Unit
from binyan.text.reading import read_lines

EMPTY, SPACE = "@0@", "@_SPACE_@"
"""The empty symbol and the space, as foma and HFST write them."""

_MOST_ARCS = 50_000_000


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
    """An analyser from its AT&T text; lines without a weight have weight 0, and the source of the first line is the first state."""
    states: dict[str, int] = {}
    symbols: dict[str, int] = {"": 0}
    outgoing: list[list[tuple[int, int, int, float]]] = []
    finals: dict[int, float] = {}

    def state(name: str) -> int:
        number = states.setdefault(name, len(states))
        if number == len(outgoing):
            outgoing.append([])
        return number

    arcs = 0
    for number, line in read_lines(path):
        columns = line.split("\t")
        if not line:
            continue
        if len(columns) not in (1, 2, 4, 5):
            raise InputError(
                f"{path}:{number}: {len(columns)} columns where AT&T text has 4 or 5 (an arc) or 1 or 2 (a final state), "
                f"separated by tabs: {line[:80]!r}"
            )
        weight = _weight(columns[-1], f"{path}:{number}") if len(columns) in (2, 5) else 0.0
        if len(columns) <= 2:
            finals[state(columns[0])] = weight
            continue
        first, second = ({EMPTY: "", SPACE: " "}.get(s, s) for s in columns[2:4])
        source, target = state(columns[0]), state(columns[1])
        sides = [symbols.setdefault(s, len(symbols)) for s in (first, second)]
        outgoing[source].append((sides[0], sides[1], target, weight))
        arcs += 1
        if arcs > _MOST_ARCS:
            raise InputError(f"{path}:{number}: more than {_MOST_ARCS:,} arcs")
    if not outgoing:
        raise InputError(f"{path}: holds no transducer; AT&T text has one arc per line")
    return packed(list(symbols), outgoing, finals, unit)


def _weight(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value) or len(text) > 40:
        raise InputError(f"{where}: the weight {text[:40]!r} is not a number")
    return value


# Other programs.


def to_pyfoma(transducer: Transducer, generator: bool = False) -> Any:
    """An FST of pyfoma, words on its first side; `fst.generate(word)` gives analyses, `fst.analyze(analysis)` words."""
    try:
        from pyfoma import FST
        from pyfoma.atomic import State
        from pyfoma.fst import LITERAL_DOT
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
