"""Work spread over processes and over a Dask cluster: everything arrives, once, also when a worker dies in the middle."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
import toy_study

from binyan.errors import InputError, MissingExtra, SettingsError
from binyan.experiments import STUDIES, runner
from binyan.experiments.experiment import Workspace
from binyan.experiments.results import Results
from binyan.grammar.notation import load_grammar
from binyan.language_model import load
from binyan.morphology import AdaptorSampler, Morphology, MorphologySettings, WordList
from binyan.ngram.compound import CompoundHPYLM
from binyan.ngram.hpylm import HPYLM
from binyan.parallel import run_each
from binyan.sampling import Schedule
from binyan.segmentation import Segmentation, SegmentationTable

HERE = Path(__file__).parent


def half(n: int) -> int:
    if n % 2:
        raise InputError(f"{n} is odd")
    if n == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return n // 2


@pytest.mark.posix
def test_processes_errors_and_a_killed_process():
    results = dict(run_each(half, [2, 3, 4, 6], workers=2))
    assert (results[0], results[3]) == (1, 3)
    assert isinstance(results[1], InputError) and str(results[1]) == "3 is odd"
    assert "killed" in str(results[2])


def note_and_wait(file: str) -> None:
    Path(file).write_text(str(os.getpid()))
    time.sleep(600)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux whether a process is running")
def test_a_process_ends_with_the_command_that_was_killed(tmp_path):
    note = tmp_path / "pid"
    program = f"import test_parallel as t; list(t.run_each(t.note_and_wait, [{str(note)!r}]))"
    command = subprocess.Popen([sys.executable, "-c", program], cwd=HERE)
    wait_for(lambda: note.exists() and note.read_text())
    worker = int(note.read_text())
    assert is_running(worker)
    command.kill()
    command.wait()
    wait_for(lambda: not is_running(worker))
    assert not is_running(worker)


def wait_for(happened, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0]
    except FileNotFoundError:
        return False


def needs_a_part(n: int) -> int:
    raise MissingExtra("this", "mt")


def test_errors_come_back_whole():
    [(_, error)] = run_each(needs_a_part, [1], workers=1)
    assert isinstance(error, MissingExtra) and "binyan[mt]" in str(error)


def test_progress_counts_all():
    seen = []
    list(run_each(half, [2, 6], workers=1, progress=lambda done, total, figures: seen.append((done, total))))
    assert seen == [(1, 2), (2, 2)]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler and two workers on loopback, each a process: the address, and the workers."""
    pytest.importorskip("distributed", reason="the cluster extra is not installed")
    folder = tmp_path_factory.mktemp("cluster")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "OMP_NUM_THREADS": "1",
    }
    where = folder / "scheduler.json"
    with ExitStack() as stack:

        def start(kind: str, *arguments: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-m", "dask", kind, "--host", "127.0.0.1", "--no-dashboard", *arguments]
            log = stack.enter_context(open(folder / f"{kind}.log", "ab"))
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        start("scheduler", "--port", "0", "--scheduler-file", str(where))
        workers = ["--scheduler-file", str(where), "--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
        running = [start("worker", *workers) for _ in range(2)]
        until(lambda: where.exists() and where.read_text().endswith("}"))
        yield json.loads(where.read_text())["address"], running


def until(condition) -> None:
    ends = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.05)


def test_cluster_gives_what_processes_give(cluster):
    address, _ = cluster
    results = dict(run_each(half, [2, 3, 6], scheduler=address))
    assert (results[0], results[2], str(results[1])) == (1, 3, "3 is odd")


def test_no_scheduler_there():
    pytest.importorskip("distributed", reason="the cluster extra is not installed")
    with pytest.raises(SettingsError, match="dask scheduler"):
        list(run_each(half, [2], scheduler="nonsense://"))


TEXT = ["der alte schulhof", "der alte gasthof", "der neue hof", "die schul gast", "der schulhof ist alt"] * 3
SCHEDULE = Schedule(sweeps=12, samples=2, chains=2, seed=5)
COMPOUNDS = SegmentationTable([Segmentation.parse("schulhof", "schul hof"), Segmentation.parse("gasthof", "gast hof")])


def untrained(kind, schedule):
    if kind == "hpylm":
        return HPYLM(3, schedule=schedule)
    return CompoundHPYLM(3, schedule=schedule, segmentation=COMPOUNDS, both_ways=kind == "hpylm+g")


@pytest.mark.parametrize("kind", ["hpylm", "hpylm+c", "hpylm+g"])
def test_chains_on_a_cluster_are_those_of_this_machine(cluster, kind, tmp_path):
    address, _ = cluster
    here = untrained(kind, SCHEDULE).fit(TEXT)
    saved = tmp_path / "saved.binyan"
    there = untrained(kind, SCHEDULE).fit(TEXT, checkpoint=saved, scheduler=address)
    assert pickle.dumps(there) == pickle.dumps(here)
    assert load(saved).score_sentences([["der", "hof"]]).log_prob.tolist() == (
        here.score_sentences([["der", "hof"]]).log_prob.tolist()
    )
    # Half here, the rest there, is the same again.
    untrained(kind, Schedule(sweeps=5, chains=2, seed=5)).fit(TEXT, checkpoint=saved)
    on = untrained(kind, SCHEDULE).fit(TEXT, checkpoint=saved, resume=True, scheduler=address)
    assert pickle.dumps(on) == pickle.dumps(here)


def test_chains_of_an_adaptor_grammar_on_a_cluster(cluster, tmp_path):
    address, _ = cluster
    words = WordList.of(["walking", "walked", "talking", "talked", "jumping", "jumped", "walk", "talk"])
    settings = MorphologySettings(sweeps=12, burn_in=6, chains=2, seed=3)
    here, there = (AdaptorSampler(load_grammar("concat"), words, settings) for _ in range(2))
    here.run(False)
    saved: list[int] = []
    there.run(False, checkpoint=lambda: saved.append(len(there.states)), scheduler=address)
    assert len(saved) == 2
    for name, sampler in (("here", here), ("there", there)):
        Morphology.from_sampler(sampler).save(tmp_path / name)
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()


def test_a_finished_chain_is_kept_while_another_has_not_begun(tmp_path):
    words = WordList.of(["walking", "walked", "talking", "talked"])
    settings = MorphologySettings(sweeps=12, burn_in=6, chains=2, seed=3)
    whole, half = (AdaptorSampler(load_grammar("concat"), words, settings) for _ in range(2))
    whole.run(False)
    half.states = [half.empty(0), half.empty(1)]
    half.take_chain(0, AdaptorSampler.sample_chain(half.chain_to_bytes(0)))
    Morphology.from_sampler(half).save(tmp_path / "half")
    resumed = Morphology.load(tmp_path / "half").sampler
    assert [state.sweeps for state in resumed.states] == [12, 0]
    resumed.run(False)
    for name, sampler in (("whole", whole), ("resumed", resumed)):
        Morphology.from_sampler(sampler).save(tmp_path / name)
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()


@pytest.mark.posix
def test_sweep_survives_the_loss_of_a_worker(cluster, monkeypatch, tmp_path):
    """Twenty runs on two workers, one killed at work: all results arrive, none twice."""
    address, workers = cluster
    monkeypatch.setitem(STUDIES, "toy", "toy_study")
    sweep = [toy_study.experiment(n, "sweep", "sleep") for n in range(20)]
    workspace = Workspace(tmp_path / "data", tmp_path, progress=False)
    names: list[str] = []

    def tell(experiment, outcome):
        names.append(experiment.name)
        if len(names) == 6:
            until(at_work)
            workers[0].kill()
            workers[0].wait()

    def at_work() -> bool:
        begun = [n for n in range(20) if by(n, "began") == workers[0].pid]
        return any(by(n, "ended") is None for n in begun)

    def by(n: int, what: str) -> int | None:
        path = tmp_path / f"{what}-{n}"
        return int(path.read_text() or 0) if path.exists() else None

    assert runner.run_missing(sweep, workspace, on_result=tell, scheduler=address) == {}
    assert sorted(names) == sorted(e.name for e in sweep)
    results = Results(tmp_path)
    assert [results.get(e).figures["product"] for e in sweep] == [2 * n for n in range(20)]
    assert len(list(tmp_path.glob("toy/*/*.json"))) == 20
    begun = (tmp_path / "ran.log").read_text().split()
    assert set(begun) == {e.name for e in sweep} and len(begun) > 20  # what the killed worker was at was begun again
    assert {by(n, "ended") for n in range(20)} == {worker.pid for worker in workers} and workers[1].poll() is None
    # Again: nothing is run.
    assert (
        runner.run_missing(sweep, workspace, scheduler=address) == {}
        and (tmp_path / "ran.log").read_text().split() == begun
    )


def test_interrupt_keeps_what_is_finished(monkeypatch, tmp_path):
    monkeypatch.setitem(STUDIES, "toy", "toy_study")
    sweep = [toy_study.experiment(n, "sweep", "sleep") for n in range(4)]
    workspace = Workspace(tmp_path / "data", tmp_path, progress=False)

    def interrupt(experiment, outcome):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner.run_missing(sweep, workspace, on_result=interrupt)
    kept = [e for e in sweep if Results(tmp_path).get(e) is not None]
    assert 1 <= len(kept) <= 2  # the first, and perhaps what was begun
    assert runner.run_missing(sweep, workspace) == {}
    assert sorted((tmp_path / "ran.log").read_text().split()) == sorted(e.name for e in sweep)


def test_results_come_back_from_a_folder_that_is_not_shared(tmp_path):
    there, here = Workspace(tmp_path, tmp_path / "there"), Results(tmp_path / "here")
    (there.results).mkdir()
    one = toy_study.experiments()[0]
    files = runner._run_on_worker((one, toy_study.multiply, there))
    assert here.get(one) is None
    result = here.receive(one, files)
    assert result.figures == {"product": 2} and result.arrays()["all"].tolist() == [0]
    before = result.path.stat().st_mtime_ns
    assert here.receive(one, files).path.stat().st_mtime_ns == before


SCRIPTS = {
    "prepares text": """
from pathlib import Path
from binyan.experiments.text_cache import cached_text
from binyan.text import Preparation
Path("text").write_text("ein satz\\n" * 12000)
cached_text(Path("text"), Preparation(lowercase=True), Path("cache"))
""",
    "runs tasks": """
from math import factorial
from binyan.parallel import run_each
for _, result in run_each(factorial, [3], workers=1):
    raise SystemExit(str(result))
""",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_without_a_main_guard_ends(name, tmp_path):
    """Its processes run the script again, and cannot start their own: that must be an error, not a loop."""
    (tmp_path / "script.py").write_text(SCRIPTS[name])
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode != 0 and "__name__ ==" in done.stderr
