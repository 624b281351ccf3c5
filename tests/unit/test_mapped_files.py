"""Large model files: mapped, checked once, shared, and an error instead of a signal where they are cut short."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from typer.testing import CliRunner

import binyan
from binyan import mapped_sections, model_file
from binyan.cli import app
from binyan.errors import InputError, ModelFileError
from binyan.ngram.kneser_ney import KneserNey
from binyan.text import vocabulary

pytestmark = [
    pytest.mark.posix,  # files are not mapped on Windows
    pytest.mark.filterwarnings("ignore::binyan.ngram.kneser_ney.DiscountWarning"),
]
SENTENCES = [" ".join(f"w{(i * j) % 37}" for j in range(2, 9)) for i in range(60)]
SECTIONS = {"ids": np.arange(7, dtype=np.uint32), "words": b"haus\nhof", "empty": np.zeros(0, np.float32)}


@pytest.fixture
def large(monkeypatch, tmp_path):
    """Every file and every vocabulary counts as large; what is remembered is remembered in the test's folder."""
    monkeypatch.setattr(model_file, "_MAPPED_FROM", 0)
    monkeypatch.setattr(vocabulary, "_TAKEN_APART_LATER", 0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def saved(path, order=3):
    model = KneserNey(order).fit(SENTENCES)
    model.save(path)
    return model


def test_sections_are_those_that_were_saved(tmp_path, large):
    path = tmp_path / "m"
    model_file.save(path, "toy", {"a": 1}, SECTIONS)
    loaded = model_file.load(path)
    assert loaded.meta == {"a": 1} and list(loaded.sections) == list(SECTIONS) and loaded.region is not None
    assert loaded.blob("words") == SECTIONS["words"]
    for name in ("ids", "empty"):
        np.testing.assert_array_equal(loaded.array(name), SECTIONS[name])
        np.testing.assert_array_equal(loaded.mapped(name), SECTIONS[name])
    loaded.array("ids")[0] = 5  # a copy of one's own
    with pytest.raises(ValueError, match="read-only"):
        loaded.mapped("ids")[0] = 5


def test_a_mapped_model_answers_as_one_that_was_read(tmp_path, large, monkeypatch):
    model = saved(tmp_path / "m")
    mapped = binyan.load(tmp_path / "m")
    test = [s.replace("w2", "new") for s in SENTENCES[:20]]
    one, other = model.score_text(test), mapped.score_text(test)
    np.testing.assert_array_equal(one.log_prob, other.log_prob)
    np.testing.assert_array_equal(one.matched, other.matched)
    assert mapped.next_words("w4").most_common(5) == model.next_words("w4").most_common(5)
    assert mapped.to_bytes() == model.to_bytes() == (tmp_path / "m").read_bytes()
    assert len(mapped.vocabulary) == len(model.vocabulary) and mapped.vocabulary == model.vocabulary


@pytest.mark.parametrize("bits", [8, 12])
def test_a_quantised_model_is_mapped_and_answers_as_one_that_was_read(bits, tmp_path, large):
    small = saved(tmp_path / "m").quantised(bits)
    small.save(tmp_path / "q")
    mapped = binyan.load(tmp_path / "q")
    assert mapped.native.is_quantised
    test = [s.replace("w2", "new") for s in SENTENCES[:20]]
    np.testing.assert_array_equal(small.score_text(test).log_prob, mapped.score_text(test).log_prob)
    assert mapped.to_bytes() == small.to_bytes()
    os.truncate(tmp_path / "q", 600)
    with pytest.raises(InputError, match="was truncated while it was in use"):
        mapped.score_text(test)


@pytest.mark.parametrize("columns", [1, 2])
def test_search_and_index_find_the_same(columns):
    if columns == 1:
        native = KneserNey(4).fit(SENTENCES).native
    else:
        native = binyan.HPYLM(3, sweeps=3, samples=2).fit(SENTENCES, progress=False).native
    random = np.random.default_rng(1)
    queries = [
        (int(s), int(w))
        for s, w in zip(random.integers(0, native.states, 500), random.integers(0, 30, 500), strict=True)
    ]
    searched = [native.score(s, w) for s, w in queries]
    native.build_index()
    assert [native.score(s, w) for s, w in queries] == searched


def test_every_flipped_byte_is_found_and_then_not_looked_for_again(tmp_path, large):
    path = tmp_path / "m"
    model_file.save(path, "toy", {}, SECTIONS)
    data = path.read_bytes()
    for at in range(0, len(data), 29):
        damaged = bytearray(data)
        damaged[at] ^= 0x20
        path.write_bytes(damaged)
        with pytest.raises(ModelFileError):
            model_file.load(path)
    path.write_bytes(data)
    model_file.load(path)
    assert len(list((tmp_path / "cache" / "binyan" / "checked").iterdir())) == 2  # when saved, and when loaded


def test_digests_are_compared_once_and_on_request(tmp_path, large, monkeypatch):
    path = tmp_path / "m"
    model_file.save(path, "toy", {}, SECTIONS)
    path.write_bytes(path.read_bytes())  # as if copied from elsewhere
    checks = []
    monkeypatch.setattr(mapped_sections.MappedSections, "check", lambda self: checks.append(1))
    for _ in range(3):
        model_file.load(path)
    assert len(checks) == 1
    model_file.check(path)
    assert len(checks) == 2
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")  # nothing can be remembered
    for _ in range(2):
        model_file.load(path)
    assert len(checks) == 4


def test_the_command_says_what_is_whole(tmp_path, large):
    path = tmp_path / "m"
    saved(path)
    assert "whole; mkn" in CliRunner().invoke(app, ["check", str(path)]).output
    data = bytearray(path.read_bytes())
    data[-100] ^= 1
    path.write_bytes(data)
    result = CliRunner().invoke(app, ["check", str(path)])
    assert isinstance(result.exception, ModelFileError) and "does not match its checksum" in str(result.exception)


TRUNCATED = """
    import sys
    from binyan import model_file
    import binyan, os
    model_file._MAPPED_FROM = 0
    model = binyan.load(sys.argv[1])
    os.truncate(sys.argv[1], int(sys.argv[2]))
    for ask in (
        lambda: model.score_text(["w2 w4 w6 w8"] * int(sys.argv[3])),
        lambda: [model.score_word(model.begin(), f"w{i}") for i in range(37)],
        lambda: model.next_words("w4"),
        lambda: model.save(sys.argv[1] + ".copy"),
    ):
        try:
            ask()
        except binyan.errors.BinyanError as error:
            print(error)
        else:
            print("answered")
"""


@pytest.mark.parametrize("sentences", [1, 500])
def test_a_file_truncated_while_it_is_mapped_is_an_error_and_no_signal(tmp_path, sentences):
    path = tmp_path / "m"
    saved(path, 4)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-c", textwrap.dedent(TRUNCATED), str(path), "4096", str(sentences)]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) == 4
    assert all("was truncated while it was in use" in line for line in run.stdout.splitlines()), run.stdout


def test_arrays_that_lead_nowhere_are_refused_when_they_are_met(tmp_path, large):
    """A file that was written over while in use: sizes fit, contents do not."""
    path = tmp_path / "m"
    model = saved(path)
    mapped = binyan.load(path)
    arrays = model.native.arrays
    for name in ("next", "suffix", "first_entry", "word"):
        size = len(arrays[name])
        offset = path.read_bytes().find(arrays[name].tobytes())
        with open(path, "r+b") as file:  # in place, as the mapping sees it
            file.seek(offset)
            file.write(np.full(size, 0xFFFFFFF0, np.uint32).tobytes())
        with pytest.raises(InputError, match="changed while it was in use"):
            mapped.score_text(SENTENCES)
            for state in range(mapped.native.states):
                mapped.native.score(state, 3)
            mapped.distribution(mapped.native.states - 1)
        with open(path, "r+b") as file:
            file.seek(offset)
            file.write(arrays[name].tobytes())


def test_the_chains_of_a_large_model_are_read_when_they_are_asked_for(tmp_path, large):
    model = binyan.HPYLM(3, sweeps=3, samples=2, seed=2).fit(SENTENCES, progress=False)
    model.save(tmp_path / "m")
    loaded = binyan.load(tmp_path / "m")
    assert isinstance(loaded._sampling, model_file.ModelFile)
    assert loaded.score_text(SENTENCES).perplexity == model.score_text(SENTENCES).perplexity
    assert loaded.sampling.chains.sweeps == model.sampling.chains.sweeps
    assert loaded.to_bytes() == model.to_bytes()
