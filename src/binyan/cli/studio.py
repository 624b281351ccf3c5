"""`binyan studio`: the workbench in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def studio(
    folder: Annotated[Path, typer.Argument(help="The folder of the project; it is made if it is missing.")] = Path(
        "binyan-project"
    ),
    port: Annotated[int, typer.Option(help="Port on this machine.")] = 8766,
    host: Annotated[str, typer.Option(help="Address to listen on; one that others reach needs --share.")] = "127.0.0.1",
    share: Annotated[
        bool, typer.Option("--share", help="Ask everyone for a token; prints a link to work and a link to read.")
    ] = False,
    archive: Annotated[
        Path | None, typer.Option("--open", metavar="ZIP", help="Fill the new project with an archive of another.")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the page.")] = False,
) -> None:
    """From a file of words to a reviewed analysis, in the browser: add words, choose a grammar, learn, correct, export.

    Example: binyan studio my-language
    """
    from binyan.studio.server import serve

    serve(folder, host, port, share, show=not no_browser, archive=archive)
