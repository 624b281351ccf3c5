"""`binyan wordmap`: the morphemes of words, learnt from text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.option_groups import with_settings
from binyan.cli.output import print_json
from binyan.segmentation.word_map import WordMapSettings
from binyan.text import Preparation

app = App(no_args_is_help=True, help="Word maps: the morphemes of words, for the additive models.")


@app.callback()
def _wordmap() -> None:
    """Word maps: the morphemes of words, for the additive models."""


@app.command()
@with_settings
def learn(
    *,
    text: Annotated[list[Path], typer.Option("--text", "-t", metavar="F", help="Text to learn from; may be repeated.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="TSV", help="The word map to write.")],
    also: Annotated[
        list[Path] | None,
        typer.Option("--also", metavar="F", help="Text whose additional words are segmented, but not learnt from."),
    ] = None,
    factors: Annotated[
        bool, typer.Option("--factors", help="Write all factors, including roots and templates, for additive models.")
    ] = False,
    settings: WordMapSettings,
    prepare: Preparation,
    quiet: o.Quiet = False,
    json_: o.Json = False,
) -> None:
    """Learn morphemes from the words of a text: with our own morphology, or with Morfessor.

    \b
    binyan wordmap learn --text train.txt --also dev.txt --also test.txt --out map.tsv
    binyan wordmap learn --text arabic.txt --factors --out roots.tsv
    binyan wordmap learn --text train.txt --method flatcat --out map.tsv
    """
    from binyan import WordMap

    o.check_out(out)
    word_map = WordMap(settings=settings, preparation=prepare).fit(text, also, progress=False if quiet else None)
    word_map.save(out, factors)
    if json_:
        print_json(word_map.summary())
    else:
        typer.echo(f"{out}: {word_map.description}\n{word_map.signature()}")
