"""Where unknown words come: a model of the training text in which words seen once are unknown.

Models that know every word of their training text expect hardly any other. In a mixture with weights by context, this one says in which contexts
words are new, and the development text says how often.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from binyan.language_model import LanguageModel
from binyan.ngram.kneser_ney import KneserNey
from binyan.text import Corpus, Preparation
from binyan.text.vocabulary import UNKNOWN_ID

_ORDER = 3  # enough: longer contexts gain nothing, shorter ones lose two per cent


def unknown_words_model(corpus: Corpus, preparation: Preparation) -> LanguageModel | None:
    """A Kneser-Ney model, over the same vocabulary, of the text with <unk> for words seen once; None where there are none."""
    counts = np.bincount(corpus.words, minlength=len(corpus.vocabulary))
    once = (counts[corpus.words] == 1) & (corpus.words != UNKNOWN_ID)
    if not once.any():
        return None
    words = np.where(once, np.uint32(UNKNOWN_ID), corpus.words).astype(np.uint32)
    return KneserNey(order=_ORDER, preparation=preparation).fit(
        replace(corpus, words=words, outside=()), progress=False
    )
