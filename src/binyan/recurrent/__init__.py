"""Recurrent language models (LSTM, GRU) whose word vectors may be sums of morpheme vectors."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from binyan.errors import MissingExtra

if TYPE_CHECKING:
    from binyan.recurrent.language_model import Recurrent

__all__ = ["Recurrent"]


def __getattr__(name: str) -> Any:
    """Imported when first used: the settings, which the command line reads, need no PyTorch."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if find_spec("torch") is None:
        raise MissingExtra("a recurrent model", "neural")
    return getattr(importlib.import_module(f"{__name__}.language_model"), name)
