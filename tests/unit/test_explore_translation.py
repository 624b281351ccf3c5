"""Translations over HTTP: the same answers as JSON lines, under any models and weights, and bounds on everything."""

from __future__ import annotations

import io
import json
import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from binyan import KneserNey, Translator
from binyan.explore.loaded_models import LoadedModels
from binyan.explore.server import create_app
from binyan.explore.translation_view import OWN, UNTUNED, TranslationView
from translation_world import pairs, system, translated

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SENTENCE = "the old dog sees a green house"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("world")
    folder = system(place).folder
    KneserNey(2).fit([target for _, target, _ in pairs()]).save(place / "bigrams.binyan")
    tuned = {"weights": {"LanguageModel1": 0.0, "LanguageModel2": 0.7}, "bleu": 0.25}
    tuned["models"] = [str(folder / "language_model.binyan"), str(place / "bigrams.binyan")]
    (folder / "two.json").write_text(json.dumps(tuned))
    (folder / "quiet.json").write_text('{"weights": {"LanguageModel1": 0.0}, "bleu": "much"}')
    (folder / "gone.json").write_text('{"weights": {}, "models": ["/nosuch/model.binyan"]}')
    (folder / "broken.json").write_text('{"weights": {"Glue": "much"}}')
    return folder


@pytest.fixture(scope="module")
def client(folder):
    return TestClient(create_app(LoadedModels.load([folder, folder.parent / "bigrams.binyan"])))


def ask(client: TestClient, **question) -> dict:
    answer = client.post("/translate", json=question)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_answers_are_those_of_json_lines(client, folder):
    question = {"id": 7, "text": SENTENCE, "n": 3}
    [line] = Translator.load(folder).answer_lines(io.BytesIO(json.dumps(question).encode()))
    answer = ask(client, **question)
    assert {name: answer[name] for name in json.loads(line)} == json.loads(line)
    assert answer["translation"] == translated(SENTENCE.split()) and answer["id"] == 7
    assert answer["weights"] == UNTUNED and answer["models"] == answer["tuned_with"] == [OWN]
    assert client.post("/api/translate", json=question).json() == answer
    assert ask(client, text="")["translation"] == ""


def test_systems_say_what_there_is(client, caplog, folder):
    [described] = client.get("/api/models").json()["systems"]
    assert described["name"] == "system" and described["rules"] > 100 and "bitext:" in described["signature"]
    weights = {w["name"]: (w["models"], w["bleu"]) for w in described["weights"]}
    assert next(iter(weights)) == UNTUNED and weights[UNTUNED] == weights["quiet"] == ([OWN], None)
    assert weights["two"] == (["language_model", "bigrams"], 0.25) and set(weights) == {UNTUNED, "quiet", "two"}
    assert {OWN, "language_model", "bigrams"} <= set(described["models"])
    with caplog.at_level(logging.WARNING):
        TranslationView(Translator.load(folder))
    assert [r.getMessage() for r in caplog.records if "gone.json is left out" in r.getMessage()]
    assert [r.getMessage() for r in caplog.records if "broken.json is left out" in r.getMessage()]


