"""How commands print: figures as lines or JSON, tables on the terminal and in files, warnings on one line."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from binyan.errors import InputError
from binyan.json_values import finite

if TYPE_CHECKING:
    from binyan.evaluation import Table


def print_json(figures: Mapping[str, Any]) -> None:
    """One JSON object; numbers that JSON does not know are null."""
    typer.echo(json.dumps(finite(figures), ensure_ascii=False, indent=1, allow_nan=False))


def write_tables(tables: Mapping[str, Table], tsv: Path | None, plots: Path | None) -> None:
    """Each table as NAME.tsv and, where it has a drawing, NAME.png and NAME.svg."""
    for name, table in tables.items():
        if tsv is not None:
            tsv.mkdir(parents=True, exist_ok=True)
            (tsv / f"{name}.tsv").write_text(table.tsv(), encoding="utf-8")
        if plots is not None and table.chart is not None and table.rows:
            from binyan.evaluation import plots as drawing

            plots.mkdir(parents=True, exist_ok=True)
            for kind in ("png", "svg"):
                drawing.save(table, plots / f"{name}.{kind}")


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
