"""The scoring service: answers equal to the model's, bad requests answered by what is wrong, requests scored together."""

from __future__ import annotations

import asyncio
import io
import json
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from binyan import HPYLM, KneserNey
from binyan.errors import SettingsError
from binyan.language_model import LanguageModel
from binyan.serving import ScoringService, answer_lines
from binyan.serving import service as service_module
from binyan.serving.requests import ScoreRequest
from binyan.serving.service import Batcher, BusyError

TEXT = ["das haus ist gross", "das haus ist alt", "der hund ist alt"] * 4


@pytest.fixture(scope="module")
def models() -> dict[str, LanguageModel]:
    with pytest.warns(UserWarning):
        mkn = KneserNey(order=3, lowercase=True).fit(TEXT, progress=False)
    return {"mkn": mkn, "hpylm": HPYLM(order=2, sweeps=5, lowercase=True).fit(TEXT, progress=False)}


@pytest.fixture
def service(models: dict[str, LanguageModel]) -> ScoringService:
    return ScoringService(models)


def asked(service: ScoringService, *requests: object) -> list[dict]:  # type: ignore[type-arg]
    lines = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in requests)
    return [json.loads(line) for line in "".join(answer_lines(service, io.BytesIO(lines.encode()))).splitlines()]


def test_answers_are_the_models(service: ScoringService) -> None:
    both = asked(
        service,
        {"id": 7, "model": "mkn", "text": "Das Haus ist neu", "words": True},
        {"id": "b", "model": "hpylm", "texts": ["das haus", "", "der hund"]},
    )
    assert [a["id"] for a in both] == [7, "b"]
    (row,) = both[0]["scores"]
    model = service.models["mkn"]
    assert row["log10_prob"] == pytest.approx(model.score("das haus ist neu"))
    assert [w["word"] for w in row["scores"]] == ["das", "haus", "ist", "neu", "</s>"]
    assert [w["unknown"] for w in row["scores"]] == [False, False, False, True, False]
    assert (row["unknown"], row["words"]) == (1, 5)
    expected = [service.models["hpylm"].score(text) for text in ("das haus", "", "der hund")]
    assert [r["log10_prob"] for r in both[1]["scores"]] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ("nonsense", "not JSON"),
        ("[1]", "must be an object"),
        ("[" * 100_000, "not JSON"),
        ({"model": "mkn"}, "either 'text'"),
        ({"model": "mkn", "text": "a", "texts": []}, "either 'text'"),
        ({"model": "mkn", "texts": []}, "1 to 1,000 sentences"),
        ({"model": "mkn", "texts": ["a"] * 1001}, "1 to 1,000 sentences"),
        ({"model": "mkn", "texts": [1]}, "list of strings"),
        ({"model": "mkn", "text": "x " * 30_000}, "at most 50,000 characters"),
        ({"model": "mkn", "text": "x" * 2000}, "a word of 2,000 characters"),
        ({"model": "mkn", "text": "a\nb"}, "one line"),
        ({"model": "mkn", "text": "\ud800"}, "surrogate"),
        ({"model": "mkn", "text": "<s> a"}, "<s>"),
        ({"model": "none", "text": "a"}, "one of mkn, hpylm"),
        ({"text": "a"}, "one of mkn, hpylm"),
        ({"model": "mkn", "text": "a", "words": 1}, "true or false"),
        ({"model": "mkn", "text": "a", "file": "/etc/passwd"}, "no field 'file'"),
    ],
)
def test_bad_requests_are_answered_by_what_is_wrong(service: ScoringService, request_: object, message: str) -> None:
    good = {"id": 1, "model": "mkn", "text": "das haus"}
    if isinstance(request_, dict):
        request_ = {"id": "bad", **request_}
    first, bad, last = asked(service, good, request_, good)
    assert message in bad["error"]
    assert bad["line"] == 2
    assert bad.get("id") == ("bad" if isinstance(request_, dict) else None)
    assert first["scores"] == last["scores"]


