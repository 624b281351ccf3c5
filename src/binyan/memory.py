"""How much memory there is, how much training will take, and a plain refusal before it begins where that is too much."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from binyan.errors import NoMemoryError, SettingsError

_SAMPLE = 200_000  # tokens that are looked at; what more text brings follows from its two halves
_MEBIBYTE = 1 << 20
ON_DISK_TOO = "a Kneser-Ney model"  # what can be trained past memory
_allowed: ContextVar[int | None] = ContextVar("allowed", default=None)


def available_memory() -> int | None:
    """Bytes that this process may still take: of the machine, its control group and its own limits. None where that is not known."""
    known = _of_machine(), _of_control_group(), _of_process(), _of_allowed()
    return min((limit for limit in known if limit is not None), default=None)


@contextmanager
def allowed_memory(size: int | None) -> Iterator[None]:
    """Limit this process to `size` bytes inside a `with` block: training that would need more is refused before it starts."""
    token = _allowed.set(size)
    try:
        yield
    finally:
        _allowed.reset(token)


def memory_size(size: int | str) -> int:
    """Bytes: a number of them, or a text such as "4G", "800M" or "1.5 GB" (powers of 1024).

    >>> memory_size("4G") == 4 * 1024**3, memory_size(5)
    (True, 5)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", str(size), re.IGNORECASE)
    if match is None or (value := int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))) <= 0:
        raise SettingsError(f"an amount of memory is a number with K, M, G or T, such as 4G, not {size!r}")
    return value


def _of_machine() -> int | None:
    fields = _fields("/proc/meminfo")
    return fields["MemAvailable"] * 1024 if "MemAvailable" in fields else None


def _of_control_group() -> int | None:
    for most, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        limit, usage = _number(most), _number(used)
        if limit is not None and usage is not None:
            return max(0, limit - usage)
    return None


def _of_process() -> int | None:
    if sys.platform == "win32":
        return None
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    taken = _fields("/proc/self/status").get("VmSize")
    return None if limit == resource.RLIM_INFINITY or taken is None else max(0, limit - taken * 1024)


def _of_allowed() -> int | None:
    if (allowed := _allowed.get()) is None:
        return None
    return max(0, allowed - 1024 * _fields("/proc/self/status").get("VmRSS", 0))


def _fields(path: str) -> dict[str, int]:
    try:
        lines = Path(path).read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return {}
    rows = (line.replace(":", " ").split() for line in lines)
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdecimal()}


def _number(path: str) -> int | None:
    try:
        text = Path(path).read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None


def distinct_ngrams(words: NDArray[np.uint32], order: int, tokens: int | None = None) -> list[int]:
    """About how many distinct n-grams of 1, ..., `order` words a text has, or the same text with another number of tokens.

    They are counted at its beginning; from there their number grows as a power of the length, as it did in the second half.
    """
    length = len(words) if tokens is None else tokens
    sample = words[: min(_SAMPLE, length)].astype(np.uint64) + np.uint64(1)
    counts = []
    keys = sample.copy()
    for n in range(1, order + 1):
        half, whole = len(np.unique(keys[: len(keys) // 2])), len(np.unique(keys))
        growth = np.log2(whole / half) if half else 1.0
        counts.append(int(whole * max(1.0, length / max(1, len(sample))) ** growth))
        keys = keys[:-1] * np.uint64(0x9E3779B97F4A7C15) + sample[n:]
    return counts


def kneser_ney_bytes(words: NDArray[np.uint32], order: int, tokens: int | None = None) -> int:
    """About how much memory the estimation of a Kneser-Ney model takes beside the text."""
    return 90 * sum(distinct_ngrams(words, order, tokens))


def hpylm_bytes(words: NDArray[np.uint32], order: int, chains: int, samples: int, tokens: int | None = None) -> int:
    """About how much memory the sampling of an HPYLM takes beside the text: its n-grams, seats per chain, samples per chain."""
    return (60 + 20 * chains + 17 * chains * samples) * sum(distinct_ngrams(words, order, tokens))


def compound_bytes(words: NDArray[np.uint32], order: int, chains: int, samples: int, tokens: int | None = None) -> int:
    """About how much memory the sampling of a compound model takes beside the text: words and heads in every context."""
    return (160 + 35 * chains + 37 * chains * samples) * sum(distinct_ngrams(words, order, tokens))


def inflection_bytes(
    words: NDArray[np.uint32], order: int, chains: int, samples: int, ways: float, tokens: int | None = None
) -> int:
    """About how much memory the sampling of hpylm+i takes beside the text: words, and stems and endings for every way.

    Where words have several segmentations, each counts as a way.
    """
    each = 60 + 20 * chains + 17 * chains * samples
    return int(each * (1 + ways) * sum(distinct_ngrams(words, order, tokens)))


def check_memory(what: str, words: NDArray[np.uint32], order: int, needed: Callable[[int, int | None], int]) -> None:
    """Raise NoMemoryError where training needs more memory than there is, with the order or the text that would fit.

    `needed(order, tokens)` is the estimate in bytes; tokens None: the whole text.
    """
    available = available_memory()
    if available is None or (most := needed(order, None)) <= available:
        return
    shorter = next((n for n in range(order - 1, 0, -1) if needed(n, None) <= available), None)
    tokens = len(words)
    while tokens > 0 and needed(order, tokens) > available:
        tokens = tokens * 3 // 4
    fits = [f"order {shorter}"] if shorter else []
    fits += [f"about {tokens:,} of the {len(words):,} words of text"] if tokens else []
    fits += ["the whole text with --memory, which works in files"] if what == ON_DISK_TOO else []
    raise no_memory(f"{what} of order {order}", most, available, fits)


def no_memory(what: str, needed: int, available: int, fits: Sequence[str]) -> NoMemoryError:
    """The refusal of what needs more memory than there is; `fits` is what would fit."""
    return NoMemoryError(
        f"{what} needs about {needed // _MEBIBYTE:,} MB of memory, and {available // _MEBIBYTE:,} MB are available; "
        + (f"what would fit: {', or '.join(fits)}" if fits else "take a machine with more memory")
    )
