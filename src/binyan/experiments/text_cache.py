"""Prepared text kept on disk, since tokenising tens of millions of words is slow and many experiments read the same text."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from binyan.files import replacing
from binyan.progress import Progress, ProgressOption
from binyan.signature import digest
from binyan.text import Preparation, read_lines

_LINES = 5_000  # lines that a process prepares at a time


def cached_text(
    source: Path, preparation: Preparation, folder: Path, processes: int = 2, progress: ProgressOption = None
) -> Path:
    """The text of `source` after `preparation`, one sentence per line, words separated by spaces; kept in `folder`.

    The name of the file carries a digest of the source's content and of the preparation, so a source that has changed is
    prepared again. Lines without a word are left out.
    """
    key = digest(source.read_bytes(), str(preparation).encode())
    path = folder / f"{source.name.split('.txt')[0]}.{key}.txt"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    chunks = _chunks(source)
    first = list(islice(chunks, 2))
    with (
        replacing(path) as part,
        open(part, "w", encoding="utf-8") as out,
        ExitStack() as pool,
        Progress(f"lines of {source.name} prepared", show=progress) as bar,
    ):
        # A small text needs no processes, and a worker of a cluster may be a daemon, which is not allowed children.
        prepare_each: Any = map
        if len(first) > 1 and not multiprocessing.current_process().daemon:
            spawn = multiprocessing.get_context("spawn")
            prepare_each = pool.enter_context(ProcessPoolExecutor(processes, spawn)).map
        for lines, text in prepare_each(partial(_prepare, preparation), chain(first, chunks)):
            out.write(text)
            bar.advance(lines)
    return path


def first_tokens(sentences: Iterator[list[str]], tokens: int) -> Iterator[list[str]]:
    """Whole sentences until `tokens` words are reached; what follows is left in `sentences`.

    >>> text = iter([["a", "b"], ["c"], ["d"]])
    >>> list(first_tokens(text, 3)), list(text)
    ([['a', 'b'], ['c']], [['d']])
    """
    taken = 0
    while taken < tokens and (sentence := next(sentences, None)) is not None:
        taken += len(sentence)
        yield sentence


def _chunks(source: Path) -> Iterator[list[str]]:
    lines = (line for _, line in read_lines(source))
    while chunk := list(islice(lines, _LINES)):
        yield chunk


def _prepare(preparation: Preparation, lines: list[str]) -> tuple[int, str]:
    sentences = map(preparation, lines)
    return len(lines), "".join(f"{' '.join(words)}\n" for words in sentences if words)
