"""What language models of words and their parts share: one batch of sentences, the mass of the vocabulary, signatures and files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.files import PathLike
from binyan.language_model import LanguageModel, Scores, State
from binyan.signature import Signature
from binyan.text import Corpus
from binyan.text.vocabulary import UNKNOWN_ID


class PartsLanguageModel(LanguageModel):
    """A model that scores a word outside its vocabulary by its parts, unless it is renormalised over the vocabulary."""

    native: Any
    sampling: Any
    fields: dict[str, Any]
    is_renormalised: bool

    @abstractmethod
    def _unseen(self, word: str) -> list[int] | None:
        """The numbers of the parts of a word outside the vocabulary; None where it has no probability of its own."""

    def score_sentences(self, sentences: Iterable[Sequence[str]], threads: int = 1) -> Scores:
        """Score prepared sentences in one batch, each with its </s>."""
        listed = sentences if isinstance(sentences, list) else [list(s) for s in sentences]
        corpus = Corpus.encode(listed, self.vocabulary)
        words, others = self._with_unseen(listed, corpus.words)
        log_prob, matched = self.native.score_sentences(words, corpus.offsets, others, self.is_renormalised, threads)
        offsets = np.add(corpus.offsets, np.arange(len(corpus.offsets)), dtype=np.uint64, casting="unsafe")
        unknown = np.insert(corpus.words == UNKNOWN_ID, corpus.offsets[1:].astype(np.int64), False)
        return Scores(log_prob, matched, unknown, offsets)

    def _with_unseen(
        self, sentences: Sequence[Sequence[str]], words: NDArray[np.uint32]
    ) -> tuple[NDArray[np.uint32], list[list[int]]]:
        """The words by number, those outside the vocabulary that have known parts numbered after it; and their parts."""
        others: list[list[int]] = []
        if self.is_renormalised or not bool((words == UNKNOWN_ID).any()):
            return words, others
        words, numbers = words.copy(), dict[str, int]()
        for place, word in enumerate(word for sentence in sentences for word in sentence):
            if words[place] == UNKNOWN_ID and word not in self.vocabulary:
                if word not in numbers:
                    known = self._unseen(word)
                    numbers[word] = UNKNOWN_ID if known is None else len(self.vocabulary) + len(others)
                    others += [known] if known is not None else []
                words[place] = numbers[word]
        return words, others

    def distribution(self, state: State) -> NDArray[np.float64]:
        """The probability of every word of the vocabulary after `state`, by id; sums to one if renormalised."""
        probabilities: NDArray[np.float64] = self.native.distribution(state, self.is_renormalised)
        return probabilities

    def vocabulary_mass(self, state: State) -> float:
        """What the model, before renormalisation, gives to the words of the vocabulary after `state`."""
        return float(self.native.vocabulary_mass(state))

    def signature(self) -> Signature:
        """How the model was made."""
        more = {"renormalised": "exact"} if self.is_renormalised else {"open": "components"}
        return Signature({"model": self.kind, "order": self.order, **self.fields, **more})

    def save(self, path: PathLike, reduced: bool = False) -> None:
        """Write the model to one file: whole, or without its chains."""
        whole = self.sampling
        self.sampling = None if reduced else whole
        try:
            super().save(path)
        finally:
            self.sampling = whole
