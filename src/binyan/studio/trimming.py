"""Words without the punctuation around them: what a text has, a word list should not."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from binyan.text.preparation import Preparation


@dataclass(frozen=True)
class TrimmedPreparation(Preparation):
    """A preparation whose words have no punctuation, symbols or digits at their ends; what has no letter is no word.

    >>> TrimmedPreparation()("«Walk», 12 he said...")
    ['Walk', 'he', 'said']
    """

    def __call__(self, line: str) -> list[str]:
        """The words of `line`."""
        return [word for word in map(trimmed, super().__call__(line)) if word]


def trimmed(word: str) -> str:
    """The word from its first to its last letter or mark; empty where it has no letter."""
    begin, end = 0, len(word)
    while begin < end and unicodedata.category(word[begin])[0] != "L":
        begin += 1
    while end > begin and unicodedata.category(word[end - 1])[0] not in "LM":
        end -= 1
    return word[begin:end]
