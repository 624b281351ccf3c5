"""Any language model as a function of context words: what the decoder calls for models it does not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from binyan.text.vocabulary import END

if TYPE_CHECKING:
    from binyan.language_model import LanguageModel
    from binyan.scores import State

_KEPT_STATES = 200_000


class ContextScorer:
    """log P(word | context words) by any model, words being places in `vocabulary`; a word below 0 is </s>.

    A context shorter than the model's is one at the start of a sentence.
    """

    def __init__(self, model: LanguageModel, vocabulary: Sequence[str]) -> None:
        self._model, self._vocabulary = model, vocabulary
        self._states: dict[tuple[int, ...], State] = {(): model.begin()}

    def __call__(self, context: tuple[int, ...], word: int) -> float:
        """The natural log-probability of a word after a context."""
        return self._model.score_word(self._state(context), END if word < 0 else self._vocabulary[word]).log_prob

    def _state(self, context: tuple[int, ...]) -> State:
        if context not in self._states:
            if len(self._states) > _KEPT_STATES:
                self._states = {(): self._model.begin()}
            state = self._state(context[:-1])
            self._states[context] = self._model.score_word(state, self._vocabulary[context[-1]]).state
        return self._states[context]
