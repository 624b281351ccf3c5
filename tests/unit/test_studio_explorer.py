"""The explorer's tabs inside the studio: the project's model, and models that were added."""

from __future__ import annotations

import io

import pytest

pytest.importorskip("fastapi", reason="the explore extra is not installed")
pytest.importorskip("httpx", reason="httpx is not installed (the dev extra has it)")

from fastapi.testclient import TestClient

from binyan.ngram.kneser_ney import KneserNey
from binyan.studio.access import Access
from binyan.studio.archive import open_archive, save_archive
from binyan.studio.project import Project
from binyan.studio.server import create_app
from binyan.studio.workbench import Workbench
from studio_world import learnt, made_project

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SENTENCES = [["she", "walks"], ["he", "talks"], ["she", "talks"]]
BINARY = {"Content-Type": "application/octet-stream"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    project = made_project(tmp_path_factory.mktemp("explorer") / "p")
    learnt(project)
    return project.folder


@pytest.fixture
def client(folder):
    return TestClient(create_app(Workbench(Project(folder))))


@pytest.fixture(scope="module")
def language_model(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("lm") / "lm"
    KneserNey(2).fit(SENTENCES).save(path)
    return path.read_bytes()


def test_the_model_of_the_run_is_there(client):
    assert [m["name"] for m in client.get("/explorer/api/models").json()["segmenters"]] == ["run 1"]
    answer = client.post("/explorer/api/analyse", json={"word": "walkings", "model": "run 1"})
    assert answer.status_code == 200 and answer.json()["analyses"]
    assert 'src="app.js"' in client.get("/explorer/").text and "script" not in client.get("/explorer/style.css").text


def test_a_language_model_is_added_and_taken_away(client, language_model, folder, tmp_path):
    added = client.post("/api/add-model?name=my lm.binyan", content=language_model, headers=BINARY)
    assert added.json() == {"name": "my-lm"}, added.text
    assert [m["name"] for m in client.get("/explorer/api/models").json()["language_models"]] == ["my-lm"]
    scores = client.post("/explorer/api/sentence", json={"sentence": "she walks", "text": "she walks"})
    assert scores.status_code == 200, scores.text
    save_archive(Project(folder), tmp_path / "a.zip")
    other = Project(tmp_path / "other")
    open_archive(io.BytesIO((tmp_path / "a.zip").read_bytes()), other)
    assert Workbench(other).explorer.added == ["my-lm"]
    assert client.post("/api/drop-model", json={"name": "my-lm"}).status_code == 200
    assert client.get("/explorer/api/models").json()["language_models"] == []


@pytest.mark.parametrize("name", ["x.binyan", "../../run-1.binyan", "run-1.binyan", ""])
def test_what_is_no_model_is_refused_and_leaves_no_file(client, folder, name):
    before = sorted(p.name for p in (folder / "models").iterdir())
    answer = client.post("/api/add-model", params={"name": name}, content=b"hello", headers=BINARY)
    assert answer.status_code == 422 and "no model" in answer.text
    assert sorted(p.name for p in (folder / "models").iterdir()) == before


@pytest.mark.parametrize("name", ["../models/run-1.binyan", "C:\\run-1.binyan", "run-1.binyan"])
def test_an_added_model_never_takes_the_place_of_a_run(client, folder, language_model, name):
    before = (folder / "models" / "run-1.binyan").read_bytes()
    added = client.post("/api/add-model", params={"name": name}, content=language_model, headers=BINARY).json()
    assert added == {"name": "model-run-1"} and (folder / "models" / "run-1.binyan").read_bytes() == before
    client.post("/api/drop-model", json={"name": "model-run-1"})
    assert client.post("/api/drop-model", json={"name": "run-1"}).status_code == 422


def test_readers_may_ask_and_add_nothing(folder, language_model):
    access = Access(shared=True)
    client = TestClient(create_app(Workbench(Project(folder)), access, ("*",)))
    reader = {"Authorization": f"Bearer {access.reader}"}
    assert client.get("/explorer/api/models").status_code == 401
    assert client.get("/explorer/api/models", headers=reader).status_code == 200
    assert client.post("/api/add-model?name=x", content=language_model, headers={**BINARY, **reader}).status_code == 403


def test_pages_from_elsewhere_are_refused(client):
    elsewhere = {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert client.post("/explorer/api/analyse", json={"word": "a"}, headers=elsewhere).status_code == 403
