"""`binyan lm mix`: models interpolated with weights fitted on development text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.output import print_json


def mix(
    models: Annotated[list[Path], typer.Argument(metavar="M1 M2 ...", help="Model files of one vocabulary.")],
    dev: Annotated[Path, typer.Option("--dev", metavar="F", help="Text on which the weights are fitted.")],
    out: o.Out,
    json_: o.Json = False,
) -> None:
    """Interpolate models; the result is a model of its own.

    \b
    binyan lm mix hpylm.binyan clbl.binyan --dev dev.txt --out mixture.binyan
    """
    from binyan.language_model import load
    from binyan.mixture import Mixture, check
    from binyan.text import read_sentences

    o.check_out(out)
    loaded = [load(path) for path in models]
    check(loaded)
    mixture = Mixture.fit(loaded, read_sentences(dev, loaded[0].preparation))
    mixture.save(out)
    weights = {str(path): float(w) for path, w in zip(models, mixture.weights, strict=True)}
    if json_:
        print_json({"model": str(out), "weights": weights, "signature": str(mixture.signature())})
        return
    for path, weight in weights.items():
        typer.echo(f"{weight:.4f}  {path}")
    typer.echo(f"{out}\n{mixture.signature()}")
