"""The explorer under load: many people who type beside one hostile client; what the people wait for, and what goes wrong.

    python benchmarks/explorer_load.py --clients 200 --seconds 60

The server runs in a process of its own. A client asks for analyses of new words, sentences and next words, one after another, with a
pause to think. The hostile client sends long words, foreign origins, wrong bodies, heads without end and requests it never ends.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

LETTERS = "כתבלמדשרוגאה"


async def ask(port: int, path: str, body: bytes, headers: str = "", patience: float = 60.0) -> int:
    """The status of an answer; 0 where there is none."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
        writer.write((head + (headers or "Content-Type: application/json\r\n") + "\r\n").encode() + body)
        answer = await asyncio.wait_for(reader.read(), patience)
        return int(answer[9:12] or b"0")
    finally:
        writer.close()


async def person(port: int, end: float, seed: int, pause: float, waits: list[float], statuses: Counter[str]) -> None:
    """Somebody who types."""
    rng = random.Random(seed)
    await asyncio.sleep(rng.random() * pause)
    while time.monotonic() < end:
        word = "".join(rng.choices(LETTERS, k=rng.randint(3, 9)))
        path, question = rng.choice(
            [
                ("analyse", {"model": "words", "word": word}),
                ("analyse", {"model": "words", "word": word}),
                ("sentence", {"text": "der hund sah die katze"}),
                ("next-words", {"text": "die"}),
            ]
        )
        start = time.perf_counter()
        try:
            status = str(await ask(port, f"/api/{path}", json.dumps(question).encode()))
        except (OSError, TimeoutError, ValueError) as error:
            status = type(error).__name__
        waits.append(time.perf_counter() - start)
        statuses[status] += 1
        await asyncio.sleep(rng.expovariate(1 / pause))


async def hostile(port: int, end: float, statuses: Counter[str]) -> None:
    """Asks for what takes long, eight requests at once, and never waits to think."""
    rng = random.Random(0)

    async def one() -> None:
        while time.monotonic() < end:
            word = "".join(rng.choices(LETTERS, k=rng.choice((40, 70, 100))))
            body = json.dumps({"model": "words", "word": word}).encode()
            action = rng.randrange(6)
            try:
                if action < 3:
                    status = str(await ask(port, "/api/analyse", body))
                elif action == 3:
                    status = str(
                        await ask(
                            port, "/api/analyse", body, "Content-Type: text/plain\r\nOrigin: http://evil.example\r\n"
                        )
                    )
                elif action == 4:
                    status = str(await ask(port, "/api/analyse", b"[" * 60_000))
                else:
                    status = str(await ask(port, "/api/analyse", body, "X: " + "y" * 100_000 + "\r\n"))
            except (OSError, TimeoutError, ValueError) as error:
                status = type(error).__name__
            statuses[status] += 1

    async def silent() -> None:
        while time.monotonic() < end:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(b"POST /api/analyse HTTP/1.1\r\nHost: loc")
                await reader.read()
                writer.close()
                statuses["left alone"] += 1
            except OSError:
                pass

    await asyncio.gather(*(one() for _ in range(8)), *(silent() for _ in range(8)))


async def load(port: int, clients: int, seconds: float, pause: float) -> None:
    """Run everybody and print the figures."""
    end = time.monotonic() + seconds
    waits: list[float] = []
    people: Counter[str] = Counter()
    attacks: Counter[str] = Counter()
    everyone = [person(port, end, i, pause, waits, people) for i in range(clients)]
    await asyncio.gather(hostile(port, end, attacks), *everyone)
    waits.sort()
    errors = sum(n for status, n in people.items() if status != "200")
    print(f"{clients} clients, {seconds:.0f} s: {len(waits):,} answers, {errors} errors {dict(people)}")
    print(" ".join(f"p{q} {1000 * waits[min(len(waits) - 1, q * len(waits) // 100)]:.0f} ms" for q in (50, 95, 99)))
    print(f"longest {1000 * waits[-1]:.0f} ms; the hostile client: {dict(attacks)}")


def main() -> None:
    """Make models, start the explorer, load it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pause", type=float, default=2.0, help="mean seconds between the questions of a client")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--port", type=int, default=8799)
    options = parser.parse_args()
    from binyan import KneserNey, Morphology

    with tempfile.TemporaryDirectory() as folder:
        words = ["כתב", "כתבו", "כותב", "מכתב", "למד", "למדו", "לומד", "מלמד", "שמר", "שמרו", "שומר", "משמר"]
        Morphology("tpl", sweeps=20, burn_in=10).fit(words, progress=False).save(Path(folder) / "words.binyan")
        KneserNey(3).fit(["der hund sah die katze", "die katze sah den hund"] * 3).save(Path(folder) / "mkn.binyan")
        models = [str(Path(folder) / f"{name}.binyan") for name in ("words", "mkn")]
        command = [sys.executable, "-m", "binyan", "explore", *models, "--port", str(options.port)]
        server = subprocess.Popen([*command, "--workers", str(options.workers)], stderr=subprocess.DEVNULL)
        try:
            asyncio.run(_started(options.port))
            asyncio.run(load(options.port, options.clients, options.seconds, options.pause))
        finally:
            server.terminate()
            server.wait(20)


async def _started(port: int) -> None:
    for _ in range(600):
        try:
            await ask(port, "/api/next-words", b'{"text": "die"}')
            return
        except OSError:
            await asyncio.sleep(0.1)


if __name__ == "__main__":
    main()
