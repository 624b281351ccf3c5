"""`binyan check`: are model files whole?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def check(
    models: Annotated[list[Path], typer.Argument(metavar="M [M...]", help="Model files.")],
) -> None:
    """Check whole model files against their checksums.

    Small files are checked every time they are opened, large ones only once until they change. Exit code 4 means that a file is
    damaged; the message says which part of it.

    \b
    binyan check model.binyan
    """
    from binyan import model_file

    for path in models:
        file = model_file.check(path)
        typer.echo(f"{path}: whole; {file.kind}, {len(file.sections)} sections, {path.stat().st_size:,} bytes")
