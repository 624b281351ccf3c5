"""Adaptor grammar sampling against py-cfg (Mark Johnson) and py-srcag (Jan Botha): words per second and joint probability.

Both peers are programs that the caller has built; their paths are options, and a peer without a path is left out.
Times are processor seconds, so that other work on the machine does not count; runs of the peers and ours alternate.

    python benchmarks/adaptor_speed.py --py-cfg .../ag --py-srcag .../py-srcag --german de.txt --arabic BW.tsv.xz
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from binyan.grammar.compiled import Compiled
from binyan.grammar.notation import load_grammar, read_grammar
from binyan.grammar.rules import Grammar, Variable
from binyan.morphology import AdaptorSampler, Settings, WordList
from binyan.text.reading import read_lines

AFFIXES = "Word -> Pre* Stem Suf*\n@Pre | @Stem | @Suf -> Char+\nChar -> <any>"
# The hyperparameters the thesis's experiments had: a ~ Beta(1, 1), b ~ Gamma(shape 0.1, scale 10), rule probabilities drawn.
PEER_OPTIONS = ["-E", "-a", "0.5", "-b", "1", "-w", "1", "-e", "1", "-f", "1", "-g", "10", "-h", "0.1", "-d", "0"]


def sample_words(path: Path, count: int, seed: int) -> list[str]:
    """So many types, drawn by seed; the first column of tab-separated files, the words of running text."""
    types = sorted({word for _, line in read_lines(path) for word in line.split("\t")[0].split() if word.isprintable()})
    random.Random(seed).shuffle(types)
    return types[:count]


class PeerGrammar:
    """A grammar in the format of a peer. Symbols and atoms get plain names; permuted rules get a symbol of their own each,
    as the peer's own preprocessor does."""

    def __init__(self, compiled: Compiled, ranges: bool) -> None:
        self.atoms = {atom: f"t{i}" for i, atom in enumerate(compiled.atoms)}
        self.ranges = ranges
        names = {s: f"N{i}" for i, s in enumerate(compiled.grammar.symbols)}
        pairs = [(r.lhs, r.rhs) for r in compiled.grammar.rules]
        self.lines = []
        for i, rule in enumerate(compiled.grammar.rules):
            left = names[rule.lhs]
            head = "1" if rule.lhs in compiled.grammar.adapted else "1 1"
            if not rule.rhs:
                atom = self.atoms[str(rule.arguments[0][0])]
                self.lines.append(f"{head} {left} {'(((0 0))) ' if ranges else ''}--> {atom}")
                continue
            if rule.rhs and pairs.count((rule.lhs, rule.rhs)) > 1:
                width = "(" + " ".join(f"(({j} 0))" for j in range(rule.arity)) + ")" if rule.arity > 1 else "(((0 0)))"
                self.lines.append(f"{head} {left} {width} --> D{i}")
                left, head = f"D{i}", "1 1"
            if ranges and len(rule.rhs) > 2:  # at most two right-hand symbols; all of ours with more are context-free
                rest = [names[s] for s in rule.rhs]
                while len(rest) > 2:
                    self.lines.append(f"{head} {left} (((0 0)) ((0 1))) --> {rest[0]} D{i}x{len(rest)}")
                    left, head, rest = f"D{i}x{len(rest)}", "1 1", rest[1:]
                self.lines.append(f"{head} {left} (((0 0)) ((0 1))) --> {rest[0]} {rest[1]}")
                continue
            right = " ".join(names[s] for s in rule.rhs)
            self.lines.append(f"{head} {left} {self._places(rule) if ranges else ''}--> {right}")

    @staticmethod
    def _places(rule) -> str:  # type: ignore[no-untyped-def]
        where = {e: (i, j) for i, a in enumerate(rule.arguments) for j, e in enumerate(a)}
        children = []
        for child in range(len(rule.rhs)):
            places = [where[Variable(child, k)] for k in range(rule.rhs_arity(child))]
            children.append("(" + " ".join(f"({i} {j})" for i, j in places) + ")")
        return "(" + " ".join(children) + ") "

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def words(self, words: list[str]) -> str:
        return "".join(" ".join(self.atoms[a] for a in word) + "\n" for word in words)


