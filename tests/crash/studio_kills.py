"""A studio whose server, worker and browser are killed at random moments while decisions are made: none may be lost.

`python studio_kills.py 20` kills twenty times, browsers too where Chromium and Playwright are installed. A decision counts as made when the server has said so; after every kill the database must be whole and
hold every decision that was made, and at the end the run must be done.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from studio_browser import CHROMIUM, accept_until_killed

from binyan.studio.imports import read_upload
from binyan.studio.project import Project

STEMS = [
    "walk",
    "talk",
    "jump",
    "climb",
    "look",
    "help",
    "ask",
    "call",
    "play",
    "work",
    "open",
    "clean",
    "cook",
    "paint",
]
WORDS = [stem + suffix for stem in STEMS for suffix in ("", "s", "ed", "ing", "er")]


class Studio:
    """The command in a process group of its own: its worker is part of it."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "binyan", "studio", str(folder), "--port", str(self.port), "--no-browser"]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                self.ask("project", {})
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("the studio did not start")

    def ask(self, name: str, question: dict[str, Any]) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST", f"/api/{name}", json.dumps(question), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def children(self) -> list[int]:
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(n) for task in tasks for n in task.read_text().split()]

    def kill(self, what: str) -> None:
        """Kill the server, the worker, or both, without warning."""
        workers = self.children()
        for process in workers if what in ("worker", "both") else []:
            os.kill(process, signal.SIGKILL)
        if what in ("server", "both"):
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
            for process in workers:  # a worker whose server is gone would end by itself after its run
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)


def decide_until(
    studio: Studio, seconds: float, made: dict[str, str], tried: dict[str, str], rng: random.Random
) -> None:
    """Decide on words one after the other; note what the server has confirmed, and what was tried last."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        word = rng.choice(WORDS)
        cut = rng.randrange(1, len(word))
        segmentation = f"{word[:cut]}/stem {word[cut:]}/suf"
        try:
            _, seen = studio.ask("word", {"word": word})
            tried[word] = segmentation
            status, _ = studio.ask(
                "decide",
                {"items": [{"word": word, "segmentation": segmentation, "base": seen["version"], "kind": "draw"}]},
            )
        except (OSError, http.client.HTTPException, ValueError):
            return
        if status == 200:
            made[word] = segmentation


def check(folder: Path, made: dict[str, str], tried: dict[str, str]) -> None:
    """Every word has the decision that was confirmed last, or one that was tried after it."""
    database = sqlite3.connect(folder / "project.sqlite")
    assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    rows = database.execute("SELECT key, value FROM facts WHERE entity = 'decision'")
    stored = {word: json.loads(value)["segmentation"] for word, value in rows}
    database.close()
    lost = {word for word, text in made.items() if stored.get(word) not in (text, tried.get(word))}
    assert not lost, f"lost: {sorted(lost)}"


def targets() -> list[str]:
    """What is killed in turn."""
    with contextlib.suppress(ImportError):
        import playwright.sync_api  # noqa: F401

        return ["both", "server", "worker", *(["browser"] if CHROMIUM else [])]
    return ["both", "server", "worker"]


def kill_often(kills: int, sweeps: int = 400, seed: int = 1) -> str:
    """Kill the studio `kills` times during one run; what happened, in a line."""
    rng = random.Random(seed)
    made, tried = dict[str, str](), dict[str, str]()
    killed: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "project"
        project = Project(folder)
        project.add_reading(read_upload("words.txt", "\n".join(WORDS).encode()), "tester")
        project.runs.add("learn", {"grammar": "affixes", "sweeps": sweeps}, "tester")
        project.close()
        studio = Studio(folder)
        kinds = targets()
        for number in range(kills):
            what = kinds[number % len(kinds)]
            killed[what] += 1
            if what == "browser":
                accept_until_killed(f"http://127.0.0.1:{studio.port}/", rng.uniform(0.1, 2.0), made)
            else:
                decide_until(studio, rng.uniform(0.1, 1.5), made, tried, rng)
                studio.kill(what)
            check(folder, made, tried)
            if what in ("server", "both"):
                studio = Studio(folder)
        end = time.monotonic() + 300
        while time.monotonic() < end and studio.ask("runs", {})[1]["runs"][0]["state"] in ("queued", "running"):
            time.sleep(0.3)
        run = studio.ask("runs", {})[1]["runs"][0]
        studio.process.terminate()
        studio.process.wait(30)
        check(folder, made, tried)
        assert run["state"] == "done", run
    kinds_killed = ", ".join(f"{what} {n}" for what, n in killed.items())
    return f"{kills} kills ({kinds_killed}), {len(made)} words decided on, none lost; the run ended after {run['result']['sweeps']} sweeps"


if __name__ == "__main__":
    print(kill_often(*map(int, sys.argv[1:])) if len(sys.argv) > 1 else kill_often(20))
