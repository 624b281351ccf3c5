"""What a rule table says of single words and short phrases: their translations by one word each, and which rules it has."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import SettingsError
from binyan.translation.rule_table import RuleTable

PROBABILITY = "TargetGivenSource"
_MOST = 5  # translations of a word
_LEAST_PROBABILITY = 0.01


@dataclass(frozen=True)
class WordTranslation:
    """One word for another: the values of the rule's features, and its probability given the source word."""

    word: str
    features: NDArray[np.float32]
    log_prob: float


class WordTranslations:
    """Translations of words, looked up in the packed rules."""

    def __init__(self, rules: RuleTable) -> None:
        if PROBABILITY not in rules.features:
            raise SettingsError(
                f"new words are made from rules that have the feature {PROBABILITY}; these have {', '.join(rules.features)}"
            )
        self.rules = rules
        self._place = rules.features.index(PROBABILITY)
        arrays = rules.native.arrays
        self._symbol, self._first_child, self._first_rule = (arrays[n] for n in ("symbol", "first_child", "first_rule"))
        self._target, self._target_offset = arrays["target"], arrays["target_offset"]
        self._target_symbols = arrays["target_symbols"]
        self._features = arrays["features"].reshape(len(rules), len(rules.features))
        self._known: dict[str, tuple[WordTranslation, ...]] = {}

    def of(self, word: str) -> tuple[WordTranslation, ...]:
        """The likeliest translations of a word by one word, the best first."""
        if word not in self._known:
            self._known[word] = tuple(self._look_up(word))
        return self._known[word]

    def is_translated(self, word: str) -> bool:
        """Whether any rule translates a word by itself, by one word or several."""
        node = self._node([word])
        return node is not None and bool(self._first_rule[node] < self._first_rule[node + 1])

    def targets(self, source: Sequence[str]) -> set[tuple[str, ...]]:
        """All target sides of a source side without gaps."""
        node, words = self._node(source), self.rules.target.words
        rules = () if node is None else range(self._first_rule[node], self._first_rule[node + 1])
        return {tuple(words[s] for s in self._side(r)) for r in rules}

    def phrases_for(self, words: Collection[str], length: int) -> Iterator[tuple[tuple[str, ...], str]]:
        """The source sides of `length` words, without gaps, that rules translate by one of `words`, each with that word."""
        symbols, offsets = self.rules.native.sources()
        source, target = self.rules.source.words, self.rules.target.words
        is_wanted = np.fromiter((word in words for word in target), bool, len(target))
        first, sizes = self._target_offset[:-1], np.diff(self._target_offset.astype(np.int64))
        single = self._target_symbols[np.minimum(first, len(self._target_symbols) - 1)]
        sides = (sizes == 1) & (single < len(target))
        sides[sides] = is_wanted[single[sides]]
        nodes = np.repeat(np.arange(self.rules.native.nodes), np.diff(self._first_rule.astype(np.int64)))
        of_length = np.diff(offsets.astype(np.int64))[nodes] == length
        for rule in np.flatnonzero(sides[self._target] & of_length).tolist():
            node = nodes[rule]
            side = symbols[int(offsets[node]) : int(offsets[node + 1])].tolist()
            if _core.FIRST_GAP not in side:
                yield tuple(source[s] for s in side), target[self._side(rule)[0]]

    def _look_up(self, word: str) -> list[WordTranslation]:
        node = self._node([word])
        if node is None:
            return []
        first, last = int(self._first_rule[node]), int(self._first_rule[node + 1])
        best = first + np.argsort(-self._features[first:last, self._place], kind="stable")
        found = list[WordTranslation]()
        for rule in best.tolist():
            log_prob, side = float(self._features[rule, self._place]), self._side(rule)
            if len(found) == _MOST or log_prob < np.log(_LEAST_PROBABILITY):
                break
            if len(side) == 1:
                found.append(WordTranslation(self.rules.target.words[side[0]], self._features[rule], log_prob))
        return found

    def _side(self, rule: int) -> list[int]:
        t = self._target[rule]
        side: list[int] = self._target_symbols[self._target_offset[t] : self._target_offset[t + 1]].tolist()
        return side

    def _node(self, source: Sequence[str]) -> int | None:
        node = 0
        for word in source:
            number = self.rules.source.index.get(word)
            first, last = int(self._first_child[node]), int(self._first_child[node + 1])
            place = first + int(np.searchsorted(self._symbol[first:last], 0 if number is None else number))
            if number is None or place == last or self._symbol[place] != number:
                return None
            node = place
        return node
