"""The explorer under load: a server on loopback, many analyses of distinct new words at once.

    python benchmarks/explorer_load.py [--model words.binyan] [--at-once 200] [--rounds 5]

Each round opens so many connections, sends one request on each at the same moment, and waits for all answers; no word is
asked twice. Besides seconds, which depend on what else the machine does, it prints the server's CPU time a request, and what
share of a core a busy process gets at the moment.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from binyan.datasets import semitic_words
from binyan.morphology import Morphology

TIMEOUT = 60.0  # seconds for a round


def new_words(morphology: Morphology, number: int, seed: int = 1) -> list[str]:
    """Distinct words the model has not learnt from: the first half of one of its words with the second of another."""
    words, choose = morphology.words.words, random.Random(seed)
    taken, found = set(words), []
    while len(found) < number:
        one, other = choose.choice(words), choose.choice(words)
        word = one[: (len(one) + 1) // 2] + other[len(other) // 2 :]
        if word not in taken:
            taken.add(word)
            found.append(word)
    return found


def share_of_a_core(seconds: float = 0.5) -> float:
    """CPU time over time of a busy loop: 1 on a machine with a free core."""
    start, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds:
        pass
    return (time.process_time() - cpu) / (time.perf_counter() - start)


def cpu_seconds(pid: int) -> float:
    """CPU time of a process and its children so far; NaN where the system does not tell."""
    total = 0.0
    try:
        for stat in Path("/proc").glob("[0-9]*/stat"):
            fields = stat.read_text().rsplit(")", 1)[1].split()
            if pid in (int(stat.parent.name), int(fields[1])):
                total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return float("nan")
    return total or float("nan")


async def one_request(port: int, body: bytes, ready: asyncio.Barrier) -> float:
    """Seconds from sending to the whole answer, on a connection that was open before."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST /api/analyse HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    await ready.wait()
    start = time.perf_counter()
    writer.write(head.encode() + body)
    answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(answer.split("content-length:")[1].split()[0])
    await reader.readexactly(length)
    seconds = time.perf_counter() - start
    writer.close()
    if " 200 " not in answer.splitlines()[0]:
        raise RuntimeError(f"the server answered {answer.splitlines()[0]!r}")
    return seconds


async def one_round(port: int, bodies: list[bytes]) -> list[float]:
    ready = asyncio.Barrier(len(bodies))
    async with asyncio.timeout(TIMEOUT):
        return list(await asyncio.gather(*(one_request(port, body, ready) for body in bodies)))


def percentiles(seconds: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "most": max(seconds)}


def start_server(model: Path, workers: int) -> tuple[subprocess.Popen[bytes], int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "binyan", "explore", str(model), "--port", str(port), "--workers", str(workers)]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return server, port
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.1)
    server.kill()
    raise RuntimeError("the explorer did not start")


def measure(model: Path, at_once: int, rounds: int, workers: int) -> dict[str, object]:
    """Latencies of one request at a time and of `at_once` at once."""
    words = new_words(Morphology.load(model), at_once * (rounds + 1))
    bodies = [json.dumps({"model": model.stem, "word": word}).encode() for word in words]
    noise = [share_of_a_core()]
    server, port = start_server(model, workers)
    try:
        alone = [asyncio.run(one_round(port, [body]))[0] for body in bodies[:at_once]]
        before = cpu_seconds(server.pid)
        each = [asyncio.run(one_round(port, bodies[at_once * i : at_once * (i + 1)])) for i in range(1, rounds + 1)]
        cpu = (cpu_seconds(server.pid) - before) / (at_once * rounds)
    finally:
        server.terminate()
        server.wait(10)
    noise.append(share_of_a_core())
    return {
        "model": model.name,
        "one at a time": percentiles(alone[10:]),
        f"{at_once} at once": percentiles([s for one in each for s in one]),
        "best round": min((percentiles(one) for one in each), key=lambda p: p["p95"]),
        "server CPU seconds a request": cpu,
        "share of a core free before and after": noise,
        "load average": os.getloadavg()[0],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="a segmenter; without, one is learnt from 1,200 words of our own")
    parser.add_argument("--at-once", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=1, help="processes of the server")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = options.model
        if model is None:
            model = Path(folder) / "words.binyan"
            words = [w.word for w in semitic_words(1200, 1, "arabic")]
            Morphology("tpl+t4", sweeps=60, burn_in=50).fit(words, progress=False).save(model)
        found = measure(model, min(options.at_once, 1000), min(options.rounds, 50), options.workers)
    for name, value in found.items():
        if isinstance(value, dict):
            value = "  ".join(f"{key} {1000 * seconds:.1f} ms" for key, seconds in value.items())
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
