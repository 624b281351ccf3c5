"""`binyan reproduce`: what is missing is run, once; nothing is lost; the report needs nothing but itself."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import toy_study
from typer.testing import CliRunner

from binyan import experiments
from binyan.cli import app
from binyan.errors import BinyanError, InputError, SettingsError
from binyan.experiments import STUDIES, front_page, hpylm, reproduce, runner
from binyan.experiments.experiment import Outcome, Workspace, data_folder
from binyan.experiments.results import Results
from binyan.experiments.studies import load_study, select
from binyan.experiments.text_cache import cached_text
from binyan.experiments.thesis import thesis_figures
from binyan.memory import available_memory
from binyan.text import Preparation


@pytest.fixture
def toy(monkeypatch, tmp_path):
    monkeypatch.setitem(STUDIES, "toy", "toy_study")
    return Workspace(tmp_path / "data", tmp_path, progress=False)


def ran(workspace: Workspace) -> list[str]:
    return (workspace.results / "ran.log").read_text().split()


def test_runs_what_is_missing_and_goes_on_after_failure(toy):
    arrived = {}
    failures = runner.run_missing(toy_study.experiments(), toy, 2, lambda e, r: arrived.__setitem__(e.name, r))
    assert list(failures) == ["toy/2/double"] and str(arrived["toy/2/double"]) == "two is odd today"
    assert failures["toy/2/double"] is arrived["toy/2/double"]
    assert arrived["toy/3/double"].figures == {"product": 6}
    (toy.results / "two-works").touch()
    assert runner.run_missing(toy_study.experiments(), toy) == {}
    assert sorted(ran(toy)) == ["toy/1/double", "toy/2/double", "toy/2/double", "toy/3/double"]
    result = Results(toy.results).get(toy_study.experiments()[2])
    assert result.arrays()["all"].tolist() == [0, 1, 2] and result.signature == "n:3" and result.peak_memory > 10**6
    assert not list((toy.results / "checkpoints").iterdir())
    assert not list(toy.results.rglob("*.lock")) and not list(toy.results.rglob("*.part"))


def test_experiments_share_what_memory_is_allowed(toy, monkeypatch):
    where = {"data": toy.data, "results": toy.results, "progress": False}
    seen = []
    monkeypatch.setattr(reproduce, "run_missing", lambda chosen, workspace, *_: seen.append(workspace.memory) or {})
    for jobs, memory in ((1, "3K"), (3, "3K"), (3, None)):
        experiments.run(["toy"], jobs=jobs, memory=memory, **where)
    assert seen == [3072, 1024, None]
    with pytest.raises(SettingsError, match="an amount of memory"):
        experiments.run(["toy"], memory="much", **where)


def test_an_experiment_is_allowed_no_more_memory(toy):
    def measure(experiment, workspace):
        return Outcome({"available": available_memory()}, "")

    result = runner.run_one(toy_study.experiments()[0], measure, replace(toy, memory=1))
    assert result is not None and result.figures == {"available": 0}


def test_results_are_of_one_data_folder(toy, tmp_path):
    runner.run_missing(toy_study.experiments()[:1], toy)
    with pytest.raises(SettingsError, match="results of the data in .*data, not of .*other"):
        runner.run_missing(toy_study.experiments(), Workspace(tmp_path / "other", tmp_path, progress=False))


def test_changed_settings_are_another_experiment(toy):
    one = toy_study.experiments()[0]
    runner.run_one(one, toy_study.multiply, toy)
    changed = replace(one, model={"factor": 3})
    assert changed.name == one.name
    assert Results(toy.results).get(one) is not None and Results(toy.results).get(changed) is None


@pytest.mark.posix
def test_an_experiment_another_process_works_on_is_left_to_it(toy):
    one = toy_study.experiments()[0]
    with Results(toy.results).claim(one) as ours:
        assert ours and runner.run_one(one, toy_study.multiply, toy) is None
    assert runner.run_one(one, toy_study.multiply, toy) is not None


@pytest.mark.posix
def test_killed_in_the_middle(toy):
    (toy.results / "slow").touch()
    script = (
        "import sys; from pathlib import Path; from binyan.experiments import STUDIES, runner\n"
        "from binyan.experiments.experiment import Workspace\nfrom binyan.experiments.studies import select\n"
        "if __name__ == '__main__':\n"
        "    STUDIES['toy'] = 'toy_study'\n"
        "    runner.run_missing(select(['toy'], ['1/double']), Workspace(Path('d'), Path(sys.argv[1]), False))\n"
    )
    path = toy.results / "script.py"
    path.write_text(script)
    folders = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
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
        result = runner.run_one(one, toy_study.multiply, toy)
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
    assert {e.size for e in select(["hpylm"], ["10m/order-4"])} == {"10m"}
    with pytest.raises(SettingsError, match="reproduce list"):
        select(["toy"], ["nothing"])
    with pytest.raises(SettingsError, match="no study 'other'"):
        select(["other"])


def test_names_and_settings_are_distinct():
    listed = hpylm.experiments()
    assert len({e.name for e in listed}) == len({e.signature.digest for e in listed}) == len(listed) > 10
    assert all(e.measure in hpylm.MEASURES for e in listed)


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
    reported = command(
        app, ["reproduce", "report", "toy", "--results", str(toy.results), "--out", str(out), "--thesis", str(tables)]
    )
    assert reported.exit_code == 0
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
    mkn, sampled = [e for e in hpylm.experiments() if (e.size, e.order) == ("all", 4)][:2]
    results = Results(tmp_path)
    results.put(mkn, Outcome({"perplexity": 100.0}, "model:mkn"), 60.0, 0)
    variants = {"one sample": {"perplexity": 97.0}, "averaged": {"perplexity": 96.0}}
    results.put(sampled, Outcome({"variants": variants}, "model:hpylm"), 60.0, 0)
    table = front_page.comparison("Chapter", hpylm.experiments(), results, thesis)
    assert [(row[2], row[3], row[4], row[5]) for row in table.rows] == [
        ("perplexity", None, 100.0, None),
        ("perplexity, one sample", None, 97.0, None),
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
        listed = load_study(name).headlines(experiment)
        assert listed, experiment.name
        assert all(h.what and h.ours for h in listed), experiment.name
        assert len({h.ours for h in listed}) == len(listed), experiment.name


@pytest.mark.parametrize("name", STUDY_NAMES)
def test_headlines_name_figures_that_the_thesis_has(name):
    """Of every chapter, some figures or changes of the thesis's tables are found."""
    thesis = thesis_figures()
    listed = [h for e in select([name]) for h in load_study(name).headlines(e)]
    changes = [h.change for h in listed if h.change is not None]
    assert sum(shown.beside(thesis) is not None for shown in (*listed, *changes)) >= 8


