"""`binyan lm explain`: how the probability of each word of a sentence was made."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.output import print_json


def explain(
    model: o.Model,
    text: Annotated[str, typer.Option("--text", "-t", metavar="TEXT", help="A sentence, as it would stand in a text.")],
    json_: o.Json = False,
) -> None:
    """How the probability of each word was made: by context length, head and modifiers, class and word.

    \b
    binyan lm explain model.binyan --text "das haus ist gross"
    """
    from binyan.language_model import load

    loaded = load(model)
    words = loaded.explain(loaded.preparation(text))
    if json_:
        print_json({"words": [asdict(w) for w in words], "signature": str(loaded.signature())})
        return
    for w in words:
        notes = ", ".join([f"{w.matched}-gram match"] * (w.matched > 0) + ["not in the vocabulary"] * w.unknown)
        typer.echo(f"{w.word}\t{math.exp(w.log_prob):.4g}{f'  ({notes})' if notes else ''}")
        for step in w.steps:
            probability = "" if step.probability is None else f"{step.probability:.4g}"
            share = "" if step.share is None else f"{step.share:7.1%}"
            typer.echo(f"    {step.name:<12} {step.detail:<40} {probability:>12} {share}")
    typer.echo(str(loaded.signature()))
