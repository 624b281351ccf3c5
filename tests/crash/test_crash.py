"""A few kills of three commands; `make crash` tries all commands a hundred times."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.posix
def test_killed_commands_end_as_if_nobody_had_disturbed_them() -> None:
    script = Path(__file__).with_name("crash.py")
    names = ["lm train mkn", "lm train hpylm", "morph learn"]
    result = subprocess.run([sys.executable, script, "5", *names], capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "5 kills" in result.stdout
