"""`binyan lm export`: any language model as an ARPA file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.option_groups import with_settings
from binyan.cli.output import print_json
from binyan.ngram.backoff_settings import BackoffSettings, parse_size

Text = Annotated[
    Path | None,
    typer.Option("--text", "-t", metavar="F", help="The training text, if the model has not kept it."),
]


@with_settings
def export(
    *,
    model: o.Model,
    arpa: Annotated[
        Path, typer.Option("--arpa", metavar="F", help="The ARPA file to write; compressed if named .gz or .xz.")
    ],
    text: Text = None,
    size: Annotated[
        str | None, typer.Option("--size", metavar="N", help="Keep this many n-grams of all lengths, e.g. 500k.")
    ] = None,
    settings: BackoffSettings,
    extend: Annotated[
        Path | None,
        typer.Option(
            "--extend", metavar="WORDS", help="Also include these words, which the model can score by their parts."
        ),
    ] = None,
    dev: Annotated[Path | None, typer.Option("--dev", metavar="F", help="Text to report perplexities on.")] = None,
    one_sample: Annotated[
        bool, typer.Option("--one-sample", help="Export the last sample instead of the average.")
    ] = False,
    approximate: Annotated[
        bool, typer.Option("--approximate", help="Export the ARPA model nearest to the average of the samples.")
    ] = False,
    json_: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Write any model as an ARPA file, for decoders and other tools.

    The file is exact for Kneser-Ney and HPYLM. An average of samples that are kept separately (--samples N) is not an ARPA model: it is
    refused unless --one-sample, --approximate, --size or --prune is given. For any other model (mixtures, log-bilinear and compound models),
    the nearest back-off model is written, over n-grams of the training text and others that the model expects.

    \b
    binyan lm export model.binyan --arpa model.arpa.gz
    binyan lm export mixture.binyan --text train.txt --size 500k --dev dev.txt --arpa mixture.arpa
    """
    from binyan.evaluation.export_report import export_report
    from binyan.language_model import load

    o.check_out(arpa)
    loaded = load(model)
    chosen = loaded.one_sample() if one_sample else loaded
    settings = replace(settings, size=parse_size(size)) if size is not None else settings
    asked = {} if settings.are_default else {"settings": settings}
    with o.about(model):
        written = chosen.to_arpa(
            arpa, text, approximate=approximate, extend=extend, progress=False if quiet else None, **asked
        )
    report = export_report(chosen, written, arpa, text, dev)
    if json_:
        print_json(report.to_dict())
    else:
        typer.echo(str(report))
