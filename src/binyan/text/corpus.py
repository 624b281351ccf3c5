"""A corpus: sentences as word ids, ready for the core."""

from __future__ import annotations

import os
import warnings
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError
from binyan.progress import ProgressOption, track
from binyan.signature import digest
from binyan.text.atoms import invisible
from binyan.text.plain_text import Numbers, is_plain, known_numbers, new_numbers, numbers_of_lines
from binyan.text.preparation import Preparation
from binyan.text.reading import Source, read_sentences
from binyan.text.vocabulary import BEGIN, BEGIN_ID, END, END_ID, Vocabulary, VocabularyPolicy, refuse_boundaries


@dataclass(frozen=True)
class Corpus:
    """Sentences one after another: sentence i is `words[offsets[i]:offsets[i + 1]]`, without <s> and </s>.

    `outside` is what stands in the text at each <unk>, in order, for models that see inside words outside the vocabulary;
    empty where the text was encoded without it.
    """

    words: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    vocabulary: Vocabulary
    outside: tuple[str, ...] = ()

    @property
    def sentences(self) -> int:
        """Number of sentences."""
        return len(self.offsets) - 1

    @property
    def events(self) -> int:
        """What a language model predicts: every word and every sentence end."""
        return len(self.words) + self.sentences

    @property
    def digest(self) -> str:
        """Digits that stand for the text as the model sees it."""
        words, offsets = (np.ascontiguousarray(a).view(np.uint8).data for a in (self.words, self.offsets))
        return digest(words, offsets, self.vocabulary.digest.encode())

    def __repr__(self) -> str:
        return f"Corpus of {self.sentences:,} sentences, {len(self.words):,} words, {self.vocabulary!r}"

    @classmethod
    def read(
        cls,
        sources: Source | Sequence[Source],
        preparation: Preparation | None = None,
        policy: VocabularyPolicy | None = None,
        progress: ProgressOption = None,
    ) -> Corpus:
        """Read training text once and choose the vocabulary from it.

        `sources`: a path, a list of Path objects, or sentences (strings or lists of words).
        Raises InputError where there is no sentence, or the text holds <s> or </s> as words.
        """
        files = source_files(sources)
        plain = new_numbers(files, progress) if all(is_plain(f, preparation) for f in files) else None
        types, (ids, offsets) = plain or _count(
            track(each_sentence(files, preparation), "sentences read", show=progress, every=10_000)
        )
        if len(offsets) == 1:
            raise InputError(f"{source_name(sources)}: no sentence found: is the text empty?")
        vocabulary = vocabulary_of(types, np.bincount(ids, minlength=len(types)), sources, policy)
        remap = np.fromiter((vocabulary[w] for w in types), np.uint32, len(types))
        words = remap[ids] if len(ids) else ids
        return cls(words, offsets, vocabulary, tuple(types[i] for i in ids[words == 0].tolist()))

    @classmethod
    def encode(cls, sentences: Iterable[Sequence[str]], vocabulary: Vocabulary) -> Corpus:
        """Sentences of words as ids of a vocabulary that is given; unknown words become <unk>."""
        known = vocabulary.index.get
        words, offsets = array("I"), array("Q", [0])
        outside: list[str] = []
        for sentence in sentences:
            ids = [known(w, 0) for w in sentence]
            words.extend(ids)
            outside += [w for w, i in zip(sentence, ids, strict=True) if i == 0]
            offsets.append(len(words))
        return cls._checked(*_arrays(words, offsets), vocabulary, tuple(outside))

    @classmethod
    def _checked(
        cls, ids: NDArray[np.uint32], offsets: NDArray[np.uint64], vocabulary: Vocabulary, outside: tuple[str, ...] = ()
    ) -> Corpus:
        if bool(((ids == BEGIN_ID) | (ids == END_ID)).any()):
            refuse_boundaries((BEGIN,))
        return cls(ids, offsets, vocabulary, outside)

    @classmethod
    def encode_text(cls, source: Source, vocabulary: Vocabulary, preparation: Preparation | None = None) -> Corpus:
        """A text file, or sentences, prepared and encoded. Raises InputError where there is no sentence."""
        plain = known_numbers(source, vocabulary.native) if is_plain(source, preparation) else None
        if plain is None and (preparation is None or preparation.is_plain):
            plain = numbers_of_lines(source, vocabulary.native)
        corpus = (
            cls._checked(*plain, vocabulary) if plain else cls.encode(read_sentences(source, preparation), vocabulary)
        )
        if corpus.sentences == 0:
            raise InputError(f"{source_name(source)}: no sentence found: is the text empty?")
        return corpus

    def decode(self, sentence: int) -> list[str]:
        """The words of one sentence, unknown ones as <unk>."""
        return [
            self.vocabulary.words[i] for i in self.words[int(self.offsets[sentence]) : int(self.offsets[sentence + 1])]
        ]


def vocabulary_of(
    types: Sequence[str], counts: NDArray[Any], sources: Source | Sequence[Source], policy: VocabularyPolicy | None
) -> Vocabulary:
    """The vocabulary of training text with these words; raises InputError where <s> or </s> is among them."""
    for mark in (BEGIN, END):
        if mark in types:
            raise InputError(
                f"{source_name(sources)}: holds {mark} as a word; sentence boundaries are added by the model: remove them"
            )
    vocabulary = (policy or VocabularyPolicy()).choose(types, counts)
    if (seen := invisible(types)) is not None:
        warnings.warn(f"{source_name(sources)}: {seen}", stacklevel=3)
    return vocabulary


def source_files(sources: Source | Sequence[Source]) -> list[Source]:
    """A list of Path objects is several files; anything else is one source (a list of strings is sentences)."""
    if isinstance(sources, (list, tuple)) and sources and all(isinstance(s, os.PathLike) for s in sources):
        return list(sources)
    return [sources]  # type: ignore[list-item]


def each_sentence(sources: Sequence[Source], preparation: Preparation | None) -> Iterator[list[str]]:
    """The prepared sentences of all sources, one after another."""
    for source in sources:
        yield from read_sentences(source, preparation)


def _count(sentences: Iterable[Sequence[str]]) -> tuple[list[str], Numbers]:
    """Words in the order they first occur, and the sentences in numbers of them, from 0."""
    types: dict[str, int] = {}
    known = types.setdefault
    words, offsets = array("I"), array("Q", [0])
    for sentence in sentences:
        words.extend([known(w, len(types)) for w in sentence])
        offsets.append(len(words))
    return list(types), _arrays(words, offsets)


def _arrays(words: array[int], offsets: array[int]) -> Numbers:
    ids = np.frombuffer(words, dtype=np.uint32) if words else np.zeros(0, np.uint32)
    return ids, np.frombuffer(offsets, dtype=np.uint64)


def source_name(sources: Source | Sequence[Source]) -> str:
    """The sources as messages name them."""
    return ", ".join(str(s) if isinstance(s, (str, os.PathLike)) else "the text" for s in source_files(sources))
