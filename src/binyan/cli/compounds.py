"""`binyan compounds`: train, use and evaluate compound splitters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.option_groups import with_settings
from binyan.cli.output import print_json
from binyan.errors import SettingsError
from binyan.segmentation.splitter_settings import SplitterSettings
from binyan.text import Preparation

app = App(help="Split compounds into their parts: train a splitter, split words, evaluate.", no_args_is_help=True)

Gold = Annotated[
    list[Path] | None,
    typer.Option(help="Gold list: word TAB parts, or GecoDB's or GermaNet's own format. May be repeated."),
]
Splitter = Annotated[Path, typer.Argument(help="A saved splitter.")]
Text = Annotated[list[Path] | None, typer.Option(help="Text, one sentence per line (plain, gz, xz). May be repeated.")]


@app.command()
@with_settings
def train(
    *,
    out: Annotated[Path, typer.Option(help="Where the splitter is saved.")],
    gold: Gold = None,
    text: Text = None,
    exclude: Annotated[
        list[Path] | None, typer.Option(help="Gold list whose words are kept out of training (a development set).")
    ] = None,
    simplex: Annotated[
        Path | None, typer.Option(help="Words not to be split, one per line. Default: gold parts that are never split.")
    ] = None,
    settings: SplitterSettings,
    preparation: Preparation,
    quiet: o.Quiet = False,
) -> None:
    """Train a splitter on gold compounds, or, without --gold, make one from word frequencies alone.

    \b
    binyan compounds train --gold gold.tsv --text corpus.txt.xz --tokenise de --out german.splitter
    binyan compounds train --text corpus.txt.xz --links "s es n en" --out untrained.splitter
    """
    from binyan import CompoundSplitter

    o.check_out(out)
    splitter = CompoundSplitter(settings=settings, preparation=preparation)
    splitter.fit(gold or None, text or None, exclude=exclude, simplex=simplex, progress=False if quiet else None)
    splitter.save(out)
    for path, listed in splitter.gold.items():
        typer.echo(f"{path}: {listed}")
    typer.echo(f"{out}: {splitter.description}")


@app.command()
@with_settings
def split(
    *,
    splitter: Splitter,
    out: Annotated[Path, typer.Option(help="Where the segmentations are written.")],
    text: Text = None,
    words: Annotated[Path | None, typer.Option(help="Words, one per line.")] = None,
    min_count: Annotated[int, typer.Option(metavar="N", help="With --text: only words seen N times or more.")] = 1,
    prepare: Preparation,
    quiet: o.Quiet = False,
) -> None:
    """Split the words of a text or of a list, and write them as word TAB parts.

    binyan compounds split german.splitter --text corpus.txt.xz --tokenise de --lowercase --out corpus.segmentation.tsv
    """
    from binyan import CompoundSplitter
    from binyan.segmentation.frequencies import listed_words, text_words

    o.check_out(out)
    if bool(text) == bool(words):
        raise SettingsError("give either --text or --words")
    model = CompoundSplitter.load(splitter)
    todo = listed_words(words) if words is not None else text_words(text, prepare, min_count)
    table = model.split_words(todo, False if quiet else None)
    table.write(out, comment=str(model.signature()))
    compounds = sum(not row.is_simplex for row in table.values())
    typer.echo(f"{out}: {len(table):,} words, {compounds:,} of them split")


@app.command()
def evaluate(
    splitter: Splitter,
    gold: Annotated[list[Path], typer.Option(help="Gold list, in any known format. May be repeated.")],
    errors: Annotated[int, typer.Option(metavar="N", help="Show N wrong words.")] = 0,
    json_: o.Json = False,
) -> None:
    """Boundary precision, recall and F; a boundary is correct only with the gold linking element.

    binyan compounds evaluate german.splitter --gold development.tsv --errors 20
    """
    from binyan import CompoundSplitter
    from binyan.evaluation.compounds import evaluate_splitter

    result = evaluate_splitter(CompoundSplitter.load(splitter), gold)
    if json_:
        print_json(result.to_dict())
        return
    typer.echo(str(result))
    for theirs, mine in result.errors[:errors]:
        typer.echo(f"{theirs}  found: {mine}")
