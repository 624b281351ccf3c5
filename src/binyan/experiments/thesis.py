"""The thesis's own figures, read from a file that is not part of this project."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from binyan.errors import InputError

VARIABLE = "BINYAN_THESIS_TABLES"


def thesis_tables(path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """The figures, from `path`, or BINYAN_THESIS_TABLES, or ../shared/thesis/tables.toml; empty where there are none.

    A path that is given and cannot be read is an error.
    """
    given = path or os.environ.get(VARIABLE)
    found = Path(given) if given else beside("shared/thesis/tables.toml")
    try:
        return tomllib.loads(found.read_text(encoding="utf-8"))
    except OSError as error:
        if given:
            raise InputError(f"{found}: cannot be read: {error.strerror or error}") from error
        return {}
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{found}: not TOML: {error}") from error


def beside(path: str) -> Path:
    """A path beside the folder we work in, or beside the repository this package is part of."""
    here, repository = Path.cwd().parent / path, Path(__file__).resolve().parents[4] / path
    return here if here.exists() else repository
