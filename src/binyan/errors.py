"""Errors a user can act on. Each message says what was seen, where, and what to do next."""

from __future__ import annotations

import os


class BinyanError(Exception):
    """Base of all errors Binyan raises on purpose. `exit_code` is what the command line returns."""

    exit_code = 1


def unreadable(path: object, error: OSError) -> str:
    """Why a file cannot be read, and what to do."""
    if isinstance(error, FileNotFoundError):
        return f"{path}: no such file; is the name right? We are in {os.getcwd()}"
    # Windows says that a folder may not be opened, not that it is one.
    if isinstance(error, IsADirectoryError) or (isinstance(path, (str, os.PathLike)) and os.path.isdir(path)):
        return f"{path}: is a folder; name a file in it"
    return f"{path}: cannot be read: {error.strerror or error}"


class InputError(BinyanError):
    """Text, word list, segmentation or other input that cannot be used as it is."""

    exit_code = 3


class SettingsError(BinyanError):
    """An option, or a combination of options, that makes no sense."""

    exit_code = 2


class ModelFileError(BinyanError):
    """A model file that is missing, damaged, unfinished, of another kind or from a newer version."""

    exit_code = 4


class NotFittedError(BinyanError, AttributeError):
    """A model that was asked something before it has learnt anything."""

    exit_code = 2

    def __init__(self, name: str) -> None:
        super().__init__(f"this {name} has learnt nothing yet: call fit first, or open a saved model with binyan.load")


class GrammarError(BinyanError):
    """A grammar that breaks a rule of its notation or formalism; names the rule and its line."""

    exit_code = 5


OUT_OF_MEMORY = (
    "there is not enough memory; what was saved before is intact. Take less text, a lower order, fewer chains or samples, or a "
    "smaller vocabulary (--min-count 2)"
)


class NoMemoryError(BinyanError, MemoryError):
    """Work that would need more memory than there is, found before it begins."""

    exit_code = 8


class MissingExtra(BinyanError, ImportError):
    """An optional part of Binyan that is not installed."""

    exit_code = 6

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional part: pip install 'binyan[{extra}]'")
        self._given = what, extra

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        return MissingExtra, self._given
