"""A decoder that also writes words the bitext does not have: synthetic rules are made for the sentences it is given."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.language_model import LanguageModel
from binyan.progress import ProgressOption
from binyan.translation.decoder import Decoder, DecoderSettings, DerivationLists, HypothesisLists
from binyan.translation.new_rules import NEW_FEATURES, NEW_START, NewRule, packed
from binyan.translation.new_words import NewWords
from binyan.translation.rule_maker import RuleMaker
from binyan.translation.rule_table import RuleTable
from binyan.translation.target_words import EncodedSentences, TargetWords
from binyan.translation.word_translations import WordTranslations

_MOST_OPENED = 20_000  # target words that extend the vocabulary of a log-bilinear model, the most frequent
_MOST_NEW = 500_000  # words beyond those of the rules, after which a decoder begins anew


class NewWordDecoder(Decoder):
    """A decoder whose rules are those of a table and the synthetic ones of `new_words`.

    The rules of some sentences do not depend on what else is translated with them.
    """

    more_features: ClassVar[tuple[str, ...]] = NEW_FEATURES
    sentences_at_once: ClassVar[int] = 500

    def __init__(
        self,
        rules: RuleTable,
        new_words: NewWords,
        models: Sequence[LanguageModel] = (),
        weights: Mapping[str, float] | None = None,
        settings: DecoderSettings | None = None,
    ) -> None:
        self.maker = RuleMaker(new_words, WordTranslations(rules))
        self._lock = threading.Lock()
        self._successor: NewWordDecoder | None = None
        fields = {**rules.fields, "new_words": new_words.signature().digest}
        table = RuleTable(rules.native, rules.source, rules.target, rules.features, fields)
        models = [opened(model, new_words) for model in models]
        super().__init__(table, models, {**NEW_START, **(weights or {})}, settings)

    def new_rules(self, sentences: Sequence[Sequence[str]]) -> list[NewRule]:
        """The synthetic rules that can be used in some sentences."""
        return self.maker.rules(sentences)

    def k_best(
        self,
        sentences: Sequence[Sequence[str]],
        k: int,
        distinct: bool = False,
        threads: int = 1,
        progress: ProgressOption = None,
    ) -> HypothesisLists:
        """The k best derivations of each sentence (with `distinct`, translations), best first."""
        return Decoder.k_best(self._current(), sentences, k, distinct, threads, progress)

    def hypergraph(self, sentence: Sequence[str]) -> _core.Hypergraph:
        """The packed translations of one sentence of one word or more."""
        return Decoder.hypergraph(self._current(), sentence)

    def derivations(self, sentence: Sequence[str], k: int) -> DerivationLists:
        """The k best translations of one sentence of one word or more, all different, with the edges they are made of."""
        return Decoder.derivations(self._current(), sentence, k)

    def changed(
        self, weights: Mapping[str, float] | None = None, settings: DecoderSettings | None = None
    ) -> NewWordDecoder:
        """The decoder under other weights or settings; rules, models and words are shared with this one."""
        other = super().changed(weights, settings)
        assert isinstance(other, NewWordDecoder)
        other._successor = None
        return other

    def _current(self) -> NewWordDecoder:
        """The decoder that does the work: itself, or after very many new words one that begins anew, so that memory stays bounded."""
        with self._lock:
            working = self._successor or self
            if len(working._target.words) > len(self.rules.target) + _MOST_NEW:
                working = self._successor = self.changed()
                working._target = TargetWords(self.rules, self.models)
                working._lock, working._native = threading.Lock(), working._make_native()
            return working

    def _ready(self, sentences: Sequence[Sequence[str]]) -> tuple[_core.Decoder, EncodedSentences]:
        with self._lock:
            placed = self.maker.placed(sentences)
        rules = [rule for spot in placed for rule in spot.rules]
        parts = [rule.parts for rule in rules if rule.parts is not None]
        target = self._target.add((word for rule in rules for word in rule.target), parts)
        made = packed(placed, len(self.rules.features), len(sentences), target)
        return self._native, self._target.encode(sentences)._replace(rules=made)


def make_decoder(
    rules: RuleTable,
    models: Sequence[LanguageModel],
    weights: Mapping[str, float] | None,
    settings: DecoderSettings,
    new_words: Path | None,
) -> Decoder:
    """A decoder; with the file of `new_words`, one that makes them."""
    if new_words is None:
        return Decoder(rules, models, weights, settings)
    if not new_words.exists():
        raise SettingsError(
            f"{new_words.parent}: the system makes no new words; run the command that made it again, with --new-words"
        )
    return NewWordDecoder(rules, NewWords.load(new_words), models, weights, settings)


def opened(model: LanguageModel, new_words: NewWords) -> LanguageModel:
    """A language model that gives target words outside its vocabulary probabilities of their own, where it can.

    It is told the parts of these words: models of compounds and of inflection make them of their parts, log-bilinear ones compose
    their vectors. Models that know whole words only stay as they are.
    """
    target = new_words.target
    strange = sorted((w for w in target.counts if w not in model.vocabulary), key=lambda w: (-target.counts[w], w))
    strange = strange[:_MOST_OPENED]
    model.tell_parts([parts for word in strange if (parts := target.parts(word)) is not None])
    try:
        return model.opened(strange)
    except (SettingsError, InputError):
        return model
