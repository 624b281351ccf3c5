"""The states that a back-off model goes through in a text, and how likely an unknown word is in each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.language_model import LanguageModel, State
from binyan.text.vocabulary import END, UNKNOWN_ID, refuse_boundaries


class WalkedStates(LanguageModel):
    """What back-off models answer by the states before the events of a text."""

    native: _core.BackoffModel

    def _states(
        self, sentences: Iterable[Sequence[str]]
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint8]]:
        """The state before each event of prepared sentences, its word, and how long the n-gram is that it matches."""
        states, words, matched = list[int](), list[int](), list[int]()
        for sentence in sentences:
            refuse_boundaries(sentence)
            state = self.native.begin()
            for word in (*sentence, END):
                states.append(state)
                words.append(self.vocabulary[word])
                state, _, length = self.native.score(state, words[-1])
                matched.append(length)
        return np.array(states, np.uint32), np.array(words, np.int64), np.array(matched, np.uint8)

    def unknown_chances(self, sentences: Iterable[Sequence[str]]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Log P(<unk> | h) at every event of prepared sentences, and how many words of its context h the model has seen."""
        states, _, _ = self._states(sentences)
        shares = self.native.shares(states, np.full(len(states), UNKNOWN_ID, np.uint32)).reshape(-1, self.order)
        lengths = np.searchsorted(self.native.arrays["context_base"], states, side="right") - 1
        with np.errstate(divide="ignore"):
            return np.log(shares.sum(1)), lengths.astype(np.int64)

    def unknown_chance(self, state: State) -> tuple[float, int]:
        """The same after one state."""
        length = int(np.searchsorted(self.native.arrays["context_base"], state, side="right")) - 1  # type: ignore[call-overload]
        return self.native.score(state, UNKNOWN_ID)[1], length  # type: ignore[arg-type]
