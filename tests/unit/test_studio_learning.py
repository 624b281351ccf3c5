"""Runs of the studio: first answers, decisions as evidence, stopping and going on, workers that are killed."""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from binyan import model_file
from binyan.errors import BinyanError, InputError
from binyan.studio import learning
from binyan.studio.accuracy import compare
from binyan.studio.comparison import changed_words
from binyan.studio.decisions import Decision, is_held_back
from binyan.studio.imports import read_upload
from binyan.studio.learning import Learner, RunPlan, StopRun
from binyan.studio.pattern_search import matching
from binyan.studio.project import Project
from binyan.studio.review_order import ReviewOrder
from binyan.studio.word_queries import WordQueries
from binyan.studio.word_table import FILTERS, ORDERS
from binyan.studio.worker import Worker
from studio_world import WORDS, learnt, made_project

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def decide(project: Project, word: str, segmentation: str) -> None:
    base = project.facts.versions("decision", [word])[word]
    project.decide([{"word": word, "segmentation": segmentation, "base": base, "kind": "draw"}], "tester")


def test_a_run_analyses_all_words_and_saves_its_model(tmp_path):
    project = made_project(tmp_path / "p")
    run = learnt(project)
    record = project.runs.get(run)
    assert record.state == "done" and record.result["first_seconds"] < 10 and record.result["sweeps"] == 20
    assert project.database.number("SELECT count(*) FROM analyses WHERE run_id = ?", run) == len(WORDS)
    assert project.model_path(run).exists() and project.runs.current() == run


def test_decisions_are_evidence(tmp_path):
    project = made_project(tmp_path / "p")
    word = next(w for w in WORDS if w.endswith("ing") and not is_held_back(w))
    decide(project, word, f"{word[:2]}/stem {word[2:]}/suf")
    run = learnt(project)
    row = WordQueries(project.database).word(run, word)
    assert row["segmentation"] == f"{word[:2]}/stem {word[2:]}/suf" and row["probability"] == 1.0
    assert project.runs.get(run).result["known"] == 1


def test_words_held_back_measure(tmp_path):
    project = made_project(tmp_path / "p")
    held = [w for w in WORDS if is_held_back(w)][:3]
    for word in held:
        decide(project, word, f"{word[:2]}/stem {word[2:]}/suf")
    run = learnt(project)
    result = project.runs.get(run).result
    assert result["known"] == 0 and result["accuracy"]["words"] == len(held) and result["accuracy"]["f1"] < 1.0


def test_accuracy_is_that_of_borders():
    decided = {
        "walked": Decision.read("walked", {"segmentation": "walk ed", "root": "wlk"}),
        "ask": Decision.read("ask", {"segmentation": "ask"}),
    }
    figures = compare({"walked": ("wal/stem k/suf ed/suf", "wlk"), "ask": ("ask", None)}, decided)
    assert (
        figures["precision"] == 0.5 and figures["recall"] == 1.0 and figures["whole"] == 0.5 and figures["roots"] == 1.0
    )
    assert compare({}, {}) == {}


def test_what_corrections_change_elsewhere(tmp_path):
    project = made_project(tmp_path / "p")
    first = learnt(project)
    for stem in ("walk", "talk", "jump", "climb", "look", "help"):
        decide(project, f"{stem}ing", f"{stem[:-1]}/stem {stem[-1]}ing/suf")
    second = learnt(project, seed=5)
    report = changed_words(project, second, first)
    assert report["compared"] == len(WORDS) and report["changed"] == len(report["words"])
    decided = set(project.decisions())
    assert not decided & {row["text"] for row in report["words"]}


def test_a_stopped_run_goes_on_bit_for_bit(tmp_path, monkeypatch):
    """A run that is stopped ends, when it has gone on, in the state of one that never was."""
    whole = made_project(tmp_path / "a")
    learnt(whole, sweeps=12)
    parts = made_project(tmp_path / "b")
    run = parts.runs.add("learn", {"grammar": "affixes", "sweeps": 12}, "tester")

    def stop_among_sweeps() -> None:
        if parts.runs.get(run).progress["stage"] == "sweeps":
            raise StopRun

    record = parts.runs.claim()
    monkeypatch.setattr(learning, "_NOTED_EVERY", 0.0)
    with pytest.raises(StopRun):
        Learner(parts, record, stop_among_sweeps).learn()
    parts.runs.end(run, "queued")
    assert model_file.load(parts.model_path(run)).meta["sweeps"] < 12
    Worker(parts.folder).run(once=True)
    assert parts.runs.get(run).state == "done"
    files = [model_file.load(p.model_path(1)) for p in (whole, parts)]
    for chain in range(2):
        a, b = (f.array(f"chain.{chain}.state") for f in files)
        assert a.tolist() == b.tolist()


