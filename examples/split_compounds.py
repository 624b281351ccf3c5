"""Learn to split compounds from a gold list, split words that were never seen, and see the alternatives.

    python examples/split_compounds.py

The text is the German-like demonstration text; with text and gold lists of your own, replace the first lines of `main`.
"""

from __future__ import annotations

from collections import Counter

from binyan import CompoundSplitter
from binyan.datasets import german_text
from binyan.evaluation.compounds import evaluate_splitter
from binyan.segmentation import SegmentationTable


def main() -> None:
    """Train on the compounds of the training part, evaluate on those that only the test part has."""
    text = german_text(seed=1)
    frequencies = Counter(word for sentence in text.train for word in sentence)
    unseen = SegmentationTable(text.segmentations[word] for word in text.unseen_compounds)
    gold = SegmentationTable(row for row in text.segmentations.values() if row.word not in unseen)

    trained = CompoundSplitter(iterations=60).fit(gold, frequencies)
    untrained = CompoundSplitter(links="s es n en er").fit(text=frequencies)
    print(trained.description)
    for name, splitter in (("trained", trained), ("frequencies only", untrained)):
        result = evaluate_splitter(splitter, unseen)
        print(f"{name}: F {100 * result.f1:.1f}, with linking elements merged left {100 * result.f1_merged_left:.1f}")

    word = max(unseen, key=len)
    for segmentation in trained.segmentations(word, n=3):
        components = " ".join(segmentation.components("left"))
        print(f"{segmentation.probability:.4f}  {segmentation}  components: {components}")


if __name__ == "__main__":
    main()
