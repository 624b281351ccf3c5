"""`binyan classes`: word classes from text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from binyan.cli.commands import App
from binyan.errors import SettingsError

app = App(help="Word classes (Brown clustering) from text.", no_args_is_help=True)


@app.callback()
def _classes() -> None:
    """Word classes (Brown clustering) from text."""


@app.command()
def train(
    text: Annotated[
        list[Path], typer.Option("--text", "-t", help="Training text, one sentence a line; may be repeated.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The `paths` file to write: bits, tab, word, tab, count.")],
    classes: Annotated[
        int | None, typer.Option("-k", "--classes", help="How many; by default the root of the types.")
    ] = None,
    method: Annotated[str, typer.Option(help="brown, or frequency for bins of equal mass.")] = "brown",
    exchange: Annotated[int, typer.Option(help="Passes that move single words to better classes afterwards.")] = 2,
    lowercase: Annotated[bool, typer.Option(help="Lowercase the text.")] = False,
    digits: Annotated[bool, typer.Option(help="Make every digit 0.")] = False,
    tokenise: Annotated[str | None, typer.Option(help="Tokenise for this language, e.g. de.")] = None,
    kappa: Annotated[float, typer.Option(help="Share of the words seen once that become <unk>.")] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="Figures as JSON.")] = False,
) -> None:
    """Cluster the words of a text.

    Example: binyan classes train --text train.txt -k 200 --out classes.paths
    """
    from binyan.clustering import average_mutual_information, bigrams_of, brown, frequency_bins
    from binyan.signature import Signature
    from binyan.text import Corpus, Preparation, VocabularyPolicy

    if method not in ("brown", "frequency"):
        raise SettingsError(f"--method is brown or frequency, not {method!r}")
    preparation = Preparation(lowercase=lowercase, digits=digits, tokenise=tokenise)
    corpus = Corpus.read(text, preparation, VocabularyPolicy(kappa=kappa))
    found = brown(corpus, classes, exchange) if method == "brown" else frequency_bins(corpus, classes)
    counts = dict(zip(corpus.vocabulary.words, bigrams_of(corpus).frequency, strict=True))
    found.write(out, counts)
    figures = {
        "classes": found.classes,
        "words": len(found.class_of),
        "average_mutual_information": average_mutual_information(corpus, found),
        "signature": str(
            Signature(
                {
                    "classes": method,
                    "k": found.classes,
                    "exchange": exchange,
                    "text": corpus.digest,
                    "prepared": preparation,
                }
            )
        ),
    }
    if as_json:
        typer.echo(json.dumps(figures))
    else:
        typer.echo(
            f"{found.classes:,} classes of {len(found.class_of):,} words, average mutual information "
            f"{figures['average_mutual_information']:.4f} nats  [{figures['signature']}]"
        )
