"""The examples of other people's decoders run, and their models hear right."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
pytestmark = pytest.mark.filterwarnings("ignore")


def run(name: str) -> Any:
    specification = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
    except (ImportError, OSError, RuntimeError) as error:
        pytest.skip(f"{name}: {error}")
    return module.main()


def test_pyctcdecode() -> None:
    rows = run("decode_pyctcdecode")
    assert len(rows) == 5
    right = [sum(row[0] == row[i] for row in rows) for i in (1, 2)]
    assert right[1] > right[0]  # only a model that sees inside words knows words that were never seen


@pytest.mark.parametrize("name", ["decode_torchaudio", "decode_hugging_face"])
def test_words_of_the_vocabulary(name: str) -> None:
    rows = run(name)
    assert len(rows) == 5
    assert sum(spoken == decoded for spoken, decoded in rows) >= 4