def run_peer(program: Path, grammar: PeerGrammar, words: list[str], sweeps: int, seed: int) -> tuple[float, float]:
    """Processor seconds and the log joint probability after the last sweep."""
    with tempfile.TemporaryDirectory() as folder:
        rules, trace = Path(folder) / "grammar", Path(folder) / "trace"
        rules.write_text(grammar.text())
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [program, *PEER_OPTIONS, "-r", str(seed), "-n", str(sweeps), "-x", str(sweeps - 1), "-F", trace, rules],
            input=grammar.words(words),
            text=True,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        lines = trace.read_text().splitlines()
        column = next(line.split("\t").index("-logP") for line in lines if "-logP\t" in line)
        rows = [line.split("\t") for line in lines if line and line[0].isdigit()]
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, -float(rows[-2][column])


def run_ours(grammar: Grammar, words: list[str], sweeps: int, seed: int) -> tuple[float, float, float]:
    """Processor seconds with everything from the word list on, the log joint probability, and MB of forests."""
    begin = time.process_time()
    sampler = AdaptorSampler(grammar, WordList.of(words), Settings(sweeps=sweeps, burn_in=sweeps - 1, seed=seed))
    state = sampler.init()
    for _ in range(sweeps - 1):
        sampler.step(state)
    return time.process_time() - begin, state.trace[-1][0], sampler.memory_mb


def compare(
    name: str, program: Path, grammar: Grammar, words: list[str], peer_sweeps: int, rounds: int, ranges: bool
) -> dict:
    peer_grammar = PeerGrammar(Compiled(grammar, {a for w in words for a in w}), ranges)
    figures: dict = {"peer": name, "grammar": grammar.name, "words": len(words), "sweeps": peer_sweeps, "rounds": []}
    for seed in range(1, rounds + 1):
        peer_seconds, peer_joint = run_peer(program, peer_grammar, words, peer_sweeps, seed)
        seconds, joint, memory = run_ours(grammar, words, peer_sweeps, seed)
        visits = len(words) * peer_sweeps
        figures["rounds"].append(
            {
                "peer_words_per_second": visits / peer_seconds,
                "our_words_per_second": visits / seconds,
                "ratio": peer_seconds / seconds,
                "peer_log_joint": peer_joint,
                "our_log_joint": joint,
                "memory_mb": memory,
            }
        )
        print(name, grammar.name, json.dumps(figures["rounds"][-1]), flush=True)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--py-cfg", type=Path, help="the program of Mark Johnson's py-cfg (wordseg's `ag`)")
    parser.add_argument("--py-srcag", type=Path, help="the program of bothameister/py-srcag")
    parser.add_argument("--german", type=Path, help="German text or words")
    parser.add_argument("--arabic", type=Path, help="word list for the templatic grammars")
    parser.add_argument("--grammars", nargs="*", default=["concat", "tpl", "tplr4"], help="for py-srcag")
    parser.add_argument("--words", type=int, default=5000)
    parser.add_argument("--sweeps", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--out", type=Path, help="JSON of all figures")
    options = parser.parse_args()
    results = []
    if options.py_cfg and options.german:
        words = sample_words(options.german, options.words, 1)
        results.append(
            compare(
                "py-cfg", options.py_cfg, read_grammar(AFFIXES, "affixes"), words, options.sweeps, options.rounds, False
            )
        )
    if options.py_srcag and options.arabic:
        words = sample_words(options.arabic, options.words, 1)
        for name in options.grammars:
            results.append(
                compare("py-srcag", options.py_srcag, load_grammar(name), words, options.sweeps, options.rounds, True)
            )
    if options.out:
        options.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
