"""Learnt morphologies of every format version still load, and learning goes on from them (made by morphology/make_models.py)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from binyan.morphology import Segmenter, load_sampler

FILES = sorted((Path(__file__).parent / "morphology").glob("adaptor-*.binyan"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_old_files_load(path: Path) -> None:
    segmenter = Segmenter.load(path)
    assert segmenter.log_probability("wamaktab") == pytest.approx(-13.06047704987146)
    assert [(str(s), p) for s, p in segmenter.segment("wakitab")] == [("wa/pre kita/stem b/suf", 1.0)]
    sampler = load_sampler(path)
    assert sampler.states[0].trace[-1][0] == pytest.approx(-119.72568260206681)
    sampler = load_sampler(path, replace(sampler.settings, sweeps=9, burn_in=7))
    sampler.run(progress=False)
    sampler.states[0].core.check()
    assert sampler.sweeps == 9 and sampler.freeze().samples.kept == 2
