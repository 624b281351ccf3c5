"""`binyan mt new-words`: what words that the bitext does not have do for a text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from binyan.cli.options import Json
from binyan.cli.output import plain_warnings, print_result


def new_words(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A system made by 'binyan mt train --new-words'.")],
    source: Annotated[Path, typer.Option(help="Source text, one sentence per line (plain, gz, xz).")],
    reference: Annotated[list[Path], typer.Option(help="Its translation, line by line; may be repeated.")],
    weights: Annotated[Path | None, typer.Option(help="A file of weights. Default: DIR/weights.json.")] = None,
    examples: Annotated[int, typer.Option(metavar="N", help="How many new words to show.")] = 20,
    threads: Annotated[int, typer.Option(help="Sentences translated at the same time.")] = 1,
    json: Json = False,
) -> None:
    """Translate a text and count new words (offered, written, correct) and words left untranslated.

    binyan mt new-words ende --source test.en --reference test.de
    """
    from binyan import Translator

    with plain_warnings():
        translator = Translator.load(folder).using(weights=weights)
        report = translator.report_new_words(source, reference, threads=threads, examples=examples)
    print_result(report, json)
