"""The figures stated in the thesis, which reports show beside ours."""

from __future__ import annotations

import os
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from binyan.errors import InputError

VARIABLE = "BINYAN_THESIS_TABLES"


def thesis_figures(path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """The figures in the file `path`, or in the file named by BINYAN_THESIS_TABLES; by default those shipped with Binyan."""
    chosen = path or os.environ.get(VARIABLE)
    source = Path(chosen) if chosen else files("binyan.experiments") / "thesis.toml"
    try:
        return tomllib.loads(source.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputError(f"{source}: cannot be read: {reason or error}") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: not TOML: {error}") from error
