"""Agreement of chains and joint probability against processor seconds, with words drawn one at a time and in families.

For each word list and grammar, three chains run for the same processor time with each setting of the moves: words drawn one at a time (0,0),
families of words as well (0.5,0: `joint`), or families of cached trees (0,0.5: `joint_trees`). Agreement is the share of words whose most
frequent analysis in the second half of the sweeps so far is the same in all chains. The log joint probability is that of trees and seats with
a and b summed out, and so are its mean over the second half and its spread over chains: given a and b, it moves by hundreds where a b
near 0 does. Writes a table, and a plot of each list.

    python benchmarks/chain_agreement.py --words BW.tsv.xz tur.tsv --grammars affixes root-template --out figures
    python benchmarks/chain_agreement.py --words BW.tsv.xz --moves 0,0 0.5,0 0,0.5 0.1,0.5 --grammars root-template-affixes --count 1000 --seconds 30
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from binyan import _core
from binyan.evaluation.table import Cell, Chart, Column, Table, write_tables
from binyan.grammar.notation import load_grammar
from binyan.grammar.rules import Grammar
from binyan.morphology import AdaptorSampler, MorphologySettings, WordList
from binyan.text.reading import read_lines

POINTS = 12
MOVES = {"0,0": "single words", "0.5,0": "families of words", "0,0.5": "families of cached trees"}
Floats = NDArray[np.float64]
COLUMNS = [
    Column("list"),
    Column("grammar"),
    Column("moves"),
    Column("seconds", ".1f"),
    Column("sweeps", "d"),
    Column("words agreed", ".1f"),
    Column("entries agreed", ".1f"),
    Column("log joint", ",.0f"),
    Column("spread", ",.0f"),
]


def sample_words(path: Path, count: int, seed: int) -> list[str]:
    """So many types of the first column, drawn by seed."""
    types = sorted({line.split("\t")[0] for _, line in read_lines(path)} - {""})
    random.Random(seed).shuffle(types)
    return types[:count]


def log_seating(a: Floats, b: Floats, sizes: Floats, counts: Floats) -> Floats:
    """Log-probability of table sizes, each of which occurs so often (thesis, equation 5.8)."""
    n, m = (sizes * counts).sum(), counts.sum()
    openings = (m - 1) * np.log(a) + gammaln(m + b / a) - gammaln(1 + b / a) + gammaln(1 + b) - gammaln(n + b)
    return openings + (counts * (gammaln(sizes - a[..., None]) - gammaln(1 - a[..., None]))).sum(-1)


def log_joint(chain: _core.Chain) -> float:
    """Log-probability of trees and seats, a and b summed out on a grid of their priors."""
    a, log_b = np.meshgrid((np.arange(40) + 0.5) / 40, np.linspace(-80, 8, 100), indexing="ij")
    prior = 0.1 * log_b - np.exp(log_b) / 10
    prior -= logsumexp(prior)
    cached = chain.cached_trees()
    owners = np.repeat(cached["adapted"], cached["tables"])
    total = float(chain.log_joint)
    for k, (now_a, now_b, customers, _) in enumerate(chain.adaptors):
        if customers:
            sizes, counts = np.unique(cached["sizes"][owners == k], return_counts=True)
            total -= float(log_seating(np.array(now_a), np.array(now_b), sizes, counts))
            total += float(logsumexp(prior + log_seating(a, np.exp(log_b), sizes, counts)))
    return total


def run(grammar: Grammar, words: list[str], moves: str, seconds: float, chains: int) -> list[list[float]]:
    """Rows of processor seconds of all chains, sweeps, agreement on words and entries, and the mean and spread of log joints."""
    joint, trees = map(float, moves.split(","))
    settings = MorphologySettings(sweeps=1_000_000, burn_in=999_999, chains=chains, joint=joint, joint_trees=trees)
    sampler = AdaptorSampler(grammar, WordList.of(words), settings)
    begin = time.process_time()
    sampler.states = [sampler.init(i) for i in range(chains)]
    used, rows, joints = time.process_time() - begin, [], []
    moments = [seconds * (i + 1) / POINTS for i in range(POINTS)]
    while moments:
        begin = time.process_time()
        for state in sampler.states:
            sampler.step(state)
        used += time.process_time() - begin
        if sampler.sweeps % 20 == 0 or not joints:
            joints.append([log_joint(state.core) for state in sampler.states])
        if used >= moments[0] and sampler.sweeps >= 4:
            moment = max(moment for moment in moments if moment <= used)
            moments = [later for later in moments if later > used]
            trace = sampler.agreement_trace()
            late = np.mean(joints[len(joints) // 2 :], axis=0)
            rows.append(
                [
                    round(moment, 1),
                    sampler.sweeps,
                    100 * trace[-1].words,
                    100 * trace[-1].entries,
                    float(np.mean(late)),
                    float(np.ptp(late)),
                ]
            )
    return rows


def plotted(rows: list[list[Cell]], name: str, signature: str) -> Table:
    """Agreement on words against seconds, a line per setting of the moves."""
    settings = list(dict.fromkeys(str(row[2]) for row in rows))
    columns = [Column("seconds", ".1f"), *(Column(MOVES.get(moves, moves), ".1f") for moves in settings)]
    agreed = {(row[3], row[2]): row[5] for row in rows}
    moments = sorted({float(row[3]) for row in rows})  # type: ignore[arg-type]
    lines: list[list[Cell]] = [[moment, *(agreed.get((moment, moves)) for moves in settings)] for moment in moments]
    chart = Chart("lines", "seconds", [c.name for c in columns[1:]], y_title="words on which chains agree, per cent")
    return Table(f"Agreement of chains: {name}", columns, lines, signature, "", chart)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=Path, nargs="+", required=True, help="word lists; the first column is taken")
    parser.add_argument("--grammars", nargs="+", default=["affixes"], help="shipped grammars or grammar files")
    parser.add_argument("--count", type=int, default=3000, help="words of each list")
    parser.add_argument("--seconds", type=float, default=60.0, help="processor seconds of each run, all chains")
    parser.add_argument("--chains", type=int, default=3)
    parser.add_argument("--moves", nargs="+", default=["0,0", "0.5,0", "0,0.5"], help="joint,joint_trees of each run")
    parser.add_argument("--out", type=Path, help="a folder for table and plots")
    options = parser.parse_args()
    everything: list[list[Cell]] = []
    tables: dict[str, Table] = {}
    for path in options.words:
        words = sample_words(path, options.count, 1)
        for grammar in map(load_grammar, options.grammars):
            name, signature = f"{path.name.split('.')[0]} {grammar.name}", f"words:{len(words)}|chains:{options.chains}"
            rows: list[list[Cell]] = [
                [path.name.split(".")[0], grammar.name, moves, *row]
                for moves in options.moves
                for row in run(grammar, words, moves, options.seconds, options.chains)
            ]
            tables[name.replace(" ", "-")] = plotted(rows, name, signature)
            everything += [[*row[:4], int(row[4]), *row[5:]] for row in rows]  # type: ignore[arg-type]
            print(Table(name, COLUMNS, everything[-len(rows) :], signature).terminal(), flush=True)
    tables["chain-agreement"] = Table("Agreement of chains against processor seconds", COLUMNS, everything, "")
    write_tables(tables, options.out, options.out)


if __name__ == "__main__":
    main()
