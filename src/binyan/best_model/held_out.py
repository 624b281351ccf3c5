"""Development text: given, or split off the training text in blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.progress import ProgressOption
from binyan.text import Corpus, Preparation, VocabularyPolicy
from binyan.text.corpus import vocabulary_of
from binyan.text.reading import Source, read_sentences
from binyan.text.vocabulary import SPECIALS, UNKNOWN_ID

_BLOCK = 50  # lines
_LEAST_BLOCKS = 24
_EVERY = 12  # of small texts every twelfth block is held out
_ENOUGH = 60_000  # tokens of development text


@dataclass(frozen=True)
class Texts:
    """Training text with its vocabulary, development sentences, and where these come from."""

    corpus: Corpus
    development: list[list[str]]
    origin: str

    @classmethod
    def read(
        cls,
        text: Source | Sequence[Source],
        development: Source | None,
        preparation: Preparation,
        policy: VocabularyPolicy,
        progress: ProgressOption = None,
    ) -> Texts:
        """Training text, and development text that is given or split off it."""
        if development is None:
            return cls._split(Corpus.read(text, preparation, None, progress), text, policy)
        corpus = Corpus.read(text, preparation, policy, progress)
        sentences = [list(s) for s in read_sentences(development, preparation)]
        if not sentences:
            raise InputError("the development text holds no sentence")
        return cls(corpus, sentences, "as given")

    @classmethod
    def _split(cls, whole: Corpus, text: Source | Sequence[Source], policy: VocabularyPolicy) -> Texts:
        """Hold out every k-th block of lines; the vocabulary is that of the rest."""
        if whole.sentences < 2:
            raise InputError("one sentence cannot be split into training and development text: give a longer text")
        block = max(1, min(_BLOCK, whole.sentences // _LEAST_BLOCKS))
        every = max(2, min(_EVERY, whole.sentences // block), math.ceil(len(whole.words) / _ENOUGH))
        held_out = (np.arange(whole.sentences) // block) % every == every - 1
        if not held_out.any():
            held_out[-1] = True
        development = [whole.decode(int(i)) for i in np.flatnonzero(held_out)]
        origin = f"every {every}th block of {block} lines of the text, which models do not learn from"
        return cls(_without(whole, held_out, text, policy), development, origin)


def _without(
    whole: Corpus, held_out: NDArray[np.bool_], text: Source | Sequence[Source], policy: VocabularyPolicy
) -> Corpus:
    """The sentences that are not held out, with a vocabulary of their own."""
    lengths: NDArray[np.int64] = (whole.offsets[1:] - whole.offsets[:-1]).astype(np.int64)
    words = whole.words[np.repeat(~held_out, lengths)]
    offsets = np.concatenate([[0], np.cumsum(lengths[~held_out])]).astype(np.uint64)
    counts = np.bincount(words, minlength=len(whole.vocabulary))
    seen = np.flatnonzero(counts[len(SPECIALS) :]) + len(SPECIALS)
    types = [whole.vocabulary.words[i] for i in seen]
    vocabulary = vocabulary_of(types, counts[seen], text, policy)
    renamed = np.full(len(whole.vocabulary), UNKNOWN_ID, np.uint32)
    renamed[seen] = [vocabulary[word] for word in types]
    ids = renamed[words]
    outside = tuple(whole.vocabulary.words[i] for i in words[ids == UNKNOWN_ID].tolist())
    return Corpus(ids, offsets, vocabulary, outside)
