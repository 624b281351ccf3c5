"""`binyan text`: text as the models see it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.option_groups import with_settings
from binyan.text import Preparation

app = App(help="Text as the models see it.", no_args_is_help=True)


@app.callback()
def _text() -> None:
    """Text as the models see it."""


@app.command()
@with_settings
def prepare(
    *,
    text: o.HeldOut,
    like: Annotated[
        Path | None, typer.Option("--like", metavar="M", help="Prepare as the training text of this model was.")
    ] = None,
    preparation: Preparation,
) -> None:
    """Print a text as a model would see it, one sentence per line, for tools that should be given the same words.

    \b
    binyan text prepare --text test.txt --tokenise de --lowercase > test.prepared.txt
    binyan text prepare --text test.txt --like model.binyan | query model.arpa
    """
    from binyan.language_model import load
    from binyan.text.reading import prepared_lines

    for line in prepared_lines(o.held_out(text), load(like).preparation if like else preparation):
        typer.echo(line)
