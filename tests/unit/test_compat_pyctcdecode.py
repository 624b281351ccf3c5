"""Our models in pyctcdecode's beam search, on emissions made from text with noise."""

from __future__ import annotations

from typing import Any

import pytest

from binyan import CompoundHPYLM, KneserNey
from binyan.datasets.emissions import emissions
from binyan.language_model import LanguageModel

pytest.importorskip("pyctcdecode", reason="pyctcdecode is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")

TEXT = [
    "das haus ist gross",
    "die tür ist klein",
    "das haus hat eine tür",
    "der garten ist gross",
    "die haustür ist klein",
] * 5
LABELS = [" ", *sorted({c for line in TEXT for c in line} - {" "}), ""]


def decoded(model: LanguageModel, text: str, **confusion: Any) -> str:
    from binyan.compat.pyctcdecode import build_ctcdecoder

    decoder = build_ctcdecoder(LABELS, model, alpha=0.5, beta=1.5)
    return str(decoder.decode(emissions(text, LABELS, "", confusion)))


@pytest.fixture(scope="module")
def mkn() -> KneserNey:
    return KneserNey(order=3).fit(TEXT, progress=False)


def test_the_model_decides_between_letters_that_sound_alike(mkn: KneserNey) -> None:
    assert decoded(mkn, "das haus ist gross", g="k") == "das haus ist gross"
    assert decoded(mkn, "die tür ist klein", k="g") == "die tür ist klein"


def test_words_never_seen_are_scored_by_an_open_model(mkn: KneserNey) -> None:
    segmentation = {"haustür": "haus tür", "gartentür": "garten tür", "gartenhaus": "garten haus"}
    lines = [f"{w} " * 2 for w in ("haustür", "garten", "tür", "haus")] + TEXT
    open_model = CompoundHPYLM(order=2, sweeps=20, segmentation=segmentation).fit(lines, progress=False)
    from binyan.compat.pyctcdecode import DecoderLanguageModel

    ours, plain = DecoderLanguageModel(open_model), DecoderLanguageModel(mkn)
    assert "gartentür" not in open_model.vocabulary
    unseen, _ = ours.score(ours.get_start_state(), "gartentür")
    penalised, _ = plain.score(plain.get_start_state(), "gartentür")
    nonsense, _ = ours.score(ours.get_start_state(), "xqtür")
    assert unseen > penalised
    assert unseen > nonsense
    assert ours.score_partial_token("gartent") == 0.0
    assert ours.score_partial_token("xq") < 0.0


def test_the_end_of_the_text_counts(mkn: KneserNey) -> None:
    from binyan.compat.pyctcdecode import DecoderLanguageModel

    model = DecoderLanguageModel(mkn, alpha=1.0, beta=0.0)
    state = model.get_start_state()
    inside, _ = model.score(state, "das")
    last, _ = model.score(state, "das", is_last_word=True)
    scored = mkn.score_word(mkn.begin(), "das")
    end = mkn.score_word(scored.state, "</s>")
    assert inside == pytest.approx(scored.log_prob, abs=1e-5)
    assert last == pytest.approx(scored.log_prob + end.log_prob, abs=1e-5)
