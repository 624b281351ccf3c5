"""KenLM's Python interface in front of every model of the toolkit.

A program that says `import kenlm` runs on our models with `import binyan.compat.kenlm as kenlm`: ARPA files as before, and any
model that `binyan.load` opens. Probabilities are log10, states are the caller's.

Sentences are prepared as the model's training text was; an ARPA file that was not imported with a preparation is split at white
space, as KenLM does.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from binyan import _core
from binyan.files import PathLike
from binyan.model import load_language_model
from binyan.ngram.backoff import BackoffLanguageModel
from binyan.text.vocabulary import END

if TYPE_CHECKING:
    from binyan.language_model import LanguageModel

State = _core.ScorerState
"""The context of a word. Make two, and let each call read one and write the other."""
FullScoreReturn = _core.FullScore
LOG_10 = math.log(10.0)
_REMEMBERED_WORDS = 1 << 16


class Model:
    """A language model as KenLM's `Model`: of an ARPA file, a model file, or a model that is loaded already.

    >>> from binyan import KneserNey
    >>> model = Model(KneserNey(order=2).fit(["a b a b", "a b c"], progress=False))
    >>> "c" in model, "d" in model, model.order
    (True, False, 2)
    >>> before, after = State(), State()
    >>> model.BeginSentenceWrite(before)
    >>> model.BaseScore(before, "a", after) > model.BaseScore(before, "c", after)
    True
    """

    def __init__(self, path: PathLike | bytes | LanguageModel) -> None:
        if isinstance(path, (str, bytes, os.PathLike)):
            self.path = os.fsdecode(path)
            self.language_model = load_language_model(Path(self.path))
        else:
            self.path = ""
            self.language_model = path
        self.order: int = self.language_model.order
        if isinstance(self.language_model, BackoffLanguageModel) and self.language_model.preparation.is_plain:
            self._ask_the_core(self.language_model)

    def _ask_the_core(self, model: BackoffLanguageModel) -> None:
        """Take the methods that are called for every word from the core."""
        scorer = _core.WordScorer(model.native, model.vocabulary.native)
        self.BaseScore = scorer.base_score  # type: ignore[method-assign]
        self.BaseFullScore = scorer.base_full_score  # type: ignore[method-assign]
        self.BeginSentenceWrite = scorer.begin_sentence  # type: ignore[method-assign]
        self.NullContextWrite = scorer.null_context  # type: ignore[method-assign]
        self.score = scorer.score  # type: ignore[method-assign]
        self.full_scores = scorer.full_scores  # type: ignore[assignment]

    def __contains__(self, word: str) -> bool:
        """Whether a word has a probability of its own."""
        return self.language_model.has_own_probability(self._word(word))

    def __repr__(self) -> str:
        return f"<Model from {Path(self.path).name}>" if self.path else f"<Model {self.language_model.description}>"

    def BeginSentenceWrite(self, state: State) -> None:
        """Make `state` that of the beginning of a sentence."""
        state.value = self.language_model.begin()

    def NullContextWrite(self, state: State) -> None:
        """Make `state` one that knows of no words before."""
        state.value = self.language_model.nowhere()

    def BaseScore(self, in_state: State, word: str, out_state: State) -> float:
        """The log10 probability of a word after `in_state`; `out_state` becomes the state after it."""
        return self.BaseFullScore(in_state, word, out_state).log_prob

    def BaseFullScore(self, in_state: State, word: str, out_state: State) -> FullScoreReturn:
        """The same with the length of the n-gram that matched and whether the word is unknown."""
        scored = self.language_model.score_word(in_state.value, self._word(word))
        out_state.value = scored.state
        return FullScoreReturn(scored.log_prob / LOG_10, max(scored.matched, 1), scored.unknown)

    def score(self, sentence: str, bos: bool = True, eos: bool = True) -> float:
        """The log10 probability of a sentence, by default with its beginning and its end."""
        return math.fsum(log_prob for log_prob, _, _ in self.full_scores(sentence, bos, eos))

    def full_scores(self, sentence: str, bos: bool = True, eos: bool = True) -> Iterator[tuple[float, int, bool]]:
        """Of each word: its log10 probability, the length of the n-gram that matched, whether it is unknown."""
        state = State()
        (self.BeginSentenceWrite if bos else self.NullContextWrite)(state)
        for word in [*self.language_model.preparation(sentence), *([END] if eos else [])]:
            full = self.BaseFullScore(state, word, state)
            yield full.log_prob, full.ngram_length, full.oov

    def perplexity(self, sentence: str) -> float:
        """The perplexity of a sentence, its end included."""
        scores = [log_prob for log_prob, _, _ in self.full_scores(sentence)]
        return float(10.0 ** (-math.fsum(scores) / len(scores)))

    @lru_cache(maxsize=_REMEMBERED_WORDS)  # noqa: B019  (models live as long as the program that loads them)
    def _word(self, word: str) -> str:
        """A word as the model's own text has it."""
        if word == END:
            return word
        prepared = self.language_model.preparation.words([word])
        return prepared[0] if prepared else word


LanguageModel = Model  # type: ignore[misc,assignment]  # KenLM's older name of it
