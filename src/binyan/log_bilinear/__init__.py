"""Log-bilinear language models whose word vectors are sums of morpheme vectors (thesis, chapter 4)."""

from __future__ import annotations

import importlib
import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from binyan.errors import MissingExtra

if TYPE_CHECKING:
    from binyan.log_bilinear.language_model import LogBilinear
    from binyan.log_bilinear.tuning import TuningResult
    from binyan.log_bilinear.vectors import Vectors

# PyTorch then asks Linux for large pages. Each minibatch needs new memory, and to get it in small pages takes up to a quarter of the
# time of training. Read when PyTorch first allocates: where it is in use already, this changes nothing.
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")

_NAMES = {"LogBilinear": "language_model", "TuningResult": "tuning", "Vectors": "vectors"}

__all__ = ["LogBilinear", "TuningResult", "Vectors"]


def __getattr__(name: str) -> Any:
    """Imported when first used: the settings, which the command line reads, need no PyTorch."""
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if find_spec("torch") is None:
        raise MissingExtra("a log-bilinear model", "neural")
    return getattr(importlib.import_module(f"{__name__}.{_NAMES[name]}"), name)
