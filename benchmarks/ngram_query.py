"""Scoring a text file through Python against KenLM's query: tokens a second, interleaved in one run, same text.

python benchmarks/ngram_query.py --model model.binyan --text train.txt --query path/to/query --kenlm-model model.mmap

Give query a binary model (build_binary): then it starts at once. Its time is that of the whole text less that of one
line, ours that of `model.score_text(path)`, which reads, splits, looks up and scores. The sums of both are compared.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import tempfile
import time
from pathlib import Path

from children import Cost, least, run

from binyan.language_model import load
from binyan.ngram.backoff import BackoffLanguageModel


def main() -> None:
    """Score with both in turn, print rates and their ratio, and one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--query", required=True, help="KenLM's query program")
    parser.add_argument("--kenlm-model", required=True, help="the same model for it")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1, help="threads of ours")
    options = parser.parse_args()
    model = load(options.model)
    assert isinstance(model, BackoffLanguageModel)
    command = [options.query, "-v", "summary", options.kenlm_model]
    mine, whole, single = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        line = Path(folder, "line")
        with open(options.text, "rb") as text:
            line.write_bytes(text.readline())
        for _ in range(options.rounds):
            start, cpu = time.monotonic(), time.process_time()
            scores = model.score_text(options.text, options.threads)
            mine.append(Cost(time.monotonic() - start, time.process_time() - cpu, 0))
            whole.append(run(command, options.text))
            single.append(run(command, line))
    told = subprocess.run(command, stdin=open(options.text, "rb"), capture_output=True, check=True, text=True).stdout
    theirs = float(re.search(r"Perplexity including OOVs:\s*(\S+)", told)[1])  # type: ignore[index]
    ours = least(mine)
    kenlm = Cost(least(whole).wall - least(single).wall, least(whole).cpu - least(single).cpu, 0)
    if not math.isclose(theirs, scores.perplexity, rel_tol=1e-4):
        raise SystemExit(f"not the same model: perplexity {scores.perplexity} and {theirs}")
    rates = {
        name: {"cpu": scores.tokens / c.cpu, "wall": scores.tokens / c.wall}
        for name, c in (("binyan", ours), ("query", kenlm))
    }
    for name, rate in rates.items():
        print(
            f"{name:7} {rate['cpu'] / 1e6:6.2f}m tokens a second of processor time, {rate['wall'] / 1e6:6.2f}m by the clock"
        )
    ratio = rates["binyan"]["cpu"] / rates["query"]["cpu"]
    print(f"ours scores {ratio:.2f} times as fast; perplexity {scores.perplexity:.4f}, query's {theirs:.4f}")
    print(
        json.dumps(
            {
                "tokens": scores.tokens,
                "tokens_per_second": rates,
                "cpu_ratio": ratio,
                "wall_ratio": rates["binyan"]["wall"] / rates["query"]["wall"],
                "perplexity": scores.perplexity,
                "signature": str(model.signature()),
            }
        )
    )


if __name__ == "__main__":
    main()
