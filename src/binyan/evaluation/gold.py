"""Gold analyses of words: tab-separated rows of word, segments and root.

Segments are separated by one space and end in a label after their last slash (`w/pre ktAb/stem hm/suf`); the label may be
missing. `_` means none. Alternatives are joined by `;`. A colon may be written `\\:`, as Morpho Challenge does. Further columns
are ignored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from binyan.errors import InputError
from binyan.files import PathLike
from binyan.segmentation import Part, Segmentation
from binyan.text.reading import read_lines


@dataclass(frozen=True)
class GoldWord:
    """A word, its possible segmentations, and its roots."""

    word: str
    segmentations: tuple[Segmentation, ...]
    roots: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        """The stem by the first segmentation; all of the word where no segment is labelled a stem."""
        return "".join(part.text for part in self.segmentations[0] if part.label == "stem") or self.word

    @property
    def has_affix(self) -> bool:
        """Whether the word has more than one segment."""
        return len(self.segmentations[0].parts) > 1


def read_gold(path: PathLike, rewrite: Callable[[str], str] = str) -> list[GoldWord]:
    """The rows of a gold file. `rewrite` changes every text (to drop accents, say); words that then coincide are kept once."""
    words: dict[str, GoldWord] = {}
    for number, line in read_lines(path):
        if not line.strip() or line.startswith("# "):
            continue
        columns = line.split("\t")
        if len(columns) < 2:
            raise InputError(f"{path}:{number}: a gold row has a word, a tab, and its segments; this is {line[:40]!r}")
        alternatives = _alternatives(columns[0], columns[1])
        if not alternatives:
            raise InputError(f"{path}:{number}: the segments {columns[1]!r} do not spell {columns[0]!r}")
        word = rewrite(columns[0])
        segmentations = tuple(_rewritten(parts, rewrite) for parts in alternatives)
        third = columns[2] if len(columns) > 2 else "_"
        roots = () if third in ("_", "") or " " in third else tuple(rewrite(root) for root in third.split(";"))
        words.setdefault(word, GoldWord(word, segmentations, roots))
    if not words:
        raise InputError(f"{path}: there is no gold row in it")
    return list(words.values())


def _alternatives(word: str, text: str) -> list[list[Part]]:
    """Every alternative that spells the word; a semicolon may be a letter of the word, too, and a backslash before a colon."""
    unescaped = text.replace("\\:", ":")
    for candidates in (text.split(";"), [text], unescaped.split(";"), [unescaped]):
        read = [_parts(candidate) for candidate in candidates]
        spelt = [parts for parts in read if "".join(part.text for part in parts) == word]
        if spelt and (len(spelt) == len(read) or len(candidates) == 1):
            return spelt
    return []


def _parts(text: str) -> list[Part]:
    parts = []
    for part in text.strip(" ").split(" "):
        content, slash, label = part.rpartition("/")
        parts.append(Part(content, label) if slash and content and label.isalpha() else Part(part))
    return parts


def _rewritten(parts: list[Part], rewrite: Callable[[str], str]) -> Segmentation:
    """The segmentation with its texts rewritten; a segment of which nothing is left, such as a vowel sign, is dropped."""
    texts = [(rewrite(part.text), part.label) for part in parts]
    kept = tuple(Part(text, label) for text, label in texts if text)
    return Segmentation("".join(part.text for part in kept), kept)


def halves(words: Iterable[GoldWord]) -> tuple[list[GoldWord], list[GoldWord]]:
    """Development and report half, by a digest of each word: the same word always falls in the same half."""
    development: list[GoldWord] = []
    report: list[GoldWord] = []
    for gold in words:
        bit = hashlib.blake2b(gold.word.encode(), digest_size=1).digest()[0] & 1
        (development if bit else report).append(gold)
    return development, report
