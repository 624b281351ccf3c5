"""Regular expressions from the page: searched quickly in many words, and given up where they take too long."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Sequence

import regex

from binyan.errors import InputError

_SEARCH_SECONDS, _WORD_SECONDS = 2.0, 0.2
_SHORT = 16  # letters: in shorter words nothing takes long
_FIRST_CHUNK, _LARGEST_CHUNK = 64, 8192  # words between two looks at the clock


def matching(texts: Sequence[str], pattern: str) -> list[int]:
    """The places of the texts that match a regular expression. Raises InputError where it is none, or takes too long."""
    try:
        compiled = regex.compile(pattern)
    except (regex.error, OverflowError, RecursionError) as error:
        raise InputError(f"{pattern!r} is no regular expression: {error}") from None
    quick, search = _quick_search(pattern) or compiled.search, compiled.search
    end = time.monotonic() + _SEARCH_SECONDS
    hits: list[int] = []
    begin, size = 0, _FIRST_CHUNK
    try:
        while begin < len(texts):
            chunk = range(begin, min(begin + size, len(texts)))
            hits += [
                i for i in chunk
                if (quick(texts[i]) if len(texts[i]) <= _SHORT else search(texts[i], timeout=_WORD_SECONDS))
            ]  # fmt: skip
            begin, size = begin + size, min(2 * size, _LARGEST_CHUNK)
            if time.monotonic() > end:
                raise TimeoutError
    except TimeoutError:
        raise InputError(f"{pattern!r} takes too long; use fewer nested repetitions") from None
    return hits


def _quick_search(pattern: str) -> Callable[[str], object] | None:
    """The search of the standard library, which is quicker, where it knows the pattern; else None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return re.compile(pattern).search
    except (re.error, OverflowError, RecursionError, FutureWarning, DeprecationWarning):
        return None
