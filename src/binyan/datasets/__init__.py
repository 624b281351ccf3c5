"""Data to try things on, made by small grammars of our own: German-like text with compounds, Semitic-like words.

The same seed gives the same data.
"""

from __future__ import annotations

from pathlib import Path

from binyan.datasets.german import GermanText, german_text
from binyan.datasets.semitic import SemiticWord, semitic_words
from binyan.files import PathLike, write_text

_SENTENCES, _TEST, _WORDS = 4000, 400, 1200


def write(folder: PathLike, seed: int = 1) -> tuple[GermanText, list[SemiticWord]]:
    """Write the data as the files a user would have: train.txt, test.txt, compounds.tsv, words.txt, roots.tsv."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    text = german_text(_SENTENCES, _TEST, seed)
    words = semitic_words(_WORDS, seed, "arabic")
    for name, sentences in (("train.txt", text.train), ("test.txt", text.test)):
        write_text(place / name, "".join(" ".join(s) + "\n" for s in sentences))
    text.segmentations.write(place / "compounds.tsv")
    write_text(place / "words.txt", "".join(w.word + "\n" for w in words))
    write_text(place / "roots.tsv", "".join(f"{w.word}\t{w.root}\n" for w in words))
    return text, words


__all__ = ["GermanText", "SemiticWord", "german_text", "semitic_words", "write"]
