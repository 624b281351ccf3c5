"""Reading what a person drops on the page: word lists, texts, tables, LIFT, flextext, CLDF."""

from __future__ import annotations

import csv
import io
import re
import tempfile
import warnings
import zipfile
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import Any

from binyan.errors import BinyanError, InputError
from binyan.morphology.exports import FieldData, read_field_data
from binyan.morphology.list_formats import FORMATS, read_rows
from binyan.segmentation import Part, Segmentation
from binyan.studio.decisions import Decision
from binyan.studio.word_store import Reading

MOST_BYTES = 64 << 20
"""Of an uploaded file, packed or not."""

_MOST_SENTENCES = 20_000
_LONGEST_SENTENCE = 2_000
_FIELD_DATA = (".lift", ".flextext")
_NAME = re.compile(r"[^\w. ()+-]", re.UNICODE)


def read_upload(name: str, content: bytes, form: str = "auto", column: str | None = None) -> Reading:
    """What a file holds. `form` and `column` are those of word lists, where the file does not speak for itself.

    Raises InputError where it cannot be read, with what was seen and what to do.
    """
    name = safe_name(name)
    if not content:
        raise InputError(f"{name}: the file is empty")
    if len(content) > MOST_BYTES:
        raise InputError(f"{name}: has {len(content) >> 20} MB; {MOST_BYTES >> 20} are the most")
    if form not in ("auto", *FORMATS):
        raise InputError(f"a word list is of the format auto, {', '.join(FORMATS)}, not {form[:40]!r}")
    ending = PurePosixPath(name).suffix.lower()
    if ending == ".zip" or (content[:4] == b"PK\x03\x04" and ending != ".gz"):
        return _read_cldf(name, content)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / f"upload{ending if re.fullmatch(r'[.][a-z0-9]{1,10}', ending) else ''}"
        path.write_bytes(content)
        try:
            if ending in _FIELD_DATA:
                return _from_field_data(name, ending[1:], read_field_data(path))
            return _read_list(name, path, form, column)
        except BinyanError as error:
            raise InputError(str(error).replace(str(path), name)) from error


def safe_name(name: str) -> str:
    """The last part of a file's name, without characters that mean something elsewhere."""
    last = PurePosixPath(name.replace("\\", "/")).name
    return _NAME.sub("_", last)[:120].strip() or "file"


def _read_list(name: str, path: Path, form: str, column: str | None) -> Reading:
    rows, told = read_rows(path, form, column)
    counts: Counter[str] = Counter()
    sentences: list[str] = []
    is_text = told.format == "words" and told.several * 2 > max(1, told.rows)
    for _, text, times in rows:
        counts.update(dict.fromkeys(text.split(), 0))
        for word in text.split():
            counts[word] += times
        if is_text and text.strip() and len(sentences) < _MOST_SENTENCES:
            sentences.append(" ".join(text.split())[:_LONGEST_SENTENCE])
    notes = [] if told.is_plain else [str(told).replace(str(path), name)]
    return Reading(name, "text" if is_text else told.format, dict(counts), sentences, notes=notes)


def _from_field_data(name: str, form: str, data: FieldData) -> Reading:
    known = {}
    for word, row in data.known.items():
        if row.segmentation is not None and word in data.counts:
            known[word] = Decision(row.segmentation, row.root).to_dict()
    notes = [str(data), *data.problems[:20]]
    return Reading(name, form, dict(data.counts), known=known, notes=notes)


def _read_cldf(name: str, content: bytes) -> Reading:
    """The forms of a CLDF data set in an archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            tables = [i for i in archive.infolist() if PurePosixPath(i.filename).name.lower() == "forms.csv"]
            if not tables:
                raise InputError(
                    f"{name}: is an archive without a table forms.csv; drop the file with the words itself"
                )
            if tables[0].file_size > MOST_BYTES:
                raise InputError(f"{name}: forms.csv has more than {MOST_BYTES >> 20} MB")
            with archive.open(tables[0]) as table:
                text = table.read(MOST_BYTES + 1)[:MOST_BYTES].decode("utf-8-sig")
    except (zipfile.BadZipFile, UnicodeDecodeError, OSError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"{name}: cannot be read as a CLDF data set: {error}") from error
    rows = csv.DictReader(io.StringIO(text))
    if not {"Form"} <= set(rows.fieldnames or ()):
        raise InputError(f"{name}: its forms.csv has no column Form")
    counts: Counter[str] = Counter()
    known: dict[str, dict[str, Any]] = {}
    left_out = 0
    for row in rows:
        form = (row.get("Form") or "").strip()
        if not form or any(c.isspace() for c in form):
            left_out += 1
            continue
        counts[form] += 1
        analysis = _cldf_analysis(form, row)
        if analysis is not None:
            known.setdefault(form, analysis)
    notes = [f"{len(counts):,} forms, {len(known):,} of them analysed; {left_out:,} phrases or empty rows left out"]
    return Reading(name, "cldf", dict(counts), known=known, notes=notes)


def _cldf_analysis(form: str, row: dict[str, Any]) -> dict[str, Any] | None:
    pieces = (row.get("Morphemes") or "").split(" + ")
    labels = (row.get("Morpheme_Labels") or "").split(" + ")
    if "".join(pieces) != form or len(labels) != len(pieces):
        return None
    parts = tuple(Part(text, "" if label == "_" else label) for text, label in zip(pieces, labels, strict=True))
    try:
        return Decision.read(
            form, {"segmentation": str(Segmentation(form, parts)), "root": row.get("Root") or None}
        ).to_dict()
    except InputError:
        return None
