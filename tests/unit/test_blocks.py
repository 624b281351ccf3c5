"""Kneser-Ney by blocks: in memory, in files and on several threads, the model is the one of the whole tree, bit for bit."""

import errno
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from binyan import _core, model_file
from binyan.errors import BinyanError, InputError, ModelFileError, NoMemoryError, SettingsError
from binyan.memory import memory_size
from binyan.ngram import block_files, block_storage
from binyan.ngram.backoff import context_tree
from binyan.ngram.block_files import OnDisk, build_file, corpus_in, load_block, working_folder
from binyan.ngram.block_storage import InMemory, Job
from binyan.ngram.blocks import BlockSettings, estimate_blocks
from binyan.ngram.kneser_ney import KneserNey
from binyan.text import Corpus, Preparation, VocabularyPolicy
from binyan.text.corpus_files import read_to_files

pytestmark = pytest.mark.filterwarnings("ignore::binyan.ngram.kneser_ney.DiscountWarning")
FALLBACK = (0.5, 1.0, 1.5)


def made_up_text(seed, sentences=None, words=None):
    random = np.random.default_rng(seed)
    words = words or int(random.integers(3, 30))
    lengths = random.integers(1, 12, sentences or int(random.integers(1, 150)))
    return [" ".join(f"w{x}" for x in random.zipf(1.5, n) % words) for n in lengths]


def whole(corpus, thresholds):
    tree = context_tree(corpus, len(thresholds), False)
    return _core.estimate_kneser_ney(tree, list(thresholds), list(FALLBACK), corpus.words, None, [])


def assert_same(one, other):
    assert [tuple(d) for d in one[1]] == [tuple(d) for d in other[1]]
    for name, array in one[0].arrays.items():
        np.testing.assert_array_equal(array, other[0].arrays[name], err_msg=name)


@pytest.mark.parametrize("seed", range(25))
def test_blocks_give_the_model_of_the_whole_tree(seed, monkeypatch):
    random = np.random.default_rng(seed)
    order = int(random.integers(2, 6))
    thresholds = (0, *sorted(random.integers(0, 3, order - 1).tolist())) if seed % 2 else (0,) * order
    corpus = Corpus.read(made_up_text(seed), progress=False)
    monkeypatch.setattr(block_storage, "_FEWEST_EVENTS", int(random.integers(1, 60)))
    settings = BlockSettings(thresholds, FALLBACK)
    in_blocks = estimate_blocks(corpus, settings, InMemory(), threads=1 + seed % 3, progress=False)
    assert_same(whole(corpus, thresholds), in_blocks)


@pytest.fixture
def small_budget(monkeypatch):
    """A limit of memory counts for blocks alone."""
    monkeypatch.setattr(block_files, "_BASIC_BYTES", 0)


@pytest.mark.parametrize("prune", [(), (0, 0, 1)])
def test_files_give_the_same_model_file(prune, tmp_path, small_budget):
    text = tmp_path / "text"
    text.write_text("\n".join(made_up_text(1, 300, 50)) + "\n")
    work = tmp_path / "work"
    work.mkdir()
    in_memory = KneserNey(4, prune=prune, min_count=2).fit(text, progress=False)
    on_disk = KneserNey(4, prune=prune, min_count=2).fit(text, memory=100_000, work=work, progress=False)
    assert on_disk.to_bytes() == in_memory.to_bytes()
    assert list(work.iterdir()) == []
    assert on_disk.score_text(text).perplexity == in_memory.score_text(text).perplexity


def test_more_blocks_than_one_were_made(tmp_path, small_budget):
    steps = []
    KneserNey(4).fit(made_up_text(1, 300, 50), memory=100_000, work=tmp_path, progress=lambda *step: steps.append(step))
    assert steps[-1][0] == steps[-1][1] > 6


@pytest.mark.parametrize("preparation", [Preparation(), Preparation(lowercase=True)])
def test_a_text_in_files_is_the_text_in_memory(preparation, tmp_path):
    text = tmp_path / "text"
    text.write_text("Der Hund\n\nder  Hund sah die Katze\ndie Katze sah \u00fcber den Zaun\n")
    policy = VocabularyPolicy(min_count=2)
    one, other = Corpus.read(text, preparation, policy), read_to_files(text, tmp_path, preparation, policy)
    np.testing.assert_array_equal(one.words, other.words)
    np.testing.assert_array_equal(one.offsets, other.offsets)
    assert one.vocabulary == other.vocabulary and one.digest == other.digest


