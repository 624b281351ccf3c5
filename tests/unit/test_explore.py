"""The explorer's server: answers, limits, and nothing beyond the models it was given."""

import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from binyan.errors import InputError, ModelFileError
from binyan.explore import server
from binyan.explore.loaded_models import LoadedModels
from binyan.explore.shared_morphemes import MorphemeIndex
from binyan.grammar.notation import load_grammar
from binyan.grammar.tree import parse_tree
from binyan.morphology import Morphology
from binyan.ngram.hpylm import HPYLM
from binyan.ngram.kneser_ney import KneserNey
from binyan.sampling import Schedule

TEXT = ["der hund sah die katze", "die katze sah den hund", "der hund und die katze", "שלום עולם"] * 3
WORDS = ["כתב", "כתבו", "כותב", "מכתב", "למד", "למדו", "לומד", "מלמד", "שמר", "שמרו", "שומר", "משמר"]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    KneserNey(3).fit(TEXT).save(folder / "mkn.binyan")
    HPYLM(2, schedule=Schedule(sweeps=10)).fit(TEXT).save(folder / "hpylm.binyan")
    return folder


@pytest.fixture(scope="module")
def client(folder):
    Morphology("tpl", sweeps=10, burn_in=5, chains=1).fit(WORDS).save(folder / "words.binyan")
    names = ("mkn.binyan", "hpylm.binyan", "words.binyan")
    return TestClient(server.create_app(LoadedModels.load([folder / name for name in names])))


def test_page_and_models(client):
    assert "Binyan explorer" in client.get("/").text
    for path in server._PAGE:
        assert client.get(path).status_code == 200
    named = client.get("/api/models").json()
    assert [m["name"] for m in named["language_models"]] == ["mkn", "hpylm"]
    assert "order:3" in named["language_models"][0]["signature"]


def test_nothing_from_elsewhere(client):
    policy = client.get("/").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    for path in server._PAGE:
        text = client.get(path).text.replace("http://www.w3.org/2000/svg", "")  # a name, not an address
        assert "http://" not in text
        assert "https://" not in text


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
        assert sorted("".join(p["text"] for p in answer["analyses"][0]["parts"])) == sorted(word)
        best = client.post("/api/analysis", json={"model": "words", "word": word, "rank": 0}).json()
        assert best["svg"].startswith("<svg")
        assert "Char" not in best["svg"]  # single characters need no symbol above them
        assert all(word not in shared["words"] and shared["total"] > 0 for shared in best["related"])


def test_words_that_share_root_and_template():
    trees = {
        "kitaab": "(Word (Stem (R3 (R1 0=k) (R1 2=t) (R1 5=b)) (T3 1=i 3=a 4=a)))",
        "kaatib": "(Word (Stem (R3 (R1 0=k) (R1 3=t) (R1 5=b)) (T3 1=a 2=a 4=i)))",
        "hisaab": "(Word (Stem (R3 (R1 0=h) (R1 2=s) (R1 5=b)) (T3 1=i 3=a 4=a)))",
        "alkitaab": "(Word (Pre 0=a 1=l) (Stem (R3 (R1 2=k) (R1 4=t) (R1 7=b)) (T3 3=i 5=a 6=a)))",
    }
    index = MorphemeIndex(
        ((word, parse_tree(tree)) for word, tree in trees.items()), load_grammar("tpl"), {"Pre", "Stem"}
    )
    related = index.sharing("kitaab", parse_tree(trees["kitaab"]), 1)
    assert [(f"{kind} {text}", words, total) for (kind, text), words, total in related] == [
        ("stem kitaab", ["alkitaab"], 1),
        ("root k…t…b", ["kaatib"], 2),
        ("template –i–aa–", ["hisaab"], 2),
    ]


@pytest.mark.parametrize("rank", [-1, 99, "0", None, 1.5])
def test_rank_beyond_bounds(client, rank):
    answer = client.post("/api/analysis", json={"model": "words", "word": "מכתב", "rank": rank})
    assert answer.status_code == 422


def test_markup_in_a_word_stays_text(client):
    question = {"model": "words", "word": "<b>כ</b>"}
    assert client.post("/api/analyse", json=question).json()["word"] == "<b>כ</b>"
    assert "<b>" not in client.post("/api/analysis", json={**question, "rank": 0}).json()["svg"]


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


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"7", b"[" * 60_000, b"\xff\xfe", b'{"text": "\\ud800"}'])
def test_bodies_that_are_no_question(client, body):
    answer = client.post("/api/sentence", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (200, 422)
    assert answer.status_code == 200 or answer.json()["error"]


@pytest.mark.parametrize("name", ["../words", "/etc/passwd", "", None, ["words"], {"a": 1}])
@pytest.mark.parametrize("path", ["analyse", "analysis", "lexicon", "neighbours", "vector-map"])
def test_only_models_by_name(client, path, name):
    question = {"model": name, "word": "כ", "query": "כ", "category": "Stem", "contains": "", "rank": 0}
    answer = client.post(f"/api/{path}", json=question)
    assert (answer.status_code, answer.json()["error"]) == (422, "no such model is open here")


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/static/../server.py",
        "/static/app.js",
        "/app.js/../../server.py",
        "/..%5c..%5cserver.py",
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


@pytest.mark.parametrize(
    ("name", "path", "question"),
    [
        ("mkn", "sentence", {"text": "der hund"}),
        ("words", "analyse", {"model": "copy", "word": "משמרים"}),
        ("words", "lexicon", {"model": "copy", "category": "R3", "contains": ""}),
    ],
)
def test_a_replaced_model_file_changes_nothing(client, folder, name, path, question):
    (folder / "copy.binyan").write_bytes((folder / f"{name}.binyan").read_bytes())
    one, other = (TestClient(server.create_app(LoadedModels.load([folder / "copy.binyan"]))) for _ in range(2))
    before = one.post(f"/api/{path}", json=question).json()
    (folder / "copy.binyan").write_bytes(b"junk")
    assert other.post(f"/api/{path}", json=question).json() == before  # first asked after the file was replaced
    (folder / "copy.binyan").unlink()
    assert one.post(f"/api/{path}", json=question).json() == before


@pytest.mark.parametrize(
    ("path", "question"),
    [("sentence", {"text": "der hund sah die katze"}), ("analyse", {"model": "words", "word": "משמרים" * 8})],
)
def test_many_at_once_give_the_same_answer(client, path, question):
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: client.post(f"/api/{path}", json=question), range(64)))
    assert all(a.status_code == 200 and a.json() == answers[0].json() for a in answers)


