"""Results as small files that are committed: found anywhere, replaced when settings or data change, and enough for a report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import toy_study

from binyan import __version__, experiments
from binyan.experiments import STUDIES, runner
from binyan.experiments.experiment import Outcome, Workspace
from binyan.experiments.results import Results


@pytest.fixture
def toy(monkeypatch, tmp_path):
    monkeypatch.setitem(STUDIES, "toy", "toy_study")
    data = tmp_path / "data"
    data.mkdir()
    (data / "words.txt").write_text("one\n")
    return Workspace(data, tmp_path / "results", progress=False)


def reading(experiment, workspace):
    """A measure that reads a data file."""
    text = workspace.source("words.txt").read_text()
    return Outcome({"length": len(text), "curve": [0.5, float("nan")]}, "n:1|binyan:0.3")


def test_a_result_says_how_it_was_made(toy):
    one = toy_study.experiments()[0]
    result = runner.run_one(one, reading, toy)
    stored = json.loads(result.path.read_text())
    assert result.path == toy.results / "toy" / "1" / "double.json"
    assert stored["command"] == "binyan reproduce run toy --only 'toy/1/double'"
    assert stored["version"] == result.version == "0.3" and stored["settings"] == one.settings_digest
    assert list(stored["files"]) == ["words.txt"] and stored["data"] == {"n": 1}
    assert stored["figures"] == {"length": 4, "curve": [0.5, None]}
    assert '"curve": [ 0.5, null ]' in result.path.read_text()


def test_other_settings_replace_a_result(toy):
    one = toy_study.experiments()[0]
    results, changed = Results(toy.results), replace(one, model={"factor": 3})
    results.put(one, Outcome({"product": 2}, "s"), 1.0, 1)
    assert results.get(one).version == __version__ and results.stale(one) == []
    assert results.get(changed) is None and results.stale(changed) == [results.path(one)]
    results.put(changed, Outcome({"product": 3}, "s"), 1.0, 1)
    assert results.get(one) is None and results.get(changed).figures == {"product": 3}


def test_a_result_of_other_data_is_stale_and_run_again(toy, monkeypatch):
    monkeypatch.setitem(toy_study.MEASURES, "multiply", reading)
    chosen = dict(studies=["toy"], only=["1"], data=toy.data, results=toy.results)
    assert experiments.run(**chosen, progress=False).results["toy/1/double"].figures["length"] == 4
    (toy.data / "words.txt").write_text("three\n")
    (row,) = experiments.status(["toy"], ["1"], toy.results, toy.data)
    assert row.state == "stale" and row.why == "other content: words.txt"
    assert experiments.status(["toy"], ["1"], toy.results)[0].state == "done"
    assert experiments.run(**chosen, progress=False).results["toy/1/double"].figures["length"] == 6


def test_again_runs_what_has_a_result(toy):
    toy.results.mkdir()
    chosen = dict(studies=["toy"], only=["1", "3"], data=toy.data, results=toy.results, progress=False)
    for again in (False, False, True):
        experiments.run(**chosen, again=again)
    assert (toy.results / "ran.log").read_text().split() == 2 * ["toy/1/double", "toy/3/double"]


def test_where_results_are_looked_for(tmp_path, monkeypatch):
    root = Path(__file__).resolve().parents[2]
    monkeypatch.chdir(tmp_path)
    assert experiments.results_folder("mine") == Path("mine")
    assert experiments.results_folder() == (root / "results" if (root / "results").is_dir() else Path("results"))
    (tmp_path / "results").mkdir()
    assert experiments.results_folder() == Path("results")
