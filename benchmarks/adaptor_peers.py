"""The samplers that Binyan's is measured against: py-cfg (Mark Johnson) and py-srcag (Jan Botha).

Both are given by path. They get the same grammar in their own format and the same priors, so that joint probabilities are those
of the same model. What is compared is log P(trees, seats | a, b), Dirichlet-multinomial rules and Pitman-Yor seats; the
prior density of b is left out, because it grows without bound where b is near 0 and would hide everything else.
"""

from __future__ import annotations

import math
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from children import Cost, run

from binyan.grammar.compiled import Compiled
from binyan.grammar.rules import Rule, Variable

# The hyperparameters the thesis's experiments had: a ~ Beta(1, 1), b ~ Gamma(shape 0.1, scale 10), rule probabilities integrated out.
OPTIONS = ["-E", "-a", "0.5", "-b", "1", "-w", "1", "-e", "1", "-f", "1", "-g", "10", "-h", "0.1", "-d", "10"]


class PeerGrammar:
    """A grammar in the format of a peer; symbols and atoms get plain names.

    py-srcag (`ranges`) allows two right-hand symbols, the one with more arguments first, and one rule for each pair of left and
    right symbols. Longer rules are folded from the left, and permuted rules get a symbol each, as its preprocessor does. It takes
    a binary rule in which two arguments of one symbol touch, as in Stem(abcd) -> R3(a,b,d) T1(c), but never finds its
    derivations; a helping symbol that joins them, X(ab,d) -> R3(a,b,d), makes it do so (the thesis's X2). Helping symbols have
    one rule each, so that they change no probability.
    """

    def __init__(self, compiled: Compiled, ranges: bool) -> None:
        self.ranges = ranges
        self.atoms = {atom: f"t{i}" for i, atom in enumerate(compiled.atoms)}
        self.symbols = {symbol: f"N{i}" for i, symbol in enumerate(compiled.grammar.symbols)}
        self.lines: list[str] = []  # the first has the start symbol
        self.helpers: list[str] = []
        rules = compiled.grammar.rules
        pairs = [(rule.lhs, rule.rhs) for rule in rules]
        for i, rule in enumerate(rules):
            left = self.symbols[rule.lhs]
            head = f"{rule.weight:g}" if rule.lhs in compiled.grammar.adapted else f"{rule.weight:g} 1"
            if not rule.rhs:
                self._write(head, left, [[(0, 0)]], [self.atoms[str(rule.arguments[0][0])]])
                continue
            if ranges and pairs.count(pairs[i]) > 1:
                self._write(head, left, [[(j, 0) for j in range(rule.arity)]], [f"D{i}"])
                left, head = f"D{i}", "1 1"
            self._add(head, left, rule, f"D{i}x")

    def _add(self, head: str, left: str, rule: Rule, helper: str) -> None:
        names = [self.symbols[symbol] for symbol in rule.rhs]
        where = {e: (i, j) for i, argument in enumerate(rule.arguments) for j, e in enumerate(argument)}
        places = [[where[Variable(k, j)] for j in range(rule.rhs_arity(k))] for k in range(len(names))]
        plain = all(len(p) == 1 for p in places)  # concatenation of all, or an argument each
        if self.ranges and rule.arity == 1 and len(names) == 2:
            names, places = self._joined(names, places, helper)
        while self.ranges and len(names) > 2:
            if not plain:
                raise ValueError(f"{rule}: not in the peer's reach")
            fresh = f"{helper}{len(names)}"
            if rule.arity == 1:  # the last two joined
                self._write("1 1", fresh, [[(0, 0)], [(0, 1)]], names[-2:], self.helpers)
                names = [*names[:-2], fresh]
                places = [[(0, j)] for j in range(len(names))]
            else:  # all but the last, an argument each
                self._row(fresh, names[:-1], helper)
                names = [fresh, names[-1]]
                places = [[(j, 0) for j in range(rule.arity - 1)], [(rule.arity - 1, 0)]]
        self._write(head, left, places, names)

    def _joined(
        self, names: list[str], places: list[list[tuple[int, int]]], helper: str
    ) -> tuple[list[str], list[list[tuple[int, int]]]]:
        """The right side of a rule of one argument, arguments of a symbol that touch joined.

        Most arguments first, then the leftmost.
        """
        owner = {j: k for k, row in enumerate(places) for _, j in row}
        starts = [j for j in range(len(owner)) if j == 0 or owner[j] != owner[j - 1]]
        children = []
        for k, (name, row) in enumerate(zip(names, places, strict=True)):
            mine = [j for j in starts if owner[j] == k]
            left = [j for _, j in row]  # where its arguments begin; two are joined at a time
            while len(left) > len(mine):
                joined = next(i for i, j in enumerate(left) if j not in mine)
                within = [(i - (i >= joined), int(i == joined)) for i in range(len(left))]
                self._write("1 1", f"{helper}j{k}{len(left)}", [within], [name], self.helpers)
                name = f"{helper}j{k}{len(left)}"
                del left[joined]
            children.append((name, [(0, starts.index(j)) for j in mine]))
        children.sort(key=lambda child: (-len(child[1]), child[1]))
        return [name for name, _ in children], [row for _, row in children]

    def _row(self, left: str, names: list[str], helper: str) -> None:
        """left(a,b,...) -> names[0](a) names[1](b) ..."""
        last = len(names) - 1
        if last > 1:
            self._row(f"{helper}r{last}", names[:-1], helper)
            names = [f"{helper}r{last}", names[-1]]
        self._write("1 1", left, [[(j, 0) for j in range(last)], [(last, 0)]], names, self.helpers)

    def _write(
        self, head: str, left: str, places: list[list[tuple[int, int]]], right: list[str], to: list[str] | None = None
    ) -> None:
        shown = "(" + " ".join("(" + " ".join(f"({i} {j})" for i, j in p) + ")" for p in places) + ") "
        (self.lines if to is None else to).append(f"{head} {left} {shown if self.ranges else ''}--> {' '.join(right)}")

    def text(self) -> str:
        return "\n".join([*self.lines, *self.helpers]) + "\n"

    def words(self, words: list[str]) -> str:
        return "".join(" ".join(self.atoms[a] for a in word) + "\n" for word in words)

    def yields(self, tree: str, symbol: str) -> list[str]:
        """The strings of a symbol in a tree that py-srcag printed, from left to right; gaps are not shown."""
        atom = {name: a for a, name in self.atoms.items()}
        found = re.findall(rf"\({self.symbols[symbol]}(?:#\d+)?__(\S+)", tree)
        return ["".join(atom[name] for name in re.split("_+", text)) for text in found]


