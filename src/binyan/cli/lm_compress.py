"""`binyan lm compress`: back-off models in smaller files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.output import print_json


def compress(
    model: o.Model,
    out: o.Out,
    bits: Annotated[int, typer.Option("--bits", metavar="N", help="Bits per probability: 2 to 16.")] = 8,
    text: Annotated[Path | None, typer.Option("--text", "-t", metavar="F", help="Text to measure the loss on.")] = None,
    json_: o.Json = False,
) -> None:
    """Save a back-off model (mkn, hpylm, or one read from an ARPA file) with few bits per probability; print what is lost.

    \b
    binyan lm compress mkn.binyan --bits 8 --text test.txt --out small.binyan
    """
    from binyan.language_model import load

    o.check_out(out)
    loaded = load(model)
    with o.about(model):
        small = loaded.quantised(bits)
    small.save(out)
    sizes = {"bytes_before": model.stat().st_size, "bytes": out.stat().st_size}
    lost = {} if text is None else {"perplexity_before": loaded.perplexity(text), "perplexity": small.perplexity(text)}
    if json_:
        print_json({"model": str(out), "bits": bits, **sizes, **lost, "signature": str(small.signature())})
        return
    typer.echo(f"{out}: {sizes['bytes'] / 1e6:,.2f} MB, before {sizes['bytes_before'] / 1e6:,.2f} MB")
    if lost:
        typer.echo(f"perplexity {lost['perplexity']:.4f}, before {lost['perplexity_before']:.4f}")
    typer.echo(str(small.signature()))
