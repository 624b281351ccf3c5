"""Kneser-Ney training against KenLM's lmplz: cost, interleaved in one run, and every probability and back-off weight.

python benchmarks/ngram_training.py --text train.txt --order 4 --lmplz 'path/to/lmplz -S 2G' [--rounds 5]

Both are whole programs from a text file to a model file: ours starts Python, lmplz writes an ARPA file.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from pathlib import Path

from children import least, run

from binyan.language_model import load
from binyan.ngram.backoff import BackoffLanguageModel


def parameters(path: Path) -> dict[str, tuple[float, float]]:
    """N-gram -> log10 probability and back-off weight of an ARPA file, read with as little code as possible."""
    found = {}
    with open(path, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if len(fields) > 1:
                found[fields[1]] = (float(fields[0]), float(fields[2]) if len(fields) > 2 else 0.0)
    return found


def largest_differences(ours: Path, theirs: Path) -> dict[str, float]:
    """The largest absolute difference of log10 probabilities and of back-off weights; fails if n-grams differ."""
    one, other = parameters(ours), parameters(theirs)
    if one.keys() != other.keys():
        raise SystemExit(f"other n-grams: {list(one.keys() ^ other.keys())[:5]} ...")
    pairs = [(one[ngram], other[ngram]) for ngram in one]
    return {
        "ngrams": len(pairs),
        "probability": max(abs(a[0] - b[0]) for a, b in pairs),
        "backoff": max(abs(a[1] - b[1]) for a, b in pairs),
    }


def main() -> None:
    """Train with both in turn, print costs and their ratios, compare the models, and print one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, required=True, help="plain text, one sentence a line, no blank lines")
    parser.add_argument("--order", type=int, default=4)
    parser.add_argument("--lmplz", required=True, help="the lmplz command without order and files")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, arpa, mine = folder / "ours.binyan", folder / "lmplz.arpa", folder / "ours.arpa"
        train = f"lm train mkn --quiet --text {options.text} --order {options.order} --out {model}"
        ours = [sys.executable, "-c", "from binyan.cli import main; main()", *train.split()]
        theirs = [*shlex.split(options.lmplz), "-o", str(options.order), "-T", str(folder)]
        costs: dict[str, list] = {"binyan": [], "lmplz": []}
        for _ in range(options.rounds):
            costs["binyan"].append(run(ours))
            costs["lmplz"].append(run(theirs, options.text, arpa))
        loaded = load(model)
        assert isinstance(loaded, BackoffLanguageModel)
        loaded.to_arpa(mine)
        differences = largest_differences(mine, arpa)
    binyan, lmplz = least(costs["binyan"]), least(costs["lmplz"])
    print(f"binyan  {binyan}\nlmplz   {lmplz}")
    print(
        f"lmplz takes {lmplz.cpu / binyan.cpu:.2f} times the processor time, {lmplz.wall / binyan.wall:.2f} times the clock"
    )
    print(
        f"{differences['ngrams']:,} n-grams; largest difference of log10 probabilities {differences['probability']:.1e}, "
        f"of back-off weights {differences['backoff']:.1e}"
    )
    print(
        json.dumps(
            {
                "binyan": vars(binyan),
                "lmplz": vars(lmplz),
                "cpu_ratio": lmplz.cpu / binyan.cpu,
                "wall_ratio": lmplz.wall / binyan.wall,
                "differences": differences,
                "signature": str(loaded.signature()),
            }
        )
    )


if __name__ == "__main__":
    main()
