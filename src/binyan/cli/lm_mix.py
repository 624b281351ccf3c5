"""`binyan lm mix` and `binyan lm extend`: models made of models."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from binyan.cli import options as o
from binyan.cli.option_groups import with_settings
from binyan.cli.output import print_json
from binyan.mixture.settings import MixtureSettings


@with_settings
def mix(
    *,
    models: Annotated[
        list[Path],
        typer.Argument(metavar="M1 M2 ...", help="Model files with the same text preparation; may be ARPA files."),
    ],
    dev: Annotated[Path, typer.Option("--dev", metavar="F", help="Text on which the weights are fitted.")],
    out: o.Out,
    settings: MixtureSettings,
    as_ngram: Annotated[
        bool,
        typer.Option(
            "--as-ngram", help="Merge n-gram models into one, which can be exported and mapped into memory as they can."
        ),
    ] = False,
    json_: o.Json = False,
) -> None:
    """Interpolate models; the result is a model of its own.

    \b
    binyan lm mix hpylm.binyan clbl.binyan --dev dev.txt --by-context --out mixture.binyan
    binyan lm mix news.arpa novels.binyan --dev dev.txt --as-ngram --out merged.binyan
    """
    from binyan import Mixture
    from binyan.language_model import load

    o.check_out(out)
    mixture = Mixture([load(path) for path in models], **asdict(settings)).fit(dev)
    model = mixture.to_ngram() if as_ngram else mixture
    model.save(out)
    weights = {str(path): float(w) for path, w in zip(models, mixture.weights, strict=True)}
    loss = (
        {"perplexity": {"mixture": mixture.perplexity(dev), "n-gram model": model.perplexity(dev)}} if as_ngram else {}
    )
    report = {"model": str(out), "weights": weights, **loss, "signature": str(model.signature())}
    if json_:
        print_json(report)
        return
    print_mixture(report, model.signature().short)


def print_mixture(report: dict[str, Any], signature: str) -> None:
    """Weights, what a merged model loses on the development text, and the signature."""
    for path, weight in report["weights"].items():
        typer.echo(f"{weight:.4f}  {path}")
    if "perplexity" in report:
        mixed, merged = report["perplexity"].values()
        typer.echo(
            f"perplexity of the development text: {mixed:.2f} (the mixture), {merged:.2f} (the n-gram model, "
            f"{merged / mixed - 1:+.2%})"
        )
    typer.echo(f"{report['model']}\n{signature}")


def extend(
    model: o.Model,
    out: o.Out,
    words: Annotated[
        Path | None,
        typer.Option("--words", metavar="F", help="Only these words, one per line; by default all of the word map."),
    ] = None,
    rest: Annotated[
        float,
        typer.Option("--rest", metavar="X", help="Prior share of <unk> that is kept for words that remain unknown."),
    ] = 0.5,
    json_: o.Json = False,
) -> None:
    """Let a +o or ++ model predict words outside its vocabulary: they share the probability of <unk> according to their morphemes.

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
