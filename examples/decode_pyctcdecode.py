"""Two language models in pyctcdecode's beam search, on emissions made from text: one knows its words only, one also what they are made of.

    python examples/decode_pyctcdecode.py

Needs pyctcdecode (`pip install --no-deps pyctcdecode pygtrie`). With the outputs of a network of your own, replace `emissions`.
"""

from __future__ import annotations

from binyan import CompoundHPYLM, KneserNey
from binyan.compat.pyctcdecode import build_ctcdecoder
from binyan.datasets import german_text
from binyan.datasets.emissions import emissions

CONFUSION = {"g": "k", "d": "t", "b": "p"}


def main() -> list[tuple[str, str, str]]:
    """Decode sentences with compounds that neither model has seen; gives each with what the two models make of it."""
    text = german_text(seed=1)
    train = [" ".join(sentence) for sentence in text.train[:2000]]
    seen = {word for line in train for word in line.split()}
    mkn = KneserNey(order=3).fit(train, progress=False)
    compound = CompoundHPYLM(order=3, sweeps=20, segmentation=text.segmentations, vocabulary=mkn.vocabulary)
    compound.fit(train, progress=False)
    sentences = [" ".join(s) for s in text.test if any(w not in seen and w in text.segmentations for w in s)][:5]
    labels = [" ", *sorted({c for line in (*train, *sentences) for c in line} - {" "}), ""]
    decoders = [build_ctcdecoder(labels, model) for model in (mkn, compound)]
    rows = []
    for sentence in sentences:
        heard = emissions(sentence, labels, "", CONFUSION, noise=0.5)
        rows.append((sentence, *(decoder.decode(heard) for decoder in decoders)))
        print("spoken: {}\nmkn:    {}\nhpylm+g {}\n".format(*rows[-1]))
    return rows


if __name__ == "__main__":
    main()
