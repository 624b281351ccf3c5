"""KenLM's Python interface: its own module beside `binyan.compat.kenlm`, the same program on the same ARPA file, in one run.

    python benchmarks/kenlm_interface.py --text train.txt --test test.txt

Needs the package kenlm. Prints microseconds of processor time per word and ratios (by words, by sentences, all at once), the largest
difference of any probability, and what files take on disk, to open, and in memory.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import kenlm as theirs
from children import Cost, least

import binyan.compat.kenlm as ours
from binyan import KneserNey
from binyan.text.reading import read_sentences

# What a process has cost so far: seconds by the clock (from its import of time), of processor time, and the most memory, in MB.
_COST = """
import time, re
with open("/proc/self/status") as status: peak = re.search(r"VmHWM:\\s*(\\d+)", status.read())[1]
print(time.monotonic() - start, time.process_time(), int(peak) / 1024)
"""


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


def fastest(runs: dict[str, Callable[[], float]], times: int) -> dict[str, float]:
    """Seconds of processor time of the fastest of several runs of each, in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(times):
        for name, run_once in runs.items():
            start = time.process_time()
            run_once()
            seconds[name].append(time.process_time() - start)
    return {name: min(taken) for name, taken in seconds.items()}


def check(models: dict[str, tuple[Any, Any]], sentences: list[list[str]]) -> float:
    """The largest difference of any log10 probability; ends the program where lengths or flags differ."""
    largest = 0.0
    for words in sentences:
        text = " ".join(words)
        pairs = zip(*(model.full_scores(text) for _, model in models.values()), strict=True)
        for (a, length, unknown), (b, our_length, our_unknown) in pairs:
            if (length, unknown) != (our_length, our_unknown):
                raise SystemExit(f"{text}: {(length, unknown)} and {(our_length, our_unknown)} differ")
            largest = max(largest, abs(a - b))
    return largest


def opening(module: str, path: Path, rounds: int) -> tuple[Cost, Cost]:
    """What a process costs that imports a module, and what one costs that opens a model and scores a sentence besides."""
    costs: list[list[Cost]] = [[], []]
    for _ in range(rounds):
        for use, spent in zip(("", f"kenlm.Model({str(path)!r}).score('das haus')"), costs, strict=True):
            program = f"import time; start = time.monotonic(); import {module} as kenlm; {use}\n{_COST}"
            printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
            spent.append(Cost(*map(float, printed.split())))
    return least(costs[0]), least(costs[1])


def report(name: str, taken: dict[str, float], words: int) -> None:
    """Microseconds a word of both, and their ratio."""
    each = "  ".join(f"{who} {1e6 * seconds / words:.3f}" for who, seconds in taken.items())
    print(f"{name:<22} microseconds a word: {each}  kenlm / binyan {taken['kenlm'] / taken['binyan']:.2f}", flush=True)


def compare_speed(arpa: Path, sentences: list[list[str]], times: int) -> None:
    """Run the program against both modules, by words, by sentences and all at once."""
    texts = [" ".join(words) for words in sentences]
    words = sum(len(s) + 1 for s in sentences)
    models = {"kenlm": (theirs, theirs.Model(str(arpa))), "binyan": (ours, ours.Model(str(arpa)))}
    print(
        f"{words:,} words; largest difference of a log10 probability {check(models, sentences):.1e}; the rest is equal"
    )
    for program in (word_by_word, sentence_by_sentence):
        runs = {name: partial(program, module, model, sentences) for name, (module, model) in models.items()}
        report(program.__name__, fastest(runs, times), words)
    score, model = models["kenlm"][1].score, models["binyan"][1].language_model
    batch = {"kenlm": lambda: sum(map(score, texts)), "binyan": lambda: float(model.score_text(texts).log_prob.sum())}
    report("batch of all sentences", fastest(batch, times), words)


def compare_files(arpa: Path, own: Path, build_binary: str | None, times: int) -> None:
    """What files take on disk, to open, and in memory."""
    files = {"kenlm, ARPA": ("kenlm", arpa), "binyan, ARPA": ("binyan.compat.kenlm", arpa)}
    for kind in ("probing", "trie") if build_binary else ():
        files[f"kenlm, {kind}"] = ("kenlm", arpa.with_suffix(f".{kind}"))
        subprocess.run([str(build_binary), kind, arpa, arpa.with_suffix(f".{kind}")], check=True, capture_output=True)
    files["binyan, model file"] = ("binyan.compat.kenlm", own)
    for name, (module, path) in files.items():
        alone, opened = opening(module, path, times)
        print(
            f"{name:<22} {path.stat().st_size / 1e6:8.1f} MB on disk; opening takes {opened.wall - alone.wall:6.2f} s, "
            f"{opened.cpu - alone.cpu:6.2f} s of processor time, {opened.megabytes - alone.megabytes:6.0f} MB",
            flush=True,
        )


def main() -> None:
    """Train, write an ARPA file, and compare both modules on it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--test", type=Path, required=True)
    parser.add_argument("--order", type=int, default=4)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--build-binary", help="KenLM's build_binary, where it is at hand: opens its binary files, too")
    options = parser.parse_args()
    sentences = list(islice(read_sentences(options.test), options.sentences))
    with tempfile.TemporaryDirectory() as folder:
        arpa, own = Path(folder) / "model.arpa", Path(folder) / "model.binyan"
        model = KneserNey(order=options.order).fit(options.text, progress=False)
        model.to_arpa(arpa, progress=False)
        model.save(own)
        compare_speed(arpa, sentences, options.times)
        compare_files(arpa, own, options.build_binary, min(options.times, 3))


if __name__ == "__main__":
    main()
