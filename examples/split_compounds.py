"""Learn to split compounds from a gold list, split words that were never seen, and see the alternatives.

    python examples/split_compounds.py

The text is the German-like demonstration text; with text and gold lists of your own, replace the first lines of `main`.
"""

from __future__ import annotations

from collections import Counter

from binyan.datasets import german_text
from binyan.evaluation.compounds import evaluate_splits
from binyan.segmentation import SegmentationTable
from binyan.segmentation.compound_splitter import CompoundSplitter
from binyan.segmentation.frequency_splitter import FrequencySplitter
from binyan.signature import Signature


def main() -> None:
    """Train on the compounds of the training part, evaluate on those that only the test part has."""
    text = german_text(seed=1)
    frequencies = Counter(word for sentence in text.train for word in sentence)
    unseen = SegmentationTable(text.segmentations[word] for word in text.unseen_compounds)
    gold = SegmentationTable(row for row in text.segmentations.values() if row.word not in unseen)

    trained = CompoundSplitter.train(gold, frequencies, max_iterations=60)
    untrained = FrequencySplitter.from_counts(frequencies, links=["s", "es", "n", "en", "er"])
    print(f"linking elements learnt: {' '.join(trained.settings['links'][1:])}")
    for name, splitter in (("trained", trained), ("frequencies only", untrained)):
        result = evaluate_splits(splitter.split(unseen), unseen, Signature({"seed": 1}))
        print(f"{name}: F {100 * result.f1:.1f}, with linking elements merged left {100 * result.f1_merged_left:.1f}")

    word = max(unseen, key=len)
    for segmentation, probability in trained.segment(word, n=3):
        print(f"{probability:.4f}  {segmentation}  components: {' '.join(segmentation.components('left'))}")


if __name__ == "__main__":
    main()
