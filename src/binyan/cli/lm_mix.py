"""`binyan lm mix` and `binyan lm extend`: models made of models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.option_groups import with_settings
from binyan.cli.output import print_json
from binyan.mixture.settings import MixtureSettings


@with_settings
def mix(
    *,
    models: Annotated[list[Path], typer.Argument(metavar="M1 M2 ...", help="Model files of one vocabulary.")],
    dev: Annotated[Path, typer.Option("--dev", metavar="F", help="Text on which the weights are fitted.")],
    out: o.Out,
    settings: MixtureSettings,
    json_: o.Json = False,
) -> None:
    """Interpolate models; the result is a model of its own.

    \b
    binyan lm mix hpylm.binyan clbl.binyan --dev dev.txt --by-context --out mixture.binyan
    """
    from binyan import Mixture
    from binyan.language_model import load

    o.check_out(out)
    mixture = Mixture([load(path) for path in models], by_context=settings.by_context).fit(dev)
    mixture.save(out)
    weights = {str(path): float(w) for path, w in zip(models, mixture.weights, strict=True)}
    if json_:
        print_json({"model": str(out), "weights": weights, "signature": str(mixture.signature())})
        return
    for path, weight in weights.items():
        typer.echo(f"{weight:.4f}  {path}")
    typer.echo(f"{out}\n{mixture.signature().short}")


def extend(
    model: o.Model,
    out: o.Out,
    words: Annotated[
        Path | None,
        typer.Option("--words", metavar="F", help="Only these words, one per line; else all of the word map."),
    ] = None,
    rest: Annotated[
        float, typer.Option("--rest", metavar="X", help="Prior share of <unk> kept for words that stay unknown.")
    ] = 0.5,
    json_: o.Json = False,
) -> None:
    """Let a +o or ++ model predict words outside its vocabulary: they share the probability of <unk> by their morphemes.

    The words are those of the model's word map that have morphemes the model knows; all probabilities still sum to one.

    \b
    binyan lm extend model.binyan --rest 0.3 --out open.binyan
    """
    from binyan.language_model import load

    o.check_out(out)
    with o.about(model):
        extended = load(model).extended(words, rest)
    extended.save(out)
    new_words = extended.summary()["new_words"]
    if json_:
        print_json({"model": str(out), "new_words": new_words, "signature": str(extended.signature())})
    else:
        typer.echo(f"{out}: {new_words:,} new words\n{extended.signature().short}")
