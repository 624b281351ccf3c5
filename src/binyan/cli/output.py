"""How commands print: figures as lines or JSON, tables on the terminal and in files, warnings on one line."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer

from binyan.errors import InputError
from binyan.json_values import finite


def print_json(figures: Mapping[str, Any]) -> None:
    """One JSON object; numbers that JSON does not know are null."""
    typer.echo(json.dumps(finite(figures), ensure_ascii=False, indent=1, allow_nan=False))


def standard_input() -> Iterator[str]:
    """The lines of standard input, with their ends; what was printed goes out before more is waited for."""
    for number, raw in enumerate(iter(sys.stdin.buffer.readline, b""), 1):
        try:
            yield raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"<stdin>:{number}: not UTF-8") from error
        sys.stdout.flush()


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Warnings of Binyan as one line each on standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = lambda message, *rest, **more: typer.echo(f"binyan: warning: {message}", err=True)
        yield
