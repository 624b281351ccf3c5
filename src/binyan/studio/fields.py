"""Fields of a request, checked: nothing from the browser is taken as it comes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from binyan.errors import InputError

Question = Mapping[str, Any]

LONGEST_WORD = 200
_MISSING = object()


def text(question: Question, name: str, longest: int = LONGEST_WORD, default: Any = _MISSING) -> str:
    """A text of at most `longest` characters; `default` where it is missing, if there is one."""
    value = question.get(name, default)
    if value is _MISSING:
        raise InputError(f"the request lacks {name!r}")
    if not isinstance(value, str):
        raise InputError(f"{name} must be text")
    if len(value) > longest:
        raise InputError(f"{name} has {len(value):,} characters; {longest:,} are the most")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(f"{name} has half of a character in it") from None
    return value


def number(question: Question, name: str, least: int, most: int, default: int | None = None) -> int:
    """A whole number within bounds; `default` where it is missing, if there is one."""
    value = question.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InputError(f"{name} must be a whole number from {least:,} to {most:,}")
    return value


def flag(question: Question, name: str, default: bool = False) -> bool:
    """Yes or no."""
    value = question.get(name, default)
    if not isinstance(value, bool):
        raise InputError(f"{name} must be true or false")
    return value


def items(question: Question, name: str, most: int) -> list[Mapping[str, Any]]:
    """A list of at most `most` objects."""
    value = question.get(name)
    if not isinstance(value, list) or len(value) > most or not all(isinstance(item, dict) for item in value):
        raise InputError(f"{name} must be a list of at most {most:,} objects")
    return value


def texts(question: Question, name: str, most: int, longest: int = LONGEST_WORD) -> list[str]:
    """A list of at most `most` texts; none where it is missing."""
    value = question.get(name, [])
    if not isinstance(value, list) or len(value) > most:
        raise InputError(f"{name} must be a list of at most {most:,} texts")
    return [text({name: item}, name, longest) for item in value]
