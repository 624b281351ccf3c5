"""The explorer's server: answers, limits, and nothing beyond the models it was given."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from binyan.errors import InputError, ModelFileError
from binyan.explore import server
from binyan.explore.shelf import Shelf
from binyan.grammar.notation import load_grammar
from binyan.morphology import WordList, learn
from binyan.ngram.chains import Schedule
from binyan.ngram.hpylm import HPYLM
from binyan.ngram.kneser_ney import KneserNey

TEXT = ["der hund sah die katze", "die katze sah den hund", "der hund und die katze", "שלום עולם"] * 3
WORDS = ["כתב", "כתבו", "כותב", "מכתב", "למד", "למדו", "לומד", "מלמד", "שמר", "שמרו", "שומר", "משמר"]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    KneserNey.train(TEXT, 3).save(folder / "mkn.binyan")
    HPYLM.train(TEXT, 2, Schedule(iterations=10)).save(folder / "hpylm.binyan")
    return folder


@pytest.fixture(scope="module")
def client(folder):
    learn(WordList.of(WORDS), load_grammar("tpl"), sweeps=10, burn_in=5).save(folder / "words.binyan")
    names = ("mkn.binyan", "hpylm.binyan", "words.binyan")
    return TestClient(server.create_app(Shelf.load([folder / name for name in names])))


def test_page_and_models(client):
    assert "Binyan explorer" in client.get("/").text
    for path in ("/app.js", "/style.css"):
        assert client.get(path).status_code == 200
    named = client.get("/api/models").json()
    assert [m["name"] for m in named["language_models"]] == ["mkn", "hpylm"]
    assert "order:3" in named["language_models"][0]["signature"]


def test_nothing_from_elsewhere(client):
    policy = client.get("/").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    for path in ("/", "/app.js", "/style.css"):
        assert "http://" not in client.get(path).text
        assert "https://" not in client.get(path).text


def test_sentence_and_next_words(client):
    answer = client.post("/api/sentence", json={"text": "der hund sah <b>x</b>"}).json()
    assert [s["model"] for s in answer] == ["mkn", "hpylm"]
    words = answer[0]["words"]
    assert [w["word"] for w in words] == ["der", "hund", "sah", "<b>x</b>", "</s>"]
    assert [w["unknown"] for w in words] == [False, False, False, True, False]
    assert sum(s["share"] for s in words[1]["steps"]) == pytest.approx(1)
    following = client.post("/api/next-words", json={"text": "die"}).json()[0]["words"]
    assert following[0]["word"] == "katze"
    assert all(0 <= w["probability"] <= 1 for w in following)


def test_analyses_of_known_and_new_words(client):
    for word, known in (("מכתב", True), ("משמרו", False)):
        answer = client.post("/api/analyse", json={"model": "words", "word": word}).json()
        assert answer["direction"] == "rtl"
        assert (answer["note"] == "") == known
        probabilities = [a["probability"] for a in answer["analyses"]]
        assert probabilities == sorted(probabilities, reverse=True)
        assert 0 < sum(probabilities) <= 1 + 1e-9
        best = answer["analyses"][0]
        assert sorted("".join(p["text"] for p in best["parts"])) == sorted(word)
        assert best["svg"].startswith("<svg")
        assert all(word not in others for others in best["related"].values())


def test_markup_in_a_word_stays_text(client):
    answer = client.post("/api/analyse", json={"model": "words", "word": "<b>כ</b>"}).json()
    assert "<b>" not in "".join(a["svg"] for a in answer["analyses"])


def test_words_beyond_bounds(client):
    for word, message in (("כ" * 10_000, "at most 100"), ("a b", "not one word"), ("", "empty")):
        answer = client.post("/api/analyse", json={"model": "words", "word": word})
        assert answer.status_code == 422
        assert message in answer.json()["error"]
    unknown = client.post("/api/analyse", json={"model": "../words", "word": "a"})
    assert (unknown.status_code, unknown.json()["error"]) == (422, "no such model is open here")


def test_lexicon(client):
    question = {"model": "words", "category": "Stem", "contains": "", "sort": "text"}
    answer = client.post("/api/lexicon", json=question).json()
    texts = [row["text"] for row in answer["rows"]]
    assert texts == sorted(texts)
    assert answer["total"] == len(texts) > 0
    assert sum(row["probability"] for row in answer["rows"]) == pytest.approx(1)
    wrong = client.post("/api/lexicon", json={**question, "category": "Nonsense"})
    assert wrong.status_code == 422


@pytest.mark.parametrize(
    ("question", "status", "message"),
    [
        ({"text": "x " * 5000}, 422, "at most 2,000"),
        ({"text": ""}, 422, "empty"),
        ({"text": 7}, 422, "must be text"),
        ({}, 422, "lacks 'text'"),
        ({"text": "a", "pad": "x" * 100_000}, 413, "at most 65,536 bytes"),
    ],
)
def test_limits(client, question, status, message):
    answer = client.post("/api/sentence", json=question)
    assert answer.status_code == status
    assert message in answer.json()["error"]


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/static/../server.py",
        "/api/../server.py",
        "//etc/passwd",
        "/mkn.binyan",
    ],
)
def test_path_tricks_find_nothing(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "root:" not in answer.text


def test_other_hosts_are_refused(client):
    assert client.get("/api/models", headers={"host": "evil.example"}).status_code == 400


def test_a_replaced_model_file_changes_nothing(folder):
    (folder / "copy.binyan").write_bytes((folder / "mkn.binyan").read_bytes())
    client = TestClient(server.create_app(Shelf.load([folder / "copy.binyan"])))
    before = client.post("/api/sentence", json={"text": "der hund"}).json()
    (folder / "copy.binyan").write_bytes(b"junk")
    assert client.post("/api/sentence", json={"text": "der hund"}).json() == before


def test_many_at_once_give_the_same_answer(client):
    with ThreadPoolExecutor(16) as pool:
        answers = list(
            pool.map(lambda _: client.post("/api/sentence", json={"text": "der hund sah die katze"}).json(), range(64))
        )
    assert all(a == answers[0] for a in answers)
    assert math.isfinite(answers[0][0]["log_prob"])


def test_shelf_refuses_what_it_cannot_show(tmp_path):
    from binyan import model_file

    with pytest.raises(InputError, match="at least one"):
        Shelf.load([])
    model_file.save(tmp_path / "x", "toy", {}, {})
    with pytest.raises(ModelFileError, match="'toy' model"):
        Shelf.load([tmp_path / "x"])
