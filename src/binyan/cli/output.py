"""How commands print: figures as lines or JSON, tables on the terminal and in files, warnings on one line."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer

from binyan.json_values import finite


def print_json(figures: Mapping[str, Any]) -> None:
    """One JSON object; numbers that JSON does not know are null."""
    typer.echo(json.dumps(finite(figures), ensure_ascii=False, indent=1, allow_nan=False))


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Warnings of Binyan as one line each on standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = lambda message, *rest, **more: typer.echo(f"binyan: warning: {message}", err=True)
        yield
