"""HPYLM by blocks: one model, bit for bit, for any number of threads and blocks, in memory and in files."""

import errno
import os
import threading
from contextlib import nullcontext

import numpy as np
import pytest

from binyan import HPYLM, _core, load
from binyan.errors import InputError, ModelFileError, NoMemoryError, SettingsError
from binyan.ngram import block_files, block_sampling, seatings
from binyan.ngram.turns import Turns

SETTINGS = {"order": 4, "sweeps": 12, "samples": 2, "seed": 3}


def made_up_text(seed, sentences=200, words=40):
    random = np.random.default_rng(seed)
    return [" ".join(f"w{x}" for x in random.zipf(1.5, n) % words) for n in random.integers(1, 12, sentences)]


@pytest.fixture
def small_blocks(monkeypatch):
    """A limit of memory counts for blocks alone, and small blocks are worth while."""
    monkeypatch.setattr(block_files, "_BASIC_BYTES", 0)
    monkeypatch.setattr(block_sampling, "_FEWEST_EVENTS", 50)


@pytest.fixture(scope="module")
def model():
    return HPYLM(**SETTINGS, blocks=True).fit(made_up_text(1), threads=1, progress=False)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_neither_threads_nor_blocks_nor_files_change_the_model(threads, model, tmp_path, small_blocks):
    for run in ({}, {"memory": 70_000 * threads, "work": tmp_path}):
        other = HPYLM(**SETTINGS, blocks=not run).fit(made_up_text(1), threads=threads, progress=False, **run)
        assert other.to_bytes() == model.to_bytes()
    assert list(tmp_path.iterdir()) == []


def test_several_chains_are_several_columns(small_blocks, tmp_path):
    settings = {**SETTINGS, "chains": 2}
    one = HPYLM(**settings, blocks=True).fit(made_up_text(2), threads=2, progress=False)
    other = HPYLM(**settings).fit(made_up_text(2), memory=100_000, work=tmp_path, progress=False)
    assert one.to_bytes() == other.to_bytes()
    assert one.native.columns == 4 and len(one.trace) == 2
    assert not np.array_equal(one.trace[0], one.trace[1])


def test_the_model_has_the_ngrams_of_the_whole_tree_and_sums_to_one(model):
    plain = HPYLM(**SETTINGS).fit(made_up_text(1), progress=False)
    for name in ("context_base", "word", "next", "first_entry", "left_word", "suffix"):
        np.testing.assert_array_equal(model.native.arrays[name], plain.native.arrays[name], err_msg=name)
    for state in range(0, model.native.states, 7):
        assert model.distribution(state).sum() == pytest.approx(1.0, abs=1e-5)
    assert model.signature().fields["blocks"] and "blocks" not in plain.signature().fields
    test = [line.split() for line in made_up_text(5)]
    assert model.perplexity(test) == pytest.approx(plain.perplexity(test), rel=0.02)


def test_a_model_is_saved_and_loaded(model, tmp_path):
    model.save(tmp_path / "m.binyan")
    again = load(tmp_path / "m.binyan")
    assert again.to_bytes() == model.to_bytes() and again.sampling is None


@pytest.mark.parametrize(
    ("settings", "run", "message"),
    [
        ({"order": 1}, {}, "order 1"),
        ({}, {"resume": True}, "resumed"),
        ({}, {"scheduler": "tcp://localhost:1"}, "one machine"),
        ({}, {"memory": "much"}, "4G"),
        ({"vocabulary": "open"}, {}, "model of spelling"),
    ],
)
def test_what_blocks_cannot_do_is_refused(settings, run, message):
    with pytest.raises(SettingsError, match=message):
        HPYLM(blocks=True, **settings).fit(made_up_text(1), progress=False, **run)


def test_too_little_memory_is_refused_before_anything_is_sampled(tmp_path):
    with pytest.raises(NoMemoryError, match="most frequent word"):
        HPYLM(order=3).fit(made_up_text(1), memory="1M", work=tmp_path, progress=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("threads", [1, 3])
def test_a_full_disk_is_said_and_leaves_nothing(threads, tmp_path, small_blocks, monkeypatch):
    calls = iter(range(1000))
    write = seatings._write

    def full(path, arrays):
        if next(calls) > 20:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(path, arrays)

    monkeypatch.setattr(seatings, "_write", full)
    with pytest.raises(ModelFileError, match="disk is full"):
        HPYLM(**SETTINGS).fit(made_up_text(1), memory=100_000, work=tmp_path, threads=threads, progress=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("left", [0, 4, 8, 30, -4])
def test_a_seating_that_was_truncated_is_said(left, tmp_path):
    path = tmp_path / "seats"
    seatings._write(path, [np.arange(9, dtype=np.uint32), np.zeros(0, np.uint32)])
    first, second = seatings._read(path, np.uint32)
    assert first.tolist() == list(range(9)) and len(second) == 0
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(ModelFileError, match="truncated"):
        seatings._read(path, np.uint32)


def test_a_damaged_seating_is_refused():
    words, offsets = np.array([3, 4, 3, 3], np.uint32), np.array([0, 4], np.uint64)
    seats = _core.HPYLMBlock(_core.SuffixBlock(words, offsets, 3, 6, 0, 6))
    seats.initialise(True, np.full(6, 0.2), (1, 0, 0))
    state = [(level["tables"], level["sizes"]) for level in seats.state()]
    seats.restore(state)
    for broken in ([], state[:1], [(t + 1, s) for t, s in state], [(t[:-1], s) for t, s in state]):
        with pytest.raises(InputError, match="damaged"):
            seats.restore(broken)


@pytest.mark.parametrize("threads", [1, 4])
def test_turns_are_taken_in_order_and_a_failure_ends_them(threads):
    order, begun = [], []
    Turns(nullcontext, lambda i, _: begun.append(i), lambda i, _: order.append(i), lambda *_: None).run(
        range(50), threads
    )
    assert order == list(range(50)) and sorted(begun) == order

    def fail(item, _):
        if item == 7:
            raise ValueError("seven")

    later = []
    with pytest.raises(ValueError, match="seven"):
        Turns(nullcontext, fail, lambda i, _: later.append(i), lambda *_: None).run(range(50), threads)
    assert later == list(range(7))
    assert threading.active_count() < 20
