"""`import binyan`: what it offers, and what it costs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import binyan
from binyan.errors import InputError, ModelFileError, NotFittedError, SettingsError

TEXT = ["der hund sah die katze", "die katze sah den hund", "der hund"] * 3


def test_every_name_is_there_and_is_listed():
    for name in binyan.__all__:
        assert getattr(binyan, name) is not None, name
    assert set(binyan.__all__) <= set(dir(binyan))
    with pytest.raises(AttributeError, match="nonsense"):
        binyan.nonsense  # noqa: B018


def test_importing_loads_nothing_heavy_and_is_quick():
    """Under a tenth of a second: the best of five, since other programs may run beside."""
    code = (
        "import sys, time; start = time.perf_counter(); import binyan; print(time.perf_counter() - start); "
        "print([m for m in ('numpy', 'torch', 'fastapi', 'scipy', 'matplotlib', 'typer', 'binyan._core') if m in sys.modules])"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    seconds, modules = zip(*(run.stdout.splitlines() for run in runs), strict=True)
    assert set(modules) == {"[]"}
    assert min(map(float, seconds)) < 0.1


def test_a_command_does_not_wait_for_the_imports_of_others():
    others = ("binyan.translation", "binyan.evaluation", "binyan.morphology.morphology", "torch", "scipy")
    code = f"import sys, binyan.cli.lm; print([m for m in {others} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_settings_are_keywords_with_their_defaults():
    parameters = inspect.signature(binyan.HPYLM).parameters
    assert parameters["sweeps"].default == 100 and parameters["order"].default == 4
    assert {"lowercase", "min_count", "seed", "chains"} <= set(parameters)
    assert binyan.HPYLM(order=2, sweeps=7).schedule.sweeps == 7
    with pytest.raises(SettingsError, match="did you mean 'sweeps'"):
        binyan.HPYLM(sweep=7)
    with pytest.raises(SettingsError, match="it takes order"):
        binyan.KneserNey(colour="red")


@pytest.mark.parametrize("make", [binyan.KneserNey, binyan.HPYLM], ids=lambda c: c.__name__)
def test_a_model_that_has_learnt_nothing_says_so(make, tmp_path):
    model = make(order=2)
    for use in (lambda: model.score("der hund"), lambda: model.vocabulary, lambda: model.save(tmp_path / "m")):
        with pytest.raises(NotFittedError, match="call fit first"):
            use()
    assert "not fitted" in repr(model) and not (tmp_path / "m").exists()
    assert not hasattr(model, "nothing_of_the_kind")


def test_fit_takes_a_file_several_files_or_sentences(tmp_path):
    (tmp_path / "one.txt").write_text("\n".join(TEXT[:4]) + "\n")
    (tmp_path / "two.txt").write_text("\n".join(TEXT[4:]) + "\n")
    (tmp_path / "all.txt").write_text("\n".join(TEXT) + "\n")
    sources = [
        str(tmp_path / "all.txt"),
        tmp_path / "all.txt",
        [tmp_path / "one.txt", tmp_path / "two.txt"],
        TEXT,
        [line.split() for line in TEXT],
        (line for line in TEXT),
    ]
    scores = {binyan.HPYLM(order=2, sweeps=3).fit(source).score("der hund sah") for source in sources}
    assert len(scores) == 1


def test_names_of_files_are_not_trained_on_as_sentences(tmp_path):
    (tmp_path / "one.txt").write_text("der hund\n")
    with pytest.raises(InputError, match="list of pathlib.Path objects"):
        binyan.HPYLM(order=2, sweeps=3).fit([str(tmp_path / "one.txt")])


def test_one_load_for_everything_that_is_saved(tmp_path):
    model = binyan.HPYLM(order=2, sweeps=3).fit(TEXT)
    model.save(tmp_path / "m.binyan")
    assert binyan.load(tmp_path / "m.binyan").score("der hund") == model.score("der hund")
    assert binyan.HPYLM.load(tmp_path / "m.binyan").order == 2
    model.to_arpa(tmp_path / "m.arpa")
    assert binyan.load(tmp_path / "m.arpa").score("der hund") == pytest.approx(model.score("der hund"), abs=1e-5)
    with pytest.raises(ModelFileError, match="not a KneserNey"):
        binyan.KneserNey.load(tmp_path / "m.binyan")
    with pytest.raises(ModelFileError, match="no such file"):
        binyan.load(Path("nowhere"))


def test_what_a_model_cannot_do_it_refuses_with_a_reason():
    model = binyan.HPYLM(order=2, sweeps=3).fit(TEXT)
    assert model.closed() is model and not model.is_open
    for use, reason in (
        (lambda: model.vectors, "log-bilinear"),
        (lambda: model.extended(), "log-bilinear"),
        (lambda: binyan.KneserNey(order=1).fit(TEXT).trace, "not sampled"),
    ):
        with pytest.raises(SettingsError, match=reason):
            use()


def test_next_words_are_a_mapping():
    after = binyan.HPYLM(order=2, sweeps=20).fit(TEXT).next_words("der")
    [(word, probability), *_] = after.most_common(3)
    assert word == "hund" and after["hund"] == probability and sum(after.values()) == pytest.approx(1.0)
    with pytest.raises(KeyError):
        after["zaun"]


def test_a_comparison_prints_and_becomes_a_data_frame():
    pytest.importorskip("pandas")
    models = [binyan.HPYLM(order=n, sweeps=3).fit(TEXT) for n in (1, 2, 3)]
    report = binyan.compare(models, TEXT[:3], by="hit-length", names=["one", "two", "three"], top=2)
    assert "Perplexity" in str(report) and "hit length" in str(report)
    frame = report.to_pandas()
    assert list(frame["model"]) == ["one", "two", "three"]
    assert frame["perplexity"][1] == pytest.approx(models[1].perplexity(TEXT[:3]))
    assert "model:hpylm" in frame.attrs["signature"]
    assert {"two change %", "three change %"} <= set(report.to_pandas("hit-length").columns)
