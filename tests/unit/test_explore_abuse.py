"""The explorer under abuse: pages from elsewhere, heavy words, long heads, slow clients, threads in forked workers."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time

import httpx
import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from binyan.errors import InputError
from binyan.explore import dispatch, guard, server
from binyan.explore.loaded_models import LoadedModels
from binyan.morphology import Morphology
from binyan.ngram.kneser_ney import KneserNey

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def models():
    models = LoadedModels()
    models.add("mkn", KneserNey(2).fit(["der hund sah die katze"] * 3))
    models.add("words", Morphology("tpl", sweeps=4, burn_in=2, chains=1).fit(["כתב", "כתבו", "למד", "למדו"]))
    return models


@pytest.fixture(scope="module")
def client(models):
    return TestClient(server.create_app(models))


QUESTION = {"text": "der hund"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"content-type": "application/json; charset=utf-8"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "https://testserver"}, 403),
        ({"origin": "http://testserver:99"}, 403),
        ({"origin": "http://testserver"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
    ],
)
def test_only_the_page_itself_may_ask(client, headers, status):
    answer = client.post("/api/sentence", json=QUESTION, headers=headers)
    assert answer.status_code == status
    assert status == 200 or answer.json()["error"]
    assert "content-security-policy" in answer.headers


def test_a_link_from_elsewhere_opens_the_page_and_cannot_ask(client):
    assert client.get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200
    assert client.get("/api/models", headers={"sec-fetch-site": "cross-site"}).status_code == 403


@pytest.mark.parametrize("length", ["9" * 5000, "-1", "1e3", "", "²", "99999999999"])
def test_odd_lengths_are_refused(client, length):
    answer = client.post("/api/sentence", content=b"{}", headers=[(b"content-length", length.encode())])
    assert answer.status_code == 413


def test_heads_are_limited(client):
    many = {f"x-{i}": "1" for i in range(guard.MOST_HEADERS + 1)}
    assert client.post("/api/sentence", json=QUESTION, headers=many).status_code == 431
    long = {"x": "1" * (guard.MOST_HEADER_BYTES + 1)}
    assert client.post("/api/sentence", json=QUESTION, headers=long).status_code == 431


def test_refusals_are_remembered(models, monkeypatch):
    view, calls = models.morphologies["words"], []

    def refuse(word, n):
        calls.append(word)
        raise InputError("too many derivations")

    monkeypatch.setattr(view.morphology, "analyses", refuse)
    for _ in range(3):
        with pytest.raises(InputError, match="too many"):
            view.analyses("לללללל")
    assert calls == ["לללללל"]


def test_forests_of_the_explorer_are_smaller(models):
    assert models.morphologies["words"].morphology.posterior.most_bytes < 1 << 26


def test_letters_with_marks_are_one_atom(models):
    from binyan.explore import api

    question = {"model": "words", "word": "כ\u05bc" * 7}
    assert api.measure(models, "analyse", question)[1] == 7
    assert api.measure(models, "sentence", QUESTION) is None


def test_a_slow_answer_does_not_hold_the_others():
    dispatcher = dispatch.Dispatcher()

    async def ask():
        slow = asyncio.create_task(dispatcher.run(lambda: time.sleep(0.5), ("model", 30)))
        await asyncio.sleep(0)
        start = time.perf_counter()
        assert await dispatcher.run(lambda: 7) == 7
        assert time.perf_counter() - start < 0.4
        await slow

    asyncio.run(ask())


def test_only_what_was_quick_is_answered_at_once():
    dispatcher, names = dispatch.Dispatcher(), []

    async def ask():
        for seconds in (0.0, 0.0, 0.02, 0.0):
            await dispatcher.run(lambda s=seconds: (time.sleep(s), names.append(threading.current_thread().name)), "m")

    asyncio.run(ask())
    at_once = [not name.startswith("explorer") for name in names]
    assert at_once == [False, True, True, False]


def test_a_first_question_waits_for_no_long_ones(monkeypatch):
    """Somebody keeps the threads for long answers busy; the first short word of its length, and those like it, are answered."""
    monkeypatch.setattr(dispatch, "LONG", 0.01)
    monkeypatch.setattr(dispatch, "MOST_WAITING", 8)
    dispatcher = dispatch.Dispatcher()

    async def ask():
        await dispatcher.run(lambda: time.sleep(0.05), "long")
        long = [asyncio.create_task(dispatcher.run(lambda: time.sleep(0.2), "long")) for _ in range(8)]
        await asyncio.sleep(0)
        with pytest.raises(dispatch.BusyError, match="too many long words"):
            await dispatcher.run(lambda: None, "long")
        start = time.perf_counter()
        short = await asyncio.gather(*(dispatcher.run(lambda i=i: i, "short") for i in range(20)))
        seconds = time.perf_counter() - start
        await asyncio.gather(*long)
        return short, seconds

    short, seconds = asyncio.run(ask())
    assert short == list(range(20)) and seconds < 0.2


def test_too_much_at_once_is_refused(monkeypatch):
    monkeypatch.setattr(dispatch, "MOST_WAITING", 2)
    monkeypatch.setattr(dispatch, "LONGEST_WAIT", 0.05)
    dispatcher = dispatch.Dispatcher()

    async def ask():
        tasks = [asyncio.create_task(dispatcher.run(lambda: time.sleep(0.3), i)) for i in range(3)]
        return await asyncio.gather(*tasks, return_exceptions=True)

    answers = asyncio.run(ask())
    assert [type(a) for a in answers] == [dispatch.BusyError] * 3
    assert "too many" in str(answers[2]) and "too long" in str(answers[0])


def test_a_busy_explorer_says_so(client, monkeypatch):
    async def run(*_):
        raise dispatch.BusyError("too many")

    monkeypatch.setattr(dispatch.Dispatcher, "run", run)
    answer = client.post("/api/analyse", json={"model": "words", "word": "מכתב"})
    assert (answer.status_code, answer.json()) == (503, {"error": "too many"})


def _serve(models, port):
    import uvicorn

    config = uvicorn.Config(server.create_app(models, ("*",)), http=guard.Connection, ws="none", log_level="error")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [server.listen("127.0.0.1", port, False)]})
    thread.start()
    while not running.started:
        time.sleep(0.01)
    return running, thread


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", b""),  # nothing at all
        (b"POST /api/sentence HTTP/1.1\r\nHost: localhost\r\nX", b""),
        (
            b"POST /api/sentence HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{",
            b"408",
        ),
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 30_000, b"400"),
    ],
)
def test_slow_and_endless_clients_are_left(models, monkeypatch, sent, status):
    monkeypatch.setattr(guard, "PATIENCE", 0.3)
    running, thread = _serve(models, port := _free_port())
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(sent)
            answer = b""
            try:
                while piece := connection.recv(4096):
                    answer += piece
            except ConnectionResetError:
                pass
            assert answer[9:12] == status
    finally:
        running.should_exit = True
        thread.join(20)


def _free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.mark.skipif(sys.platform != "linux", reason="this system cannot share a port among processes")
def test_workers_answer_whatever_the_number_of_threads(tmp_path):
    pytest.importorskip("torch", reason="the neural extra is not installed")
    from log_bilinear_world import lm

    lm().save(tmp_path / "v.binyan")
    port = _free_port()
    command = [sys.executable, "-m", "binyan", "explore", str(tmp_path / "v.binyan"), "--port", str(port)]
    environment = {**os.environ, "OMP_NUM_THREADS": "4", "MKL_NUM_THREADS": "4"}
    process = subprocess.Popen([*command, "--workers", "2"], stderr=subprocess.DEVNULL, env=environment)
    address = f"http://127.0.0.1:{port}/api/next-words"
    try:
        for _ in range(600):
            try:
                httpx.get(f"http://127.0.0.1:{port}/api/models", timeout=10)
                break
            except httpx.TransportError:
                assert process.poll() is None
                time.sleep(0.1)
        for _ in range(8):
            assert httpx.post(address, json={"text": "hausen"}, timeout=20).status_code == 200
    finally:
        process.terminate()
        assert process.wait(20) == 0
