"""CPU seconds a Gibbs sweep and peak memory of the HPYLM, beside a peer's, interleaved in one run.

    python benchmarks/hpylm_sweep.py --text train.txt --order 4 \\
        --peer "./hpyplm {text} {text} {sweeps}"

The peer is any command that trains on {text} for {sweeps} sweeps, built by you. Its cost of a sweep is the difference of two
runs of different length, so that reading and set-up are left out; ours is measured the same way. BINYAN_PEER_HPYLM in the
environment does as well as --peer.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
from pathlib import Path


def worker(text: Path, order: int, sweeps: int) -> None:
    """Train, collecting nothing: reading, the tree, the seating and the sweeps."""
    from binyan import _core
    from binyan.text import Corpus

    corpus = Corpus.read(text, progress=False)
    tree = _core.ContextTree.build(corpus.words, corpus.offsets, order, len(corpus.vocabulary))
    model = _core.HPYLM(tree, 1)
    model.initialise(True)
    for _ in range(sweeps):
        model.step()


def run(command: list[str]) -> tuple[float, float]:
    """CPU seconds and peak MB of a command, which is waited for."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {shlex.join(command)}")
    scale = 1024**2 if sys.platform == "darwin" else 1024
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / scale


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, required=True, help="plain text, one sentence a line")
    parser.add_argument("--order", type=int, default=4)
    parser.add_argument("--sweeps", type=int, default=10, help="sweeps measured in one run of ours")
    parser.add_argument("--peer-sweeps", type=int, default=2, help="sweeps measured in one run of the peer")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", default=os.environ.get("BINYAN_PEER_HPYLM"), help="command with {text} and {sweeps}")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker is not None:
        return worker(options.text, options.order, options.worker)

    def ours(sweeps: int) -> list[str]:
        script = [sys.executable, __file__, "--text", str(options.text), "--order", str(options.order)]
        return [*script, "--worker", str(sweeps)]

    def peer(sweeps: int) -> list[str]:
        return [part.format(text=options.text, sweeps=sweeps) for part in shlex.split(options.peer)]

    systems = {"binyan": (ours, options.sweeps)} | ({"peer": (peer, options.peer_sweeps)} if options.peer else {})
    seconds: dict[str, list[float]] = {name: [] for name in systems}
    memory: dict[str, float] = dict.fromkeys(systems, 0.0)
    for _ in range(options.rounds):
        for name, (command, sweeps) in systems.items():
            (short, _), (long, peak) = run(command(1)), run(command(1 + sweeps))
            seconds[name].append((long - short) / sweeps)
            memory[name] = max(memory[name], peak)
    figures = {
        name: {"cpu_seconds_a_sweep": statistics.median(seconds[name]), "peak_mb": memory[name]} for name in systems
    }
    if options.peer:
        figures["ratio"] = {
            "speed": figures["peer"]["cpu_seconds_a_sweep"] / figures["binyan"]["cpu_seconds_a_sweep"],
            "memory": memory["binyan"] / memory["peer"],
        }
    print(json.dumps({"text": options.text.name, "order": options.order, **figures}, indent=2))


if __name__ == "__main__":
    main()
