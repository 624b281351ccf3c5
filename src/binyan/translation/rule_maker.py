"""Synthetic rules for sentences: compounds, other forms of words, and translations of words that no rule translates."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from binyan.errors import InputError
from binyan.translation.compound_parts import PutTogether
from binyan.translation.new_rules import (
    COMPOUND,
    COPY,
    FORM,
    PARTS,
    RELATED,
    TRANSLITERATION,
    UNSEEN,
    NewRule,
    PlacedRules,
    added_features,
)
from binyan.translation.new_words import LONGEST_SPAN, NewWords
from binyan.translation.transliteration import main_script
from binyan.translation.word_translations import WordTranslation, WordTranslations

_LONGEST_WORD = 60  # letters; longer words are copied
_MOST_PARTS = 3
_MOST_KEPT = 200_000  # spans whose rules are remembered
_RELATED_MODIFIERS = 2
_RELATED_WORDS = 2
_LIKELY = math.log(0.1)  # log-probability of translations whose forms are offered


class ScriptWarning(UserWarning):
    """A word is written in a script that no transliteration was learnt for."""


class RuleMaker:
    """Makes the synthetic rules of sentences for a rule table. What was made for a span is remembered."""

    def __init__(self, new_words: NewWords, translations: WordTranslations) -> None:
        self.new_words, self.translations = new_words, translations
        self._names = translations.rules.features
        self._kept: dict[tuple[str, ...], tuple[NewRule, ...]] = {}
        self._modifier_forms: dict[str, list[tuple[str, float]]] = {}
        self._strange: set[str | None] = set()

    def rules(self, sentences: Iterable[Sequence[str]]) -> list[NewRule]:
        """All synthetic rules that can be used in some sentences, each once, in the order of the text."""
        return list({id(rule): rule for placed in self.placed(sentences) for rule in placed.rules}.values())

    def placed(self, sentences: Iterable[Sequence[str]]) -> list[PlacedRules]:
        """The synthetic rules of some sentences where they can be used, sentence by sentence."""
        return [
            PlacedRules(number, first, last, rules)
            for number, sentence in enumerate(sentences)
            for first in range(len(sentence))
            for last in range(first + 1, min(first + LONGEST_SPAN, len(sentence)) + 1)
            if (rules := self._of_span(tuple(sentence[first:last])))
        ]

    def _of_span(self, span: tuple[str, ...]) -> tuple[NewRule, ...]:
        if span not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[span] = tuple(self._made(span))
        return self._kept[span]

    def _made(self, span: tuple[str, ...]) -> Iterator[NewRule]:
        if len(span) > 1:
            yield from self._compounds(span)
        elif self.translations.is_translated(span[0]):
            yield from self._forms(span[0])
        elif _may_be_translated(span[0]):
            yield from self._unknown(span[0])

    # Compounds of translated words.

    def _compounds(self, span: tuple[str, ...]) -> list[NewRule]:
        if not all(self.translations.is_translated(word) for word in (span[0], span[-1])):
            return []
        made = list[NewRule]()
        for pattern, share in self.new_words.patterns_of(span):
            made += self._joined(span, *pattern.parts(span), math.log(share), (COMPOUND,))
        known = self.translations.targets(span)
        return self._best([rule for rule in made if rule.target not in known], self.new_words.settings.compounds)

    def _joined(
        self, span: tuple[str, ...], modifier: str, head: str, log_prob: float, kinds: tuple[str, ...]
    ) -> Iterator[NewRule]:
        for first in self.translations.of(modifier):
            for last in self.translations.of(head):
                for form, share in self._modifiers(first.word):
                    for compound in self.new_words.target.compounds.joined(form, last.word):
                        rule = self._compound_rule(span, compound, (first, last), log_prob + share, kinds)
                        if rule is not None:
                            yield rule

    def _modifiers(self, word: str) -> list[tuple[str, float]]:
        """The forms of a word in which it may be a modifier, and the logarithm of how usual they are."""
        if word not in self._modifier_forms:
            target = self.new_words.target
            related = (f for f in target.forms.related(word) if target.compounds.is_modifier(f.word))
            forms = [(form.word, math.log(form.share)) for form in islice(related, _RELATED_MODIFIERS)]
            self._modifier_forms[word] = [(word, 0.0), *forms]
        return self._modifier_forms[word]

    def _compound_rule(
        self,
        span: tuple[str, ...],
        compound: PutTogether,
        parts: tuple[WordTranslation, WordTranslation],
        log_prob: float,
        kinds: tuple[str, ...],
    ) -> NewRule | None:
        log_prob += compound.log_prob
        target = self.new_words.target
        if compound.word not in target.counts:
            attested = target.compounds.is_modifier(compound.modifier) and target.compounds.is_head(compound.head)
            if not attested or log_prob < self.new_words.settings.least_log_prob:
                return None
            kinds = (*kinds, UNSEEN)
        features = added_features(self._names, [part.features for part in parts])
        return NewRule(span, (compound.word,), kinds, log_prob, features, compound.parts)

    # Other forms of translations.

    def _forms(self, word: str) -> list[NewRule]:
        known, made = self.translations.targets((word,)), list[NewRule]()
        for translation in self._likely(word):
            features = added_features(self._names, [translation.features])
            for form in self.new_words.target.forms.related(translation.word):
                if (form.word,) not in known:
                    made.append(NewRule((word,), (form.word,), (FORM,), math.log(form.share), features))
        return self._best(made, self.new_words.settings.forms)

    # Words that no rule translates.

    def _unknown(self, word: str) -> list[NewRule]:
        makers: tuple[Callable[[str], Iterable[NewRule]], ...] = (self._related, self._by_parts, self._written)
        made = self._best([rule for maker in makers for rule in maker(word)], self.new_words.settings.unknown)
        if made and (word,) not in [rule.target for rule in made]:
            made.append(NewRule((word,), (word,), (COPY,), 0.0, added_features(self._names, [])))
        return made

    def _related(self, word: str) -> Iterator[NewRule]:
        """Translations of other forms of the word."""
        for translation, share in self._translations_of_forms(word):
            features = added_features(self._names, [translation.features])
            yield NewRule((word,), (translation.word,), (RELATED,), share, features)

    def _translations_of_forms(self, word: str) -> Iterator[tuple[WordTranslation, float]]:
        related = [f for f in self.new_words.source.forms.related(word) if self._likely(f.word)]
        for form in related[:_RELATED_WORDS]:
            for translation in self._likely(form.word):
                yield translation, math.log(form.share)

    def _likely(self, word: str) -> list[WordTranslation]:
        return [t for t in self.translations.of(word) if t.log_prob >= _LIKELY]

    def _by_parts(self, word: str) -> Iterator[NewRule]:
        """Translations of the parts of the word, one after the other, or joined to a compound."""
        parts = [p.text for p in self.new_words.source_splitter.split(word) if not p.linking]
        if not 1 < len(parts) <= _MOST_PARTS or not all(map(self.translations.of, parts)):
            return
        if len(parts) == 2:
            yield from self._joined((word,), parts[0], parts[1], 0.0, (PARTS, COMPOUND))
        ways: list[tuple[WordTranslation, ...]] = [()]
        for part in parts:
            ways = [(*way, translation) for way in ways for translation in self.translations.of(part)[:2]]
        for way in ways:
            features = added_features(self._names, [translation.features for translation in way])
            yield NewRule((word,), tuple(t.word for t in way), (PARTS,), 0.0, features)

    def _written(self, word: str) -> Iterator[NewRule]:
        """The word in the target's script."""
        own, target = main_script([word]), self.new_words.target_script
        if own is None or target is None or own == target:
            return
        try:
            if self.new_words.transliterator is None:
                raise InputError(f"{word!r} is written in the script {own}, and no transliteration was learnt")
            written = self.new_words.transliterator(word)
        except InputError as error:
            if own not in self._strange:
                self._strange.add(own)
                warnings.warn(f"{error}; such words are copied", ScriptWarning, stacklevel=2)
            return
        yield NewRule((word,), (written,), (TRANSLITERATION,), 0.0, added_features(self._names, []))

    def _best(self, rules: Iterable[NewRule], most: int) -> list[NewRule]:
        """The best rule for each target side, at most `most` of them: words that were seen before all others."""
        ranked = sorted(rules, key=lambda rule: (UNSEEN in rule.kinds, -self._score(rule), rule.target))
        best: dict[tuple[str, ...], NewRule] = {}
        for rule in ranked:
            best.setdefault(rule.target, rule)
        return list(best.values())[:most]

    def _score(self, rule: NewRule) -> float:
        return float(rule.features[self._names.index("TargetGivenSource")]) + rule.log_prob


def _may_be_translated(word: str) -> bool:
    """Whether an unknown word is a word rather than a number or a sign."""
    return len(word) <= _LONGEST_WORD and any(map(str.isalpha, word)) and not any(map(str.isdigit, word))
