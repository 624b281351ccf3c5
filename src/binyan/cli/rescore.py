"""`binyan rescore`: language-model scores for n-best lists, as a stream."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from binyan.cli.options import Seed


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
        Path | None, typer.Option(metavar="F", help="Tune the weights: F has the reference of each list, a line each.")
    ] = None,
    seed: Seed = 1,
) -> None:
    """Add language-model scores to n-best lists from standard input; the same format goes to standard output.

    Lists are written as soon as they end: when another begins, or at a blank line.

    binyan rescore --lm mkn.binyan --weights weights.json < nbest > rescored

    binyan rescore --lm mkn.binyan --tune dev.de --weights weights.json < dev.nbest
    """
    from binyan import language_model
    from binyan.errors import InputError, SettingsError
    from binyan.text import read_lines
    from binyan.translation.rescoring import Rescorer, read_lists, tune_rescoring

    models = [language_model.load(path) for path in lm]
    if tune is not None:
        if weights is None:
            raise SettingsError("--tune needs --weights: where are the tuned weights to be written?")
        rescorer = Rescorer(models)
        tuned, bleu = tune_rescoring(
            rescorer, read_lists(_lines(), format), [line.split() for _, line in read_lines(tune)], seed
        )
        weights.write_text(json.dumps(tuned, indent=1) + "\n", encoding="utf-8")
        typer.echo(f"BLEU {100 * bleu:.2f} with the weights in {weights}", err=True)
        return
    chosen = None
    if weights is not None:
        try:
            chosen = {name: float(value) for name, value in json.loads(weights.read_text(encoding="utf-8")).items()}
        except (OSError, ValueError, AttributeError, TypeError) as error:
            raise InputError(f"{weights}: not a JSON object of weights: {error}") from error
    rescorer = Rescorer(models, chosen, sort)
    for line in rescorer.stream(_lines(), format):
        sys.stdout.write(line + "\n")


def _lines() -> Iterator[str]:
    from binyan.errors import InputError

    for number, raw in enumerate(iter(sys.stdin.buffer.readline, b""), 1):
        try:
            yield raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"<stdin>:{number}: not UTF-8") from error
        sys.stdout.flush()  # what is written goes out before more is waited for
