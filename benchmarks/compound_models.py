"""Processor time of the compound models beside the HPYLM's, interleaved in one run: sweeps, scoring, renormalised scoring.

    python benchmarks/compound_models.py --text train.txt --held-out test.txt --segmentation splits.tsv --order 4

Ratios are to the HPYLM's sweep on the same text, and to plain scoring by the same model. Memory is what the process holds
after each model was made, in MB.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from binyan import _core
from binyan.ngram.backoff import context_tree
from binyan.ngram.compound import CompoundHPYLM
from binyan.ngram.compound_sampling import ComponentInventory, Decomposition
from binyan.segmentation import SegmentationTable
from binyan.text import Corpus, read_sentences


def seconds(action: Callable[[], Any]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    action()
    return time.process_time() - start


def resident() -> float:
    """MB in memory now, where the system tells; else 0."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--held-out", type=Path, required=True)
    parser.add_argument("--segmentation", type=Path, required=True)
    parser.add_argument("--order", type=int, default=4)
    parser.add_argument("--sweeps", type=int, default=10)
    options = parser.parse_args()

    corpus = Corpus.read(options.text, progress=False)
    table = SegmentationTable.read(options.segmentation)
    parts = ComponentInventory(corpus.vocabulary, Decomposition(table))
    tree = context_tree(corpus, options.order, progress=False)
    compounds = _core.CompoundTree(tree, parts.ids, parts.offsets, len(parts))
    memory, held = {}, resident()
    chains: dict[str, Any] = {}
    for kind in ("hpylm", "hpylm+c", "hpylm+g"):
        chains[kind] = _core.HPYLM(tree, 1) if kind == "hpylm" else _core.CompoundHPYLM(compounds, kind == "hpylm+g", 1)
        chains[kind].initialise(True)
        memory[kind], held = resident() - held, resident()
    costs: dict[str, list[float]] = {kind: [] for kind in chains}
    for _ in range(options.sweeps):
        for kind, chain in chains.items():
            costs[kind].append(seconds(chain.step))
    sweep = {kind: statistics.median(values) for kind, values in costs.items()}
    chains.clear()

    scoring = {}
    sentences = [list(s) for s in read_sentences(options.held_out)]
    encoded = Corpus.encode(sentences, corpus.vocabulary)
    for both_ways in (False, True):
        model = CompoundHPYLM(options.order, sweeps=2, segmentation=table, both_ways=both_ways)
        model.fit(corpus, progress=False)
        query = model.native

        def score(renormalise: bool, query: _core.CompoundQuery = query) -> float:
            return seconds(lambda: query.score_sentences(encoded.words, encoded.offsets, [], renormalise))

        plain, closed = zip(*((score(False), score(True)) for _ in range(9)), strict=True)
        scoring[model.kind] = {
            "events_a_second": encoded.events / statistics.median(plain),
            "renormalised_ratio": statistics.median(closed) / statistics.median(plain),
        }
    figures = {
        "order": options.order,
        "compounds": parts.compounds,
        "cpu_seconds_a_sweep": sweep,
        "sweep_ratio": {kind: value / sweep["hpylm"] for kind, value in sweep.items()},
        "sampler_mb": memory,
        "scoring": scoring,
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