def test_models_and_weights_are_chosen(client):
    as_tuned = ask(client, text=SENTENCE, weights="two")
    assert as_tuned["models"] == ["language_model", "bigrams"] and as_tuned["feature_weights"]["LanguageModel2"] == 0.7
    quiet = ask(client, text=SENTENCE, weights="quiet")
    assert quiet["translation"] != translated(SENTENCE.split()) and quiet["feature_weights"]["LanguageModel1"] == 0
    other = ask(client, text=SENTENCE, models=["bigrams"])
    assert other["models"] == ["bigrams"] and other["tuned_with"] == [OWN]
    none = ask(client, text=SENTENCE, models=[])
    assert not any(name.startswith("LanguageModel") for name in none["feature_weights"])
    loud = ask(client, text=SENTENCE, model_factor=3)
    usual = ask(client, text=SENTENCE)["feature_weights"]
    assert loud["feature_weights"] == usual | {"LanguageModel1": pytest.approx(3 * usual["LanguageModel1"])}
    for factor in range(20):  # more than are kept
        ask(client, text="dog", model_factor=factor)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({}, "'text', which is a string"),
        ({"text": 7}, "'text', which is a string"),
        ({"text": "dog " * 600}, "2,400 characters; at most 2,000"),
        ({"text": "x" * 1500}, "a word of 1,500 characters"),
        ({"text": "dog\nhouse"}, "one line of text"),
        ({"text": "</s>"}, "mark of language models"),
        ({"text": "dog", "n": 101}, "'n', the number of translations, is 1 to 100"),
        ({"text": "dog", "system": "../system"}, "'system' is one of system"),
        ({"text": "dog", "system": None}, "'system' is one of system"),
        ({"text": "dog", "weights": "/etc/passwd"}, "'weights' is one of untuned"),
        ({"text": "dog", "weights": ["two"]}, "'weights' is one of untuned"),
        ({"text": "dog", "models": "bigrams"}, "'models' is a list of names"),
        ({"text": "dog", "models": ["bigram"]}, "'models' is a list of names"),
        ({"text": "dog", "models": [["bigrams"]]}, "'models' is a list of names"),
        ({"text": "dog", "models": ["bigrams"] * 9}, "at most 8 language models"),
        ({"text": "dog", "model_factor": -1}, "'model_factor' is 0 to 100"),
        ({"text": "dog", "model_factor": "much"}, "'model_factor' is no number"),
        ({"text": "dog", "modelfactor": 1}, "no field 'modelfactor'"),
    ],
)
def test_what_is_wrong_is_said(client, question, message):
    answer = client.post("/translate", json=question)
    assert answer.status_code == 422 and message in answer.json()["error"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"7", b"[" * 60_000, b"\xff\xfe", b'{"text": "\\ud800"}'])
def test_bodies_that_are_no_question(client, body):
    answer = client.post("/translate", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422 and answer.json()["error"]


def test_only_short_questions_in_json_from_this_machine(client):
    question = {"text": "dog"}
    assert client.post("/translate", json=question, headers={"host": "evil.example"}).status_code == 400
    assert client.post("/translate", json=question, headers={"origin": "http://evil.example"}).status_code == 403
    assert client.post("/translate", json=question, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert client.post("/translate", content="text=dog", headers={"content-type": "text/plain"}).status_code == 415
    assert client.post("/translate", json={"text": "x" * 70_000}).status_code == 413
    assert client.get("/translate").status_code == 405


def test_many_at_once_give_the_same_answer(client):
    questions = [{"text": f"{SENTENCE} word{i % 4}", "weights": ("two", UNTUNED)[i % 2], "n": 3} for i in range(32)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda question: ask(client, **question), questions))
    assert answers == [ask(client, **question) for question in questions]


def test_an_explorer_without_systems_says_so(folder):
    client = TestClient(create_app(LoadedModels.load([folder.parent / "bigrams.binyan"])))
    answer = client.post("/translate", json={"text": "dog"})
    assert answer.status_code == 422 and "no translation system is open" in answer.json()["error"]
    assert client.get("/api/models").json()["systems"] == []


def test_tuned_weights_are_the_default(tmp_path):
    folder = system(tmp_path).folder
    (folder / "a.json").write_text('{"weights": {"Words": 9}}')
    (folder / "weights.json").write_text('{"weights": {"Words": 0.7}}')
    client = TestClient(create_app(LoadedModels.load([folder])))
    answer = ask(client, text=SENTENCE)
    assert answer["weights"] == "weights" and answer["feature_weights"]["Words"] == 0.7
    assert answer["feature_weights"] == Translator.load(folder).decoder().weights
    assert answer["translation"] == Translator.load(folder).translate(SENTENCE)


def test_the_files_may_change_while_it_is_open(tmp_path):
    folder = system(tmp_path).folder
    client = TestClient(create_app(LoadedModels.load([folder])))
    before = ask(client, text=SENTENCE)
    for path in folder.iterdir():
        path.unlink()
    assert ask(client, text=SENTENCE) == before and ask(client, text="dog", model_factor=2)["translation"] == "כלב"
