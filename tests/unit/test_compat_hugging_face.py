"""Our models in Hugging Face's `Wav2Vec2ProcessorWithLM`, whose tokeniser and feature extractor are made here: nothing is downloaded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from binyan import CompoundHPYLM, KneserNey
from binyan.datasets.emissions import emissions

pytest.importorskip("pyctcdecode", reason="pyctcdecode is not installed")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")

TEXT = ["das haus ist gross", "die tür ist klein", "das haus hat eine tür", "der garten ist gross"] * 5
TOKENS = ["<pad>", "<unk>", "|", *sorted({c for line in TEXT for c in line} - {" "})]


def processor(model, folder: Path):  # type: ignore[no-untyped-def]
    from binyan.compat.pyctcdecode import build_ctcdecoder

    (folder / "vocab.json").write_text(json.dumps({token: i for i, token in enumerate(TOKENS)}))
    tokeniser = transformers.Wav2Vec2CTCTokenizer(
        str(folder / "vocab.json"), bos_token=None, eos_token=None, word_delimiter_token="|"
    )
    extractor = transformers.Wav2Vec2FeatureExtractor()
    labels = [label for label, _ in sorted(tokeniser.get_vocab().items(), key=lambda item: item[1])]
    return transformers.Wav2Vec2ProcessorWithLM(extractor, tokeniser, build_ctcdecoder(labels, model)), labels


def heard(text: str, labels: list[str], **confusion: str) -> np.ndarray:  # type: ignore[type-arg]
    return emissions(text.replace(" ", "|"), labels, "<pad>", confusion, noise=0.3).astype(np.float32)


def test_the_model_decides_between_letters_that_sound_alike(tmp_path: Path) -> None:
    with_model, labels = processor(KneserNey(order=3).fit(TEXT, progress=False), tmp_path)
    for text in ("das haus ist gross", "der garten ist gross"):
        assert with_model.decode(heard(text, labels, g="k")).text == text
    both = [heard("die tür ist klein", labels, k="g"), heard("das haus hat eine", labels, k="g")]
    frames = max(map(len, both))
    padded = np.stack([np.pad(e, ((0, frames - len(e)), (0, 0)), constant_values=-100.0) for e in both])
    padded[:, :, 0][padded[:, :, 1] == -100.0] = 0.0
    assert with_model.batch_decode(padded, num_processes=1).text == ["die tür ist klein", "das haus hat eine"]


def test_words_never_seen_are_scored_by_an_open_model(tmp_path: Path) -> None:
    segmentation = {"haustür": "haus tür", "gartentür": "garten tür"}
    lines = [f"{w} " * 2 for w in ("haustür", "garten", "tür", "haus")] + TEXT
    model = CompoundHPYLM(order=2, sweeps=20, segmentation=segmentation).fit(lines, progress=False)
    with_model, labels = processor(model, tmp_path)
    assert with_model.decode(heard("die gartentür ist klein", labels, k="g")).text == "die gartentür ist klein"
