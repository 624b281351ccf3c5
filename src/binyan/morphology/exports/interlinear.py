"""Interlinear text by the Leipzig glossing rules: hyphens between morphemes, = at clitics, ~ at reduplication, <> around infixes."""

from __future__ import annotations

import unicodedata

from binyan.morphology.exports.analysed_words import AnalysedWord, AnalysedWords
from binyan.segmentation import Part

_SEPARATORS = {"redup": "~", "clitic": "="}
_LACED = frozenset({"root", "template"})


def interlinear_text(words: AnalysedWords) -> str:
    """Three lines per sentence: words, morphemes, glosses; words below each other, a blank line after each sentence.

    A morpheme without a gloss has its label in capitals instead; a word without an analysis is its own morpheme.
    """
    blocks = []
    for number, sentence in enumerate(words.in_sentences(), 1):
        columns = [(row.word, morpheme_line(row), gloss_line(row, words)) for row in sentence]
        widths = [max(map(_width, column)) for column in columns]
        lines = [
            "  ".join(_padded(column[i], width) for column, width in zip(columns, widths, strict=True)).rstrip()
            for i in range(3)
        ]
        blocks.append(f"({number})\n" + "\n".join(lines) + "\n")
    return "\n".join(blocks)


def morpheme_line(row: AnalysedWord) -> str:
    """The morphemes of a word: `un-do-ing`, `s<um>ulat`, `su~sulat`, `ke-percaya-an`.

    >>> from binyan.segmentation import Segmentation
    >>> morpheme_line(AnalysedWord("sumulat", Segmentation.parse("sumulat", "sulat@0,3,4,5,6/stem um@1,2/inf")))
    's<um>ulat'
    """
    return _joined(row, [piece.text for piece in row.pieces]) if row.pieces else row.word


def gloss_line(row: AnalysedWord, words: AnalysedWords) -> str:
    """The glosses of a word, separated as its morphemes are. A stem around an infix is glossed once, behind the infix."""
    if not row.pieces:
        return words.glosses.get(row.word, "?").replace(" ", ".")
    parts = row.piece_owners
    glosses = [(words.gloss(part) or part.label.upper() or "?").replace(" ", ".") for part in parts]
    for i in range(1, len(parts) - 1):
        if _is_infixed(row.pieces, i):
            glosses[i - 1] = ""
    for i in range(len(parts) - 1):
        if _is_laced(row.pieces, i):
            glosses[i] = ""
    return _joined(row, glosses)


def _joined(row: AnalysedWord, texts: list[str]) -> str:
    pieces = row.pieces
    line = texts[0]
    for i in range(1, len(pieces)):
        before, after = pieces[i - 1].label, pieces[i].label
        if _is_infixed(pieces, i):
            line += f"<{texts[i]}>"
        elif _is_infixed(pieces, i - 1) or _is_laced(pieces, i - 1):
            line += texts[i]
        else:
            separator = next((_SEPARATORS[label] for label in (before, after) if label in _SEPARATORS), "-")
            line += separator + texts[i]
    return line


def _is_infixed(pieces: tuple[Part, ...], i: int) -> bool:
    """Whether a piece is an infix with pieces of one host on both sides."""
    return 0 < i < len(pieces) - 1 and pieces[i].label == "inf" and pieces[i - 1].label == pieces[i + 1].label


def _is_laced(pieces: tuple[Part, ...], i: int) -> bool:
    return 0 <= i < len(pieces) - 1 and pieces[i].label in _LACED and pieces[i + 1].label in _LACED


def _width(text: str) -> int:
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