def test_more_sweeps_go_on_from_the_end(tmp_path):
    project = made_project(tmp_path / "p")
    run = learnt(project)
    project.runs.go_on(run, 10)
    Worker(project.folder).run(once=True)
    record = project.runs.get(run)
    assert record.state == "done" and record.result["sweeps"] == 30
    with pytest.raises(InputError):
        project.runs.get(99)


def test_stopping_is_asked_for(tmp_path):
    project = made_project(tmp_path / "p")
    run = project.runs.add("learn", {"grammar": "affixes", "sweeps": 20}, "tester")
    project.runs.stop(run)
    assert project.runs.get(run).state == "stopped"
    project.runs.go_on(run, 0)
    record = project.runs.claim()
    project.runs.stop(run)
    with pytest.raises(StopRun):
        Learner(project, record).learn()


def test_a_run_that_cannot_be_done_says_why(tmp_path):
    project = made_project(tmp_path / "p")
    project.runs.add("learn", {"grammar": "own", "text": 'Word -> Stem\n@Stem -> "x" "y"\n', "sweeps": 20}, "tester")
    Worker(project.folder).run(once=True)
    record = project.runs.get(1)
    assert record.state == "failed" and "derive" in record.error


def test_choosing_is_a_run(tmp_path):
    project = made_project(tmp_path / "p", WORDS[:30])
    project.runs.add("choose", {}, "tester")
    Worker(project.folder).run(once=True)
    record = project.runs.get(1)
    assert record.state == "done" and record.result["choice"]["name"]


@pytest.mark.parametrize(
    "plan",
    [
        {"sweeps": 0}, {"sweeps": 10**9}, {"sweeps": True}, {"chains": 99}, {"seed": -1}, {"seed": "x"}, {"grammar": "nope"},
        {"grammar": "own", "text": "Word -> "}, {"grammar": "../x"}, {"text": 5}, {"text": "include /etc/passwd\nWord -> <any>+"},
    ],
)  # fmt: skip
def test_plans_are_checked(plan):
    with pytest.raises(BinyanError):
        RunPlan.read(plan)


@pytest.mark.posix
def test_a_killed_worker_loses_nothing(tmp_path):
    """Killed twice while it learns: the next one goes on from the checkpoint, and decisions made meanwhile are there."""
    project = made_project(tmp_path / "p")
    run = project.runs.add("learn", {"grammar": "affixes", "sweeps": 400}, "tester")
    for word in ("walks", "talked"):
        worker = subprocess.Popen(
            [sys.executable, "-m", "binyan.studio.worker", str(project.folder)], env=_environment()
        )
        end = time.monotonic() + 60
        while project.runs.get(run).progress.get("stage") != "sweeps" and time.monotonic() < end:
            time.sleep(0.02)
        decide(project, word, f"{word[:-1]}/stem {word[-1]}/suf")
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        assert project.runs.get(run).state == "running"
    Worker(project.folder).run(once=True)
    assert project.runs.get(run).state == "done" and set(project.decisions()) == {"walks", "talked"}
    assert project.database.row("PRAGMA integrity_check")[0] == "ok"


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_there_is_one_worker(tmp_path):
    project = made_project(tmp_path / "p")
    assert project.runs.lease("elsewhere:1")
    assert not project.runs.lease("here:2") and project.runs.lease("elsewhere:1")


def test_searches(tmp_path):
    project = made_project(tmp_path / "p")
    run = learnt(project)
    queries = WordQueries(project.database)
    hits = queries.search(run, "^walk(s|ed)$", "words", True)
    assert sorted(r["text"] for r in hits["rows"]) == ["walked", "walks"] and hits["total"] == 2
    assert queries.search(run, "alk", "words", False)["total"] == 8
    suffixes = [
        e["text"] for e in queries.search(run, "^(s|ed|ing)$", "morphemes", True)["rows"] if e["label"] == "suf"
    ]
    assert suffixes
    page = queries.page(run, morpheme=(suffixes[0], "suf"))
    assert page["total"] and all(r["text"].endswith(suffixes[0]) for r in page["rows"])
    for pattern in ("(", "x" * 300):
        with pytest.raises(InputError):
            queries.search(run, pattern, "words", True)


