"""Writes the golden splitters and what they say: python tests/golden/compounds/make.py (only for a new format version)."""

from __future__ import annotations

from pathlib import Path

from binyan.datasets import german_text
from binyan.segmentation import SegmentationTable
from binyan.segmentation.compound_splitter import CompoundSplitter

FOLDER = Path(__file__).parent
WORDS = [
    "Wetterbericht",
    "kinderhändler",
    "post-schiffe",
    "straßenbahn",
    "waldwege",
    "bücher",
    "unbekannt",
    "schulbuslehrer",
]


def main() -> None:
    """Train on a few sentences, save, and write the segmentations of some words."""
    text = german_text(250, 0, seed=5)
    frequencies = {word: 1 + len(word) for sentence in text.train for word in sentence}
    gold = SegmentationTable(row for row in text.segmentations.values() if row.word not in WORDS)
    trained = CompoundSplitter(iterations=30, min_link=2).fit(gold, frequencies, progress=False)
    untrained = CompoundSplitter(links="s n er").fit(text=frequencies)
    for name, splitter in (("trained", trained), ("frequencies", untrained)):
        splitter.save(FOLDER / f"{name}.v1.splitter")
        splitter.split_words(WORDS).write(FOLDER / f"{name}.v1.tsv")


if __name__ == "__main__":
    main()