def test_vectors_of_seen_and_unseen_words(tmp_path):
    pytest.importorskip("torch", reason="the neural extra is not installed")
    from binyan import LogBilinear
    from binyan.segmentation import Segmentation, SegmentationTable

    stems, suffixes = ("haus", "hof", "geh", "lauf"), ("en", "st", "t")
    table = SegmentationTable(Segmentation.parse(a + b, f"{a}/STM {b}/SUF") for a in stems for b in suffixes)
    text = [[a + b for a in stems for b in suffixes if a + b != "hofst"]] * 5
    model = LogBilinear("clbl++", order=2, dim=4, classes=3, word_map=table, epochs=1, batch=50)
    model.fit(text, text, progress=False).save(tmp_path / "v.binyan")
    client = TestClient(server.create_app(LoadedModels.load([tmp_path / "v.binyan"])))
    assert client.get("/api/models").json()["spaces"] == [{"name": "v", "words": 14, "morphemes": 7}]
    for query, known, made_of in (
        ("hofen", True, ["hof/STM", "en/SUF"]),
        ("hofst", False, ["hof/STM", "st/SUF"]),  # in the map
        ("laufhofen", False, ["lauf/STM", "hof/STM", "en/SUF"]),  # in nothing: taken apart
        ("en/SUF", True, []),
    ):
        found = client.post("/api/neighbours", json={"model": "v", "query": query}).json()
        assert (found["known"], found["made_of"]) == (known, made_of)
        cosines = [n["cosine"] for n in found["words"]]
        assert cosines == sorted(cosines, reverse=True) and query not in [n["name"] for n in found["words"]]
        assert len(found["morphemes"]) >= 6
    refused = client.post("/api/neighbours", json={"model": "v", "query": "<b>x</b>"})
    assert refused.status_code == 422 and "cannot be made" in refused.json()["error"]
    points = client.post("/api/vector-map", json={"model": "v"}).json()
    assert len(points) == 7 and all(0 <= p["x"] <= 1 and 0 <= p["y"] <= 1 for p in points)
    steps = client.post("/api/sentence", json={"text": "hofen"}).json()[0]["words"][0]["steps"]
    assert [step["name"] for step in steps] == ["class", "word in class"]
    assert steps[1]["detail"] == "hofen = hofen + hof/STM + en/SUF"


def test_what_cannot_be_shown_is_refused(tmp_path):
    from binyan import model_file

    with pytest.raises(InputError, match="at least one"):
        LoadedModels.load([])
    model_file.save(tmp_path / "x", "toy", {}, {})
    with pytest.raises(ModelFileError, match="holds a 'toy'"):
        LoadedModels.load([tmp_path / "x"])


def test_other_models_of_the_toolkit_are_refused(tmp_path):
    from binyan.translation import read_rules

    (tmp_path / "rules").write_text("[X] ||| a ||| A ||| f=1\n")
    read_rules(tmp_path / "rules").save(tmp_path / "rules.binyan")
    with pytest.raises(ModelFileError, match="holds a RuleTable, which the explorer cannot show"):
        LoadedModels.load([tmp_path / "rules.binyan"])


def test_each_file_is_read_once(client, folder, monkeypatch):
    from binyan import model_file

    read, names = model_file.load, []
    monkeypatch.setattr(model_file, "load", lambda path: names.append(Path(path).name) or read(path))
    models = LoadedModels.load([folder / "words.binyan", folder / "mkn.binyan", folder / "mkn.binyan"])
    assert names == ["words.binyan", "mkn.binyan", "mkn.binyan"]
    assert list(models.morphologies) == ["words"] and list(models.language_models) == ["mkn", "mkn (2)"]
    assert not models.vector_spaces


@pytest.mark.skipif(sys.platform != "linux", reason="this system cannot share a port among processes")
def test_workers_answer_and_end_with_their_parent(folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "binyan", "explore", str(folder / "mkn.binyan"), "--port", str(port)]
    server = subprocess.Popen([*command, "--workers", "2"], stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/api/models"
    try:
        for _ in range(600):
            try:
                assert httpx.get(address, timeout=10).status_code == 200
                break
            except httpx.TransportError:
                assert server.poll() is None
                time.sleep(0.1)
        answers = {httpx.get(address, timeout=10).text for _ in range(8)}  # a connection each: both processes are asked
        assert len(answers) == 1
    finally:
        server.terminate()
        assert server.wait(20) == 0
    with pytest.raises(httpx.ConnectError):
        httpx.get(address, timeout=10)
