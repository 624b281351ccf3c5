"""`binyan lm mix` and `binyan lm extend`: models made of models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.output import print_json
from binyan.errors import SettingsError


def mix(
    models: Annotated[list[Path], typer.Argument(metavar="M1 M2 ...", help="Model files of one vocabulary.")],
    dev: Annotated[Path, typer.Option("--dev", metavar="F", help="Text on which the weights are fitted.")],
    out: o.Out,
    by_context: Annotated[
        bool,
        typer.Option(
            "--by-context",
            help="Weights that depend on what the n-gram models have seen of a context (how long a one, and how often), on "
            "what the log-bilinear models expect after it, and on whether the next word is unknown; each length of an "
            "n-gram model's contexts has its own.",
        ),
    ] = False,
    json_: o.Json = False,
) -> None:
    """Interpolate models; the result is a model of its own.

    \b
    binyan lm mix hpylm.binyan clbl.binyan --dev dev.txt --by-context --out mixture.binyan
    """
    from binyan.language_model import load
    from binyan.mixture import Mixture, check
    from binyan.text import read_sentences

    o.check_out(out)
    loaded = [load(path) for path in models]
    check(loaded)
    mixture = Mixture.fit(loaded, read_sentences(dev, loaded[0].preparation), by_context)
    mixture.save(out)
    weights = {str(path): float(w) for path, w in zip(models, mixture.weights, strict=True)}
    if json_:
        print_json({"model": str(out), "weights": weights, "signature": str(mixture.signature())})
        return
    for path, weight in weights.items():
        typer.echo(f"{weight:.4f}  {path}")
    typer.echo(f"{out}\n{mixture.signature()}")


def extend(
    model: o.Model,
    out: o.Out,
    words: Annotated[
        Path | None,
        typer.Option("--words", metavar="F", help="Only these words, one a line; else all of the word map."),
    ] = None,
    rest: Annotated[
        float, typer.Option("--rest", metavar="X", help="Prior share of <unk> kept for words that stay unknown.")
    ] = 0.5,
    json_: o.Json = False,
) -> None:
    """Let a +o or ++ model predict words outside its vocabulary: they share the probability of <unk> by their morphemes.

    The words are those of the model's word map that it has morphemes of; all still sums to one.

    \b
    binyan lm extend model.binyan --rest 0.3 --out open.binyan
    """
    from binyan.language_model import load
    from binyan.log_bilinear.language_model import LogBilinearLM
    from binyan.text import Vocabulary

    o.check_out(out)
    loaded = load(model)
    if not isinstance(loaded, LogBilinearLM):
        raise SettingsError(f"{model}: a model of kind {loaded.kind!r} has no morpheme vectors; log-bilinear ones have")
    extended = loaded.extended(None if words is None else Vocabulary.read(words).words[3:], rest)
    extended.save(out)
    if json_:
        print_json({"model": str(out), "new_words": len(extended.extension), "signature": str(extended.signature())})
    else:
        typer.echo(f"{out}: {len(extended.extension):,} new words\n{extended.signature()}")
