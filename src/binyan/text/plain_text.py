"""Plain text files straight to word numbers by the core, for corpora that need no preparation: same words, no Python loop."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.progress import Progress, ProgressOption
from binyan.text.preparation import Preparation
from binyan.text.reading import LONGEST_LINE, LONGEST_WORD, Source, is_conllu, open_text, refuse_file_names

Numbers = tuple[NDArray[np.uint32], NDArray[np.uint64]]
_BLOCK = 4_000_000  # bytes


def is_plain(source: Source, preparation: Preparation | None) -> bool:
    """Whether `source` is a text file whose words are just what white space separates."""
    path = isinstance(source, (str, os.PathLike))
    return path and not is_conllu(source) and (preparation is None or preparation.is_plain)  # type: ignore[arg-type]


def new_numbers(paths: Sequence[Source], progress: ProgressOption = None) -> tuple[list[str], Numbers] | None:
    """The words of plain text files in the order they first occur, and the sentences in numbers of them, from 0.

    None where anything is not clean text: `read_sentences` then says what and where.
    """
    index = _core.WordIndex()
    numbers = _read(paths, lambda block: index.add_text(block, LONGEST_WORD), progress)
    return None if numbers is None else (index.words().decode().split("\n") if len(index) else [], numbers)


def known_numbers(path: Source, index: _core.WordIndex, missing: int = 0) -> Numbers | None:
    """The sentences of a plain text file in numbers of words that are given; None as for `new_numbers`."""
    return _read([path], lambda block: index.encode(block, missing, LONGEST_WORD), False)


def numbers_of_lines(lines: Source, index: _core.WordIndex, missing: int = 0) -> Numbers | None:
    """The same of a list of sentences that are strings; None where they are anything else, or not clean text."""
    if not isinstance(lines, (list, tuple)) or not all(isinstance(line, str) for line in lines):
        return None
    refuse_file_names(lines)
    text = "\n".join(lines)
    if text.count("\n") != len(lines) - 1:
        return None
    return index.encode(text.encode("utf-8", "surrogatepass"), missing, LONGEST_WORD)


class NotPlain(Exception):
    """Text that is not clean: `read_sentences` says what is wrong with it, and where."""


def numbered_blocks(
    paths: Sequence[Source], number: Callable[[bytes], Numbers | None], progress: ProgressOption
) -> Iterator[Numbers]:
    """Plain text files in blocks of whole lines, each as `number` gives it; raises NotPlain where it gives none."""
    with Progress("MB read", show=progress) as bar:
        for path in paths:
            with open_text(path) as source:  # type: ignore[arg-type]
                first = True
                while True:
                    try:
                        block = source.read(_BLOCK)
                        tail = b"" if block.endswith(b"\n") else source.readline(LONGEST_LINE)
                    except Exception as error:  # what cannot be unpacked: each format has errors of its own
                        raise NotPlain from error
                    if not block:
                        break
                    if len(tail) == LONGEST_LINE:
                        raise NotPlain
                    numbers = number((block + tail).removeprefix(b"\xef\xbb\xbf" if first else b""))
                    if numbers is None:
                        raise NotPlain
                    yield numbers
                    first = False
                    bar.advance(_BLOCK // 1_000_000)


def _read(
    paths: Sequence[Source], number: Callable[[bytes], Numbers | None], progress: ProgressOption
) -> Numbers | None:
    words: list[NDArray[np.uint32]] = []
    ends = [np.zeros(1, np.uint64)]
    total = 0
    try:
        for ids, offsets in numbered_blocks(paths, number, progress):
            words.append(ids)
            ends.append(offsets[1:] + np.uint64(total))
            total += len(ids)
    except NotPlain:
        return None
    return np.concatenate(words) if words else np.zeros(0, np.uint32), np.concatenate(ends)
