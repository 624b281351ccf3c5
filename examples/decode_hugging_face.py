"""A language model in Hugging Face's `Wav2Vec2ProcessorWithLM`, on emissions made from text.

    python examples/decode_hugging_face.py

Needs transformers and pyctcdecode. Tokeniser and feature extractor are made here; with a network of your own, take its
processor (`Wav2Vec2Processor.from_pretrained`) and the logits that it gives.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from transformers import Wav2Vec2CTCTokenizer, Wav2Vec2FeatureExtractor, Wav2Vec2ProcessorWithLM

from binyan import KneserNey
from binyan.compat.pyctcdecode import build_ctcdecoder
from binyan.datasets import german_text
from binyan.datasets.emissions import emissions

CONFUSION = {"g": "k", "d": "t", "b": "p"}


def main() -> list[tuple[str, str]]:
    """Decode some sentences; gives each with what the processor makes of it."""
    text = german_text(seed=1)
    train = [" ".join(sentence) for sentence in text.train[:2000]]
    model = KneserNey(order=3).fit(train, progress=False)
    sentences = [" ".join(s) for s in text.test if all(w in model.vocabulary for w in s)][:5]
    tokens = ["<pad>", "<unk>", "|", *sorted({c for line in (*train, *sentences) for c in line} - {" "})]
    with tempfile.TemporaryDirectory() as folder:
        vocabulary = Path(folder) / "vocab.json"
        vocabulary.write_text(json.dumps({token: i for i, token in enumerate(tokens)}), encoding="utf-8")
        tokeniser = Wav2Vec2CTCTokenizer(str(vocabulary), bos_token=None, eos_token=None, word_delimiter_token="|")
    labels = [label for label, _ in sorted(tokeniser.get_vocab().items(), key=lambda item: item[1])]
    processor = Wav2Vec2ProcessorWithLM(Wav2Vec2FeatureExtractor(), tokeniser, build_ctcdecoder(labels, model))
    rows = []
    for sentence in sentences:
        logits = emissions(sentence.replace(" ", "|"), labels, "<pad>", CONFUSION, noise=0.5)
        rows.append((sentence, processor.decode(logits).text))
        print("spoken:  {}\ndecoded: {}\n".format(*rows[-1]))
    return rows


if __name__ == "__main__":
    main()
