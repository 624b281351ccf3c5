"""Every input that once broke a reader is read, or refused in plain words; and the fuzzer itself finds what it is made to find."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.engine import apart, fuzz, minimise
from fuzz.mutate import mutate_bytes
from fuzz.targets import Target

pytestmark = [pytest.mark.posix, pytest.mark.skipif(sys.platform != "linux", reason="processes are forked and limited")]
TESTS = Path(__file__).resolve().parents[1]


def test_found_cases_stay_mended():
    paths = os.pathsep.join([str(TESTS), *sys.path])
    run = subprocess.run(
        [sys.executable, "-m", "fuzz", "--replay"],
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def _faulty(data: bytes) -> None:
    if b"\xff" in data:
        raise KeyError("a bug")
    if b"\x80" in data:
        os.kill(os.getpid(), signal.SIGKILL)


def test_exceptions_and_deaths_are_found_and_made_small():
    target = Target("faulty", lambda: [b"some bytes to begin with"], mutate_bytes, _faulty, takes_bytes=True)
    faults = []
    tally = fuzz(target, 1.0, 1, faults.append)
    kinds = {fault.what.partition(" in ")[0]: fault for fault in faults}
    assert tally.inputs > 100 and set(kinds) == {"KeyError", "killed by SIGKILL"}
    assert minimise(target, kinds["KeyError"]).data == b"\xff"
    assert minimise(target, kinds["killed by SIGKILL"]).data == b"\x80"
    assert apart(target, b"sound") is None
