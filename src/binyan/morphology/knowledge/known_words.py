"""Words that are known, wholly or in part: tab-separated rows of word, analysis and root, as in gold files.

    wktAbhm     w/pre ktAb/stem hm/suf      ktb     all of the analysis, and the root
    wktAbhm     w/pre ? hm/suf              _       nothing is known of what stands between
    wktAbhm     w/pre ktAbhm/?              _       the same with the unknown letters written out
    wktAbhm     w|ktA~bhm                   _       a border after w, none between A and b, nothing else
    wktAbhm     _                           ktb     the root alone
    wktAbhm     =ktAbnA                             both words have the same stem

A label may be missing. Alternatives are joined by `;`: what they have in common is known.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import regex

from binyan.errors import InputError
from binyan.text.reading import read_lines

_LABEL = regex.compile(r"(?P<text>.+)/(?P<label>\p{L}+|\?)")
_MOST_READINGS = 2


@dataclass(frozen=True)
class KnownWord:
    """What is known of a word.

    `borders` says of offsets in the word whether a part begins there; of others nothing is known. `labels` are stretches (begin, end)
    with the labels their part may have. The root is one of `roots`. The word has a stem in common with each word of `shares`. `source`
    is the file and line.
    """

    word: str
    borders: Mapping[int, bool] = field(default_factory=dict)
    labels: tuple[tuple[int, int, tuple[str, ...]], ...] = ()
    roots: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()
    source: str = ""

    def to_dict(self) -> dict[str, Any]:
        """For a model file."""
        borders = [[offset, there] for offset, there in sorted(self.borders.items())]
        labels = [[begin, end, list(names)] for begin, end, names in self.labels]
        roots, shares = list(self.roots), list(self.shares)
        return {
            "word": self.word, "borders": borders, "labels": labels, "roots": roots, "shares": shares,
            "source": self.source,
        }  # fmt: skip

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> KnownWord:
        """The inverse of `to_dict`."""
        borders = {int(offset): bool(there) for offset, there in fields["borders"]}
        labels = tuple((int(begin), int(end), tuple(names)) for begin, end, names in fields["labels"])
        return cls(
            fields["word"], borders, labels, tuple(fields["roots"]), tuple(fields["shares"]), fields["source"]
        )  # fmt: skip

    @property
    def says_nothing(self) -> bool:
        """Whether nothing is known of the word after all."""
        return not (self.borders or self.labels or self.roots or self.shares)


KnownSource = str | os.PathLike[str] | Mapping[str, str | Sequence[str]] | Iterable[KnownWord | Sequence[str]]
"""Known words: a file, a mapping of words to analyses ({"walks": "walk/stem s/suf"}), rows, or KnownWord objects."""


def read_known_words(source: KnownSource) -> list[KnownWord]:
    """The known words of a file, a mapping or rows. Raises InputError with the file and line of a row that cannot be read."""
    known: list[KnownWord] = []
    for place, row in _rows(source):
        if isinstance(row, KnownWord):
            known.append(row)
            continue
        try:
            word = known_word(row[0], row[1] if len(row) > 1 else "", row[2] if len(row) > 2 else "")
        except ValueError as error:
            raise InputError(f"{place}: {error}") from None
        known.append(replace(word, source=place))
    return known


def _rows(source: KnownSource) -> Iterator[tuple[str, Any]]:
    if isinstance(source, (str, os.PathLike)):
        for number, line in read_lines(source):
            if line.strip() and not line.startswith("# "):
                yield f"{source}:{number}", line.split("\t")
    elif isinstance(source, Mapping):
        for word, analysis in source.items():
            yield f"known[{word!r}]", [word, *([analysis] if isinstance(analysis, str) else analysis)]
    else:
        for i, row in enumerate(source):
            if isinstance(row, str):
                raise InputError(
                    f"known[{i}]: {row[:40]!r} is one text; give rows of a word, its analysis, and its root"
                )
            yield f"known[{i}]", row


def known_word(word: str, analysis: str, root: str = "") -> KnownWord:
    """One row. Raises ValueError where the analysis does not spell the word, or does so in several ways.

    >>> known_word("wktAbhm", "w/pre ? hm/suf").borders
    {1: True, 5: True, 6: False}
    """
    if not word:
        raise ValueError("the word is missing")
    roots = () if root.strip() in ("", "_") or " " in root.strip() else tuple(root.strip().split(";"))
    analysis = analysis.strip(" ")
    if analysis in ("", "_", "?"):
        known = KnownWord(word, roots=roots)
        if known.says_nothing:
            raise ValueError(f"nothing is said of {word!r}: give its analysis, its root, or both")
        return known
    if analysis.startswith("=") and len(analysis) > 1:
        return KnownWord(word, roots=roots, shares=(analysis[1:],))
    whole = [_reading(word, analysis)]
    if ";" in analysis and (whole[0] is None or isinstance(whole[0], str)):
        whole = [_reading(word, alternative.strip(" ")) for alternative in analysis.split(";")]
    readings = [reading for reading in whole if isinstance(reading, KnownWord)]
    if len(readings) < len(whole):
        raise ValueError(next(reading for reading in whole if isinstance(reading, str)))
    return replace(_common(readings), roots=roots)


def _common(readings: Sequence[KnownWord]) -> KnownWord:
    """What all alternatives say."""
    first, *others = readings
    borders = {o: b for o, b in first.borders.items() if all(r.borders.get(o) == b for r in others)}
    labels = []
    for begin, end, names in first.labels:
        same = [[n for b, e, n in r.labels if (b, e) == (begin, end)] for r in others]
        if all(same):
            labels.append((begin, end, tuple(dict.fromkeys([*names, *(name for s in same for name in s[0])]))))
    return KnownWord(first.word, borders, tuple(labels))


def _reading(word: str, analysis: str) -> KnownWord | str:
    """What an analysis says of the word, or why it cannot be read."""
    if regex.sub(r"[|~]", "", analysis) == word and analysis != word:
        return _marked(word, analysis)
    parts: list[tuple[str | None, str]] = []  # text, None for an unknown stretch; label
    for token in analysis.split(" "):
        match = _LABEL.fullmatch(token)
        parts.append((None, "?") if token == "?" else (match["text"], match["label"]) if match else (token, ""))
    placed = list(_placements(word, [text for text, _ in parts]))
    if not placed:
        return f"the segments {analysis!r} do not spell {word!r}"
    if len(placed) > 1:
        return f"{analysis!r} fits {word!r} in several ways; write out the unknown letters, as in abc/?"
    borders: dict[int, bool] = {}
    labels = []
    begin = 0
    for end, (_, label) in zip(placed[0], parts, strict=True):
        if begin:
            borders[begin] = True
        if label != "?":
            borders |= dict.fromkeys(range(begin + 1, end), False)
        if label not in ("?", ""):
            labels.append((begin, end, (label,)))
        begin = end
    return KnownWord(word, dict(sorted(borders.items())), tuple(labels))


def _marked(word: str, analysis: str) -> KnownWord:
    """`w|ktA~b`: borders that are there, and that are not."""
    borders: dict[int, bool] = {}
    offset = 0
    for character in analysis:
        if character in "|~":
            borders[offset] = character == "|"
        else:
            offset += 1
    return KnownWord(word, {o: there for o, there in borders.items() if 0 < o < len(word)})


def _placements(word: str, texts: Sequence[str | None], begin: int = 0) -> Iterator[tuple[int, ...]]:
    """Where each of the texts ends, for up to two ways to lay them along the word; None fits any letters."""
    if not texts:
        if begin == len(word):
            yield ()
        return
    text = texts[0]
    ends: Iterable[int]
    if text is not None:
        ends = [begin + len(text)] if word.startswith(text, begin) else []
    else:
        ends = range(begin + 1, len(word) + 1) if len(texts) > 1 else [len(word)] if begin < len(word) else []
    found = 0
    for end in ends:
        for rest in _placements(word, texts[1:], end):
            yield (end, *rest)
            found += 1
            if found == _MOST_READINGS:
                return
