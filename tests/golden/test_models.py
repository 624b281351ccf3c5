"""Model files of every format version still load and give the probabilities they gave (made by models/make_models.py)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from binyan.language_model import load

FOLDER = Path(__file__).parent / "models"
SENTENCE = ["der", "hund", "sah", "den", "mondhund", "zaun"]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*-*.binyan")), ids=lambda p: p.stem)
def test_old_files_load(path):
    model = load(path)
    assert model.kind == path.stem.rsplit("-", 1)[0]
    expected = json.loads(path.with_suffix(".json").read_text())
    scores = model.score_sentences([SENTENCE])
    assert scores.log_prob == pytest.approx(expected["log_prob"], abs=1e-5)
    assert scores.matched.tolist() == expected["matched"]
    assert scores.unknown.tolist() == expected["unknown"] == [False] * 4 + [True, True, False]


def test_every_kind_of_n_gram_model_has_a_file():
    assert {p.stem.rsplit("-", 1)[0] for p in FOLDER.glob("*.binyan")} == {"arpa", "mkn", "hpylm", "hpylm+c", "hpylm+g"}
