"""Translation rules as text: the formats of cdec and of Moses, written and read. Errors name the broken line."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from binyan import _core
from binyan.errors import InputError, SettingsError
from binyan.files import PathLike, replacing
from binyan.number_text import finite_number
from binyan.text import Vocabulary, read_lines
from binyan.text.vocabulary import SPECIALS
from binyan.translation.rule_table import RuleTable, TranslationRule

FORMATS = ("cdec", "moses")
PACKED = "packed"
Side = tuple[str | int, ...]  # words, and gaps by their numbers
ReadRule = tuple[Side, Side, dict[int, float]]  # source, target, values of features by their place
# Scores of a Moses rule table, in its order; probabilities there, logarithms here.
MOSES_FEATURES = ("SourceGivenTarget", "LexSourceGivenTarget", "TargetGivenSource", "LexTargetGivenSource")
_CDEC_GAP = re.compile(r"\[X(?:,(\d+))?\]")
_MOSES_GAP = "[X][X]"
_POINT = re.compile(r"(\d+)-(\d+)")


def open_rules(path: PathLike, format: str = "packed") -> RuleTable:
    """Rules from a file: packed, or as text in the format of cdec or Moses."""
    return RuleTable.load(path) if format == PACKED else read_rules(path, format)


def save_rules(rules: RuleTable, path: PathLike, format: str = "packed") -> None:
    """Rules to a file: packed, or as text in the format of cdec or Moses."""
    check_written_format(format)
    if format == PACKED:
        rules.save(path)
    else:
        write_rules(rules, path, format)


def check_written_format(format: str) -> None:
    """Raise SettingsError where rules have no such format."""
    if format not in (PACKED, *FORMATS):
        raise SettingsError(f"a grammar is written as packed, cdec or moses, not {format!r}")


def write_rules(rules: RuleTable, path: PathLike, format: str = "cdec") -> int:
    """Write the rules as text and return their number. Moses's format holds the four probabilities only."""
    _check(format)
    if format == "moses" and not set(MOSES_FEATURES) <= set(rules.features):
        raise SettingsError(
            f"Moses's format needs the features {', '.join(MOSES_FEATURES)}; the rules have {', '.join(rules.features)}"
        )
    line = _cdec_line if format == "cdec" else _moses_line
    with replacing(path) as part, open(part, "w", encoding="utf-8") as out:
        for rule in rules.rules():
            out.write(line(rule, rules.features) + "\n")
    return len(rules)


def _cdec_line(rule: TranslationRule, names: Sequence[str]) -> str:
    left = " ".join(f"[X,{s}]" if isinstance(s, int) else s for s in rule.source)
    right = " ".join(f"[X,{s}]" if isinstance(s, int) else s for s in rule.target)
    values = " ".join(f"{name}={value:.7g}" for name, value in zip(names, rule.features, strict=True))
    return f"[X] ||| {left} ||| {right} ||| {values}"


def _moses_line(rule: TranslationRule, names: Sequence[str]) -> str:
    left = " ".join(_MOSES_GAP if isinstance(s, int) else s for s in rule.source)
    right = " ".join(_MOSES_GAP if isinstance(s, int) else s for s in rule.target)
    scores = " ".join(f"{math.exp(rule.features[names.index(name)]):.7g}" for name in MOSES_FEATURES)
    points = " ".join(f"{rule.source.index(s)}-{i}" for i, s in enumerate(rule.target) if isinstance(s, int))
    return f"{left} [X] ||| {right} [X] ||| {scores} ||| {points} ||| "


def read_rules(path: PathLike, format: str = "cdec") -> RuleTable:
    """Read rules with the one non-terminal X. Glue rules (of S) are left out: the decoder has its own."""
    _check(format)
    names: dict[str, int] = {} if format == "cdec" else {name: i for i, name in enumerate(MOSES_FEATURES)}
    rules: list[ReadRule] = []
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            fields = [field.strip() for field in line.split("|||")]
            parsed = _read_cdec(fields, names) if format == "cdec" else _read_moses(fields)
            if parsed is not None:
                _check_rule(parsed[0], parsed[1])
                rules.append(parsed)
        except ValueError as error:
            raise InputError(f"{path}:{number}: {error}: {line[:80]!r}") from error
    if not rules:
        raise InputError(f"{path}: holds no rule")
    return _pack(rules, list(names), {"read": Path(path).name, "format": format})


def _read_cdec(fields: list[str], names: dict[str, int]) -> ReadRule | None:
    if len(fields) not in (3, 4, 5):
        raise ValueError(f"{len(fields)} fields where cdec's format has [X] ||| source ||| target ||| features")
    if fields[0] == "[S]":
        return None
    if fields[0] != "[X]":
        raise ValueError(f"the left-hand side is {fields[0]!r}; only [X] can be decoded")
    left = _symbols(fields[1].split())
    count = sum(isinstance(s, int) for s in left)
    right = _symbols(fields[2].split())
    gaps = list(range(1, count + 1))
    if any(sorted(s for s in side if isinstance(s, int)) != gaps for side in (left, right)):
        raise ValueError("source and target have different gaps")
    # Gaps are numbered by the source side.
    order = [s for s in left if isinstance(s, int)]
    renumbered = {old: new for new, old in enumerate(order, 1)}
    left = tuple(renumbered[s] if isinstance(s, int) else s for s in left)
    right = tuple(renumbered[s] if isinstance(s, int) else s for s in right)
    values: dict[int, float] = {}
    for field in fields[3].split() if len(fields) > 3 else ():
        name, equals, value = field.partition("=")
        if not equals or not name:
            raise ValueError(f"{field!r} is not name=value")
        values[names.setdefault(name, len(names))] = finite_number(value)
    return left, right, values


