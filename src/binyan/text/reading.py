"""Reading text: plain, gz, xz or bz2 (recognised by content), CoNLL-U, and Python iterables; streamed, UTF-8, checked."""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from binyan.errors import InputError, unreadable
from binyan.text.preparation import Preparation

# A path, or sentences as strings or as lists of words.
Source = str | os.PathLike[str] | Iterable[str | Sequence[str]]

LONGEST_WORD = 1000  # characters; longer ones are binary data or lost line ends, not words
LONGEST_LINE = 10_000_000
_MOST_EXPANSION, _EXPANDS_FREELY = 1000, 1 << 30  # of packed files: times their size, and bytes that any may have
_LONGEST_NAME = 4096  # characters of the name of a file


@dataclass(frozen=True)
class TaggedSentence:
    """Words with their parts of speech."""

    words: list[str]
    tags: list[str]


class _Unpacked(io.BufferedReader):
    """A packed file, read unpacked; one that expands beyond all measure is refused instead of read for ever."""

    def __init__(self, source: Any, path: str | os.PathLike[str]) -> None:
        super().__init__(_Counted(source, path), 1 << 16)


class _Counted(io.RawIOBase):
    def __init__(self, source: Any, path: str | os.PathLike[str]) -> None:
        self._source, self._path, self._bytes = source, path, 0
        self._most = max(_EXPANDS_FREELY, _MOST_EXPANSION * os.stat(path).st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._source.read(len(buffer))
        self._bytes += len(data)
        if self._bytes > self._most:
            raise InputError(
                f"{self._path}: expands to over {self._most:,} bytes, {_MOST_EXPANSION} times its size, which no text does; "
                "unpack it and look at it first"
            )
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._source.close()
        super().close()


def open_text(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open `path` for reading bytes, unpacking gz, xz and bz2."""
    try:
        raw = open(path, "rb")
        magic = raw.read(6)
        raw.close()
        if magic[:2] == b"\x1f\x8b":
            import gzip

            return _Unpacked(gzip.open(path, "rb"), path)
        if magic == b"\xfd7zXZ\x00":
            import lzma

            return _Unpacked(lzma.open(path, "rb"), path)
        if magic[:3] == b"BZh":
            import bz2

            return _Unpacked(bz2.open(path, "rb"), path)
        if magic == b"\x89BINYA":
            raise InputError(f"{path}: is a model of Binyan, where text is wanted; are the arguments in their places?")
        if magic[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise InputError(f"{path}: is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8")
        return open(path, "rb")
    except OSError as error:
        raise InputError(unreadable(path, error)) from error


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Line numbers (from 1) and lines without their ends. Raises InputError on anything that is not UTF-8 text."""
    number = 0
    with open_text(path) as source:
        try:
            for raw in iter(lambda: source.readline(LONGEST_LINE), b""):
                number += 1
                if number == 1 and raw.startswith(b"\xef\xbb\xbf"):
                    raw = raw[3:]
                yield number, decoded_line(raw, f"{path}:{number}")
        except InputError:
            raise
        except Exception as error:
            if is_unpacking_error(error):
                raise InputError(f"{path}: cannot be unpacked after line {number}: {error}") from error
            raise


def decoded_line(raw: bytes, where: str) -> str:
    """A line without its end. Raises InputError, which names `where` it stands, on anything that is not UTF-8 text."""
    if b"\0" in raw:
        raise InputError(f"{where}: holds a NUL byte: this is binary data, not text")
    if len(raw) >= LONGEST_LINE and not raw.endswith(b"\n"):
        raise InputError(f"{where}: a line of over {LONGEST_LINE:,} bytes; put one sentence on a line")
    try:
        return raw.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{where}: not UTF-8: byte 0x{raw[error.start]:02x} at column {error.start + 1}; "
            "if you know its encoding: iconv -f ENCODING -t UTF-8"
        ) from error


def read_pieces(path: str | os.PathLike[str], size: int = 1 << 20) -> Iterator[bytes]:
    """The bytes of a file, unpacked, `size` at a time."""
    with open_text(path) as source:
        try:
            while piece := source.read(size):
                yield piece
        except Exception as error:
            if is_unpacking_error(error):
                raise InputError(f"{path}: cannot be unpacked: {error}") from error
            raise


def is_unpacking_error(error: Exception) -> bool:
    """Whether an error is that of a file that cannot be read or unpacked, whatever the packer."""
    return isinstance(error, (OSError, EOFError)) or type(error).__name__ in ("LZMAError", "BadGzipFile", "error")


def is_conllu(path: str | os.PathLike[str]) -> bool:
    """Whether a path is named as CoNLL-U, packed or not."""
    return ".conllu" in Path(path).suffixes


def read_tagged(path: str | os.PathLike[str]) -> Iterator[TaggedSentence]:
    """The sentences of a CoNLL-U file with universal parts of speech; multiword ranges and empty nodes are left out."""
    words: list[str] = []
    tags: list[str] = []
    for columns in read_conllu_rows(path):
        if columns:
            words.append(columns[1])
            tags.append(columns[3])
        elif words:
            yield TaggedSentence(words, tags)
            words, tags = [], []
    if words:
        yield TaggedSentence(words, tags)


def read_conllu_rows(path: str | os.PathLike[str]) -> Iterator[list[str]]:
    """The ten columns of each word of a CoNLL-U file, and an empty list for each blank line, which ends a sentence.

    Multiword ranges and empty nodes are left out.
    """
    for number, line in read_lines(path):
        if not line.strip():
            yield []
        elif not line.startswith("#"):
            columns = line.split("\t")
            if len(columns) != 10:
                raise InputError(f"{path}:{number}: {len(columns)} columns where CoNLL-U has 10, separated by tabs")
            if columns[0].isdigit():
                yield columns


def check_length(word: str, where: str = "") -> None:
    """Raise InputError for a word that is too long to be one."""
    if len(word) > LONGEST_WORD:
        raise InputError(
            f"{where}{': ' if where else ''}a word of {len(word):,} characters beginning {word[:20]!r}; "
            f"words have at most {LONGEST_WORD:,}: is this text, with spaces between words?"
        )


def refuse_file_names(items: object) -> None:
    """Raise InputError where a list of strings names files: they would be taken for sentences or words."""
    if (
        isinstance(items, (list, tuple))
        and items
        and all(isinstance(item, str) and len(item) < _LONGEST_NAME and "\n" not in item for item in items)
        and all(os.path.isfile(item) for item in items)
    ):
        raise InputError(
            f"{items[0]!r} is the name of a file, and a list of strings is taken for sentences or words; "
            "for several files give a list of pathlib.Path objects, for one its name"
        )


def read_sentences(
    source: Source,
    preparation: Preparation | None = None,
    keep_blank: bool = False,
    refused: Collection[str] = (),
) -> Iterator[list[str]]:
    """The sentences of `source`, one per line, prepared. Blank lines are left out unless `keep_blank`.

    Raises InputError, which names the line, where one holds a word that is `refused`.
    """
    prepare = preparation or Preparation()
    for where, sentence in _located(source, prepare):
        if not sentence and not keep_blank:
            continue
        for word in sentence:
            check_length(word, where)
        if refused and (marks := [word for word in sentence if word in refused]):
            raise InputError(
                f"{where}: holds {marks[0]} as a word, which is a mark of language models: remove it, or write it otherwise"
            )
        yield sentence


def prepared_lines(source: Source, preparation: Preparation | None = None) -> Iterator[str]:
    """The sentences of `source` as lines of words with single spaces between them, for tools that split there and do nothing else.

    A blank line stays one, so that lines keep their numbers.
    """
    for sentence in read_sentences(source, preparation, keep_blank=True):
        yield " ".join(sentence)


def _located(source: Source, prepare: Preparation) -> Iterator[tuple[str, list[str]]]:
    if isinstance(source, (str, os.PathLike)):
        if is_conllu(source):
            for n, tagged in enumerate(read_tagged(source), 1):
                yield f"{source}, sentence {n}", prepare.words(tagged.words)
        else:
            for n, line in read_lines(source):
                yield f"{source}:{n}", prepare(line)
    else:
        refuse_file_names(source)
        for n, item in enumerate(source, 1):
            if isinstance(item, str):
                yield f"sentence {n}", prepare(item)
            else:
                yield f"sentence {n}", prepare.words(list(item))
