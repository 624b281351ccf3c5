"""How the cost of training grows with the text: CPU seconds of Kneser-Ney, of an HPYLM sweep, and peak memory.

    python benchmarks/ngram_growth.py --text train1.txt train2.txt --sizes 1000000 3000000 10000000 --plot growth.svg

Each size is the first so many tokens of the texts, types seen twice or more, in a process of its own.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path


def first_tokens(paths: list[Path], tokens: int) -> Iterator[list[str]]:
    """Whole sentences until `tokens` are reached."""
    from binyan.text import read_sentences

    seen = 0
    for sentence in itertools.chain.from_iterable(map(read_sentences, paths)):
        yield sentence
        seen += len(sentence)
        if seen >= tokens:
            return


def measure(paths: list[Path], tokens: int, order: int, sweeps: int) -> dict[str, float]:
    """Figures of one size, in this process."""
    from binyan import _core
    from binyan.ngram.kneser_ney import KneserNey
    from binyan.text import Corpus, VocabularyPolicy

    corpus = Corpus.read(first_tokens(paths, tokens), policy=VocabularyPolicy(min_count=2), progress=False)
    start = time.process_time()
    tree = _core.ContextTree.build(corpus.words, corpus.offsets, order, len(corpus.vocabulary))
    tree_seconds = time.process_time() - start
    model = _core.HPYLM(tree, 1)
    model.initialise(True)
    start = time.process_time()
    for _ in range(sweeps):
        model.step()
    sweep_seconds = (time.process_time() - start) / sweeps
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)
    del model, tree
    start = time.process_time()
    KneserNey(order).fit(corpus)
    return {
        "tokens": len(corpus.words),
        "types": len(corpus.vocabulary),
        "tree_seconds": tree_seconds,
        "sweep_seconds": sweep_seconds,
        "hpylm_peak_mb": peak,
        "mkn_seconds": time.process_time() - start,
    }


def main() -> None:
    """Measure every size and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, nargs="+", required=True, help="plain text, one sentence a line")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000_000, 3_000_000, 10_000_000, 33_000_000])
    parser.add_argument("--order", type=int, default=4)
    parser.add_argument("--sweeps", type=int, default=3)
    parser.add_argument("--plot", type=Path, help="write a drawing (svg or png)")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measure(options.text, options.sizes[0], options.order, options.sweeps)))
        return

    from binyan.evaluation.perplexity import curve
    from binyan.evaluation.plots import save
    from binyan.signature import Signature

    rows = []
    for size in options.sizes:
        command = [sys.executable, __file__, "--worker", "--sizes", str(size), "--order", str(options.order)]
        command += ["--sweeps", str(options.sweeps), "--text", *map(str, options.text)]
        rows.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        print(json.dumps(rows[-1]), flush=True)
    signature = str(Signature({"benchmark": "ngram_growth", "order": options.order, "sweeps": options.sweeps}))
    points = [
        (name, row["tokens"], 1e6 * row[key] / row["tokens"])
        for name, key in (("HPYLM sweep", "sweep_seconds"), ("Kneser-Ney training", "mkn_seconds"))
        for row in rows
    ]
    table = curve(
        "CPU seconds for a million tokens, by training size",
        "training tokens",
        "CPU s / 1m tokens",
        points,
        signature,
        log_x=True,
    )
    print(table.terminal())
    if options.plot:
        save(table, options.plot)


if __name__ == "__main__":
    main()