def _symbols(words: list[str]) -> Side:
    symbols: list[str | int] = []
    for word in words:
        gap = _CDEC_GAP.fullmatch(word)
        if gap:
            symbols.append(int(gap[1]) if gap[1] else 1 + sum(isinstance(s, int) for s in symbols))
        elif re.fullmatch(r"\[[A-Z]+,\d\]", word):
            raise ValueError(f"{word} is not a gap of X")
        else:
            symbols.append(word)
    return tuple(symbols)


def _read_moses(fields: list[str]) -> ReadRule | None:
    if len(fields) < 3:
        raise ValueError(
            f"{len(fields)} fields where Moses's format has source ||| target ||| scores ||| alignment ||| counts"
        )
    left, right, scores = (field.split() for field in fields[:3])
    if not left or not right or left[-1] != right[-1] or not left[-1].startswith("["):
        raise ValueError("source and target do not end in the same left-hand side, such as [X]")
    if left[-1] == "[S]":
        return None
    if left[-1] != "[X]":
        raise ValueError(f"the left-hand side is {left[-1]!r}; only [X] can be decoded")
    left, right = left[:-1], right[:-1]
    if len(scores) != len(MOSES_FEATURES):
        raise ValueError(f"{len(scores)} scores where there are {len(MOSES_FEATURES)}")
    source: list[str | int] = [*left]
    target: list[str | int] = [*right]
    places = [i for i, s in enumerate(left) if s == _MOSES_GAP]
    for n, i in enumerate(places, 1):
        source[i] = n
    for point in fields[3].split() if len(fields) > 3 else ():
        match = _POINT.fullmatch(point)
        if match is None:
            raise ValueError(f"{point!r} is not an alignment point")
        s, t = int(match[1]), int(match[2])
        if s >= len(left) or t >= len(right):
            raise ValueError(f"the alignment point {point} lies outside the rule")
        if left[s] == _MOSES_GAP or right[t] == _MOSES_GAP:
            if left[s] != right[t]:
                raise ValueError(f"the alignment point {point} joins a gap and a word")
            target[t] = source[s]
    if sorted(s for s in target if isinstance(s, int)) != list(range(1, len(places) + 1)) or _MOSES_GAP in target:
        raise ValueError("the alignment does not pair the gaps one to one")
    values = {}
    for i, score in enumerate(scores):
        p = finite_number(score)
        if not 0 < p <= 1.0001:
            raise ValueError(f"{score!r} is not a probability above 0")
        values[i] = min(0.0, math.log(p))
    return tuple(source), tuple(target), values


def _check(format: str) -> None:
    if format not in FORMATS:
        raise SettingsError(f"rules are written as {' or '.join(FORMATS)}, not {format!r}")


def _check_rule(source: Side, target: Side) -> None:
    if not any(isinstance(s, str) for s in source):
        raise ValueError("the source side has no word")
    if sum(isinstance(s, int) for s in source) > 2:
        raise ValueError("more than two gaps")
    if not target:
        raise ValueError("the target side is empty")
    if marks := [s for s in (*source, *target) if s in SPECIALS]:
        raise ValueError(f"{marks[0]} is a mark of language models, not a word that rules may hold")


def _pack(rules: list[ReadRule], names: list[str], fields: dict[str, Any]) -> RuleTable:
    sides: list[Any] = []
    vocabularies = []
    for side in (0, 1):
        words = Vocabulary(dict.fromkeys(s for rule in rules for s in rule[side] if isinstance(s, str)))
        symbols, offsets = array("I"), array("Q", [0])
        for rule in rules:
            symbols.extend(_encode(rule[side], words, numbered=side == 1))
            offsets.append(len(symbols))
        sides += [np.frombuffer(symbols.tobytes(), np.uint32), np.frombuffer(offsets.tobytes(), np.uint64)]
        vocabularies.append(words)
    values = np.zeros((len(rules), len(names)), np.float32)
    for i, rule in enumerate(rules):
        for place, value in rule[2].items():
            values[i, place] = value
    native = _core.TranslationGrammar.pack(sides[0], sides[1], sides[2], sides[3], values.reshape(-1), len(names))
    return RuleTable(native, vocabularies[0], vocabularies[1], names, fields)


def _encode(symbols: Iterable[str | int], words: Vocabulary, numbered: bool) -> list[int]:
    return [_core.FIRST_GAP - (s - 1 if numbered else 0) if isinstance(s, int) else words[s] for s in symbols]
