"""One kill of the studio; `make studio` tries twenty."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the explore extra is not installed")


@pytest.mark.posix
@pytest.mark.skipif(sys.platform != "linux", reason="finds the worker in /proc")
def test_no_decision_is_lost() -> None:
    script = Path(__file__).with_name("studio_kills.py")
    result = subprocess.run([sys.executable, script, "1", "100"], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 kills" in result.stdout and "none lost" in result.stdout
