"""Model files of every format version still load and give the probabilities they gave (made by models/make_models.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from binyan.language_model import load

FOLDER = Path(__file__).parent / "models"
# P of "der hund sah den zaun" word by word, as natural logarithms.
EXPECTED = [-0.57403547, -0.72131807, -1.01856959, -0.24638157, -3.90775871, -2.52146435]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*-*.binyan")), ids=lambda p: p.stem)
def test_old_files_load(path):
    model = load(path)
    assert model.kind == path.stem.split("-")[0]
    scores = model.score_sentences([["der", "hund", "sah", "den", "zaun"]])
    assert scores.log_prob == pytest.approx(EXPECTED, abs=1e-5)
    assert scores.matched.tolist() == [2, 3, 3, 3, 1, 1]
    assert scores.unknown.tolist() == [False] * 4 + [True, False]
