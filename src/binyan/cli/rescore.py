"""`binyan rescore`: language-model scores for n-best lists, as a stream."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from binyan.cli.options import Seed
from binyan.cli.output import standard_input


def rescore(
    lm: Annotated[list[Path], typer.Option("--lm", metavar="M", help="A language model file; may be repeated.")],
    weights: Annotated[
        Path | None,
        typer.Option(
            help="JSON: Score, LanguageModel1, Unknown1, ... With --tune, where the tuned weights are written."
        ),
    ] = None,
    format: Annotated[
        str, typer.Option(help="moses, cdec, plain (score TAB words), json, or auto: by the first line.")
    ] = "auto",
    sort: Annotated[bool, typer.Option(help="Put the best of each list first.")] = True,
    tune: Annotated[
        Path | None, typer.Option(metavar="F", help="Tune the weights: F has one reference per list, one per line.")
    ] = None,
    metric: Annotated[str, typer.Option(help="What --tune improves: bleu, or wer (word error rate).")] = "bleu",
    tokenised: Annotated[
        bool,
        typer.Option(
            "--tokenised", help="The words are what white space separates: do not tokenise as the model's text was."
        ),
    ] = False,
    seed: Seed = 1,
) -> None:
    """Add language-model scores to n-best lists from standard input; the same format goes to standard output.

    Lists are written as soon as they end: when another begins, or at a blank line.

    binyan rescore --lm mkn.binyan --weights weights.json < nbest > rescored

    binyan rescore --lm mkn.binyan --tune dev.de --weights weights.json < dev.nbest
    """
    from binyan import Rescorer
    from binyan.errors import SettingsError

    if tune is None:
        for line in Rescorer(lm, weights, sort, tokenised=tokenised).stream(standard_input(), format):
            sys.stdout.write(line + "\n")
        return
    if weights is None:
        raise SettingsError("--tune needs --weights: where are the tuned weights to be written?")
    rescorer = Rescorer(lm, tokenised=tokenised).fit(standard_input(), tune, format=format, metric=metric, seed=seed)
    rescorer.save(weights)
    figure = f"BLEU {100 * rescorer.bleu:.2f}" if metric == "bleu" else f"WER {100 * rescorer.word_error_rate:.2f}%"
    typer.echo(f"{figure} with the weights in {weights}", err=True)
