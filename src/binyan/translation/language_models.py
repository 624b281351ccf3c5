"""Language models as decoder and rescorer take them: objects, or the files they are in."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from binyan.files import PathLike
from binyan.language_model import LanguageModel, load

ModelOrPath = LanguageModel | PathLike


def open_models(models: ModelOrPath | Sequence[ModelOrPath]) -> list[LanguageModel]:
    """One language model or several; those given by their files are loaded."""
    several: Sequence[Any] = models if isinstance(models, (list, tuple)) else [models]
    return [load(model) if is_path(model) else model for model in several]


def is_path(model: ModelOrPath) -> bool:
    """Whether a model is given by its file."""
    return isinstance(model, (str, os.PathLike))
