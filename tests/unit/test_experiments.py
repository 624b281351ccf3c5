"""`binyan reproduce`: what is missing is run, once; nothing is lost; the report needs nothing but itself."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import toy_study
from typer.testing import CliRunner

from binyan.cli import app
from binyan.errors import InputError, SettingsError
from binyan.experiments import STUDIES, front_page, ngram, runner
from binyan.experiments.headlines import headlines
from binyan.experiments.prepared import prepared_text
from binyan.experiments.results import Results
from binyan.experiments.study import Outcome, Workshop, select
from binyan.experiments.thesis import thesis_tables
from binyan.text import Preparation


@pytest.fixture
def toy(monkeypatch, tmp_path):
    monkeypatch.setitem(STUDIES, "toy", "toy_study")
    return Workshop(tmp_path / "data", tmp_path, progress=False)


def ran(workshop: Workshop) -> list[str]:
    return (workshop.results / "ran.log").read_text().split()


def test_runs_what_is_missing_and_goes_on_after_failure(toy):
    told = {}
    failed = runner.run(toy_study.experiments(), toy, 2, lambda e, came: told.__setitem__(e.name, came))
    assert failed == ["toy/2/double"] and str(told["toy/2/double"]) == "two is odd today"
    assert told["toy/3/double"].figures == {"product": 6}
    (toy.results / "two-works").touch()
    assert runner.run(toy_study.experiments(), toy) == []
    assert sorted(ran(toy)) == ["toy/1/double", "toy/2/double", "toy/2/double", "toy/3/double"]
    result = Results(toy.results).get(toy_study.experiments()[2])
    assert result.arrays()["all"].tolist() == [0, 1, 2] and result.signature == "n:3" and result.peak_memory > 10**6
    assert not list((toy.results / "checkpoints").iterdir())
    assert not list(toy.results.rglob("*.lock")) and not list(toy.results.rglob("*.part"))


def test_results_are_of_one_data_folder(toy, tmp_path):
    runner.run(toy_study.experiments()[:1], toy)
    with pytest.raises(SettingsError, match="results of the data in .*data, not of .*other"):
        runner.run(toy_study.experiments(), Workshop(tmp_path / "other", tmp_path, progress=False))


def test_changed_settings_are_another_experiment(toy):
    one = toy_study.experiments()[0]
    runner.attempt(one, toy_study.multiply, toy)
    changed = type(one)(one.name, one.data, {"factor": 3}, one.measure)
    assert Results(toy.results).get(one) is not None and Results(toy.results).get(changed) is None


@pytest.mark.posix
def test_an_experiment_another_process_works_on_is_left_to_it(toy):
    one = toy_study.experiments()[0]
    with Results(toy.results).claim(one) as ours:
        assert ours and runner.attempt(one, toy_study.multiply, toy) is None
    assert runner.attempt(one, toy_study.multiply, toy) is not None


@pytest.mark.posix
def test_killed_in_the_middle(toy):
    (toy.results / "slow").touch()
    script = (
        "import sys; from pathlib import Path; from binyan.experiments import STUDIES, runner\n"
        "from binyan.experiments.study import Outcome, Workshop, select\n"
        "if __name__ == '__main__':\n"
        "    STUDIES['toy'] = 'toy_study'\n"
        "    runner.run(select(['toy'], ['1/double']), Workshop(Path('d'), Path(sys.argv[1]), False))\n"
    )
    path = toy.results / "script.py"
    path.write_text(script)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    process = subprocess.Popen([sys.executable, path, toy.results], env=environment, start_new_session=True)
    while not (toy.results / "started-1").exists():
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    one = toy_study.experiments()[0]
    assert Results(toy.results).get(one) is None
    (toy.results / "slow").unlink()
    result = None
    while result is None:  # until the killed process is gone, and with it its claim
        result = runner.attempt(one, toy_study.multiply, toy)
    assert result.figures == {"product": 2}


def test_damaged_result_is_said(toy):
    one = toy_study.experiments()[0]
    path = Results(toy.results).path(one)
    path.parent.mkdir(parents=True)
    path.write_text('{"figures": ')
    with pytest.raises(InputError, match="delete it"):
        Results(toy.results).get(one)


def test_patterns(toy):
    assert [e.name for e in select(["toy"], ["3"])] == ["toy/3/double"]
    assert len(select(["toy"], ["toy/*"])) == len(select(["toy"])) == 3
    assert {e.name.split("/")[2] for e in select(["hpylm"], ["10m/order-4"])} == {"10m"}
    with pytest.raises(SettingsError, match="reproduce list"):
        select(["toy"], ["nothing"])
    with pytest.raises(SettingsError, match="no study 'other'"):
        select(["other"])


def test_names_and_settings_are_distinct():
    listed = ngram.experiments()
    assert len({e.name for e in listed}) == len({e.signature.digest for e in listed}) == len(listed) > 10
    assert all(e.measure in ngram.MEASURES for e in listed)


def test_commands(toy):
    (toy.results / "two-works").touch()
    tables = toy.results / "tables.toml"
    tables.write_text("[toy]\nproduct = 7\n")
    command = CliRunner().invoke
    ran = command(app, ["reproduce", "run", "toy", "--results", str(toy.results), "--data", "d", "--json"])
    assert [json.loads(line)["figures"]["product"] for line in ran.stdout.splitlines()] == [2, 4, 6]
    listed = command(app, ["reproduce", "list", "toy", "--only", "1", "--results", str(toy.results), "--json"])
    assert json.loads(listed.stdout)[0]["done"] is True
    out = toy.results / "out"
    told = command(
        app, ["reproduce", "report", "toy", "--results", str(toy.results), "--out", str(out), "--thesis", str(tables)]
    )
    assert told.exit_code == 0
    front = (out / "index.html").read_text()
    assert "3 of 3 experiments are done" in front and 'href="toy/report.html"' in front
    assert "(toy/report.md)" in (out / "index.md").read_text()
    page, text = (out / "toy" / "report.html").read_text(), (out / "toy" / "report.md").read_text()
    assert "| 3 | 6 | 7 |" in text and "plots/products.svg" in text
    assert (out / "toy" / "plots" / "products.svg").exists()
    assert "&lt;b&gt;" in page and "<svg" in page and ">n:3<" in page and "prefers-color-scheme: dark" in page
    # Nothing is asked of the network: the only addresses are names of XML formats.
    assert set(re.findall(r'(?:src|href)="(?!#)([^"]*)"', page)) == set()
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_front_page_sets_figures_beside_the_thesis(tmp_path):
    thesis = {"hpylm": {"perplexity_by_order": {"MKN": {"4": 300.0}, "HPYLM": {"4": 294.0}}}}
    mkn, hpylm = [e for e in ngram.experiments() if e.name.startswith("hpylm/europarl-de/100k/order-4")][:2]
    results = Results(tmp_path)
    results.put(mkn, Outcome({"perplexity": 100.0}, "model:mkn"), 60.0, 0)
    variants = {"one sample": {"perplexity": 97.0}, "averaged": {"perplexity": 96.0}}
    results.put(hpylm, Outcome({"variants": variants}, "model:hpylm"), 60.0, 0)
    table = front_page.comparison("Chapter", ngram.experiments(), results, thesis)
    assert [(row[2], row[3], row[4], row[5]) for row in table.rows] == [
        ("perplexity", 300.0, 100.0, "-66.7 %"),
        ("perplexity, one sample", 294.0, 97.0, "-67.0 %"),
        ("… against MKN, %", -2.0, -3.0, "-1.0"),
        ("perplexity, averaged", None, 96.0, None),
        ("… against MKN, %", None, -4.0, None),
    ]
    assert table.rows[1][6] in table.signature and "model:hpylm" in table.signature


STUDY_NAMES = ("hpylm", "lbl", "adaptor", "translation")


@pytest.mark.parametrize("name", STUDY_NAMES)
def test_every_experiment_has_a_headline(name):
    """At least one, each of a figure of its own."""
    for experiment in select([name]):
        listed = headlines(experiment)
        assert listed, experiment.name
        assert all(h.what and h.ours for h in listed), experiment.name
        assert len({h.ours for h in listed}) == len(listed), experiment.name


@pytest.mark.parametrize("name", STUDY_NAMES)
def test_headlines_name_figures_that_the_thesis_has(name):
    """Of every chapter, some headline of the thesis's tables is found, and no key is misspelt."""
    thesis = thesis_tables()
    if not thesis:
        pytest.skip("no file of the thesis's figures; set BINYAN_THESIS_TABLES to run this test")
    listed = [h for e in select([name]) for h in headlines(e)]
    assert sum(h.beside(thesis) is not None for h in listed) >= 10


def test_thesis_tables(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="cannot be read"):
        thesis_tables(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("= 3")
    with pytest.raises(InputError, match="not TOML"):
        thesis_tables(tmp_path / "bad.toml")


def test_prepared_text_is_made_once(tmp_path):
    source = tmp_path / "a.txt"
    source.write_text("Ein Haus.\n\n" * 6000)
    prepare = Preparation(tokenise="de", lowercase=True)
    made = prepared_text(source, prepare, tmp_path / "prepared", progress=False)
    assert made.read_text() == "ein haus .\n" * 6000
    before = made.stat().st_mtime_ns
    assert prepared_text(source, prepare, tmp_path / "prepared") == made and made.stat().st_mtime_ns == before
    source.write_text("Haus\n")
    assert prepared_text(source, prepare, tmp_path / "prepared", progress=False).read_text() == "haus\n"
