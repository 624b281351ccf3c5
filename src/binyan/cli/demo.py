"""`binyan demo`: what Binyan does, shown on data it makes itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.output import plain_warnings


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where to write data, models and the report.")
    ] = Path("demo-output"),
    data_only: Annotated[bool, typer.Option("--data-only", help="Only write the data, to try commands on.")] = False,
    seed: o.Seed = 1,
) -> None:
    """Show all families of models on built-in data, in two minutes, and write a report.

    \b
    binyan demo
    binyan demo --data-only --out data
    """
    from binyan import datasets
    from binyan.demo import show

    with plain_warnings():
        if data_only:
            datasets.write(out, seed)
            typer.echo(f"{out}: {', '.join(sorted(p.name for p in out.iterdir()))}")
        else:
            show.demonstrate(out, seed, typer.echo)