def test_a_pattern_that_takes_too_long_is_given_up():
    with pytest.raises(InputError, match="too long"):
        matching(["a" * 60], "^(a|aa|a?a)+$(?<=b)")


def ordered(*words: str, decided: tuple[str, ...] = ()) -> list[str]:
    """The order of words, each given by its segments."""
    order = ReviewOrder()
    for segmentation in words:
        text = "".join(part.rpartition("/")[0] for part in segmentation.split())
        order.add(text, [{"segmentation": segmentation, "probability": 1.0}])
    return order.first(9, decided)


def test_looks_are_spread_over_affixes_as_words_are():
    words = [f"{stem}/stem s/suf" for stem in ("ka", "lo", "mi", "ne")] + [
        "ga/stem ed/suf",
        "do/stem ed/suf",
        "hu/stem",
    ]
    assert ordered(*words) == ["kas", "los", "gaed", "mis", "nes", "doed", "hu"]


def test_words_with_several_frequent_affixes_come_first():
    assert ordered("ka/stem s/suf", "lo/stem s/suf", "un/pre mi/stem", "un/pre ne/stem s/suf")[0] == "unnes"


def test_a_rejected_affix_counts_as_looked_at():
    """After 'kas' was said to be whole, words in s are no more urgent than others."""
    words = ["kas/stem", "lo/stem s/suf", "mi/stem s/suf", "ga/stem ed/suf", "do/stem ed/suf"]
    assert ordered(*words)[0] == "los" and ordered(*words, decided=("kas",))[0] == "gaed"


def test_the_order_is_that_of_a_plain_search_of_the_best():
    """Looking only at what may have changed gives the same order as looking at all words each time."""
    rng = random.Random(5)
    order = ReviewOrder()
    for _ in range(60):
        stem, suffix = "".join(rng.choices("abc", k=3)), rng.choice(["", "x", "yx", "z"])
        p = rng.random()
        split = f"{stem}/stem {suffix}/suf" if suffix else f"{stem}/stem"
        order.add(
            stem + suffix,
            [{"segmentation": split, "probability": p}, {"segmentation": f"{stem}{suffix}/stem", "probability": 1 - p}],
        )
    quick, looks, slow = order.first(60), [0.0] * len(order._uses), []
    left = list(range(60))
    while left:
        best = max(left, key=lambda i: (sum(s * order._uses[n] / (1 + looks[n]) for n, s in order._words[i][1]), -i))
        left.remove(best)
        order._look(*order._words[best], looks)
        slow.append(order._words[best][0])
    assert quick == slow


def test_offered_words_are_those_that_nobody_decided_on(tmp_path):
    project = made_project(tmp_path / "p")
    run = learnt(project)
    queries = WordQueries(project.database)
    first = [row["text"] for row in queries.offered(run, 5)["rows"]]
    decide(project, first[0], f"{first[0]}/stem")
    assert [row["text"] for row in queries.offered(run, 4)["rows"]] == first[1:]


def test_pages_are_those_of_a_plain_query(tmp_path):
    """The table in memory shows what the database holds, after decisions and new runs too."""
    project = made_project(tmp_path / "p")
    queries = WordQueries(project.database)
    conditions = {
        "all": "1", "undecided": "d.value IS NULL", "decided": "d.value IS NOT NULL",
        "unsure": "d.value IS NULL AND a.probability < 0.9", "disagree": "d.value IS NULL AND a.agree = 0",
        "without": "a.word_id IS NOT NULL AND a.segmentation IS NULL",
    }  # fmt: skip
    by = {"worth": "coalesce(a.worth, -1) DESC, w.count DESC, w.id", "count": "w.count DESC, w.id", "text": "w.text"}

    def check(run: int | None) -> None:
        for show, order in itertools.product(FILTERS, ORDERS):
            rows = project.database.rows(
                "SELECT w.text FROM words w LEFT JOIN analyses a ON a.word_id = w.id AND a.run_id = ? LEFT JOIN facts d"
                f" ON d.entity = 'decision' AND d.key = w.text WHERE {conditions[show]} ORDER BY {by[order]}",
                run,
            )
            page = queries.page(run, show, order, offset=2, limit=7)
            assert (page["total"], [r["text"] for r in page["rows"]]) == (len(rows), [r["text"] for r in rows[2:9]])

    check(None)
    check(run := learnt(project, sweeps=10))
    decide(project, "walks", "walks/stem")
    check(run)
    project.add_reading(read_upload("more.txt", b"walker\nwalked\nwalked\n"), "tester")
    check(run)
    check(learnt(project, sweeps=10))
