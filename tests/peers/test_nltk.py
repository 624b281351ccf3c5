"""Our Kneser-Ney beside NLTK's `KneserNeyInterpolated`, where both are the same estimator.

NLTK has one discount d for bigrams and takes continuation counts undiscounted below. Ours is that with d for all bigram counts and
discounts of unigrams that are next to nothing. Compared: P(w | h) of all words after every word of the text and after <s>.
"""

from __future__ import annotations

import math

import pytest

from binyan import _core
from binyan.ngram.backoff import context_tree
from binyan.text import Corpus

pytest.importorskip("nltk", reason="NLTK is not installed: make peers")
from nltk.lm import KneserNeyInterpolated
from nltk.lm.preprocessing import padded_everygram_pipeline

TEXT = [line.split() for line in ("a b c a b", "b c a", "a a b d", "c d a b c d d", "d", "a b a b c")]


@pytest.mark.parametrize("discount", [0.1, 0.75])
def test_bigrams_with_one_discount(discount: float) -> None:
    events, padded = padded_everygram_pipeline(2, TEXT)
    theirs = KneserNeyInterpolated(2, discount=discount)
    theirs.fit(events, padded)
    corpus = Corpus.read(TEXT)
    given = [[1e-12] * 3, [discount] * 3]
    ours, _ = _core.estimate_kneser_ney(
        context_tree(corpus, 2), [0], [0.5, 1.0, 1.5], corpus.words, lambda level: None, given
    )
    words = [*"abcd", "</s>"]
    for before in ("<s>", *"abcd"):
        state = ours.begin()
        if before != "<s>":
            state = ours.score(state, corpus.vocabulary[before])[0]
        for word in words:
            probability = math.exp(ours.score(state, corpus.vocabulary[word])[1])
            assert probability == pytest.approx(theirs.score(word, [before]), rel=1e-5), (before, word)
