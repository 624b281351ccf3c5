"""A language model in torchaudio's CTC decoder, on emissions made from text.

    python examples/decode_torchaudio.py

Needs torchaudio and flashlight-text. With the outputs of a network of your own, replace `emissions`.
"""

from __future__ import annotations

import torch

from binyan import KneserNey
from binyan.compat.torchaudio import build_ctc_decoder
from binyan.datasets import german_text
from binyan.datasets.emissions import emissions

CONFUSION = {"g": "k", "d": "t", "b": "p"}


def main() -> list[tuple[str, str]]:
    """Decode some sentences; gives each with what the decoder makes of it."""
    text = german_text(seed=1)
    train = [" ".join(sentence) for sentence in text.train[:2000]]
    model = KneserNey(order=3).fit(train, progress=False)
    sentences = [" ".join(s) for s in text.test if all(w in model.vocabulary for w in s)][:5]
    tokens = ["-", "|", *sorted({c for line in (*train, *sentences) for c in line} - {" "})]
    decoder = build_ctc_decoder(tokens, model, lm_weight=1.0)
    rows = []
    for sentence in sentences:
        heard = emissions(sentence.replace(" ", "|") + "|", tokens, "-", CONFUSION, noise=0.5)
        best = decoder(torch.tensor(heard, dtype=torch.float32)[None])[0][0]
        rows.append((sentence, " ".join(best.words)))
        print("spoken:  {}\ndecoded: {}\n".format(*rows[-1]))
    return rows


if __name__ == "__main__":
    main()
