"""The studio's database: versions, undo, two writers, migrations, words and their preparation, archives."""

from __future__ import annotations

import io
import json
import sqlite3
import threading
import zipfile

import pytest

from binyan.errors import InputError, ModelFileError
from binyan.studio.archive import archive_bytes, open_archive, save_archive
from binyan.studio.database import Database
from binyan.studio.decisions import Decision, borders_of, is_held_back
from binyan.studio.facts import Facts, Proposal, StaleError
from binyan.studio.imports import read_upload, safe_name
from binyan.studio.migrations import MIGRATIONS
from binyan.studio.project import Project, WordPreparation
from binyan.studio.word_store import describe_words
from studio_world import WORDS, made_project


@pytest.fixture
def facts(tmp_path):
    return Facts(Database(tmp_path / "x.sqlite"))


def test_a_stale_change_is_refused_and_shows_the_newer_one(facts):
    facts.put("decision", "walks", {"segmentation": "walk s"}, "Ann", 0)
    with pytest.raises(StaleError, match="Ann changed 'walks'") as error:
        facts.put("decision", "walks", {"segmentation": "wal ks"}, "Ben", 0)
    assert error.value.newest.value == {"segmentation": "walk s"} and error.value.newest.version == 1
    assert facts.put("decision", "walks", {"segmentation": "wal ks"}, "Ben", 1).version == 2


def test_a_batch_is_all_or_nothing(facts):
    facts.put("decision", "b", 1, "Ann", 0)
    with pytest.raises(StaleError):
        facts.put_all([Proposal("decision", "a", 1, 0), Proposal("decision", "b", 2, 0)], "Ben")
    assert facts.newest("decision", "a") is None and facts.value("decision", "b") == 1


def test_undo_brings_back_what_was_before_and_can_be_undone(facts):
    facts.put("decision", "a", "first", "Ann", 0)
    batch = facts.put_all([Proposal("decision", "a", "second", 1), Proposal("decision", "b", "new", 0)], "Ann")[0].batch
    undone = facts.undo(batch, "Ben")
    assert facts.all("decision") == {"a": "first"} and facts.newest("decision", "b").version == 2
    facts.undo(undone[0].batch, "Ben")
    assert facts.all("decision") == {"a": "second", "b": "new"}
    assert [c.kind for c in facts.history(["decision"])].count("undo") == 4


def test_undo_of_what_was_changed_since_is_refused(facts):
    batch = facts.put("decision", "a", "first", "Ann", 0).batch
    facts.put("decision", "a", "second", "Ben", 1)
    with pytest.raises(StaleError):
        facts.undo(batch, "Ann")
    assert facts.value("decision", "a") == "second"


def test_authors_have_names(facts):
    for name in ("", "   ", "x" * 61, "a\x00b"):
        with pytest.raises(InputError):
            facts.put("note", "a", 1, name, 0)


