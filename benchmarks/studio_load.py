"""How quickly the studio answers with many words, at rest and while it learns.

    python benchmarks/studio_load.py --words 100000

Makes a project of made-up words, learns with two chains in the worker, and asks what the page asks. Prints, in milliseconds, the median and the
95th percentile of each question, before learning and while the chains run.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fastapi.testclient import TestClient

from binyan.studio.analysis_store import AnalysisStore, WordAnalysis
from binyan.studio.project import Project
from binyan.studio.server import create_app
from binyan.studio.word_store import Reading
from binyan.studio.workbench import Workbench

SYLLABLES = ["".join(s) for s in itertools.product("bdgklmnprst", "aeiou")]
SUFFIXES = ["", "lar", "da", "den", "in", "lik", "ci", "siz", "mak", "dim"]


def made_words(count: int, seed: int = 1) -> list[tuple[str, str]]:
    """Distinct words with their analyses."""
    rng = random.Random(seed)
    words: dict[str, str] = {}
    while len(words) < count:
        stem = "".join(rng.choices(SYLLABLES, k=rng.randint(2, 4)))
        for suffix in rng.sample(SUFFIXES, 4):
            words[stem + suffix] = f"{stem}/stem {suffix}/suf" if suffix else f"{stem}/stem"
    return list(words.items())[:count]


def fill(project: Project, words: list[tuple[str, str]]) -> None:
    """The words, and a run that has analysed all of them."""
    rng = random.Random(2)
    project.add_reading(Reading("made", "words", {word: rng.randint(1, 50) for word, _ in words}), "load")
    run = project.runs.add("learn", {"grammar": "affixes", "sweeps": 10}, "load")
    project.runs.claim()
    analyses = (
        WordAnalysis(word, text, p := rng.random(), None, None, p > 0.3, [{"segmentation": text, "root": None, "probability": p}],
                     [tuple(part.split("/")) for part in text.split(" ")])
        for word, text in words
    )  # fmt: skip
    AnalysisStore(project.database).write(run, analyses)
    project.runs.end(run, "done")


def measure(client: TestClient, words: list[tuple[str, str]], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each question."""
    rng = random.Random(3)
    some = [word for word, _ in rng.sample(words, 200)]
    questions = {
        "first page": lambda: ("project", {}),
        "words, page 1": lambda: ("words", {"limit": 50}),
        "words, far page": lambda: ("words", {"limit": 50, "offset": rng.randrange(len(words))}),
        "review queue": lambda: ("offered", {"limit": 40}),
        "one word": lambda: ("word", {"word": rng.choice(some)}),
        "search, text": lambda: ("search", {"query": rng.choice(some)[1:4]}),
        "search, pattern": lambda: ("search", {"query": f"^{rng.choice(some)[:2]}.*(lar|da)$", "pattern": True}),
        "all with a suffix": lambda: ("words", {"morpheme": "lar", "label": "suf", "limit": 50}),
    }
    times: dict[str, list[float]] = {name: [] for name in questions}
    for _ in range(rounds):
        for name, make in questions.items():
            path, question = make()
            began = time.perf_counter()
            answer = client.post(f"/api/{path}", json=question)
            times[name].append(1000 * (time.perf_counter() - began))
            assert answer.status_code == 200, answer.text
    return times


def report(title: str, times: dict[str, list[float]]) -> None:
    print(f"{title}: median and 95th percentile in ms")
    for name, values in times.items():
        ordered = sorted(values)
        print(f"  {name:<20} {ordered[len(ordered) // 2]:8.1f} {ordered[int(0.95 * (len(ordered) - 1))]:8.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    words = made_words(options.words)
    with tempfile.TemporaryDirectory() as name:
        project = Project(Path(name) / "p")
        began = time.perf_counter()
        fill(project, words)
        print(f"{len(words):,} words stored in {time.perf_counter() - began:.1f} s")
        with TestClient(create_app(Workbench(project))) as client:
            report("at rest", measure(client, words, options.rounds))
            run = project.runs.add("learn", {"grammar": "affixes", "sweeps": 1000, "fresh": True}, "load")
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            worker = subprocess.Popen(
                [sys.executable, "-m", "binyan.studio.worker", str(project.folder)], env=environment
            )
            try:
                while project.runs.get(run).progress.get("stage") != "sweeps":
                    time.sleep(0.2)
                report("while two chains run", measure(client, words, options.rounds))
            finally:
                worker.kill()
                worker.wait()
        project.close()


if __name__ == "__main__":
    main()
