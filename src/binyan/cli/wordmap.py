"""`binyan wordmap`: the morphemes of words, learnt from text."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.option_groups import with_settings
from binyan.cli.output import print_json
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
    more: Annotated[
        list[Path] | None,
        typer.Option("--also", metavar="F", help="Text whose further words are segmented, but not learnt from."),
    ] = None,
    method: Annotated[
        str, typer.Option(help="flatcat (prefixes, stems, suffixes) or baseline (no labels).")
    ] = "flatcat",
    perplexity_threshold: Annotated[
        float, typer.Option("--perplexity-threshold", metavar="X", help="Of FlatCat: higher finds fewer affixes.")
    ] = 50.0,
    corpus_weight: Annotated[float, typer.Option("--corpus-weight", metavar="X", help="Higher segments less.")] = 1.0,
    dampening: Annotated[str, typer.Option(help="types, log or tokens: how counts weigh.")] = "log",
    flatcat_epochs: Annotated[
        int, typer.Option("--flatcat-epochs", metavar="N", help="0 labels what Baseline found: much faster.")
    ] = 1,
    min_count: Annotated[
        int, typer.Option("--min-count", metavar="N", help="Learn only from words seen this often; segment all.")
    ] = 1,
    prepare: Preparation,
    seed: o.Seed = 1,
    quiet: o.Quiet = False,
    json_: o.Json = False,
) -> None:
    """Learn morphemes from the words of a text by Morfessor.

    \b
    binyan wordmap learn --text train.txt --also dev.txt --also test.txt --out map.tsv
    """
    from binyan.segmentation.morfessor import learn as morfessor
    from binyan.signature import Signature
    from binyan.text import read_sentences

    o.check_out(out)
    preparation = prepare
    counts = Counter(w for path in text for sentence in read_sentences(path, preparation) for w in sentence)
    further = {w: None for path in more or () for sentence in read_sentences(path, preparation) for w in sentence}
    table = morfessor(
        counts,
        further,
        method=method,
        perplexity_threshold=perplexity_threshold,
        corpus_weight=corpus_weight,
        dampening=dampening,
        flatcat_epochs=flatcat_epochs,
        min_count=min_count,
        seed=seed,
        progress=False if quiet else None,
    )
    settings = {"map": method, "threshold": perplexity_threshold, "weight": corpus_weight, "dampening": dampening}
    signature = Signature(
        {**settings, "epochs": flatcat_epochs, "min_count": min_count, "seed": seed, "prepared": preparation}
    )
    table.write(out, str(signature))
    figures = {"words": len(table), "morphemes_per_word": sum(len(s.parts) for s in table.values()) / len(table)}
    if json_:
        print_json({**figures, "signature": str(signature)})
    else:
        typer.echo(f"{out}: {len(table):,} words, {figures['morphemes_per_word']:.2f} morphemes a word\n{signature}")
