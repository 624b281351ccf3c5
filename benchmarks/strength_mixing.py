"""Does it pay to sum out the seatings when a and b are drawn? Effective draws of a and log b per processor second, both ways.

Given the trees of all words and how many tables each cached tree has, all that is below the tables is fixed; how the customers of a
tree are spread over its tables is not. With `sum_out_seats` the core draws a and b with table sizes summed out, by generalised Stirling numbers
in place of products over tables, and then draws the sizes again. The numbers of tables cannot be summed out in closed form:
every table of a tree is an observation of the rules and of the trees below it.

    python benchmarks/strength_mixing.py --words BW.tsv.xz --grammar root-template-affixes --count 1000 --sweeps 300
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
from chain_agreement import sample_words
from numpy.typing import NDArray

from binyan.grammar.notation import load_grammar
from binyan.morphology import AdaptorSampler, MorphologySettings, WordList

Floats = NDArray[np.float64]


def chain_traces(sampler: AdaptorSampler, chain: int, sweeps: int, summed: bool) -> tuple[Floats, float]:
    """A and log b of each symbol after each sweep of a chain, and the processor seconds of the later four fifths."""
    core = sampler.init(chain).core
    rows, begin = [], 0.0
    for sweep in range(sweeps):
        if sweep == sweeps // 5:
            begin = time.process_time()
        core.sweep(relabel=True, sum_out_seats=summed)
        rows.append([x for a, b, _, _ in core.adaptors for x in (a, math.log(b))])
    return np.array(rows[sweeps // 5 :]), time.process_time() - begin


def effective_size(draws: Floats) -> float:
    """Draws over the integrated autocorrelation time (Geyer's initial positive sequence)."""
    x = draws - draws.mean()
    if not x.any():
        return float(len(x))
    correlation = np.correlate(x, x, "full")[len(x) - 1 :] / (x @ x)
    total = -1.0
    for i in range(0, len(x) - 1, 2):
        pair = correlation[i] + correlation[i + 1]
        if pair <= 0:
            break
        total += 2 * pair
    return len(x) / max(total, 1e-9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=Path, required=True, help="a word list; the first column is taken")
    parser.add_argument("--grammar", default="affixes", help="a shipped grammar or a grammar file")
    parser.add_argument("--count", type=int, default=1000, help="words of the list")
    parser.add_argument("--sweeps", type=int, default=300, help="the first fifth is left out")
    parser.add_argument("--chains", type=int, default=2, help="chains of each way, over which figures are averaged")
    options = parser.parse_args()
    words = WordList.of(sample_words(options.words, options.count, 1))
    settings = MorphologySettings(sweeps=options.sweeps, burn_in=options.sweeps - 1, joint=0.0)
    sampler = AdaptorSampler(load_grammar(options.grammar), words, settings)
    sizes: dict[bool, Floats] = {}
    seconds = {False: 0.0, True: 0.0}
    for chain in range(options.chains):
        for summed in (False, True):
            trace, taken = chain_traces(sampler, chain, options.sweeps, summed)
            found = np.array([effective_size(column) for column in trace.T])
            sizes[summed] = sizes.get(summed, 0.0) + found / options.chains
            seconds[summed] += taken / options.chains
    for summed, name in ((False, "given"), (True, "summed out")):
        a, b = sizes[summed][::2].mean(), sizes[summed][1::2].mean()
        print(
            f"sizes {name}: {seconds[summed]:.2f} s, per second {a / seconds[summed]:.2f} of a, {b / seconds[summed]:.2f} of log b"
        )
    print("symbol\ta, given\ta, summed out\tlog b, given\tlog b, summed out")
    for k, symbol in enumerate([*sampler.compiled.adapted_symbols, "mean"]):
        part = [sizes[s][i::2] for i in (0, 1) for s in (False, True)]
        print(symbol, *(f"{x.mean() if symbol == 'mean' else x[k]:.0f}" for x in part), sep="\t")


if __name__ == "__main__":
    main()
