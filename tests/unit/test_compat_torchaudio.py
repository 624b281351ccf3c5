"""Our models in torchaudio's CTC decoder, on emissions made from text with noise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from binyan import CompoundHPYLM, KneserNey
from binyan.datasets.emissions import emissions
from binyan.errors import SettingsError

torch = pytest.importorskip("torch")
try:
    from torchaudio.models.decoder import ctc_decoder

    from binyan.compat.torchaudio import DecoderLanguageModel, build_ctc_decoder
except (ImportError, OSError, RuntimeError):
    pytest.skip("torchaudio with flashlight-text is not installed", allow_module_level=True)

TEXT = ["das haus ist gross", "die tür ist klein", "das haus hat eine tür", "der garten ist gross"] * 5
TOKENS = ["-", "|", *sorted({c for line in TEXT for c in line} - {" "})]


def heard(text: str, **confusion: str):  # type: ignore[no-untyped-def]
    values = emissions(text.replace(" ", "|") + "|", TOKENS, "-", confusion, noise=0.3)
    return torch.tensor(values[None].astype(np.float32))


@pytest.fixture(scope="module")
def mkn() -> KneserNey:
    with pytest.warns(UserWarning):
        return KneserNey(order=3).fit(TEXT, progress=False)


def test_the_model_decides_between_letters_that_sound_alike(mkn: KneserNey) -> None:
    decoder = build_ctc_decoder(TOKENS, mkn)
    assert decoder(heard("das haus ist gross", g="k"))[0][0].words == ["das", "haus", "ist", "gross"]
    assert decoder(heard("die tür ist klein", k="g"))[0][0].words == ["die", "tür", "ist", "klein"]


def test_hypotheses_and_scores_are_those_of_kenlm(mkn: KneserNey, tmp_path: Path) -> None:
    pytest.importorskip("flashlight.lib.text.decoder.kenlm", reason="flashlight-text is without KenLM")
    mkn.to_arpa(tmp_path / "model.arpa", progress=False)
    (tmp_path / "words").write_text("".join(f"{w}\n" for w in [*mkn.vocabulary.own_words, "<unk>"]))
    spellings = (f"{w}\t{' '.join(w)} |\n" for w in mkn.vocabulary.own_words)
    (tmp_path / "lexicon").write_text("".join(spellings))
    theirs = ctc_decoder(
        str(tmp_path / "lexicon"), TOKENS, lm=str(tmp_path / "model.arpa"), lm_dict=str(tmp_path / "words"), nbest=5
    )
    ours = build_ctc_decoder(TOKENS, mkn, nbest=5, unknown_offset=0.0)
    for text in ("das haus ist gross", "der garten hat eine tür", "die tür ist gross das haus"):
        lists = [decoder(heard(text, g="k"))[0] for decoder in (theirs, ours)]
        assert [h.words for h in lists[0]] == [h.words for h in lists[1]]
        assert [h.score for h in lists[0]] == pytest.approx([h.score for h in lists[1]], abs=1e-3)


def test_words_never_seen_are_scored_by_an_open_model() -> None:
    segmentation = {"haustür": "haus tür", "gartentür": "garten tür"}
    lines = [f"{w} " * 2 for w in ("haustür", "garten", "tür", "haus")] + TEXT
    model = CompoundHPYLM(order=2, sweeps=20, segmentation=segmentation).fit(lines, progress=False)
    assert "gartentür" not in model.vocabulary
    words = ["gartentür", "xyz", "haus"]
    lm = DecoderLanguageModel(model, words, unknown_offset=-10.0)
    start = lm.start(False)
    unseen, nonsense, known = (lm.score(start, number)[1] for number in range(3))
    assert nonsense < unseen < known
    assert unseen == pytest.approx(model.score_word(model.begin(), "gartentür").log_prob / np.log(10), abs=1e-5)
    decoder = build_ctc_decoder(TOKENS, model, [*model.vocabulary.own_words, *words])
    assert decoder(heard("die gartentür ist klein", k="g"))[0][0].words == ["die", "gartentür", "ist", "klein"]


def test_states_and_ends(mkn: KneserNey) -> None:
    lm = DecoderLanguageModel(mkn, mkn.vocabulary.own_words)
    start = lm.start(False)
    first = mkn.vocabulary.own_words.index("das")
    after, score = lm.score(start, first)
    again, same = lm.score(start, first)
    assert (again, same) == (after, score)
    scored = mkn.score_word(mkn.begin(), "das")
    end = mkn.score_word(scored.state, "</s>")
    assert score == pytest.approx(scored.log_prob / np.log(10), abs=1e-5)
    assert lm.finish(after)[1] == pytest.approx(end.log_prob / np.log(10), abs=1e-5)


def test_words_and_tokens_must_fit(mkn: KneserNey) -> None:
    with pytest.raises(SettingsError, match="no word is spelt"):
        build_ctc_decoder(["-", "|", "q"], mkn)
    lm = DecoderLanguageModel(mkn, ["das"])
    with pytest.raises(SettingsError, match="word number 7 of 1"):
        lm.score(lm.start(False), 7)
