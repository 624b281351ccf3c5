"""Reading JSON that comes from outside."""

from __future__ import annotations

import json
import math
from typing import Any

from binyan.errors import InputError

_LONGEST_ID = 200


def json_object(body: str | bytes) -> dict[str, Any]:
    """The object that a request holds. Raises InputError where it is anything else.

    >>> json_object('{"text": "a b"}')
    {'text': 'a b'}
    """
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        raise InputError("the request is not JSON") from None
    if not isinstance(fields, dict):
        raise InputError("the request must be an object in JSON")
    return fields


def request_id(fields: Any) -> str | int | float | None:
    """The `id` of a request, whatever else it is; None where it has none that could come back."""
    given = fields.get("id") if isinstance(fields, dict) else None
    if isinstance(given, str):
        return given if len(given) <= _LONGEST_ID and _is_unicode(given) else None
    return given if isinstance(given, (int, float)) and not isinstance(given, bool) and math.isfinite(given) else None


def known_id(raw: str | bytes) -> dict[str, Any]:
    """The `id` of a request that may be broken, as a field of its answer; empty where there is none."""
    try:
        given = request_id(json.loads(raw))
    except (ValueError, RecursionError):
        given = None
    return {} if given is None else {"id": given}


def check_sentence(text: str) -> None:
    """Raise InputError where a text is not one line of characters."""
    if "\n" in text or "\0" in text or not _is_unicode(text):
        raise InputError("a sentence is one line of text: no line ends, NUL characters or halves of surrogate pairs")


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)
