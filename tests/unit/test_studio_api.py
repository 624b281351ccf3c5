"""The studio's server: questions, actions, bad input, requests from elsewhere, links to read."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

pytest.importorskip("fastapi", reason="the explore extra is not installed")
pytest.importorskip("httpx", reason="httpx is not installed (the dev extra has it)")

from fastapi.testclient import TestClient

from binyan.studio.access import Access
from binyan.studio.actions import ACTIONS, UPLOADS
from binyan.studio.project import Project
from binyan.studio.questions import QUESTIONS
from binyan.studio.results import DOWNLOADS
from binyan.studio.server import create_app
from binyan.studio.workbench import Workbench
from studio_world import WORDS, learnt, made_project

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    project = made_project(tmp_path_factory.mktemp("studio") / "p")
    learnt(project)
    return Workbench(project)


@pytest.fixture
def client(bench):
    return TestClient(create_app(bench))


@pytest.fixture
def empty(tmp_path):
    return TestClient(create_app(Workbench(Project(tmp_path / "empty"))))


def ask(client, name, status=200, /, **question):
    answer = client.post(f"/api/{name}", json=question)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_the_way_from_a_file_to_an_export(tmp_path):
    project = Project(tmp_path / "p")
    client = TestClient(create_app(Workbench(project)))
    content = "\n".join(WORDS).encode()
    read = client.post(
        "/api/upload?name=w.txt&author=Ann", content=content, headers={"Content-Type": "application/octet-stream"}
    ).json()
    assert read["format"] == "words" and read["words"]["words"] == len(WORDS)
    assert ask(client, "learn", grammar="affixes", sweeps=20, author="Ann") == {"run": 1}
    from binyan.studio.worker import Worker

    Worker(project.folder).run(once=True)
    first = ask(client, "offered")["rows"][0]
    item = {"word": first["text"], "segmentation": first["segmentation"], "base": first["version"], "kind": "accept"}
    assert ask(client, "decide", items=[item], author="Ann")["versions"] == {first["text"]: 1}
    assert ask(client, "project")["decided"] == 1
    known = client.get("/api/download/known").text
    assert known.startswith(first["text"] + "\t")


def test_every_question_is_answered(client):
    needed = {
        "preview": {"preparation": {"lowercase": True}}, "word": {"word": "walks"}, "trees": {"word": "walks"},
        "search": {"query": "walk"}, "gallery": {"name": "affixes"}, "grammar": {"name": "affixes"},
        "check": {"text": "Word -> <any>+", "words": ["walks"]}, "interlinear": {"text": "she walks\nhe talked"},
    }  # fmt: skip
    for name in QUESTIONS:
        assert ask(client, name, **needed.get(name, {})) is not None, name


def test_the_trees_of_a_word(client):
    trees = ask(client, "trees", word="walks")["trees"]
    assert trees[0]["svg"].startswith("<svg") and abs(sum(t["probability"] for t in trees) - 1) < 0.3


def test_a_stale_decision_is_shown_the_newer_one(client):
    item = {"word": "jumped", "segmentation": "jump/stem ed/suf", "base": 0, "kind": "draw"}
    batch = ask(client, "decide", items=[item], author="Ann")["batch"]
    refused = ask(client, "decide", 409, items=[{**item, "segmentation": "jumped/stem"}], author="Ben")
    assert refused["newest"]["author"] == "Ann" and refused["newest"]["value"]["segmentation"] == "jump/stem ed/suf"
    assert ask(client, "undo", batch=batch, author="Ben")["undone"] == 1
    assert ask(client, "word", word="jumped")["decision"] is None


def test_all_words_with_a_suffix(client):
    entry = next(e for e in ask(client, "lexicon")["rows"] if e["label"] == "suf")
    page = ask(client, "words", morpheme=entry["text"], label="suf", limit=100)
    assert page["total"] == entry["words"]
    done = ask(client, "decide-all", morpheme=entry["text"], label="suf", author="Ann")
    assert done["decided"] == entry["words"]
    assert ask(client, "words", show="undecided", morpheme=entry["text"], label="suf")["total"] == 0
    ask(client, "undo", batch=done["batch"])


def test_glosses_and_notes(client):
    entry = ask(client, "lexicon")["rows"][0]
    ask(client, "gloss", morpheme=entry["text"], label=entry["label"], gloss="go", note="seen often", base=0)
    again = next(
        e for e in ask(client, "lexicon")["rows"] if e["text"] == entry["text"] and e["label"] == entry["label"]
    )
    assert (again["gloss"], again["note"], again["version"]) == ("go", "seen often", 1)
    assert "\tgo\n" in client.get("/api/download/glosses").text
    ask(client, "note", word="walks", text="ask Maria", base=0)
    assert ask(client, "word", word="walks")["note"] == "ask Maria"


def test_interlinear_text_has_the_glosses(client):
    [[word]] = ask(client, "interlinear", text="walks")["sentences"]
    assert word["word"] == "walks" and word["morphemes"].replace("-", "") == "walks" and word["gloss"]


@pytest.mark.parametrize("format", [f for f in DOWNLOADS if f not in ("cldf", "fst")])
def test_every_download(client, format):
    answer = client.get(f"/api/download/{format}")
    assert answer.status_code == 200 and "attachment" in answer.headers["content-disposition"]


def test_the_archive_is_downloaded(client, empty):
    content = client.get("/api/download/project").content
    assert "project.sqlite" in zipfile.ZipFile(io.BytesIO(content)).namelist()
    answer = empty.post("/api/open?author=Ann", content=content, headers={"Content-Type": "application/octet-stream"})
    assert answer.json() == {"words": len(WORDS)}


def test_command_lines_are_real(client):
    commands = ask(client, "commands")["commands"]
    import typer.main
    from click.testing import CliRunner

    from binyan.cli import app

    for kind in ("learn", "lift", "fst", "sketch", "paradigms"):
        words = commands[kind].split()
        outcome = CliRunner().invoke(typer.main.get_command(app), [*words[1:], "--no-such-option"])
        assert "No such option" in outcome.output and "--no-such-option" in outcome.output, kind


@pytest.mark.parametrize("name", [*QUESTIONS, *ACTIONS])
@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"null", b"{", b"[" * 5000, b'{"word": 5, "run": "x", "items": {}, "text": 3, "name": [], "query": null, "base": -1}',
     b'{"word": "\\ud800", "morpheme": "\\ud800", "label": "x", "name": "\\ud800", "query": "\\ud800", "value": "\\ud800", "text": "\\ud800", "base": 0}'],
)  # fmt: skip
def test_bad_input_is_refused_in_words(client, name, body):
    answer = client.post(f"/api/{name}", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (200, 422), answer.text
    if answer.status_code == 422:
        assert answer.json()["error"]


def test_requests_from_elsewhere_are_refused(client):
    post = {"Content-Type": "application/json"}
    assert (
        client.post("/api/project", content=b"{}", headers={**post, "Sec-Fetch-Site": "cross-site"}).status_code == 403
    )
    assert (
        client.post("/api/project", content=b"{}", headers={**post, "Origin": "http://evil.example"}).status_code == 403
    )
    assert client.post("/api/project", content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415
    assert client.post("/api/upload?name=a", content=b"x", headers=post).status_code == 415
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400
    assert client.post("/api/project", content=b"x" * (3 << 20), headers=post).status_code == 413
    assert client.get("/api/download/..%2f..%2fetc%2fpasswd").status_code in (404, 422)
    assert client.get("/api/download/nothing").status_code == 422


def test_shared_projects_ask_for_a_token(bench):
    access = Access(shared=True)
    client = TestClient(create_app(bench, access, ("*",)))
    assert client.post("/api/project", json={}).status_code == 401
    reader, owner = ({"Authorization": f"Bearer {token}"} for token in (access.reader, access.owner))
    assert client.post("/api/project", json={}, headers=reader).json()["can_write"] is False
    assert client.post("/api/project", json={}, headers=owner).json()["can_write"] is True
    for name in ACTIONS:
        assert client.post(f"/api/{name}", json={}, headers=reader).status_code == 403
    for name in UPLOADS:
        kind = {"Content-Type": "application/octet-stream"}
        assert client.post(f"/api/{name}", content=b"x", headers={**reader, **kind}).status_code == 403
    assert client.get(f"/api/download/words?token={access.reader}").status_code == 200
    assert client.get("/api/download/words?token=wrong").status_code == 401


def test_the_page_comes_with_a_policy(client):
    answer = client.get("/")
    assert answer.status_code == 200 and "default-src 'none'" in answer.headers["content-security-policy"]


def test_an_empty_project_answers(empty):
    assert ask(empty, "project")["words"] == 0
    assert ask(empty, "words") == {"total": 0, "rows": []}
    assert ask(empty, "offered")["rows"] == []
    assert "add a file" in ask(empty, "learn", 422, grammar="affixes")["error"]
    assert ask(empty, "trees", 422, word="x")["error"]
    assert json.loads(empty.get("/api/download/json").text) is not None
