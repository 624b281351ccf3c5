"""Fixtures of all tests, and a guard against testing a core that was not rebuilt."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline: machines that run the tests are shared and slow at times. On CI the examples are the same in every run.
settings.register_profile("binyan", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("binyan")

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    import binyan._core

    built = os.stat(binyan._core.__file__).st_mtime
    newer = [
        p for folder in ("core", "bindings") for p in (ROOT / folder).rglob("*.[ch]pp") if p.stat().st_mtime > built
    ]
    if newer and str(ROOT) in str(Path(binyan._core.__file__).resolve()):
        raise pytest.UsageError(f"{newer[0].relative_to(ROOT)} is newer than the built core: run `make setup`")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip on Windows what is marked `posix`."""
    if sys.platform == "win32":
        for item in items:
            if item.get_closest_marker("posix"):
                item.add_marker(pytest.mark.skip(reason="Windows has no such signals, file locks or shell"))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of experiment data that BINYAN_DATA names; tests that need it are skipped where there is none."""
    folder = Path(os.environ.get("BINYAN_DATA") or os.devnull)
    if not folder.is_dir():
        pytest.skip("no experiment data; set BINYAN_DATA to their folder to run this test")
    return folder
