"""What differs between Linux, macOS and Windows, as far as it can be seen on any of them."""

from __future__ import annotations

import errno
import io
import re
import sys

import pytest

from binyan.cli import use_utf8
from binyan.errors import SettingsError, unreadable
from binyan.experiments.studies import select


@pytest.mark.parametrize(("platform", "encoded"), [("win32", "größer ← כתב\n".encode()), ("linux", None)])
def test_commands_print_utf8_on_windows(platform, encoded, monkeypatch):
    """A pipe there has a code page that lacks most letters; the streams of other systems are left alone."""
    printed = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed, "cp1252", newline="\r\n"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("größer\r\n".encode()), "cp1252"))
    use_utf8(platform)
    if encoded is None:
        assert (sys.stdout.encoding, sys.stdin.encoding) == ("cp1252", "cp1252")
        return
    print("größer ← כתב", flush=True)
    assert printed.getvalue() == encoded
    assert list(sys.stdin) == ["größer\n"]


def test_a_folder_is_named_as_one_also_where_the_system_does_not(tmp_path):
    refusal = PermissionError(errno.EACCES, "Permission denied")  # what Windows raises
    assert unreadable(tmp_path, refusal) == f"{tmp_path}: is a folder; name a file in it"
    assert "Permission denied" in unreadable(tmp_path / "file", refusal)


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_several_workers_are_refused_outside_linux(platform, monkeypatch):
    server = pytest.importorskip("binyan.explore.server", reason="the explore extra is not installed")
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(SettingsError, match="leave out --workers"):
        server.serve(None, workers=2)


def test_experiments_have_names_that_every_system_takes():
    names = {experiment.name for experiment in select()}
    assert len(names) > 100
    assert [name for name in names if re.search(r'[<>:"\\|?*\x00-\x1f]|[. ](/|$)', name)] == []
