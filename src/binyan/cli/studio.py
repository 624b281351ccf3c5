"""`binyan studio`: the workbench in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def studio(
    folder: Annotated[Path, typer.Argument(help="The folder of the project; created if it is missing.")] = Path(
        "binyan-project"
    ),
    port: Annotated[int, typer.Option(help="Port on this machine.")] = 8766,
    host: Annotated[
        str, typer.Option(help="Address to listen on; one that other machines can reach needs --share.")
    ] = "127.0.0.1",
    share: Annotated[
        bool,
        typer.Option("--share", help="Ask everyone for a token; prints a link for editing and a link for reading."),
    ] = False,
    archive: Annotated[
        Path | None, typer.Option("--open", metavar="ZIP", help="Start the new project from an archive of another.")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the page.")] = False,
) -> None:
    """From a file of words to a reviewed analysis, in the browser: add words, choose a grammar, learn, correct, export.

    Example: binyan studio my-language
    """
    from binyan.studio.server import serve

    serve(folder, host, port, share, show=not no_browser, archive=archive)
