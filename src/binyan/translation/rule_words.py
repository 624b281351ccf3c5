"""Which words of a rule answer each other, by the translation probabilities of single words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from binyan import _core
from binyan.translation.rule_table import RuleTable

_PROBABILITIES = ("TargetGivenSource", "SourceGivenTarget")
_LOWEST = -7.0  # of log p(t|s) p(s|t): below it two words stand in one rule by chance
_NEARNESS = 1e-6  # decides between equals
_REMEMBERED = 4096  # source words


class RuleWords:
    """Links between the words of the two sides of a rule.

    A rule table keeps no alignment. It has the rules of one word on each side, though, and they tell how well two words go together:
    p(t|s) p(s|t), where the table has these features. Keep one object for a text: it remembers frequent words.
    """

    def __init__(self, rules: RuleTable) -> None:
        self._source, self._target = rules.source.index, rules.target.index
        arrays = rules.native.arrays
        first, last = (int(n) for n in arrays["first_child"][:2])
        self._first_node, self._symbols = first, arrays["symbol"][first:last]
        self._first_rule, self._target_of = arrays["first_rule"], arrays["target"]
        self._target_offset, self._target_symbols = arrays["target_offset"], arrays["target_symbols"]
        self._values = arrays["features"].reshape(len(rules), len(rules.features))
        self._columns = [rules.features.index(name) for name in _PROBABILITIES if name in rules.features]
        self._translations = lru_cache(_REMEMBERED)(self._look_up)

    def links(self, source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
        """Pairs of positions, in order.

        Every word is linked to the one that it goes best with, of equals to the one at the same relative place. Words that go
        with none are linked to each other where both sides have such words, and else to nothing.
        """
        strength = np.full((len(source), len(target)), -np.inf)
        for i, word in enumerate(source):
            translations = self._translations(self._source.get(word, _core.FIRST_GAP))
            for j, other in enumerate(target):
                apart = abs(i / len(source) - j / len(target))
                strength[i, j] = translations.get(self._target.get(other, -1), -np.inf) - _NEARNESS * apart
        known = strength > _LOWEST
        pairs = {(i, int(strength[i].argmax())) for i in range(len(source)) if known[i].any()}
        pairs |= {(int(strength[:, j].argmax()), j) for j in range(len(target)) if known[:, j].any()}
        left = set(range(len(source))) - {i for i, _ in pairs}
        right = set(range(len(target))) - {j for _, j in pairs}
        return sorted(pairs | {(i, j) for i in left for j in right})

    def _look_up(self, word: int) -> dict[int, float]:
        """How well target words go with a source word; all by their ids."""
        node = int(np.searchsorted(self._symbols, word))
        if word == _core.FIRST_GAP or node == len(self._symbols) or self._symbols[node] != word:
            return {}
        node += self._first_node
        rules = np.arange(int(self._first_rule[node]), int(self._first_rule[node + 1]))
        first = self._target_offset[self._target_of[rules]]
        single = self._target_offset[self._target_of[rules] + 1] - first == 1
        words = self._target_symbols[first[single]]
        strength = self._values[rules[single]][:, self._columns].sum(axis=1, dtype=np.float64)
        return dict(zip(words.tolist(), strength.tolist(), strict=True))
