"""Reading JSON that comes from outside."""

from __future__ import annotations

import json
from typing import Any

from binyan.errors import InputError


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
