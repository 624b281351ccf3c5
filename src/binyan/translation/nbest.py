"""Lists of hypotheses as other programs write them: Moses, cdec, plain lines with a score, JSON lines; read and written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from binyan.errors import InputError, SettingsError
from binyan.files import PathLike
from binyan.number_text import finite_number, finite_value, finite_values
from binyan.text import read_lines
from binyan.text.preparation import split_words
from binyan.text.vocabulary import refuse_boundaries

if TYPE_CHECKING:
    from binyan.translation.decoder import HypothesisLists

_MOSES_NAME = re.compile(r"[^\s=]+=")


@dataclass
class NBestEntry:
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

    read: Callable[[str], NBestEntry]
    write: Callable[[NBestEntry], str]


def parse(line: str, format: str, where: str) -> NBestEntry:
    """Read one line; InputError names `where` it stands."""
    try:
        entry = FORMATS[format].read(line)
        refuse_boundaries(split_words(entry.text))
        return entry
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    except (ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"{where}: not a line of the format {format!r}: {error}: {line[:80]!r}") from error


def read_lists(
    lines: Iterable[str] | PathLike, format: str = "auto", source: str = "<stdin>"
) -> list[list[NBestEntry]]:
    """All lists of a text, given as its lines or as the name of its file, in the order they appear."""
    if isinstance(lines, (str, os.PathLike)):
        lines, source = (line for _, line in read_lines(lines)), str(lines)
    groups: dict[str, list[NBestEntry]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if format == "auto":
            format = recognise(line)
        entry = parse(line.rstrip("\r\n"), format, f"{source}:{number}")
        if entry.group is None:
            raise InputError(
                f"{source}:{number}: the line does not say which sentence it belongs to, so lists cannot be told apart"
            )
        groups.setdefault(entry.group, []).append(entry)
    return list(groups.values())


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


def check_decoder_format(name: str) -> None:
    """Raise SettingsError where the decoder does not write such a format."""
    if name not in DECODER_FORMATS:
        raise SettingsError(f"n-best lists are written as moses, cdec or json, not {name!r}")


def list_lines(lists: HypothesisLists, names: Sequence[str], first: int, format: str) -> Iterator[str]:
    """The lines of the decoder's lists, whose sentences are numbered from `first`; `names` are those of the features."""
    for h in range(len(lists.score)):
        number, text = str(first + int(lists.sentence[h])), " ".join(lists.text(h))
        features = {name: [float(value)] for name, value in zip(names, lists.features[h], strict=True)}
        rest: dict[str, Any] = {"fields": {"id": number, "text": text}}
        yield FORMATS[format].write(NBestEntry(number, text, features, float(lists.score[h]), rest))


def _fields(line: str) -> list[str]:
    fields = [f.strip() for f in line.split("|||")]
    if len(fields) < 4:
        raise ValueError(f"{len(fields)} fields where there are number ||| words ||| features ||| score")
    if not fields[0]:
        raise ValueError("the number of the sentence is missing")
    return fields


def _read_moses(line: str) -> NBestEntry:
    fields = _fields(line)
    features: dict[str, list[float]] = {}
    current: list[float] | None = None
    for item in fields[2].split():
        if _MOSES_NAME.fullmatch(item):
            current = features.setdefault(item[:-1], [])
        elif current is None:
            raise ValueError(f"the value {item!r} stands before any feature name")
        else:
            current.append(finite_number(item))
    return NBestEntry(fields[0], fields[1], features, finite_number(fields[3]), {"more": fields[4:]})


def _read_cdec(line: str) -> NBestEntry:
    fields = _fields(line)
    features = {}
    for item in fields[2].split():
        name, equals, value = item.rpartition("=")
        if not equals:
            raise ValueError(f"{item!r} is not name=value")
        features[name] = [finite_number(value)]
    return NBestEntry(fields[0], fields[1], features, finite_number(fields[3]), {"more": fields[4:]})


def _write_fields(entry: NBestEntry, features: str) -> str:
    return " ||| ".join([str(entry.group), entry.text, features, _short(entry.score), *entry.rest.get("more", [])])


def _write_moses(entry: NBestEntry) -> str:
    return _write_fields(entry, " ".join(f"{n}= {' '.join(map(_short, v))}" for n, v in entry.features.items()))


def _write_cdec(entry: NBestEntry) -> str:
    return _write_fields(entry, " ".join(f"{n}={_short(v[0])}" for n, v in entry.features.items()))


def _read_plain(line: str) -> NBestEntry:
    score, tab, text = line.partition("\t")
    if not tab:
        raise ValueError("no tab between score and words")
    rest = text.split("\t")
    return NBestEntry(None, rest[0], {}, finite_number(score), {"columns": rest[1:]})


def _write_plain(entry: NBestEntry) -> str:
    added = [_short(v[0]) for v in entry.features.values()]
    return "\t".join([_short(entry.score), entry.text, *entry.rest["columns"], *added])


def _read_json(line: str) -> NBestEntry:
    fields = json.loads(line)
    if not isinstance(fields, dict) or not isinstance(fields.get("text"), str):
        raise ValueError('an object with "text" is needed')
    group = str(fields["id"]) if "id" in fields else None
    features = {name: [value] for name, value in finite_values(fields.get("features", {}), '"features"').items()}
    score = finite_value(fields.get("score", 0.0), "the score")
    return NBestEntry(group, fields["text"], features, score, {"fields": fields})


def _write_json(entry: NBestEntry) -> str:
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
DECODER_FORMATS = ("moses", "cdec", "json")
