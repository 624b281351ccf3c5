"""How adaptor grammar sampling grows with the number of words and with their length: words per second and memory.

The most memory held is that of the process up to then (Linux): give sizes in increasing order, and one grammar per run.

python benchmarks/adaptor_growth.py --words BW.tsv.xz --grammars concat tpl tplr4 --plot growth.svg
python benchmarks/adaptor_growth.py --words types.txt --grammars concat --sizes 10000 100000 400000 1000000 --lengths 8 --sweeps 2 --plot growth.svg
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from pathlib import Path

from binyan.grammar.notation import load_grammar
from binyan.morphology import AdaptorSampler, MorphologySettings, WordList
from binyan.text.reading import read_lines


def measure(grammar: str, words: list[str], sweeps: int) -> dict[str, float]:
    """Processor time of building the forests, of first trees and of the fastest sweep; memory that chains share, and the most held so far."""
    start = time.process_time()
    sampler = AdaptorSampler(
        load_grammar(grammar), WordList.of(words), MorphologySettings(sweeps=sweeps + 1, burn_in=sweeps)
    )
    built = time.process_time()
    state = sampler.init()
    begun = time.process_time()
    best = float("inf")
    for _ in range(sweeps):
        begin = time.process_time()
        state.core.sweep()
        best = min(best, time.process_time() - begin)
    return {
        "words": len(words),
        "forest_seconds": built - start,
        "first_trees_seconds": begun - built,
        "words_per_second": len(words) / best,
        "memory_mb": sampler.memory_mb,
        "most_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def plot(results: dict, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(13, 4), layout="constrained")
    for grammar, rows in results.items():
        number, length = rows["number"], rows["length"]
        axes[0].plot([r["words"] for r in number], [r["words_per_second"] for r in number], "o-", label=grammar)
        axes[1].plot([r["length"] for r in length], [1e6 / r["words_per_second"] for r in length], "o-", label=grammar)
        axes[2].plot([r["words"] for r in number], [r["memory_mb"] for r in number], "o-", label=f"{grammar}: forests")
        axes[2].plot([r["words"] for r in number], [r["most_memory_mb"] for r in number], "o--", label="whole process")
    axes[0].set(xlabel="words", ylabel="words a second", xscale="log", ylim=(0, None))
    axes[1].set(xlabel="atoms of a word", ylabel="microseconds a word", yscale="log")
    axes[2].set(xlabel="words", ylabel="MB", xscale="log", yscale="log")
    axes[0].legend()
    axes[2].legend()
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=Path, required=True, help="word list; the first column is taken")
    parser.add_argument("--grammars", nargs="+", default=["concat", "tpl", "tplr4"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 3000, 10_000, 30_000, 48_543])
    parser.add_argument("--lengths", type=int, nargs="+", default=[4, 6, 8, 10, 12, 14])
    parser.add_argument("--sweeps", type=int, default=3)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    types = sorted({line.split("\t")[0] for _, line in read_lines(options.words) if line.strip()})
    random.Random(1).shuffle(types)
    results: dict = {}
    for grammar in options.grammars:
        rows: dict[str, list[dict]] = {"number": [], "length": []}
        for size in options.sizes:
            rows["number"].append(measure(grammar, types[:size], options.sweeps))
            print(grammar, json.dumps(rows["number"][-1]), flush=True)
        for length in options.lengths:
            some = [word for word in types if len(word) == length][:1000]
            if some:
                rows["length"].append({"length": length, **measure(grammar, some, options.sweeps)})
                print(grammar, json.dumps(rows["length"][-1]), flush=True)
        results[grammar] = rows
    if options.out:
        options.out.write_text(json.dumps(results, indent=1))
    if options.plot:
        plot(results, options.plot)


if __name__ == "__main__":
    main()
