"""`binyan lm open`: a trained model with an open vocabulary."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.option_groups import with_settings
from binyan.cli.output import plain_warnings
from binyan.ngram.spelling import SpellingSettings


@with_settings
def open_(
    *,
    model: o.Model,
    text: o.TrainingText,
    out: o.Out,
    more: o.MoreText = None,
    dev: Annotated[
        Path | None, typer.Option("--dev", metavar="F", help="Text to fit the rate of unknown words to.")
    ] = None,
    spelling: SpellingSettings,
    quiet: o.Quiet = False,
    json_: o.Json = False,
) -> None:
    """Give a trained model of any kind an open vocabulary: words that it does not know are predicted by their spelling.

    Their spelling and their rate are learnt from the training text of the model; the rate is learnt better from --dev.

    \b
    binyan lm open mixture.binyan --text train.txt --dev dev.txt --out open.binyan
    """
    from binyan import OpenVocabulary
    from binyan.cli.lm_train import save_and_report
    from binyan.language_model import load

    o.check_out(out)
    start = time.monotonic()
    opened = OpenVocabulary(load(model), settings=spelling)
    with plain_warnings():
        opened.fit([*text, *(more or [])], dev, progress=False if quiet else None)
    save_and_report(opened, out, start, json_)
