"""Lists of hypotheses as other programs write them: Moses, cdec, plain lines with a score, JSON lines; read and written."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from binyan.errors import InputError, SettingsError

_MOSES_NAME = re.compile(r"[^\s=]+=")


@dataclass
class Entry:
    """One hypothesis: the list it belongs to (None where the format has none), words, features by name, score.

    `rest` is what else the format carries, written back as it was.
    """

    group: str | None
    text: str
    features: dict[str, list[float]]
    score: float
    rest: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class NBestFormat:
    """How entries are read from lines (ValueError on a broken one) and written to them."""

    read: Callable[[str], Entry]
    write: Callable[[Entry], str]


def parse(line: str, format: str, where: str) -> Entry:
    """Read one line; InputError names `where` it stands."""
    try:
        entry = FORMATS[format].read(line)
        if not math.isfinite(entry.score):
            raise ValueError(f"the score {entry.score} is not a finite number")
        return entry
    except ValueError as error:
        raise InputError(f"{where}: not a line of the format {format!r}: {error}: {line[:80]!r}") from error


def recognise(line: str) -> str:
    """The format a line is in.

    >>> recognise("0 ||| das haus ||| LM0= -3.2 TM= -1 -2 ||| -4.5"), recognise('{"text": "das haus"}')
    ('moses', 'json')
    >>> recognise("0 ||| das haus ||| LM=-3.2 TM=-1 ||| -4.5"), recognise("-4.5\\tdas haus")
    ('cdec', 'plain')
    """
    if line.lstrip().startswith("{"):
        return "json"
    if "|||" not in line:
        return "plain"
    fields = line.split("|||")
    features = fields[2].split() if len(fields) > 2 else []
    return "moses" if not features or any(f.endswith("=") for f in features) else "cdec"


def check_format(name: str) -> None:
    """Raise SettingsError where there is no such format."""
    if name not in FORMATS:
        raise SettingsError(f"n-best lists are read as {', '.join(FORMATS)} or auto, not {name!r}")


def _fields(line: str) -> list[str]:
    fields = [f.strip() for f in line.split("|||")]
    if len(fields) < 4:
        raise ValueError(f"{len(fields)} fields where there are number ||| words ||| features ||| score")
    if not fields[0]:
        raise ValueError("the number of the sentence is missing")
    return fields


def _read_moses(line: str) -> Entry:
    fields = _fields(line)
    features: dict[str, list[float]] = {}
    current: list[float] | None = None
    for item in fields[2].split():
        if _MOSES_NAME.fullmatch(item):
            current = features.setdefault(item[:-1], [])
        elif current is None:
            raise ValueError(f"the value {item!r} stands before any feature name")
        else:
            current.append(float(item))
    return Entry(fields[0], fields[1], features, float(fields[3]), {"more": fields[4:]})


def _read_cdec(line: str) -> Entry:
    fields = _fields(line)
    features = {}
    for item in fields[2].split():
        name, found, value = item.rpartition("=")
        if not found:
            raise ValueError(f"{item!r} is not name=value")
        features[name] = [float(value)]
    return Entry(fields[0], fields[1], features, float(fields[3]), {"more": fields[4:]})


def _write_fields(entry: Entry, features: str) -> str:
    return " ||| ".join([str(entry.group), entry.text, features, _short(entry.score), *entry.rest.get("more", [])])


def _write_moses(entry: Entry) -> str:
    return _write_fields(entry, " ".join(f"{n}= {' '.join(map(_short, v))}" for n, v in entry.features.items()))


def _write_cdec(entry: Entry) -> str:
    return _write_fields(entry, " ".join(f"{n}={_short(v[0])}" for n, v in entry.features.items()))


def _read_plain(line: str) -> Entry:
    score, found, text = line.partition("\t")
    if not found:
        raise ValueError("no tab between score and words")
    rest = text.split("\t")
    return Entry(None, rest[0], {}, float(score), {"columns": rest[1:]})


def _write_plain(entry: Entry) -> str:
    added = [_short(v[0]) for v in entry.features.values()]
    return "\t".join([_short(entry.score), entry.text, *entry.rest["columns"], *added])


def _read_json(line: str) -> Entry:
    fields = json.loads(line)
    if not isinstance(fields, dict) or not isinstance(fields.get("text"), str):
        raise ValueError('an object with "text" is needed')
    values = fields.get("features", {})
    if not isinstance(values, dict) or not all(isinstance(v, (int, float)) for v in values.values()):
        raise ValueError('"features" is an object of numbers')
    group = str(fields["id"]) if "id" in fields else None
    features = {name: [float(value)] for name, value in values.items()}
    return Entry(group, fields["text"], features, float(fields.get("score", 0.0)), {"fields": fields})


def _write_json(entry: Entry) -> str:
    features = {name: float(_short(value[0])) for name, value in entry.features.items()}
    return json.dumps(
        {**entry.rest["fields"], "score": float(_short(entry.score)), "features": features}, ensure_ascii=False
    )


def _short(value: float) -> str:
    return f"{value:.6g}"


FORMATS = {
    "moses": NBestFormat(_read_moses, _write_moses),
    "cdec": NBestFormat(_read_cdec, _write_cdec),
    "plain": NBestFormat(_read_plain, _write_plain),
    "json": NBestFormat(_read_json, _write_json),
}