def test_a_thesis_figure_stands_beside_its_own_size_of_text():
    """A million tokens beside the thesis's million, and nothing of other sizes and preparations beside it."""
    thesis = thesis_figures()
    chosen = [load_study("lbl").headlines(e)[0] for e in select(["lbl"], ["eltec-cs/*/clbl/l2-30"])]
    changes = {h.change.baseline: h.change.beside(thesis) for h in chosen}
    assert [h.beside(thesis) for h in chosen] == [None] * len(chosen)
    assert {name for name, change in changes.items() if change is not None} == {"lbl/eltec-cs/1m/mkn"}
    assert changes["lbl/eltec-cs/1m/mkn"] == pytest.approx(100 * (508 / 550 - 1))


def test_changes_in_bleu_are_of_one_chapter():
    thesis = thesis_figures()
    listed = {e.label: load_study("translation").headlines(e)[0] for e in select(["translation"], ["europarl/en-de"])}
    changes = {label: h.change and h.change.beside(thesis) for label, h in listed.items()}
    assert changes["mkn"] is None and changes["hpylm+c-left"] == pytest.approx(13.7 - 13.9)
    assert changes["mkn+clbl"] == pytest.approx(15.9 - 15.7)


def test_thesis_figures_are_part_of_the_package(tmp_path, monkeypatch):
    monkeypatch.delenv("BINYAN_THESIS_TABLES", raising=False)
    monkeypatch.chdir(tmp_path)
    figures = thesis_figures()
    assert figures["hpylm"]["perplexity"]["MKN"] == 299.86 and set(figures) == {"hpylm", "lbl", "adaptor"}
    (tmp_path / "own.toml").write_text("[hpylm]\n")
    assert thesis_figures(tmp_path / "own.toml") == {"hpylm": {}}
    monkeypatch.setenv("BINYAN_THESIS_TABLES", str(tmp_path / "own.toml"))
    assert thesis_figures() == {"hpylm": {}}


