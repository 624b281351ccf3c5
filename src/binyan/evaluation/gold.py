"""Gold analyses of words: tab-separated rows of word, segments and root.

Segments are separated by one space and end in a label after their last slash (`w/pre ktAb/stem hm/suf`); the label may be
missing. `_` means none. Alternatives are joined by `;`. Further columns are ignored.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from binyan.errors import InputError
from binyan.text.reading import read_lines

Pieces = tuple[tuple[str, str], ...]  # text and label of each segment


@dataclass(frozen=True)
class GoldWord:
    """A word, its possible segmentations (each a tuple of text and label), and its roots."""

    word: str
    segmentations: tuple[Pieces, ...]
    roots: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        """The stem by the first segmentation; all of the word where no segment is labelled a stem."""
        return "".join(text for text, label in self.segmentations[0] if label == "stem") or self.word

    @property
    def has_affix(self) -> bool:
        """Whether the word has more than one segment."""
        return len(self.segmentations[0]) > 1


def read_gold(path: str | os.PathLike[str], rewrite: Callable[[str], str] = str) -> list[GoldWord]:
    """The rows of a gold file. `rewrite` changes every text (to drop accents, say); words that then coincide are kept once."""
    words: dict[str, GoldWord] = {}
    for number, line in read_lines(path):
        if not line.strip() or line.startswith("# "):
            continue
        columns = line.split("\t")
        if len(columns) < 2:
            raise InputError(f"{path}:{number}: a gold row has a word, a tab, and its segments; this is {line[:40]!r}")
        word = rewrite(columns[0])
        alternatives = _alternatives(columns[0], columns[1])
        if not alternatives:
            raise InputError(f"{path}:{number}: the segments {columns[1]!r} do not spell {columns[0]!r}")
        segmentations = tuple(tuple((rewrite(text), label) for text, label in pieces) for pieces in alternatives)
        third = columns[2] if len(columns) > 2 else "_"
        roots = () if third in ("_", "") or " " in third else tuple(rewrite(root) for root in third.split(";"))
        words.setdefault(word, GoldWord(word, segmentations, roots))
    if not words:
        raise InputError(f"{path}: there is no gold row in it")
    return list(words.values())


def _alternatives(word: str, text: str) -> list[Pieces]:
    """Every alternative that spells the word; a semicolon may be a letter of the word, too."""
    for candidates in (text.split(";"), [text]):
        read = [_pieces(candidate) for candidate in candidates]
        spelt = [pieces for pieces in read if "".join(part for part, _ in pieces) == word]
        if spelt and (len(spelt) == len(read) or len(candidates) == 1):
            return spelt
    return []


def _pieces(text: str) -> Pieces:
    pieces = []
    for part in text.strip(" ").split(" "):
        content, slash, label = part.rpartition("/")
        pieces.append((content, label) if slash and content and label.isalpha() else (part, ""))
    return tuple(pieces)


def halves(words: Iterable[GoldWord]) -> tuple[list[GoldWord], list[GoldWord]]:
    """Development and report half, by a digest of each word: the same word always falls in the same half."""
    import hashlib

    development: list[GoldWord] = []
    report: list[GoldWord] = []
    for gold in words:
        bit = hashlib.blake2b(gold.word.encode(), digest_size=1).digest()[0] & 1
        (development if bit else report).append(gold)
    return development, report
