"""Signatures: how a figure was made, in one line that goes wherever the figure goes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from binyan import __version__

_SHORT = ("model", "order", "open", "renormalised", "text", "tokens", "unknown")


@dataclass(frozen=True)
class Signature:
    """Settings under a number, written `name:value|name:value|...|binyan:version`.

    >>> str(Signature({"model": "mkn", "order": 4}).extended(text="1f2e")).rsplit("|", 1)[0]
    'model:mkn|order:4|text:1f2e'
    """

    fields: Mapping[str, Any] = field(default_factory=dict)

    def extended(self, **more: Any) -> Signature:
        """A signature with further fields; None values are left out."""
        return Signature({**self.fields, **{k: v for k, v in more.items() if v is not None}})

    def __str__(self) -> str:
        return "|".join([*(f"{k}:{v}" for k, v in self.fields.items()), f"binyan:{__version__}"])

    @property
    def short(self) -> str:
        """What a reader tells figures apart by, and the digest of the whole signature."""
        kept = [f"{k}:{self.fields[k]}" for k in _SHORT if k in self.fields]
        return "|".join([*kept, f"signature:{self.digest}", f"binyan:{__version__}"])

    @classmethod
    def parse(cls, text: str) -> Signature:
        """The signature that was written as `text`, without the version that wrote it; values are text.

        >>> Signature.parse("model:mkn|order:4|binyan:0.1.0").fields
        {'model': 'mkn', 'order': '4'}
        """
        fields: dict[str, Any] = {}
        for part in text.split("|"):
            name, colon, value = part.partition(":")
            if colon:
                fields[name] = value
            elif fields:
                fields[next(reversed(fields))] += f"|{part}"
        fields.pop("binyan", None)
        return cls(fields)

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that stand for the whole signature."""
        return digest(str(self).encode())


def digest(*parts: bytes | memoryview) -> str:
    """Sixteen hexadecimal digits of the content of `parts`."""
    state = hashlib.blake2b(digest_size=8)
    for part in parts:
        state.update(part)
    return state.hexdigest()
