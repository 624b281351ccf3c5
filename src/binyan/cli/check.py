"""`binyan check`: are model files whole?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def check(
    models: Annotated[list[Path], typer.Argument(metavar="M [M...]", help="Model files.")],
) -> None:
    """Compare all of each model file with its checksums.

    Small files are checked whenever they are opened; large ones once, which is remembered until the file changes. Exit code 4:
    a file is damaged, and which part of it is said.

    \b
    binyan check model.binyan
    """
    from binyan import model_file

    for path in models:
        file = model_file.check(path)
        typer.echo(f"{path}: whole; {file.kind}, {len(file.sections)} sections, {path.stat().st_size:,} bytes")
