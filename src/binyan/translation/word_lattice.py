"""Word lattices of recognisers: read from HTK's standard lattice format and from Kaldi's text, checked, in one form."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from binyan.errors import InputError, SettingsError
from binyan.number_text import finite_number
from binyan.text.reading import check_length

MOST_LINKS = 5_000_000  # of one lattice
SILENT = frozenset({"!NULL", "!ENTER", "!EXIT", "!SENT_START", "!SENT_END", "<s>", "</s>", "<eps>", "<epsilon>", "-"})
_SLF_FIELD = re.compile(r"""([A-Za-z]+)=("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?:[^\s\\]|\\.)+)""")
_SLF_NAMES = {
    "NODES": "N", "LINKS": "L", "UTTERANCE": "U", "WORD": "W", "START": "S", "END": "E", "acoustic": "a", "language": "l",
}  # fmt: skip


class Link(NamedTuple):
    """A way from one node to another: its word (none where it is silent) and natural log-scores, higher is better."""

    start: int
    end: int
    word: str
    acoustic: float = 0.0
    graph: float = 0.0


@dataclass
class WordLattice:
    """What a recogniser holds possible: links between nodes, from `start` to one of `finals`, whose links to the end have scores too.

    `scales`: what the lattice itself says its acoustic scores, its language scores and every word weigh.
    """

    name: str
    links: list[Link] = field(default_factory=list)
    start: int = 0
    finals: dict[int, tuple[float, float]] = field(default_factory=dict)
    scales: dict[str, float] = field(default_factory=dict)

    def in_order(self) -> list[int]:
        """The nodes that can be reached, each after all from which links lead to it. Raises InputError on a cycle."""
        outgoing: dict[int, list[int]] = {}
        for link in self.links:
            outgoing.setdefault(link.start, []).append(link.end)
        done: dict[int, bool] = {}
        order: list[int] = []
        stack = [(self.start, iter(outgoing.get(self.start, ())))]
        done[self.start] = False
        while stack:
            node, ends = stack[-1]
            following = next((end for end in ends if done.get(end) is not True), None)
            if following is None:
                stack.pop()
                done[node] = True
                order.append(node)
            elif following in done:
                raise InputError(f"the lattice {self.name} has a cycle through node {following}: time does not go back")
            else:
                done[following] = False
                stack.append((following, iter(outgoing.get(following, ()))))
        return order[::-1]


def read_lattices(
    lines: Iterable[str], format: str, source: str = "<stdin>", symbols: Mapping[str, str] | None = None
) -> Iterator[WordLattice]:
    """The lattices of a text, each as soon as it is whole. `format`: slf (HTK) or kaldi; `symbols`: words for Kaldi's numbers."""
    if format not in LATTICE_FORMATS:
        raise SettingsError(f"lattices are read as {' or '.join(LATTICE_FORMATS)}, not {format!r}")
    for lattice in _SlfReader(source).read(lines) if format == "slf" else _KaldiReader(source, symbols).read(lines):
        _check(lattice, source)
        yield lattice


def _check(lattice: WordLattice, source: str) -> None:
    if not lattice.finals:
        raise InputError(f"{source}: the lattice {lattice.name} has no final node")
    reached = set(lattice.in_order())
    if not reached & lattice.finals.keys():
        raise InputError(f"{source}: no path of the lattice {lattice.name} leads from its start to a final node")


class _Reader:
    def __init__(self, source: str) -> None:
        self._source, self._number = source, 0

    def _numbered(self, lines: Iterable[str]) -> Iterator[str]:
        for self._number, line in enumerate(lines, 1):
            yield line.strip()

    def _error(self, message: str) -> InputError:
        return InputError(f"{self._source}:{self._number}: {message}")

    def _whole(self, text: str) -> int:
        if not text.isdecimal() or len(text) > 9:
            raise self._error(f"the number of a node is wanted, not {text[:20]!r}")
        return int(text)

    def _real(self, text: str) -> float:
        try:
            return finite_number(text)
        except ValueError:
            raise self._error(f"a number is wanted, not {text[:20]!r}") from None

    def _add(self, lattice: WordLattice, link: Link) -> None:
        check_length(link.word, f"{self._source}:{self._number}")
        if len(lattice.links) >= MOST_LINKS:
            raise self._error(f"the lattice {lattice.name} has over {MOST_LINKS:,} links; prune it first")
        lattice.links.append(link._replace(word="" if link.word in SILENT else link.word))


