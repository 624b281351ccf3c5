"""Training of n-gram models as the text grows, in memory, in files under a limit, and on a Dask cluster: time and memory.

    python benchmarks/ngram_past_memory.py --text train.txt --sizes 1000000 10000000 100000000 --memory 4G --folder work
    python benchmarks/ngram_past_memory.py --text train.txt --sizes 1000000 3300000 --model hpylm --threads 1 2 --folder work

Texts longer than the one given repeat it, with a share of the words of each repetition replaced by words drawn from the text, so
that new n-grams go on appearing. Each training is a process of its own, from a text file to a model file. On the cluster (two local
workers) one worker is killed in the middle. Models of one size must be equal, byte for byte. An HPYLM is sampled by blocks, on each
number of threads.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

NOISE = 0.1
BINYAN = [sys.executable, "-c", "from binyan.cli import main; main()"]


def write_text(sources: list[Path], tokens: int, out: Path) -> int:
    """The sources, repeated with noise, until there are `tokens` words; returns how many there are."""
    from binyan import _core

    random = np.random.default_rng(1)
    index, written, repetition = _core.WordIndex(), 0, 0
    with open(out, "wb") as text:
        while written < tokens:
            for path in sources:
                with open(path, "rb") as source:
                    while lines := source.readlines(4_000_000):
                        numbers = index.add_text(b"".join(lines), 1000)
                        ids, offsets = numbers  # type: ignore[misc]
                        if repetition:
                            noisy = random.random(len(ids)) < NOISE
                            ids = np.where(noisy, ids[random.integers(0, len(ids), len(ids))], ids)
                            names = np.array(index.words().decode().split("\n"), object)[ids].tolist()
                            cuts = offsets.tolist()
                            lines = [f"{' '.join(names[a:b])}\n".encode() for a, b in itertools.pairwise(cuts)]
                        if written + len(ids) > tokens:
                            lines = lines[: max(1, int(len(lines) * (tokens - written) / len(ids)))]
                        text.writelines(lines)
                        written += len(ids)
                        if written >= tokens:
                            return tokens
            repetition += 1
    return written


def watch(command: list[str]) -> dict[str, float]:
    """Run a command: seconds, processor seconds, peaks of all resident and of anonymous memory in MB."""
    import resource

    before, start, anonymous, resident = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic(), 0, 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
        while child.poll() is None:
            try:
                rows = (line.split() for line in Path(f"/proc/{child.pid}/status").read_text().splitlines())
                status = {row[0]: int(row[1]) for row in rows if row[0] in ("RssAnon:", "VmHWM:")}
            except OSError:
                status = {}
            anonymous = max(anonymous, status.get("RssAnon:", 0))
            resident = max(resident, status.get("VmHWM:", 0))
            time.sleep(0.05)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if child.returncode:
        raise SystemExit(f"failed with {child.returncode}: {' '.join(command)}")
    return {
        "seconds": round(time.monotonic() - start, 1),
        "cpu_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        "resident_mb": resident // 1024,
        "anonymous_mb": anonymous // 1024,
    }


class Cluster:
    """A Dask scheduler and two workers on this machine; `lose_one` kills a worker in the middle of the work."""

    def __init__(self, port: int) -> None:
        from distributed import Client

        self.address = f"tcp://127.0.0.1:{port}"
        dask = [sys.executable, "-m", "dask"]
        worker = [*dask, "worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        scheduler = [*dask, "scheduler", "--port", str(port), "--no-dashboard", "--host", "127.0.0.1"]
        nowhere = subprocess.DEVNULL
        self.processes = [
            subprocess.Popen(command, stdout=nowhere, stderr=nowhere) for command in (scheduler, worker, worker)
        ]
        with Client(self.address, timeout=200) as client:
            client.wait_for_workers(2, timeout=200)

    def lose_one(self, folder: Path) -> None:
        """Kill the second worker when two blocks are written."""
        import threading

        def wait() -> None:
            while len(list(folder.glob(".binyan-*/block.*"))) < 2:
                time.sleep(0.02)
            self.processes[-1].send_signal(signal.SIGKILL)

        threading.Thread(target=wait, daemon=True).start()

    def close(self) -> None:
        """Stop what is left."""
        for process in self.processes:
            process.kill()
            process.wait()


def digest(path: Path) -> str:
    """Of a file, read in pieces."""
    state = hashlib.blake2b(digest_size=8)
    with open(path, "rb") as source:
        while piece := source.read(1 << 24):
            state.update(piece)
    return state.hexdigest()


def measure(text: Path, mode: str, threads: int, options: argparse.Namespace) -> dict[str, float | str]:
    """Train once; the model is removed."""
    model = options.folder / f"model.{mode}.binyan"
    command = [*BINYAN, "lm", "train", options.model, "--quiet", "--text", str(text), "--order", str(options.order)]
    command += ["--min-count", str(options.min_count), "--out", str(model)]
    if options.model == "hpylm":
        command += ["--blocks", "--sweeps", str(options.sweeps), "--threads", str(threads)]
    cluster = None
    if mode != "memory":
        command += ["--memory", options.memory, "--work", str(options.folder)]
    try:
        if mode == "cluster":
            cluster = Cluster(options.port)
            cluster.lose_one(options.folder)
            command += ["--scheduler", cluster.address]
        cost: dict[str, float | str] = {**watch(command)}
        if cluster is not None and cluster.processes[-1].poll() is None:
            raise SystemExit("no worker was killed: there was too little to do")
    finally:
        if cluster is not None:
            cluster.close()
    cost |= {"model_mb": model.stat().st_size >> 20, "digest": digest(model)}
    model.unlink()
    return cost


def main() -> None:
    """Measure every size in every mode; one line of JSON each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, nargs="+", required=True, help="plain text, one sentence a line")
    parser.add_argument("--sizes", type=int, nargs="+", required=True)
    parser.add_argument("--modes", nargs="+", default=["memory", "disk"], choices=["memory", "disk", "cluster"])
    parser.add_argument("--model", default="mkn", choices=["mkn", "hpylm"])
    parser.add_argument("--sweeps", type=int, default=20, help="of an HPYLM")
    parser.add_argument("--threads", type=int, nargs="+", default=[2], help="of an HPYLM; mkn takes all cores")
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--min-count", type=int, default=2)
    parser.add_argument("--memory", default="4G")
    parser.add_argument("--folder", type=Path, required=True, help="on the disk to work on")
    parser.add_argument("--port", type=int, default=18786)
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    for size in options.sizes:
        text = options.folder / f"text.{size}"
        tokens = write_text(options.text, size, text)
        digests = set()
        for mode, threads in itertools.product(options.modes, options.threads):
            cost = measure(text, mode, threads, options)
            digests.add(cost["digest"])
            setting = {"model": options.model, "tokens": tokens, "order": options.order, "mode": mode}
            print(json.dumps({**setting, "threads": threads, **cost}), flush=True)
        text.unlink()
        if len(digests) > 1:
            raise SystemExit(f"{size} tokens: the models differ")


if __name__ == "__main__":
    main()