def test_requests_that_come_together_are_scored_together(service: ScoringService) -> None:
    batcher = Batcher(service)
    requests = [ScoreRequest("mkn", [["das", "haus"]], id=i) for i in range(50)]

    async def ask_all() -> list[dict]:  # type: ignore[type-arg]
        return await asyncio.gather(*(batcher.answer(r) for r in requests))

    answers = asyncio.run(ask_all())
    assert [a["id"] for a in answers] == list(range(50))
    assert batcher.batches <= 2


def test_batches_and_queues_are_bounded(service: ScoringService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "MOST_WAITING", 5)
    monkeypatch.setattr(service_module, "MOST_EVENTS", 6)
    batcher = Batcher(service)

    async def ask_all() -> list[object]:
        requests = (batcher.answer(ScoreRequest("mkn", [["das", "haus"]])) for _ in range(9))
        return await asyncio.gather(*requests, return_exceptions=True)

    answers = asyncio.run(ask_all())
    assert sum(isinstance(a, BusyError) for a in answers) == 4
    assert batcher.batches == 3


def test_a_batch_that_fails_is_told_to_all_and_the_next_is_scored(
    service: ScoringService, monkeypatch: pytest.MonkeyPatch
) -> None:
    batcher = Batcher(service)

    def fail(requests: object) -> None:
        raise MemoryError

    async def ask() -> list[object]:
        request = ScoreRequest("mkn", [["das"]])
        with monkeypatch.context() as patch:
            patch.setattr(service, "answer", fail)
            failed = await asyncio.gather(batcher.answer(request), return_exceptions=True)
        return [*failed, await batcher.answer(request)]

    failed, answered = asyncio.run(ask())
    assert isinstance(failed, MemoryError)
    assert isinstance(answered, dict)


def test_over_http(service: ScoringService) -> None:
    pytest.importorskip("fastapi")
    from fastapi.testclient import TestClient

    from binyan.serving.http import create_app

    with TestClient(create_app(service)) as client:
        answer = client.post("/api/score", json={"model": "mkn", "text": "das haus"})
        assert answer.status_code == 200
        assert answer.json() == asked(service, {"model": "mkn", "text": "das haus"})[0]
        bad = client.post("/api/score", json={"model": "mkn"})
        assert (bad.status_code, "either 'text'" in bad.json()["error"]) == (422, True)
        assert client.post("/api/score", content=b"{", headers={"content-type": "application/json"}).status_code == 422
        assert client.post("/api/score", json={"text": "x" * 70_000}).status_code == 413
        assert client.post("/api/score", content=b"{}", headers={"content-type": "text/plain"}).status_code == 415
        assert client.post("/api/score", json={}, headers={"host": "elsewhere"}).status_code == 400
        assert [m["name"] for m in client.get("/api/models").json()["models"]] == ["mkn", "hpylm"]


def test_the_command_answers_lines_as_they_come(models: dict[str, LanguageModel], tmp_path: Path) -> None:
    models["mkn"].save(tmp_path / "m.binyan")
    command = [sys.executable, "-m", "binyan", "serve", "--lm", str(tmp_path / "m.binyan")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for number in (1, 2):
            child.stdin.write(json.dumps({"id": number, "text": "das haus"}).encode() + b"\n")
            child.stdin.flush()
            assert json.loads(child.stdout.readline())["id"] == number
        child.stdin.close()
    assert child.returncode == 0


def test_the_command_over_http(models: dict[str, LanguageModel], tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    import httpx

    models["mkn"].save(tmp_path / "m.binyan")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    child = subprocess.Popen(
        [sys.executable, "-m", "binyan", "serve", "--lm", tmp_path / "m.binyan", "--port", str(port)]
    )
    try:
        for _ in range(600):
            try:
                answer = httpx.post(f"http://127.0.0.1:{port}/api/score", json={"text": "das haus"})
                break
            except httpx.ConnectError:
                time.sleep(0.05)
        assert answer.json()["scores"][0]["words"] == 3
    finally:
        child.terminate()
        child.wait()


def test_services_are_checked(models: dict[str, LanguageModel], tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        models["mkn"].save(tmp_path / folder / "m.binyan")
    with pytest.raises(SettingsError, match="two models are called 'm'"):
        ScoringService.load([tmp_path / "a" / "m.binyan", tmp_path / "b" / "m.binyan"])
    with pytest.raises(SettingsError, match="needs a language model"):
        ScoringService({})
