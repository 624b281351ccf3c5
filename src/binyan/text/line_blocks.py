"""A text as blocks of whole lines: large ones of a file, and of a stream whatever has come, so that it is answered at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from binyan.errors import InputError
from binyan.text.reading import LONGEST_LINE, decoded_line, is_unpacking_error, open_text

_BLOCK = 4_000_000  # bytes
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class LineBlock:
    """Lines of a text: their bytes, the name of the text, and the number of the first of them."""

    text: bytes
    name: str
    first: int

    def lines(self) -> Iterator[tuple[str, str]]:
        """Where each line stands, and the line without its end. Raises InputError on anything that is not UTF-8 text."""
        for number, raw in enumerate(self.text.removesuffix(b"\n").split(b"\n"), self.first):
            where = f"{self.name}:{number}"
            yield where, decoded_line(raw, where)


def line_blocks(source: str | os.PathLike[str] | IO[bytes]) -> Iterator[LineBlock]:
    """The blocks of a text file, which may be packed, or of a stream of bytes, as they come."""
    is_path = isinstance(source, (str, os.PathLike))
    name, first = str(source) if is_path else "<stdin>", 1
    for text in _of_file(source) if isinstance(source, (str, os.PathLike)) else _of_stream(source):
        if len(text) >= LONGEST_LINE and len(text) - text.rfind(b"\n", 0, -1) > LONGEST_LINE:
            where = first + text.count(b"\n", 0, -1)
            raise InputError(f"{name}:{where}: a line of over {LONGEST_LINE:,} bytes; put one sentence on a line")
        yield LineBlock(text.removeprefix(_BYTE_ORDER_MARK) if first == 1 else text, name, first)
        first += text.count(b"\n")


def _of_file(path: str | os.PathLike[str]) -> Iterator[bytes]:
    with open_text(path) as source:
        try:
            while block := source.read(_BLOCK):
                yield block if block.endswith(b"\n") else block + source.readline(LONGEST_LINE)
        except Exception as error:
            if is_unpacking_error(error):
                raise InputError(f"{path}: cannot be unpacked: {error}") from error
            raise


def _of_stream(source: IO[bytes]) -> Iterator[bytes]:
    read = getattr(source, "read1", source.read)
    pending = b""
    while len(pending) <= LONGEST_LINE and (piece := read(_BLOCK)):
        head, line_end, tail = piece.rpartition(b"\n")
        if line_end:
            yield pending + head + line_end
            pending = tail
        else:
            pending += piece
    if pending:
        yield pending
