"""`binyan classes`: word classes from text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.option_groups import with_settings
from binyan.cli.output import print_json
from binyan.clustering import ClusteringSettings
from binyan.text import Preparation, VocabularyPolicy

app = App(help="Word classes (Brown clustering) from text.", no_args_is_help=True)


@app.callback()
def _classes() -> None:
    """Word classes (Brown clustering) from text."""


@app.command()
@with_settings
def train(
    *,
    text: Annotated[
        list[Path], typer.Option("--text", "-t", help="Training text, one sentence per line; may be repeated.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The `paths` file to write: bits, tab, word, tab, count.")],
    settings: ClusteringSettings,
    vocabulary: VocabularyPolicy,
    preparation: Preparation,
    json_: o.Json = False,
) -> None:
    """Cluster the words of a text.

    Example: binyan classes train --text train.txt -k 200 --out classes.paths
    """
    from binyan import WordClasses

    o.check_out(out)
    classes = WordClasses.learn(text, settings=settings, policy=vocabulary, preparation=preparation)
    classes.write(out)
    if json_:
        print_json(classes.to_dict())
    else:
        typer.echo(str(classes))