def test_unreadable_thesis_figures(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        thesis_figures(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("= 3")
    with pytest.raises(InputError, match="not TOML"):
        thesis_figures(tmp_path / "bad.toml")
    (tmp_path / "latin.toml").write_bytes(b"a = '\xe4'")
    with pytest.raises(InputError, match="cannot be read: not UTF-8"):
        thesis_figures(tmp_path / "latin.toml")


def test_the_data_folder_is_given(toy, monkeypatch):
    monkeypatch.delenv("BINYAN_DATA", raising=False)
    with pytest.raises(SettingsError, match="--data FOLDER or in the environment variable BINYAN_DATA"):
        experiments.run(["toy"], results=toy.results)
    monkeypatch.setenv("BINYAN_DATA", str(toy.data))
    assert data_folder() == toy.data and data_folder("other") == Path("other")


def test_no_folder_outside_the_repository_is_built_in():
    root = Path(__file__).resolve().parents[2]
    files = [p for folder in ("src", "benchmarks", "docs") for p in (root / folder).rglob("*") if p.is_file()]
    texts = [p for p in (*files, root / "README.md") if p.suffix in (".py", ".md", ".toml", ".grammar")]
    assert len(texts) > 100
    assert not [p for p in texts if "../shared" in p.read_text(encoding="utf-8")]


def test_three_calls_do_what_the_commands_do(toy):
    (toy.results / "two-works").touch()
    assert [str(row) for row in experiments.listing(["toy"], ["1"], toy.results)] == ["missing  toy/1/double"]
    arrived = []
    summary = experiments.run(
        ["toy"],
        ["1", "3"],
        data=toy.data,
        results=toy.results,
        progress=False,
        on_result=lambda experiment, result: arrived.append(experiment.name),
    )
    assert arrived == list(summary.results) == ["toy/1/double", "toy/3/double"] and not summary.failures
    summary.check()
    assert [row.result is not None for row in experiments.listing(["toy"], (), toy.results)] == [True, False, True]
    (toy.results / "two-works").unlink()
    summary = experiments.run(["toy"], data=toy.data, results=toy.results, progress=False)
    assert list(summary.failures) == ["toy/2/double"] and len(summary.results) == 2
    with pytest.raises(BinyanError, match="1 of 3 experiments failed: toy/2/double"):
        summary.check()
    (toy.results / "tables.toml").write_text("[toy]\nproduct = 7\n")
    report = experiments.report(["toy"], results=toy.results, thesis=toy.results / "tables.toml")
    assert str(report).startswith("Toy: 2 of 3 experiments are done, in 0 minutes.")
    front, products = report.to_dict()
    assert [row["ours"] for row in products["tables"][0]["rows"]] == [2, 6]
    assert [(row["run"], row["thesis"], row["ours"]) for row in front["tables"][0]["rows"]] == [
        ("1/double", 7, 2),
        ("3/double", 7, 6),
    ]
    assert [path.name for path in report.write(toy.results / "out")] == ["index.md", "index.html"]


def test_status_tells_what_is_stale(toy):
    one, two, _ = select(["toy"])
    results = Results(toy.results)
    results.put(one, Outcome({"product": 2}, "n:1|binyan:0.9"), 1.0, 1)
    results.put(replace(two, model={"factor": 3}), Outcome({"product": 6}, "n:2|binyan:0.8"), 1.0, 1)
    assert [str(row) for row in experiments.status(["toy"], (), toy.results)] == [
        "done     toy/1/double  (binyan 0.9, 0.0 minutes)",
        "stale    toy/2/double  (binyan 0.8, other settings)",
        "missing  toy/3/double",
    ]
    shown = CliRunner().invoke(app, ["reproduce", "status", "toy", "--results", str(toy.results)])
    assert shown.output.splitlines()[-2] == "1 done, 1 stale, 1 missing"
    assert shown.output.splitlines()[-1].startswith("1 of the results are of another version")
    results.stale(two)[0].write_text("{}")
    with pytest.raises(InputError, match="not a result file"):
        experiments.status(["toy"], (), toy.results)


def test_names_and_digests_are_those_of_version_0_1():
    golden = Path(__file__).resolve().parents[1] / "golden" / "experiments" / "names.tsv"
    rows = [line.split("\t") for line in golden.read_text().splitlines() if not line.startswith("#")]
    settings = {e.name: e.settings_digest for e in select()}
    assert len(rows) == 163 and {name: settings[name] for name, _ in rows} == dict(rows)


# Names that could be taken apart wrongly if anything took them apart.
ODD = "a/b-kappa-0.5 order-9/mkn+c-apart/é"


def test_names_are_never_taken_apart(tmp_path):
    """Data sets and sizes may have any names: reports and headlines read fields."""
    results = Results(tmp_path)
    figures = {
        "lbl": {"perplexity": 90.0, "perplexity_dev": 80.0, "training_tokens": 5},
        "adaptor": {"segmentation": {"f1": 60.0}, "gold_morphemes_per_word": {"1": 2}, "morphemes_per_word": {"1": 2}},
        "translation": {"bleu_mean": 20.0, "bleu_deviation": 1.0, "chrf_mean": 50.0, "length": 1.0},
    }
    for study, outcome in figures.items():
        listed = select([study], ["eltec-de/1m/mkn", "BW/5k/morfessor", "multi30k/en-cs/mkn"])
        odd = [replace(e, dataset=ODD, **({"size": ODD} if hasattr(e, "size") else {})) for e in listed]
        assert len(odd) == 1 and odd[0].name.startswith(f"{study}/{ODD}/")
        results.put(odd[0], Outcome(outcome, "s"), 1.0, 1)
        rows = front_page.comparison("Odd", odd, results, thesis_figures()).rows
        assert [(row[0], row[4]) for row in rows] == [
            (odd[0].path, load_study(study).headlines(odd[0])[0].of(results.get(odd[0])))
        ]
        if study == "adaptor":
            odd = [replace(odd[0], size="5k")]
            results.put(odd[0], Outcome(outcome, "s"), 1.0, 1)
        sections = load_study(study).sections(results, thesis_figures(), odd)
        cells = {cell for section in sections for table in section.tables for row in table.rows for cell in row}
        titles = " ".join(table.title for section in sections for table in section.tables)
        assert {"lbl": 90.0, "adaptor": 60.0, "translation": 20.0}[study] in cells
        assert ODD in titles or any(ODD in str(cell) for cell in cells)


def test_prepared_text_is_kept(tmp_path):
    source = tmp_path / "a.txt"
    source.write_text("Ein Haus.\n\n" * 6000)
    prepare = Preparation(tokenise="de", lowercase=True)
    path = cached_text(source, prepare, tmp_path / "prepared", progress=False)
    assert path.read_text() == "ein haus .\n" * 6000
    before = path.stat().st_mtime_ns
    assert cached_text(source, prepare, tmp_path / "prepared") == path and path.stat().st_mtime_ns == before
    source.write_text("Haus\n")
    assert cached_text(source, prepare, tmp_path / "prepared", progress=False).read_text() == "haus\n"