@dataclass(frozen=True)
class PeerRun:
    """What a peer cost, its log joint probability after so many sweeps, and the trees after each of its last sweeps."""

    cost: Cost
    log_joint: dict[int, float]
    samples: list[list[str]]


def run_peer(
    program: Path,
    grammar: PeerGrammar,
    words: list[str],
    sweeps: int,
    seed: int,
    every: int,
    keep: int = 0,
    batch: bool = False,
) -> PeerRun:
    """So many sweeps of a peer; its joint probability `every` so many, the trees of the last `keep`.

    `batch`: first trees from the base grammar.
    """
    with tempfile.TemporaryDirectory() as folder:
        rules, trace, parses, text = (Path(folder) / name for name in ("grammar", "trace", "parses", "words"))
        rules.write_text(grammar.text())
        text.write_text(grammar.words(words))
        options = [*OPTIONS, *(["-D"] if batch else []), "-r", seed, "-n", sweeps, "-x", every, "-F", trace]
        kept = ["-A", parses, "-N", keep] if keep else []
        cost = run([str(x) for x in (program, *options, *kept, rules)], stdin=text)
        lines = trace.read_text().splitlines()
        blocks = parses.read_text().strip().split("\n\n") if keep else []
    header = next(line.split("\t") for line in lines if "-logP\t" in line)
    log_joint = {}
    for row in (line.split("\t") for line in lines if line and line[0].isdigit()):
        if "-logPcorpus" in header:
            log_joint[int(row[0])] = -float(row[header.index("-logPcorpus")])
        else:
            # (symbol, tables, customers, a, b) of each adapted symbol end the line; the last line is without the density.
            strengths = [float(b) for b in row[-1].split()[5::5]]
            last = int(row[0]) == sweeps
            density = 0.0 if last else sum(map(_log_density, strengths))
            log_joint[int(row[0])] = -float(row[header.index("-logP")]) - density
    return PeerRun(cost, log_joint, [block.splitlines() for block in blocks])


def peer_probabilities(program: Path, grammar: PeerGrammar, words: list[str]) -> list[float]:
    """The probability of each word under the base grammar, as py-srcag's parser sums it."""
    with tempfile.TemporaryDirectory() as folder:
        rules, text = (Path(folder) / name for name in ("grammar", "words"))
        rules.write_text(grammar.text())
        text.write_text(grammar.words(words))
        command = [str(program), *OPTIONS[:-2], "-d", "1000", "-D", "-n", "0", str(rules)]
        with text.open() as stdin:
            told = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=True).stderr
    return [float(p) for p in re.findall(r", tprob = ([0-9.e+-]+)", told)][: len(words)]


def _log_density(b: float) -> float:
    """Of Gamma(shape 0.1, scale 10)."""
    return -0.9 * math.log(b) - 0.1 * math.log(10.0) - b / 10.0 - math.lgamma(0.1)
