"""Files are written whole or not at all, through links, into pipes, and with the permissions they had."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading

import pytest

from binyan import files, model_file
from binyan.errors import InputError, ModelFileError

posix = pytest.mark.posix


def test_nothing_is_left_beside_a_written_file(tmp_path):
    files.write_text(tmp_path / "a.txt", "eins")
    files.write_text(tmp_path / "a.txt", "zwei")
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"] and (tmp_path / "a.txt").read_text() == "zwei"


def test_an_error_leaves_what_was_there(tmp_path):
    files.write_text(tmp_path / "a.txt", "eins")
    with pytest.raises(RuntimeError), files.replacing(tmp_path / "a.txt") as part:
        part.write_text("halb")
        raise RuntimeError
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"] and (tmp_path / "a.txt").read_text() == "eins"


@posix
def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "real")
    files.write_text(tmp_path / "link", "eins")
    files.write_text(tmp_path / "link", "zwei")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "there" / "real").read_text() == "zwei"


@posix
def test_permissions_are_kept(tmp_path):
    files.write_text(tmp_path / "a", "eins")
    (tmp_path / "a").chmod(0o640)
    files.write_text(tmp_path / "a", "zwei")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@posix
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for write, read in (
        (lambda: files.write_text(pipe, "eins"), lambda data: data == b"eins"),
        (
            lambda: model_file.save(pipe, "toy", {"a": 1}, {"s": b"xyz"}),
            lambda data: model_file.from_bytes(data).blob("s") == b"xyz",
        ),
    ):
        writer = threading.Thread(target=write)
        writer.start()
        data = pipe.read_bytes()
        writer.join()
        assert read(data) and stat.S_ISFIFO(pipe.stat().st_mode)


@posix
def test_a_device_is_written_to_and_stays_a_device():
    model_file.save(os.devnull, "toy", {}, {})
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_folders_are_refused(tmp_path):
    with pytest.raises(InputError, match="folder|directory"):
        files.write_text(tmp_path, "x")
    with pytest.raises(ModelFileError, match="folder|directory"):
        model_file.save(tmp_path, "toy", {}, {})
    with pytest.raises(InputError, match="not saved"):
        files.write_text(tmp_path / "none" / "x", "x")


@posix
def test_what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not(tmp_path):
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    parts = {number: tmp_path / f".a.txt.{files._HOST}-{number}.0123abcd.part" for number in (killed.pid, os.getppid())}
    others = [
        tmp_path / f".b.txt.{files._HOST}-{killed.pid}.0123abcd.part",
        tmp_path / f".a.txt.elsewhere-{killed.pid}.0123abcd.part",
    ]
    for part in (*parts.values(), *others):
        part.write_text("halb")
    files.write_text(tmp_path / "a.txt", "eins")
    assert set(tmp_path.iterdir()) == {tmp_path / "a.txt", parts[os.getppid()], *others}
