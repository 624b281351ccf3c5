"""`binyan rescore`: language-model scores for n-best lists, as a stream."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from binyan.cli.options import Seed
from binyan.cli.output import standard_input


def rescore(
    lm: Annotated[list[Path], typer.Option("--lm", metavar="M", help="A language model file; may be repeated.")],
    weights: Annotated[
        Path | None,
        typer.Option(help="JSON file of weights: Score, LanguageModel1, Unknown1, ... With --tune, it is written."),
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            help="moses, cdec, plain (score TAB words), json, or auto (by the first line); for lattices: slf (HTK) or kaldi."
        ),
    ] = "auto",
    sort: Annotated[bool, typer.Option(help="Put the best of each list first.")] = True,
    tune: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Tune the weights; F has one reference for each list, one per line."),
    ] = None,
    metric: Annotated[str, typer.Option(help="What --tune improves: bleu, or wer (word error rate).")] = "bleu",
    tokenised: Annotated[
        bool,
        typer.Option(
            "--tokenised", help="Words are separated by white space: do not tokenise as the model's text was."
        ),
    ] = False,
    nbest: Annotated[int, typer.Option("--nbest", min=1, help="For lattices: how many sentences to write.")] = 1,
    to: Annotated[str, typer.Option("--to", help="For lattices: write lists as moses, cdec, plain or json.")] = "moses",
    symbols: Annotated[
        Path | None, typer.Option(metavar="F", help="For lattices: the words for Kaldi's numbers (words.txt).")
    ] = None,
    states: Annotated[int, typer.Option(min=1, help="For lattices: model states kept at each node.")] = 2000,
    seed: Seed = 1,
) -> None:
    """Add language-model scores to n-best lists from standard input; the same format goes to standard output.

    Lists are written as soon as they end: when another begins, or at a blank line. For word lattices (--format slf or kaldi), the best sentences
    are written; this is exact as long as no node has more model states than --states.

    zcat lat.1.gz | binyan rescore --lm mixture.binyan --format kaldi --symbols words.txt --nbest 10

    binyan rescore --lm mkn.binyan --weights weights.json < nbest > rescored

    binyan rescore --lm mkn.binyan --tune dev.de --weights weights.json < dev.nbest
    """
    from binyan import Rescorer
    from binyan.errors import SettingsError

    if format in ("slf", "kaldi"):
        _rescore_lattices(lm, weights, format, to, nbest=nbest, most_states=states, symbols=symbols)
        return
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


def _rescore_lattices(lm: list[Path], weights: Path | None, format: str, to: str, **options: Any) -> None:
    from binyan.translation import LatticeRescorer

    rescorer = LatticeRescorer(lm, weights, **options)
    for line in rescorer.stream(standard_input(), format, to):
        sys.stdout.write(line + "\n")
    if rescorer.nodes_cut:
        typer.echo(
            f"binyan: warning: not exact at {rescorer.nodes_cut:,} nodes, which have more states than --states",
            err=True,
        )
