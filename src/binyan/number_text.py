"""Numbers that come from text or JSON: the one way in, which lets nothing pass that is not a finite number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_MOST_DIGITS = 18


def finite_number(text: str) -> float:
    """The number that `text` is. Raises ValueError, which says what was seen, for anything else: NaN and infinity too.

    >>> finite_number("-1.5e3")
    -1500.0
    >>> finite_number("1e999")
    Traceback (most recent call last):
    ValueError: '1e999' is not a finite number
    """
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{text[:40]!r} is not a number") from None
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]!r} is not a finite number")
    if "_" in text:
        raise ValueError(f"{text[:40]!r} is not a number")
    return value


def whole_count(text: str) -> int:
    """The whole number, 0 or more, that `text` is; raises ValueError for anything else.

    >>> whole_count("17")
    17
    >>> whole_count("-3")
    Traceback (most recent call last):
    ValueError: '-3' is not a count, a whole number of 0 or more
    """
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise ValueError(f"{text[:40]!r} is not a count, a whole number of 0 or more")
    return int(text)


def finite_value(value: Any, name: str = "the value") -> float:
    """A finite number out of JSON; raises ValueError for NaN, infinities, numbers out of range, and what is no number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{name} is no number: {str(value)[:40]!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} is not a finite number: {number!s}")
    return number


def finite_values(values: Any, what: str) -> dict[str, float]:
    """Finite numbers by name out of JSON; `what` they are stands in the message of the ValueError."""
    if not isinstance(values, Mapping):
        raise ValueError(f"{what} are an object of numbers by name")
    return {str(name): finite_value(value, f"{name!r}") for name, value in values.items()}
