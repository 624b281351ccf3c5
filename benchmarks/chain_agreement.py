"""Agreement of chains and joint probability against processor seconds, with words drawn one at a time and in families.

For each word list and grammar, three chains run for the same processor time with `joint` off and on. Agreement is the share of words whose
most frequent analysis in the second half of the sweeps so far is the same in all chains. Writes a table, and a plot of each list.

    python benchmarks/chain_agreement.py --words BW.tsv.xz tur.tsv --grammars affixes root-template --out figures
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

import numpy as np

from binyan.evaluation.table import Cell, Chart, Column, Table, write_tables
from binyan.grammar.notation import load_grammar
from binyan.grammar.rules import Grammar
from binyan.morphology import AdaptorSampler, MorphologySettings, WordList
from binyan.text.reading import read_lines

POINTS = 12
COLUMNS = [
    Column("list"),
    Column("grammar"),
    Column("joint", ".2g"),
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


def run(grammar: Grammar, words: list[str], joint: float, seconds: float, chains: int) -> list[list[float]]:
    """Rows of processor seconds of all chains, sweeps, agreement on words and entries, and the mean and spread of log joints."""
    settings = MorphologySettings(sweeps=1_000_000, burn_in=999_999, chains=chains, joint=joint)
    sampler = AdaptorSampler(grammar, WordList.of(words), settings)
    begin = time.process_time()
    sampler.states = [sampler.init(i) for i in range(chains)]
    used, rows = time.process_time() - begin, []
    moments = [seconds * (i + 1) / POINTS for i in range(POINTS)]
    while moments:
        begin = time.process_time()
        joints = [sampler.step(state).log_joint for state in sampler.states]
        used += time.process_time() - begin
        if used >= moments[0] and sampler.sweeps >= 4:
            moments = [moment for moment in moments if moment > used]
            trace = sampler.agreement_trace()
            rows.append(
                [
                    used,
                    sampler.sweeps,
                    100 * trace[-1].words,
                    100 * trace[-1].entries,
                    float(np.mean(joints)),
                    float(np.ptp(joints)),
                ]
            )
    return rows


def plotted(rows: list[list[Cell]], name: str, signature: str) -> Table:
    """Agreement on words against seconds, a line per setting of `joint`."""
    joints = sorted({row[2] for row in rows})  # type: ignore[type-var]
    columns = [Column("seconds", ".1f"), *(Column(f"joint {joint:g}", ".1f") for joint in joints)]
    lines: list[list[Cell]] = [
        [row[3], *(row[5] if row[2] == joint else None for joint in joints)]
        for row in sorted(rows, key=lambda row: row[3])  # type: ignore[arg-type,return-value]
    ]
    chart = Chart("lines", "seconds", [c.name for c in columns[1:]], y_title="words on which chains agree, per cent")
    return Table(f"Agreement of chains: {name}", columns, lines, signature, "", chart)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=Path, nargs="+", required=True, help="word lists; the first column is taken")
    parser.add_argument("--grammars", nargs="+", default=["affixes"], help="shipped grammars or grammar files")
    parser.add_argument("--count", type=int, default=3000, help="words of each list")
    parser.add_argument("--seconds", type=float, default=60.0, help="processor seconds of each run, all chains")
    parser.add_argument("--chains", type=int, default=3)
    parser.add_argument("--joint", type=float, nargs="+", default=[0.0, 0.5])
    parser.add_argument("--out", type=Path, help="a folder for table and plots")
    options = parser.parse_args()
    everything: list[list[Cell]] = []
    tables: dict[str, Table] = {}
    for path in options.words:
        words = sample_words(path, options.count, 1)
        for grammar in map(load_grammar, options.grammars):
            name, signature = f"{path.name.split('.')[0]} {grammar.name}", f"words:{len(words)}|chains:{options.chains}"
            rows: list[list[Cell]] = [
                [path.name.split(".")[0], grammar.name, joint, *row]
                for joint in options.joint
                for row in run(grammar, words, joint, options.seconds, options.chains)
            ]
            tables[name.replace(" ", "-")] = plotted(rows, name, signature)
            everything += [[*row[:4], int(row[4]), *row[5:]] for row in rows]  # type: ignore[arg-type]
            print(Table(name, COLUMNS, everything[-len(rows) :], signature).terminal(), flush=True)
    tables["chain-agreement"] = Table("Agreement of chains against processor seconds", COLUMNS, everything, "")
    write_tables(tables, options.out, options.out)


if __name__ == "__main__":
    main()
