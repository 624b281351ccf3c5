"""Mixtures of language models, with fixed weights or weights by context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from binyan.mixture.mixture import Mixture, check

__all__ = ["Mixture", "check"]


def __getattr__(name: str) -> Any:
    """Imported when first used: the settings, which the command line reads, need no SciPy."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from binyan.mixture import mixture

    return getattr(mixture, name)
