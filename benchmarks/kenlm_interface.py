"""KenLM's Python interface: its own module beside `binyan.compat.kenlm`, the same program on the same ARPA file, in one run.

    python benchmarks/kenlm_interface.py --text train.txt --test test.txt

Needs the package kenlm. Prints microseconds per call and ratios, and the largest difference of any probability.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import kenlm as theirs

import binyan.compat.kenlm as ours
from binyan import KneserNey
from binyan.text.reading import read_sentences


def word_by_word(module: Any, model: Any, sentences: list[list[str]]) -> float:
    """The program: every word of every sentence, one call each."""
    total = 0.0
    score, begin, state = model.BaseScore, model.BeginSentenceWrite, module.State
    for words in sentences:
        before, after = state(), state()
        begin(before)
        for word in words:
            total += score(before, word, after)
            before, after = after, before
        total += score(before, "</s>", after)
    return total


def sentence_by_sentence(module: Any, model: Any, sentences: list[list[str]]) -> float:
    """The same by whole sentences."""
    return sum(model.score(text) for text in [" ".join(words) for words in sentences])


def fastest(run: Callable[[], float], times: int) -> tuple[float, float]:
    """(seconds of the fastest run, what it gave)."""
    seconds, value = [], 0.0
    for _ in range(times):
        start = time.perf_counter()
        value = run()
        seconds.append(time.perf_counter() - start)
    return min(seconds), value


def main() -> None:
    """Train, write an ARPA file, and run the program against both modules."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--test", type=Path, required=True)
    parser.add_argument("--order", type=int, default=4)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    sentences = list(islice(read_sentences(options.test), options.sentences))
    words = sum(len(s) + 1 for s in sentences)
    with tempfile.TemporaryDirectory() as folder:
        arpa = str(Path(folder) / "model.arpa")
        KneserNey(order=options.order).fit(options.text, progress=False).to_arpa(arpa, progress=False)
        models = {"kenlm": (theirs, theirs.Model(arpa)), "binyan": (ours, ours.Model(arpa))}
        difference = max(
            abs(a - b)
            for s in sentences
            for (a, n, o), (b, m, p) in zip(
                models["kenlm"][1].full_scores(" ".join(s)), models["binyan"][1].full_scores(" ".join(s)), strict=True
            )
            if (n, o) == (m, p) or _fail(s, (n, o), (m, p))
        )
        print(f"{words:,} words; largest difference of a log10 probability {difference:.1e}; lengths and flags equal")
        for program in (word_by_word, sentence_by_sentence):
            taken = {
                name: fastest(lambda m=module, x=model, p=program: p(m, x, sentences), options.times)[0]
                for name, (module, model) in models.items()
            }
            for name, seconds in taken.items():
                print(f"{program.__name__:<22}{name:<8}{1e6 * seconds / words:8.3f} microseconds a word")
            print(f"{program.__name__:<22}kenlm / binyan {taken['kenlm'] / taken['binyan']:.2f}")


def _fail(sentence: list[str], one: tuple[int, bool], other: tuple[int, bool]) -> bool:
    raise SystemExit(f"{' '.join(sentence)}: {one} and {other} differ")


if __name__ == "__main__":
    main()
