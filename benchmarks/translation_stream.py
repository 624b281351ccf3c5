"""Translation line by line beside batches, and what lines of every kind cost, on a system that is made up or on one of yours.

    python benchmarks/translation_stream.py [--sentences 50] [--repetitions 7] [--lines]
    python benchmarks/translation_stream.py --system FOLDER --source test.en [--weights FOLDER/other.json]

Words of the source have several translations each, drawn at random, and pairs of words change places, so that the decoder has something to search. Times
are processor seconds of this process; batches and single lines take turns, each with a decoder of its own that has seen nothing. Each is compared with the batches
of the same repetition, and the median is given with the range; the ratio of the quickest is given too, but rests on two repetitions alone. With --lines, also time and memory of one long line, one long word, and many new words, each in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from binyan import Translator
from binyan.text import read_lines

WORDS, TRANSLATIONS = 300, 4
KINDS: dict[str, Callable[[random.Random], list[str]]] = {
    "no line": lambda rng: [],
    "3,000 words": lambda rng: [" ".join(sentence(rng, 3_000))],
    "10,000 words": lambda rng: [" ".join(sentence(rng, 10_000))],
    "a word of 100,000 characters": lambda rng: ["x" * 100_000],
    "5,000 lines with a new word each": lambda rng: [f"s1 new{i}" for i in range(5_000)],
}


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=50)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--system", type=Path, help="a system to measure in the place of the one that is made up")
    parser.add_argument("--source", type=Path, help="text for it, of which the first sentences are taken")
    parser.add_argument("--weights", type=Path, help="its weights; by default weights.json")
    parser.add_argument("--lines", action="store_true", help="also time and memory of lines of every kind")
    parser.add_argument("--line", nargs=2, metavar=("FOLDER", "KIND"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.line:
        print(json.dumps(_line(Path(options.line[0]), options.line[1])))
        return
    if options.system:
        lines = [line for _, line in read_lines(options.source)][: options.sentences]
        system = Translator.load(options.system).using(weights=options.weights)
        print(json.dumps(streaming(system, lines, options.repetitions), indent=1))
        return
    with tempfile.TemporaryDirectory() as place:
        folder = made_system(Path(place))
        rng = random.Random(2)
        lines = [" ".join([*sentence(rng, rng.randint(6, 18)), f"new{i}"]) for i in range(options.sentences)]
        figures = streaming(Translator.load(folder), lines, options.repetitions)
        if options.lines:
            figures["lines"] = {kind: _in_own_process(folder, kind) for kind in KINDS}
    print(json.dumps(figures, indent=1))


def sentence(rng: random.Random, length: int) -> list[str]:
    """Words of the source, the frequent ones more often."""
    return [f"s{int(WORDS * rng.random() ** 2)}" for _ in range(length)]


def made_system(place: Path, pairs: int = 2_000) -> Path:
    """A system made of a random bitext; its folder."""
    rng = random.Random(1)
    source, target, links = [], [], []
    for _ in range(pairs):
        words = sentence(rng, rng.randint(4, 16))
        order = list(range(len(words)))
        for i in range(len(words) - 1):
            if rng.random() < 0.2:
                order[i], order[i + 1] = order[i + 1], order[i]
        source.append(" ".join(words))
        target.append(" ".join(f"t{words[i][1:]}.{int(TRANSLATIONS * rng.random() ** 2)}" for i in order))
        links.append(" ".join(f"{s}-{t}" for t, s in enumerate(order)))
    (place / "links").write_text("\n".join(links) + "\n")
    system = Translator(order=3).fit(source, target, place / "system", alignment_files=place / "links", progress=False)
    return system.folder


def streaming(opened: Translator, lines: Sequence[str], repetitions: int) -> dict[str, Any]:
    """Seconds for the same lines in one batch of 200 and one by one, as text and as JSON with a derivation each."""
    ways: dict[str, Callable[[Translator], Sequence[str]]] = {
        "batches of 200": lambda system: list(system.stream(lines, batch=200, progress=False)),
        "line by line": lambda system: list(system.stream(lines, batch=1, progress=False)),
        "translate, a call per line": lambda system: [system.translate(line, progress=False) for line in lines],
        "explain, a call per line": lambda system: [system.explain(line).translations[0].text for line in lines],
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    outputs = set()
    for _ in range(repetitions):
        for name, way in ways.items():
            system = opened.using()
            system.decoder()
            started = time.process_time()
            outputs.add("\n".join(way(system)))
            seconds[name].append(time.process_time() - started)
    best = {name: min(all_of_it) for name, all_of_it in seconds.items()}
    batches = seconds["batches of 200"]
    ratios = {name: sorted(s / b for s, b in zip(own, batches, strict=True)) for name, own in seconds.items()}
    return {
        "sentences": len(lines),
        "same_translations": len(outputs) == 1,
        "seconds": seconds,
        "sentences_a_second": {name: len(lines) / s for name, s in best.items()},
        "times_the_time_of_batches": {
            name: {
                "median": statistics.median(r),
                "lowest": r[0],
                "highest": r[-1],
                "of_quickest": best[name] / min(batches),
            }
            for name, r in ratios.items()
        },
    }


def _in_own_process(folder: Path, kind: str) -> dict[str, float]:
    command = [sys.executable, __file__, "--line", str(folder), kind]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    figures: dict[str, float] = json.loads(answer)
    return figures


def _line(folder: Path, kind: str) -> dict[str, float]:
    """Seconds and the peak of memory for lines of one kind."""
    system = Translator.load(folder)
    system.decoder()
    lines = KINDS[kind](random.Random(3))
    started = time.process_time()
    written = list(system.stream(lines, batch=1, progress=False))
    if len(written) != len(lines):
        raise SystemExit(f"{len(lines)} lines in, {len(written)} lines out")
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": time.process_time() - started, "peak_megabytes": megabytes}


if __name__ == "__main__":
    main()