def test_of_two_writers_one_is_told(tmp_path):
    """Many threads decide on the same words from the same version: for each word exactly one wins, and nothing is lost."""
    databases = [Database(tmp_path / "x.sqlite") for _ in range(2)]
    outcomes: list[tuple[str, str]] = []

    def write(number: int) -> None:
        mine = Facts(databases[number % 2])
        for word in "abcdefgh":
            try:
                mine.put("decision", word, number, f"writer {number}", 0)
                outcomes.append((word, "stored"))
            except StaleError:
                outcomes.append((word, "refused"))

    threads = [threading.Thread(target=write, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert sorted(w for w, o in outcomes if o == "stored") == list("abcdefgh")
    assert len(outcomes) == 32


def test_migrations_keep_what_is_there(tmp_path):
    path = tmp_path / "x.sqlite"
    Facts(Database(path)).put("note", "a", {"text": "kept"}, "Ann", 0)
    newer = (*MIGRATIONS, ("ALTER TABLE words ADD COLUMN gloss TEXT NOT NULL DEFAULT ''",))
    database = Database(path, newer)
    assert Facts(database).value("note", "a") == {"text": "kept"}
    assert database.number("PRAGMA user_version") == len(newer)
    with pytest.raises(ModelFileError, match="newer version"):
        Database(path)


def test_a_failed_migration_leaves_the_database_as_it_was(tmp_path):
    path = tmp_path / "x.sqlite"
    Database(path)
    broken = (*MIGRATIONS, ("CREATE TABLE more (x)", "CREATE TABLE words (x)"))
    with pytest.raises(ModelFileError):
        Database(path, broken)
    database = Database(path)
    assert not database.rows("SELECT 1 FROM sqlite_master WHERE name = 'more'")


def test_other_files_are_refused(tmp_path):
    (tmp_path / "x.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(ModelFileError):
        Database(tmp_path / "x.sqlite")
    other = sqlite3.connect(tmp_path / "y.sqlite")
    other.execute("CREATE TABLE t (x)")
    other.commit()
    with pytest.raises(ModelFileError, match="another program"):
        Database(tmp_path / "y.sqlite")


def test_words_are_made_anew_and_keep_their_decisions(tmp_path):
    project = made_project(tmp_path / "p", ["Walks", "walks", "talks"])
    project.decide([{"word": "walks", "segmentation": "walk/stem s/suf", "base": 0, "kind": "draw"}], "Ann")
    assert project.set_preparation({"lowercase": True}, "Ann", 0) == 2
    assert {r["text"]: r["count"] for r in project.database.rows("SELECT * FROM words")} == {"walks": 2, "talks": 1}
    assert set(project.decisions()) == {"walks"}
    with pytest.raises(InputError, match="no setting"):
        project.set_preparation({"x": 1}, "Ann", 1)


def test_decisions_are_checked(tmp_path):
    project = made_project(tmp_path / "p")
    wrong = [
        {"word": "none", "segmentation": "none", "base": 0, "kind": "draw"},
        {"word": "walks", "segmentation": "wal s", "base": 0, "kind": "draw"},
        {"word": "walks", "segmentation": "walk/st$ s", "base": 0, "kind": "draw"},
        {"word": "walks", "segmentation": "walk s", "base": "0", "kind": "draw"},
        {"word": "walks", "segmentation": "walk s", "base": 0, "kind": "other"},
        {"word": "walks", "segmentation": 7, "base": 0, "kind": "draw"},
        {"word": "walks", "segmentation": "walk s", "root": "a b", "base": 0, "kind": "draw"},
    ]
    for item in wrong:
        with pytest.raises(InputError):
            project.decide([item], "Ann")
    assert project.decisions() == {}


def test_a_decision_is_evidence_for_every_border():
    known = Decision.read("sumulat", {"segmentation": "sulat@0,3,4,5,6/stem um@1,2/inf", "root": "slt"}).known()
    assert known.borders == {1: True, 2: False, 3: True, 4: False, 5: False, 6: False}
    assert known.labels == ((0, 1, ("stem",)), (1, 3, ("inf",)), (3, 7, ("stem",))) and known.roots == ("slt",)
    assert borders_of(Decision.read("walked", {"segmentation": "walk ed"}).segmentation) == {4}


def test_about_a_fifth_of_the_words_is_held_back():
    assert 0.1 < sum(map(is_held_back, (f"w{i}" for i in range(500)))) / 500 < 0.3


@pytest.mark.parametrize(
    ("name", "content", "form", "words"),
    [
        ("w.txt", "walks\t3\ntalks\n", "words", {"walks": 3, "talks": 1}),
        ("t.txt", "he walks home\nshe talks\n", "text", {"he": 1, "walks": 1, "home": 1, "she": 1, "talks": 1}),
        ("t.csv", "word,gloss\nkitab,book\n", "csv", {"kitab": 1}),
        ("x.lift", '<lift version="0.13"><entry><lexical-unit><form lang="x"><text>kitab</text></form></lexical-unit></entry></lift>',
         "lift", {"kitab": 1}),
    ],
)  # fmt: skip
def test_files_are_read(name, content, form, words):
    reading = read_upload(name, content.encode())
    assert (reading.format, reading.counts) == (form, words)


def test_flextext_brings_its_analyses(tmp_path):
    text = (
        '<document version="2"><interlinear-text><paragraphs><paragraph><phrases><phrase><words><word>'
        '<item type="txt" lang="x">walks</item><morphemes><morph type="stem"><item type="txt" lang="x">walk</item></morph>'
        '<morph type="suffix"><item type="txt" lang="x">-s</item></morph></morphemes></word></words></phrase></phrases></paragraph>'
        "</paragraphs></interlinear-text></document>"
    )
    project = Project(tmp_path / "p")
    project.add_reading(read_upload("a.flextext", text.encode()), "Ann")
    assert str(project.decisions()["walks"].segmentation) == "walk/stem s/suf"


def test_cldf_is_read_from_an_archive():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(
            "cldf/forms.csv", "ID,Form,Morphemes,Morpheme_Labels,Root\n1,walks,walk + s,stem + suf,\n2,a b,,,\n"
        )
    reading = read_upload("data.zip", packed.getvalue())
    assert reading.counts == {"walks": 1} and reading.known["walks"]["segmentation"] == "walk/stem s/suf"


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00bad", b"PK\x03\x04broken", b"<lift"])
def test_unusable_files_say_why(content):
    with pytest.raises(InputError) as error:
        read_upload("../../x.lift", content)
    assert "/tmp" not in str(error.value)


def test_names_of_files_lead_nowhere():
    assert safe_name("../../etc/passwd") == "passwd" and safe_name("C:\\x\\a<b>.txt") == "a_b_.txt"


def test_texts_are_trimmed(tmp_path):
    project = Project(tmp_path / "p")
    project.add_reading(read_upload("t.txt", "«Walks», he said. 12\nShe: talks...\n".encode()), "Ann")
    assert set(project.word_list().words) == {"Walks", "he", "said", "She", "talks"}
    assert WordPreparation.read({}).trim is False


def test_odd_words_are_described():
    described = describe_words({"walk": 1, "wal4": 1, "шаг": 1})
    assert described["words"] == 3 and described["odd"] == ["wal4"] and "several scripts" in described["warnings"][0]


def test_an_archive_is_the_whole_project(tmp_path):
    project = made_project(tmp_path / "p")
    project.decide([{"word": "walks", "segmentation": "walk/stem s/suf", "base": 0, "kind": "draw"}], "Ann")
    save_archive(project, tmp_path / "p.zip")
    other = Project(tmp_path / "q")
    open_archive(tmp_path / "p.zip", other)
    assert sorted(other.word_list().words) == sorted(WORDS) and "walks" in other.decisions()
    with pytest.raises(InputError, match="not empty"):
        open_archive(tmp_path / "p.zip", other)


def _changed(content: bytes, name: str, data: bytes) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.namelist():
            if entry != name:
                new.writestr(entry, old.read(entry))
        new.writestr(name, data)
    out.seek(0)
    return out


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("../evil.txt", b"x"),
        ("models/../../evil", b"x"),
        ("/etc/evil", b"x"),
        ("models/run-1.binyan", b"no model"),
        ("project.sqlite", b"no database"),
        ("binyan-studio.json", json.dumps({"format": 99}).encode()),
    ],
)
def test_wrong_archives_change_nothing(tmp_path, name, data):
    content = archive_bytes(made_project(tmp_path / "p"))
    other = Project(tmp_path / "q")
    with pytest.raises(InputError):
        open_archive(_changed(content, name, data), other)
    assert len(other.words) == 0 and sorted(p.name for p in (tmp_path / "q" / "models").iterdir()) == []
    assert not list(tmp_path.rglob("evil*"))


def test_an_archive_with_triggers_is_refused(tmp_path):
    made_project(tmp_path / "p").close()
    content = archive_bytes(Project(tmp_path / "p"))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        (tmp_path / "x.sqlite").write_bytes(archive.read("project.sqlite"))
    changed = sqlite3.connect(tmp_path / "x.sqlite")
    changed.execute("CREATE TRIGGER t AFTER INSERT ON changes BEGIN DELETE FROM words; END")
    changed.commit()
    changed.close()
    with pytest.raises(InputError, match="not ours"):
        open_archive(_changed(content, "project.sqlite", (tmp_path / "x.sqlite").read_bytes()), Project(tmp_path / "q"))
