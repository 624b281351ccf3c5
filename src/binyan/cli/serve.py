"""`binyan serve`: sentences scored for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    lm: Annotated[list[Path], typer.Option("--lm", metavar="M", help="A language model file; may be repeated.")],
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Answer over HTTP on this port instead of standard input.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; other machines can connect if it is not loopback.")
    ] = "127.0.0.1",
) -> None:
    """Score sentences for other programs: requests and answers in JSON, on standard input line by line, or over HTTP.

    \b
    echo '{"text": "das haus ist gross", "words": true}' | binyan serve --lm model.binyan
    binyan serve --lm model.binyan --port 8766
    curl -H 'content-type: application/json' -d '{"texts": ["das haus"]}' http://127.0.0.1:8766/api/score
    """
    from binyan.serving import serve as start

    start(lm, port, host)
