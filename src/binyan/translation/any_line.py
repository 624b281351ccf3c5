"""Lines of any length made fit for the decoder, and their translations put together again.

A line with more words than the decoder takes is translated in pieces. A word that is too long to be one, such as encoded binary data, is
copied, and models see a short word in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from binyan.text.reading import LONGEST_WORD

_ENDS = frozenset(".!?…。！？؟।")
_STAND_IN = "\U0010fffd"  # a character of private use, which no text has


class FittedLines:
    """Prepared lines as pieces that a decoder takes.

    >>> lines = FittedLines([["a", "b", ".", "c", "d"], [], ["x" * 2000, "e"]], longest=4)
    >>> [len(piece) for piece in lines.pieces], max(len(w) for piece in lines.pieces for w in piece)
    ([3, 2, 0, 2], 3)
    >>> [len(text) for text in lines.joined(["A B .", "C D", "", lines.pieces[3][0] + " E"])]
    [9, 0, 2002]
    """

    def __init__(self, sentences: Sequence[Sequence[str]], longest: int) -> None:
        self.pieces: list[list[str]] = []
        self._counts: list[int] = []
        self._long_words: list[dict[str, str]] = []
        for sentence in sentences:
            words, replaced = _shortened(sentence)
            pieces = list(_cut(words, longest))
            self.pieces += pieces
            self._counts.append(len(pieces))
            self._long_words.append(replaced)

    def joined(self, translations: Iterable[str]) -> Iterator[str]:
        """The translation of each line, given those of all pieces; long words are back in their places."""
        remaining = iter(translations)
        for count, long_words in zip(self._counts, self._long_words, strict=True):
            text = " ".join(islice(remaining, count))
            for stand_in, word in long_words.items():
                text = text.replace(stand_in, word)
            yield text


def _cut(words: list[str], longest: int) -> Iterator[list[str]]:
    """Pieces of at most `longest` words, cut after the end of a sentence where the second half of a piece has one."""
    while len(words) > longest:
        ends = [i for i in range(longest // 2, longest) if words[i] in _ENDS]
        at = ends[-1] + 1 if ends else longest
        yield words[:at]
        words = words[at:]
    yield words


def _shortened(sentence: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """A sentence with a stand-in for each word that is too long, and the words they stand for."""
    if all(len(word) <= LONGEST_WORD for word in sentence):
        return list(sentence), {}
    stand_ins: dict[str, str] = {}
    for word in sentence:
        if len(word) > LONGEST_WORD and word not in stand_ins:
            stand_ins[word] = f"{_STAND_IN}{len(stand_ins)}{_STAND_IN}"
    return [stand_ins.get(word, word) for word in sentence], {short: word for word, short in stand_ins.items()}
