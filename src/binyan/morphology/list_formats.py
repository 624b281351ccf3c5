"""The forms that word lists come in: told apart by the first lines of a file, and read into words with counts.

words      one word per line, optional tab and count; or running text, whose words are taken
csv, tsv   a table whose first line names its columns
unimorph   lemma, form and features, separated by tabs: the forms are taken
sfm        standard format of Toolbox and Shoebox (MDF): a field per line, words in \\lx
hex        MorphAGram's list: the characters of a word in hexadecimal digits, between ^^^ and $$$
yld        py-cfg's list: the symbols of a word separated by spaces
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from binyan.errors import InputError, SettingsError
from binyan.grammar.morphagram import EDGES, decoded_word
from binyan.number_text import whole_count
from binyan.text.reading import read_lines

FORMATS = ("words", "csv", "tsv", "unimorph", "sfm", "hex", "yld")
AUTO = "auto"

# Names of columns that hold words, best first.
WORD_COLUMNS = (
    *("word", "words", "wordform", "word_form", "word form", "form", "forms", "type", "token", "surface"),
    *("orthography", "orthographic", "headword", "lexeme", "entry", "lemma", "vernacular", "text", "value"),
)
COUNT_COLUMNS = ("count", "counts", "frequency", "freq", "n", "tokens")

_LOOKED_AT = 200  # lines
_FEATURES = re.compile(r"[A-Z0-9][A-Za-z0-9.+/{}|:,-]*(;[A-Za-z0-9.+/{}|:,-]+)*")
_MARKER = re.compile(r"\\(\w+)(?:[ \t]+(.*))?")
_NUMBER = re.compile(r"[-+]?[0-9]*[.,]?[0-9]+(?:[eE][-+]?[0-9]+)?")

Row = tuple[int, str, int]
"""The line of a file, the text of a word (or of several), and how often it was seen."""


@dataclass
class ListReading:
    """What was read of a file, and what was not: the format, the column, rows without a word, and lines of several words."""

    path: str
    format: str
    column: str = ""
    rows: int = 0
    empty: int = 0
    several: int = 0
    example: str = ""
    columns: Sequence[str] = field(default_factory=tuple)

    @property
    def is_plain(self) -> bool:
        """Whether the file is a plain list or text, nothing of it skipped."""
        return self.format == "words"

    def __str__(self) -> str:
        column = f", words from the column {self.column}" if self.column else ""
        others = f" (others: {', '.join(self.columns)})" if self.columns else ""
        text = f"{self.path}: read as {self.format}{column}{others}: {self.rows:,} rows with a word"
        if self.empty:
            text += f", {self.empty:,} without one skipped"
        if self.several:
            text += f"; {self.several:,} have several words, each of which is taken, e.g. {self.example!r}"
        return text


def read_rows(
    path: str | os.PathLike[str], form: str = AUTO, column: str | None = None
) -> tuple[list[Row], ListReading]:
    """The rows of a word list. `form` is one of FORMATS, or "auto"; `column` names a column of a table, or its number from 1.

    For a standard format file `column` is the marker of the field, `lx` by default.
    """
    if form not in (AUTO, *FORMATS):
        raise SettingsError(f"a word list is of the format {AUTO}, {', '.join(FORMATS)}, not {form!r}")
    lines = list(read_lines(path))
    form = recognise([line for _, line in islice(lines, _LOOKED_AT)], Path(path).name) if form == AUTO else form
    if form == "words" and column is not None:
        form = "csv" if Path(path).name.endswith(".csv") else "tsv"
    reading = ListReading(str(path), form)
    rows = list(_READERS[form](lines, reading, column))
    reading.rows = len(rows)
    for _, text, _ in rows:
        if " " in text.strip() and len(text.split()) > 1:
            reading.several += 1
            reading.example = reading.example or text
    return rows, reading


def recognise(lines: Sequence[str], name: str = "") -> str:
    """The format of a file by its first lines; "words" where nothing says otherwise.

    >>> recognise(["word,gloss", "kitab,book"]), recognise(["\\\\lx kitab", "\\\\ge book"])
    ('csv', 'sfm')
    >>> recognise(["walk\\twalked\\tV;PST", "walk\\twalks\\tV;PRS;3;SG"]), recognise(["kitab\\t12"])
    ('unimorph', 'words')
    """
    filled = [line for line in lines if line.strip()]
    if not filled:
        return "words"
    if sum(bool(_MARKER.match(line)) for line in filled) * 2 > len(filled) and any(
        re.match(r"\\lx\b", x) for x in filled
    ):
        return "sfm"
    if all(decoded_word(line) for line in filled):
        return "hex"
    if name.endswith((".yld", ".yld.gz", ".yld.xz")):
        return "yld"
    for form, separator in (("tsv", "\t"), ("csv", ",")):
        header = next(csv.reader(filled[:1], delimiter=separator))
        if len(header) > 1 and _word_column(header) is not None:
            return form
    rows = [line.split("\t") for line in filled]
    features = [row[2].strip() for row in rows if len(row) == 3 and row[1].strip()]
    if len(features) == len(rows) and all(map(_FEATURES.fullmatch, features)) and any(";" in f for f in features):
        return "unimorph"
    return "words"


def _word_column(header: Sequence[str], names: Sequence[str] = WORD_COLUMNS) -> int | None:
    """Where the best of some names stands in a header."""
    lowered = [cell.strip("\ufeff \"'").casefold() for cell in header]
    return next((lowered.index(name) for name in names if name in lowered), None)


def _plain(lines: list[tuple[int, str]], reading: ListReading, column: str | None) -> Iterator[Row]:
    for number, line in lines:
        text, tab, rest = line.partition("\t")
        counted = rest.split("\t")[0].strip()
        yield number, text, _count(counted, reading.path, number, line) if tab and _NUMBER.fullmatch(counted) else 1


def _count(text: str, path: str, number: int, line: str) -> int:
    try:
        return whole_count(text)
    except ValueError as error:
        raise InputError(f"{path}:{number}: {error}: {line[:80]!r}") from None


def _table(separator: str) -> Callable[[list[tuple[int, str]], ListReading, str | None], Iterator[Row]]:
    def read(lines: list[tuple[int, str]], reading: ListReading, column: str | None) -> Iterator[Row]:
        numbers = [number for number, line in lines if line.strip()]
        filled = [line for _, line in lines if line.strip()]
        quoted = list(csv.reader(filled)) if separator == "," else []
        rows = quoted or [line.split(separator) for line in filled]
        if not rows:
            return
        header = [cell.strip() for cell in rows[0]]
        place, has_header = _chosen(header, column, reading.path)
        count = _word_column(header, COUNT_COLUMNS) if has_header else None
        reading.column = f"{header[place]!r}" if has_header else str(place + 1)
        reading.columns = [name for i, name in enumerate(header) if i != place and name] if has_header else ()
        for number, row in list(zip(numbers, rows, strict=False))[has_header:]:
            text = row[place].strip() if place < len(row) else ""
            if not text:
                reading.empty += 1
                continue
            counted = row[count].strip() if count is not None and count < len(row) else ""
            yield number, text, _count(counted, reading.path, number, separator.join(row)) if counted.isdigit() else 1

    return read


def _chosen(header: Sequence[str], column: str | None, path: str) -> tuple[int, bool]:
    """The place of the column with words, and whether the first line names the columns."""
    if column is None:
        place = _word_column(header)
        return (0, False) if place is None else (place, True)
    named = _word_column(header, [column.casefold()])
    if named is not None:
        return named, True
    if column.isdigit() and 1 <= int(column) <= len(header):
        return int(column) - 1, _word_column(header) is not None
    raise InputError(f"{path}: has no column {column!r}; its columns are {', '.join(header[:20])}")


def _unimorph(lines: list[tuple[int, str]], reading: ListReading, column: str | None) -> Iterator[Row]:
    places = {"lemma": 0, "form": 1, "1": 0, "2": 1}
    if column not in (None, *places):
        raise InputError(f"{reading.path}: UniMorph's columns with words are lemma and form, not {column!r}")
    place = places[column or "form"]
    reading.column = ("lemma", "form")[place]
    reading.columns = [name for name in ("lemma", "form", "features") if name != reading.column]
    for number, line in lines:
        columns = line.split("\t")
        if len(columns) > place and columns[place].strip():
            yield number, columns[place].strip(), 1
        elif line.strip():
            reading.empty += 1


def _sfm(lines: list[tuple[int, str]], reading: ListReading, column: str | None) -> Iterator[Row]:
    marker = (column or "lx").removeprefix("\\")
    reading.column = f"\\{marker}"
    seen: Counter[str] = Counter()
    for number, line in lines:
        field_line = _MARKER.fullmatch(line.rstrip())
        if field_line is None:
            continue
        seen[f"\\{field_line[1]}"] += 1
        if field_line[1] == marker:
            if field_line[2] and field_line[2].strip():
                yield number, field_line[2].strip(), 1
            else:
                reading.empty += 1
    if not seen[f"\\{marker}"]:
        raise InputError(f"{reading.path}: has no field \\{marker}; its fields are {', '.join(sorted(seen)[:20])}")


def _hexadecimal(lines: list[tuple[int, str]], reading: ListReading, column: str | None) -> Iterator[Row]:
    for number, line in lines:
        if line.strip():
            word = decoded_word(line)
            if word is None:
                raise InputError(f"{reading.path}:{number}: not a word in hexadecimal digits: {line[:60]!r}")
            yield number, word, 1


def _symbols(lines: list[tuple[int, str]], reading: ListReading, column: str | None) -> Iterator[Row]:
    for number, line in lines:
        symbols = [symbol for symbol in line.split() if symbol not in EDGES]
        if symbols:
            yield number, "".join(symbols), 1


_READERS: dict[str, Callable[[list[tuple[int, str]], ListReading, str | None], Iterator[Row]]] = {
    "words": _plain,
    "csv": _table(","),
    "tsv": _table("\t"),
    "unimorph": _unimorph,
    "sfm": _sfm,
    "hex": _hexadecimal,
    "yld": _symbols,
}
