"""The ARPA format, which most decoders and language-model tools read: n-grams as text with log10 probabilities.

A model with one column (Kneser-Ney, one sample of an HPYLM) is an ARPA model exactly. The average of several samples is
not: writing it is refused, or approximated where that is asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Self

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.files import PathLike, replacing
from binyan.ngram.backoff import BackoffLanguageModel
from binyan.progress import Progress, ProgressOption
from binyan.signature import digest
from binyan.text import Preparation, Vocabulary
from binyan.text.preparation import split_words
from binyan.text.reading import read_pieces

_CONTEXTS = 20_000  # contexts written at a time


class ArpaWarning(UserWarning):
    """Something an ARPA file lacks, and what was done about it."""


class ArpaModel(BackoffLanguageModel):
    """A model read from an ARPA file, whoever estimated it."""

    kind = "arpa"
    interpolated = False  # it may be; nothing in the file says so

    @classmethod
    def read(
        cls,
        path: PathLike,
        preparation: Preparation | None = None,
        progress: ProgressOption = None,
    ) -> Self:
        """Read an ARPA file, plain or packed (gz, xz, bz2). `preparation`: what was done to its training text.

        Pruned files may lack parts of their n-grams; these are filled in with what backing off gives. A file without
        <unk> or </s> gives them log10 probability -100 and a warning. Raises InputError with the line of any fault.
        """
        reader = _core.ArpaReader()
        pieces = []
        with Progress("MB read", show=progress) as bar:
            try:
                for piece in read_pieces(path):
                    reader.feed(piece)
                    pieces.append(digest(piece))
                    bar.advance()
                native = reader.finish()
            except InputError as error:
                raise (InputError(f"{path}:{error}") if str(error)[:1].isdigit() else error) from error
        for word in reader.missing:
            warnings.warn(f"{path}: has no {word}; it is given log10 probability -100", ArpaWarning, stacklevel=2)
        vocabulary = Vocabulary.from_bytes(reader.words())
        prepared = preparation or Preparation()
        fields = {
            "file": digest("".join(pieces).encode()),
            "vocabulary": len(vocabulary),
            "oov": "<unk>",
            "preparation": str(prepared),
        }
        return cls.__new__(cls)._learnt(native, vocabulary, prepared, fields)


def write_arpa(
    native: _core.BackoffModel,
    vocabulary: Vocabulary,
    path: PathLike,
    approximate: bool = False,
    progress: ProgressOption = None,
) -> None:
    """Write a back-off model as an ARPA file (see `LanguageModel.to_arpa`)."""
    if native.columns > 1:
        if not approximate:
            raise SettingsError(
                f"the model averages {native.columns} samples, which no ARPA file can hold exactly: "
                "export one of them (--one-sample) or an approximation (--approximate)"
            )
        native = _core.one_column(native)
    for word in vocabulary.words:
        if len(split_words(word)) != 1:
            raise InputError(f"the word {word!r} has white space inside, which no ARPA file can hold")
    with (
        replacing(path) as part,
        _open_packed(part, Path(path).suffix) as out,
        Progress("contexts written", native.states, progress) as bar,
    ):
        for piece, contexts in _pieces(native, vocabulary):
            out.write(piece)
            bar.advance(contexts)


def _pieces(native: _core.BackoffModel, vocabulary: Vocabulary) -> Iterator[tuple[bytes, int]]:
    words = _core.WordIndex("\n".join(vocabulary.words).encode())
    levels = native.arrays["context_base"]
    yield _core.arpa_head(native), 0
    for n in range(1, native.order + 1):
        yield f"\n\\{n}-grams:\n".encode(), 0
        end = int(levels[n])
        for first in range(int(levels[n - 1]), end, _CONTEXTS):
            last = min(first + _CONTEXTS, end)
            yield _core.arpa_lines(native, words, first, last), last - first
    yield b"\n\\end\\\n", 0


def _open_packed(path: Path, suffix: str) -> IO[bytes]:
    if suffix == ".gz":
        import gzip

        return gzip.GzipFile(path, "wb", compresslevel=6, mtime=0)  # type: ignore[return-value]
    if suffix == ".xz":
        import lzma

        return lzma.open(path, "wb", preset=1)
    if suffix == ".bz2":
        import bz2

        return bz2.open(path, "wb")
    return open(path, "wb")
