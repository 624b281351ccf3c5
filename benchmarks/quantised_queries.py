"""Back-off models with probabilities in few bits: bytes per n-gram in memory, words per second, and perplexity.

    python benchmarks/quantised_queries.py model.binyan --text test.txt

Each model is scored with the hash table of n-grams and without it, which quantised models have only where it is asked for.
Words per second are of processor time, on one thread, the best of three.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from binyan import _core, load
from binyan.ngram.backoff import BackoffLanguageModel
from binyan.text import Corpus

INDEX_BYTES = 24  # of the hash table, per n-gram


def bytes_per_ngram(model: BackoffLanguageModel, bits: int | None) -> float:
    """Of the arrays of a model."""
    width = 4 if bits is None else 1 if bits <= 8 else 2
    structure = model.native.structure
    contexts, entries = len(structure["suffix"]), len(structure["word"])
    values = width * model.native.columns * (contexts + entries)
    return (sum(array.nbytes for array in structure.values()) + values) / entries


def words_per_second(native: _core.BackoffModel, corpus: Corpus) -> float:
    """The fastest of three passes over a text."""
    times = []
    for _ in range(3):
        start = time.process_time()
        native.score_sentences(corpus.words, corpus.offsets, 1)
        times.append(time.process_time() - start)
    return corpus.events / min(times)


def main() -> None:
    """One row for each number of bits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--bits", type=int, nargs="*", default=[16, 12, 8, 6])
    options = parser.parse_args()
    model = load(options.model)
    if not isinstance(model, BackoffLanguageModel):
        raise SystemExit("not a back-off model")
    corpus = Corpus.encode_text(options.text, model.vocabulary, model.preparation)
    print(f"{sum(model.ngrams):,} n-grams, {corpus.events:,} events")
    for bits in (None, *options.bits):
        small = model if bits is None else model.quantised(bits)
        searched = words_per_second(small.native, corpus) if bits else float("nan")
        small.native.build_index()
        hashed = words_per_second(small.native, corpus)
        size = bytes_per_ngram(small, bits)
        print(
            f"{bits or 32:3} bits: {size:5.1f} bytes per n-gram, {size + INDEX_BYTES:5.1f} with the hash table; "
            f"{searched / 1e6:.2f} and {hashed / 1e6:.2f} million words a second; "
            f"perplexity {small.score_text(options.text).perplexity:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
