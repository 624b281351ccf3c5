"""Log-bilinear and mixture files of every format version still load and score as they did (log_bilinear/make_models.py)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the neural extra is not installed")

from binyan.language_model import load

FOLDER = Path(__file__).parent / "log_bilinear"
SENTENCES = [["hausen", "hofst", "zaunen", "gehst"], ["nirgends", "gehen"]]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.binyan")), ids=lambda p: p.stem)
def test_old_files_score_as_they_did(path: Path) -> None:
    expected = json.loads(path.with_suffix(".json").read_text())
    assert load(path).score_sentences(SENTENCES).log_prob == pytest.approx(expected, abs=1e-5)
