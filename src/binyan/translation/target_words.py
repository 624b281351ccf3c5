"""The words a decoder can write, and its language models over them: made once, and extended by words that are copied from the source."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError
from binyan.language_model import LanguageModel
from binyan.segmentation import Segmentation
from binyan.text.vocabulary import SPECIALS, UNKNOWN_ID
from binyan.translation.rule_table import RuleTable


class EncodedSentences(NamedTuple):
    """Sentences as the core takes them: ids of source words, ids of the same words as copies, where sentences begin.

    `vocabulary` has the words that ids of translations stand for. `rules`: rules that were made for these sentences alone.
    """

    words: NDArray[np.uint32]
    copies: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    vocabulary: Sequence[str]
    rules: _core.SpanRules | None = None


class TargetWords:
    """The target words of a rule table, then every other word met so far, which a translation may copy.

    `words` only grows, so that an id means one word for ever. Decoders that differ in weights, settings or rules share one object, and what
    its `models` have answered. Safe from several threads.
    """

    def __init__(self, rules: RuleTable, models: Sequence[LanguageModel]) -> None:
        self.words: list[str] = list(rules.target.words)
        self.copied = 0  # characters of the words that were added
        self._index = dict(rules.target.index)
        self._source = rules.source.index
        self._models = list(models)
        self._lock = threading.Lock()
        self.features: list[Any] = [model.decoder_feature(self.words) for model in self._models]
        self.models = _core.DecoderModels(self.features)

    def add(self, words: Iterable[str], parts: Sequence[Segmentation] = ()) -> Mapping[str, int]:
        """The ids of all words, with those of `words`; `parts` of some of them are told to the models, which may look inside words."""
        with self._lock:
            for model in self._models:
                model.tell_parts(parts)
            for word in words:
                self._id(word)
            self._extend_features()
        return self._index

    def encode(self, sentences: Sequence[Sequence[str]]) -> EncodedSentences:
        """Sentences as ids, of source words by those of the rule table; words not met before are added."""
        words, copies, offsets = array("I"), array("I"), array("Q", [0])
        with self._lock:
            for sentence in sentences:
                for word in sentence:
                    if word in SPECIALS:
                        raise InputError(
                            f"a sentence to translate holds {word} as a word, which is a mark of language models"
                        )
                    words.append(self._source.get(word, UNKNOWN_ID))
                    copies.append(self._id(word))
                offsets.append(len(words))
            self._extend_features()
        return EncodedSentences(
            np.frombuffer(words.tobytes(), np.uint32),
            np.frombuffer(copies.tobytes(), np.uint32),
            np.frombuffer(offsets.tobytes(), np.uint64),
            self.words,
        )

    def _id(self, word: str) -> int:
        number = self._index.get(word)
        if number is None:
            self.words.append(word)
            self.copied += len(word)
            number = self._index[word] = len(self.words) - 1
        return number

    def _extend_features(self) -> None:
        for model, feature in zip(self._models, self.features, strict=True):
            new = self.words[feature.words :]
            if new:
                feature.extend(*model.decoder_words(new))
