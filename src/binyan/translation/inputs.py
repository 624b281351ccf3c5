"""What may be given to a translator or a rescorer: one thing or several, models or their files, texts or their files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from binyan.errors import SettingsError
from binyan.files import PathLike
from binyan.language_model import LanguageModel, load
from binyan.text.reading import Source

ModelOrPath = LanguageModel | PathLike
Item = TypeVar("Item")


def listed(given: Any) -> list[Any]:
    """A list or tuple as a list, anything else as a list of one."""
    return list(given) if isinstance(given, (list, tuple)) else [given]


def open_models(models: ModelOrPath | Sequence[ModelOrPath]) -> list[LanguageModel]:
    """One language model or several; those given by their files are loaded."""
    return [load(model) if is_path(model) else model for model in listed(models)]


def model_files(models: PathLike | Sequence[ModelOrPath]) -> list[PathLike]:
    """Models that must be given by their files."""
    files = listed(models)
    if not all(is_path(model) for model in files):
        raise SettingsError(
            "tuned weights remember their language models by file: save the models, and give their paths"
        )
    return files


def is_path(model: ModelOrPath) -> bool:
    """Whether a model is given by its file."""
    return isinstance(model, (str, os.PathLike))


def reference_texts(references: Source | Sequence[Source]) -> list[Source]:
    """One reference text, or several where a tuple of texts or a list of Path objects is given.

    >>> reference_texts(["das haus", "ein haus"]), len(reference_texts((["das haus"], ["ein haus"])))
    ([['das haus', 'ein haus']], 2)
    """
    if isinstance(references, tuple):
        return list(references)
    if isinstance(references, list) and references and all(isinstance(item, os.PathLike) for item in references):
        return references
    return [references]  # type: ignore[list-item]


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of `size` items, as they come; the last may be shorter."""
    if size < 1:
        raise SettingsError(f"a batch has one line or more, not {size}")
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