def test_texts_that_are_none_are_refused_as_ever(tmp_path):
    text = tmp_path / "text"
    for content, message in ((b"\n\n", "no sentence"), (b"a <s> b\n", "as a word"), (b"a \xff b\n", "UTF-8")):
        text.write_bytes(content)
        with pytest.raises(InputError, match=message):
            KneserNey(2).fit(text, memory="1G", work=tmp_path, progress=False)
        assert [p.name for p in tmp_path.iterdir()] == ["text"]


@pytest.mark.posix
def test_a_full_disk_is_said_and_leaves_nothing(tmp_path, small_budget, monkeypatch):
    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for where, name in ((os, "fsync"), (os, "posix_fallocate")):
        with monkeypatch.context() as patch:
            patch.setattr(where, name, full, raising=False)
            with pytest.raises(ModelFileError, match="disk is full"):
                KneserNey(3).fit(made_up_text(1, 100), memory=100_000, work=tmp_path, progress=False)
        assert list(tmp_path.iterdir()) == []


FULL = """
    import resource, signal, sys
    from binyan.errors import ModelFileError
    from binyan.ngram.kneser_ney import KneserNey
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    for limit in (1_000, 60_000, 150_000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        try:
            KneserNey(4).fit([f"a{i} b{i} c{i}" for i in range(3000)], memory="1G", work=sys.argv[1], progress=False)
        except ModelFileError as error:
            print(error)
"""


@pytest.mark.posix
def test_files_that_cannot_grow_are_said_and_leave_nothing(tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(FULL), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert len(run.stdout.splitlines()) == 3, run.stdout + run.stderr
    assert all(str(tmp_path) in line for line in run.stdout.splitlines())
    assert list(tmp_path.iterdir()) == []


def test_limits_that_cannot_be_kept_are_refused_before_anything_long(tmp_path):
    text = made_up_text(1, 100)
    with pytest.raises(NoMemoryError, match="most frequent word need about"):
        KneserNey(3).fit(text, memory="1M", work=tmp_path, progress=False)
    with pytest.raises(SettingsError, match="such as 4G"):
        KneserNey(3).fit(text, memory="much", work=tmp_path)
    with pytest.raises(SettingsError, match="development"):
        KneserNey(3).fit(text, text, memory="1G", work=tmp_path)
    with pytest.raises(ModelFileError, match="cannot work there"):
        KneserNey(3).fit(text, memory="1G", work=tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "size"), [("1K", 1024), ("1.5 MB", 3 << 19), ("2GiB", 2 << 30), (7, 7), ("1t", 1 << 40)]
)
def test_amounts_of_memory(text, size):
    assert memory_size(text) == size


def test_a_block_that_is_there_is_not_built_again_and_damage_is_found(tmp_path):
    corpus = corpus_in(tmp_path, Corpus.read(made_up_text(2, 80)), Preparation(), VocabularyPolicy(), False)
    size = len(corpus.vocabulary)
    _core.ranks_of_first_occurrence(corpus.words, size).tofile(tmp_path / "rank")
    job = Job(0, 3, size, 0, size, (0, 0, 0), 3, corpus.events)
    first = build_file((str(tmp_path), job))
    path = tmp_path / "block.0"
    written = path.stat().st_mtime_ns
    again = build_file((str(tmp_path), job))
    assert path.stat().st_mtime_ns == written
    assert (first.counts_of_counts, first.entries, first.last) == (again.counts_of_counts, again.entries, again.last)
    file = model_file.load(path)
    sections = {name: file.array(name).copy() for name in file.sections}
    sections["1/parent"][:] = 1 << 30
    model_file.save(path, file.kind, file.meta, sections)
    with pytest.raises(InputError, match="parents"):
        load_block(tmp_path, job)


def test_an_interrupted_training_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), working_folder(tmp_path) as folder:
        (folder / "words").write_bytes(b"abc")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_failures_on_the_cluster_are_raised(monkeypatch, tmp_path):
    monkeypatch.setattr(block_files, "run_each", lambda *a, **k: iter([(0, BinyanError("lost"))]))
    corpus = corpus_in(tmp_path, Corpus.read(made_up_text(2, 80)), Preparation(), VocabularyPolicy(), False)
    storage = OnDisk(tmp_path, 1 << 30, "tcp://nowhere:1")
    with pytest.raises(BinyanError, match="lost"):
        estimate_blocks(corpus, BlockSettings((0, 0), FALLBACK), storage, progress=False)