class _SlfReader(_Reader):
    """HTK: a header, a line for each node (I=) and for each link (J=); words stand at links or at the nodes they lead to."""

    def read(self, lines: Iterable[str]) -> Iterator[WordLattice]:
        header: dict[str, str] = {}
        nodes: dict[int, str] = {}
        links: list[dict[str, str]] = []
        read = 0
        for line in self._numbered(lines):
            fields = {} if line.startswith("#") else self._fields(line)
            if ("VERSION" in fields or not line or line == ".") and links:
                yield self._lattice(header, nodes, links, read := read + 1)
                header, nodes, links = {}, {}, []
            if "I" in fields:
                nodes[self._whole(fields["I"])] = fields.get("W", "")
            elif "J" in fields:
                links.append(fields)
            else:
                header |= fields
        if links:
            yield self._lattice(header, nodes, links, read + 1)
        elif header or nodes:
            raise self._error("a lattice without links")

    def _fields(self, line: str) -> dict[str, str]:
        pairs = _SLF_FIELD.findall(line)
        if not pairs and line not in ("", "."):
            raise self._error(f"not a line of a lattice of HTK, which has name=value: {line[:40]!r}")
        return {_SLF_NAMES.get(name, name): _unquoted(value) for name, value in pairs}

    def _lattice(
        self, header: dict[str, str], nodes: dict[int, str], links: list[dict[str, str]], number: int
    ) -> WordLattice:
        if "L" in header and self._whole(header["L"]) != len(links):
            raise self._error(f"the header announces {header['L']} links, and there are {len(links)}")
        base = self._real(header.get("base", "2.718281828459045"))
        unit = math.log(base) if base > 0 and base != 1 else 0.0
        lattice = WordLattice(header.get("U", str(number)))

        def score(text: str | None) -> float:
            value = self._real(text) if text is not None else (0.0 if unit else 1.0)
            if unit:
                return value * unit
            if value <= 0:
                raise self._error(f"base=0 says that scores are likelihoods, and {value} is none")
            return math.log(value)

        for fields in links:
            if "S" not in fields or "E" not in fields:
                raise self._error(f"link J={fields['J']} does not say where it starts (S=) and ends (E=)")
            start, end = self._whole(fields["S"]), self._whole(fields["E"])
            word = fields.get("W", nodes.get(end, ""))
            self._add(lattice, Link(start, end, word, score(fields.get("a")), score(fields.get("l"))))
        starts, ends = ({getattr(link, side) for link in lattice.links} for side in ("start", "end"))
        lattice.start = self._whole(header["start"]) if "start" in header else self._only(starts - ends)
        final = {self._whole(header["end"])} if "end" in header else ends - starts
        lattice.finals = dict.fromkeys(final, (0.0, 0.0))
        names = {"acscale": "Acoustic", "lmscale": "LanguageModel", "wdpenalty": "Words"}
        lattice.scales = {ours: self._real(header[htk]) for htk, ours in names.items() if htk in header}
        return lattice

    def _only(self, starts: set[int]) -> int:
        if len(starts) != 1:
            raise self._error(f"a lattice starts at one node that no link leads to; here are {len(starts)}")
        return starts.pop()


class _KaldiReader(_Reader):
    """Kaldi: the name of an utterance, a line for each link and each final node, a blank line; scores are costs, the graph's first."""

    def __init__(self, source: str, symbols: Mapping[str, str] | None) -> None:
        super().__init__(source)
        self._symbols = symbols

    def read(self, lines: Iterable[str]) -> Iterator[WordLattice]:
        lattice: WordLattice | None = None
        for line in self._numbered(lines):
            if not line:
                if lattice is not None:
                    yield lattice
                lattice = None
            elif lattice is None:
                lattice = WordLattice(line, start=-1)
            else:
                self._read_line(lattice, line.split())
        if lattice is not None:
            yield lattice

    def _read_line(self, lattice: WordLattice, columns: list[str]) -> None:
        state = self._whole(columns[0])
        if lattice.start < 0:
            lattice.start = state
        if len(columns) <= 2:
            lattice.finals[state] = self._costs(columns[1] if len(columns) == 2 else "")
            return
        weight = columns.pop() if "," in columns[-1] and len(columns) > 3 else ""
        if len(columns) not in (3, 4):
            raise self._error(f"{len(columns)} columns: a link has two nodes, its word or two labels, and costs")
        self._add(lattice, Link(state, self._whole(columns[1]), self._word(columns[-1]), *self._costs(weight)))

    def _costs(self, weight: str) -> tuple[float, float]:
        """(acoustic, graph) as log-scores."""
        if not weight:
            return 0.0, 0.0
        costs = weight.split(",")
        return -self._real(costs[1]) if len(costs) > 1 and costs[1] else 0.0, -self._real(costs[0])

    def _word(self, label: str) -> str:
        if label == "0":
            return ""
        if self._symbols is None:
            return label
        if label not in self._symbols:
            raise self._error(f"the word number {label} is not in the table of symbols")
        return self._symbols[label]


def read_symbols(lines: Iterable[str], source: str) -> dict[str, str]:
    """Words by their numbers, from a table of symbols (`words.txt`) as OpenFst and Kaldi have it: a word and a number per line."""
    words: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        columns = line.split()
        if len(columns) != 2 or not columns[1].isdecimal():
            raise InputError(f"{source}:{number}: a word and its number are wanted, not {line.strip()[:40]!r}")
        words[columns[1]] = columns[0]
    return words


def _unquoted(value: str) -> str:
    if value[0] == value[-1] and value[0] in "\"'" and len(value) > 1:
        value = value[1:-1]
    return re.sub(r"\\(.)", r"\1", value)


LATTICE_FORMATS = ("slf", "kaldi")
