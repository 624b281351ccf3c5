"""Learnt morphologies of every format version still load, and learning goes on from them (made by morphology/make_models.py)."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import binyan
from binyan.morphology import Morphology

FILES = sorted((Path(__file__).parent / "morphology").glob("adaptor-*.binyan"))
WORDS = ["kitab", "katab", "wakatab", "kutub", "wakitab", "maktab", "malak", "milk", "wamilk"]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_old_files_load(path: Path) -> None:
    morphology = binyan.load(path)
    assert isinstance(morphology, Morphology)
    assert morphology.log_probability("wamaktab") == pytest.approx(-13.06047704987146)
    best = morphology.segmentations("wakitab")
    assert [(str(s), s.probability) for s in best] == [("wa/pre kita/stem b/suf", 1.0)]
    assert morphology.trace[0][-1, 0] == pytest.approx(-119.72568260206681)
    assert morphology.sampler.states[0].trace[-1][0] == morphology.trace[0][-1, 0]
    assert morphology.grammar.role("R3") == "root" and "R3" in morphology.grammar.assumed
    assert morphology.settings.initialisation == "sequential" and morphology.settings.chains == 1


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_learning_is_resumed_from_old_files(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "m")
    settings = replace(binyan.load(path).settings, sweeps=9, burn_in=7)
    morphology = Morphology("tpl", settings=settings)
    morphology.fit(WORDS, checkpoint=tmp_path / "m", resume=True, progress=False)
    morphology.sampler.states[0].core.check()
    assert morphology.sampler.sweeps == 9 and morphology.posterior.samples.kept == 2
    assert morphology.trace[0][5, 0] == pytest.approx(-119.72568260206681)
    assert binyan.load(tmp_path / "m").to_bytes() == morphology.to_bytes()
