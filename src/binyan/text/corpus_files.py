"""A corpus whose numbers are in files, for texts that are larger than memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan import _core
from binyan.errors import InputError
from binyan.progress import ProgressOption, track
from binyan.text.corpus import Corpus, each_sentence, source_files, source_name, vocabulary_of
from binyan.text.plain_text import NotPlain, Numbers, is_plain, numbered_blocks
from binyan.text.preparation import Preparation
from binyan.text.reading import LONGEST_WORD, Source
from binyan.text.vocabulary import VocabularyPolicy

_SENTENCES = 50_000  # prepared at once
_AT_ONCE = 1 << 22  # words


def read_to_files(
    sources: Source | Sequence[Source],
    folder: Path,
    preparation: Preparation | None = None,
    policy: VocabularyPolicy | None = None,
    progress: ProgressOption = None,
) -> Corpus:
    """What `Corpus.read` gives, with its numbers in two files of `folder`: memory is taken for the distinct words alone."""
    files = source_files(sources)
    index = _core.WordIndex()
    try:
        plain = all(is_plain(f, preparation) for f in files)
        blocks = _plain(files, index, progress) if plain else _prepared(files, index, preparation, progress)
        counts = _write(blocks, folder)
    except NotPlain:  # `each_sentence` says what and where
        index = _core.WordIndex()
        counts = _write(_prepared(files, index, preparation, progress), folder)
    offsets = np.memmap(folder / "offsets", np.uint64, "r")
    if len(offsets) == 1:
        raise InputError(f"{source_name(sources)}: no sentence found: is the text empty?")
    types = index.words().decode().split("\n") if len(index) else []
    vocabulary = vocabulary_of(types, np.resize(counts, len(types)), sources, policy)
    remap = np.fromiter((vocabulary[w] for w in types), np.uint32, len(types))
    words = np.memmap(folder / "words", np.uint32, "r+")
    for start in range(0, len(words), _AT_ONCE):
        words[start : start + _AT_ONCE] = remap[words[start : start + _AT_ONCE]]
    words.flush()
    return Corpus(np.memmap(folder / "words", np.uint32, "r"), offsets, vocabulary)


def _plain(files: Sequence[Source], index: _core.WordIndex, progress: ProgressOption) -> Iterator[Numbers]:
    return numbered_blocks(files, lambda block: index.add_text(block, LONGEST_WORD), progress)


def _prepared(
    files: Sequence[Source], index: _core.WordIndex, preparation: Preparation | None, progress: ProgressOption
) -> Iterator[Numbers]:
    sentences = track(each_sentence(files, preparation), "sentences read", show=progress, every=10_000)
    while batch := list(islice(sentences, _SENTENCES)):
        numbers = index.add_text("\n".join(map(" ".join, batch)).encode(), LONGEST_WORD)
        if numbers is None:
            raise InputError("the text holds what is no word, such as a NUL character; remove it")
        yield numbers


def _write(blocks: Iterator[Numbers], folder: Path) -> NDArray[Any]:
    """Write the numbers of a text, one block after another; returns how often each occurs."""
    counts, total = np.zeros(0, np.int64), 0
    with open(folder / "words", "wb") as words, open(folder / "offsets", "wb") as offsets:
        offsets.write(np.zeros(1, np.uint64).data)
        for ids, ends in blocks:
            words.write(ids.data)
            offsets.write((ends[1:] + np.uint64(total)).data)
            total += len(ids)
            more = np.bincount(ids, minlength=len(counts))
            more[: len(counts)] += counts
            counts = more
    return counts
