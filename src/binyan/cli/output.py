"""How commands print: figures as lines or JSON, tables on the terminal and in files, warnings on one line."""

from __future__ import annotations

import json
import logging
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer

from binyan.errors import InputError
from binyan.json_values import finite
from binyan.text.reading import LONGEST_LINE


def print_json(figures: Mapping[str, Any]) -> None:
    """One JSON object; numbers that JSON does not know are null."""
    typer.echo(json.dumps(finite(figures), ensure_ascii=False, indent=1, allow_nan=False))


def standard_input() -> Iterator[str]:
    """The lines of standard input, with their ends; what was printed goes out before more is waited for."""
    for number, raw in enumerate(iter(lambda: sys.stdin.buffer.readline(LONGEST_LINE), b""), 1):
        if len(raw) >= LONGEST_LINE and not raw.endswith(b"\n"):
            raise InputError(f"<stdin>:{number}: a line of over {LONGEST_LINE:,} bytes; put one sentence on a line")
        try:
            yield raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"<stdin>:{number}: not UTF-8") from error
        sys.stdout.flush()


def print_result(result: Any, as_json: bool, warning: str = "") -> None:
    """A result of the library: as JSON, or as its text, with a warning on standard error."""
    if as_json:
        print_json(result.to_dict())
        return
    if text := str(result):
        typer.echo(text)
    if warning:
        typer.echo(f"binyan: {warning}", err=True)


class _Messages(logging.Handler):
    """Messages of the library as lines on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one message."""
        typer.echo(record.getMessage(), err=True)


@contextmanager
def plain_warnings(quiet: bool = True) -> Iterator[None]:
    """Warnings of Binyan as one line each on standard error; unless `quiet`, its messages, too."""
    logger, handler = logging.getLogger("binyan"), _Messages(logging.INFO)
    level = logger.level
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = lambda message, *rest, **more: typer.echo(f"binyan: warning: {message}", err=True)
        if not quiet:
            logger.addHandler(handler)
            logger.setLevel(logging.INFO)
        try:
            yield
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)
