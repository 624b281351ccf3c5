"""`binyan morph choose`: which grammar fits a word list."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from binyan.cli import options as o
from binyan.cli.option_groups import with_settings
from binyan.cli.output import plain_warnings, print_result
from binyan.files import write_text
from binyan.morphology.settings import WordSettings
from binyan.text import Preparation


@with_settings
def choose(
    *,
    words: Annotated[
        Path,
        typer.Argument(metavar="WORDS", help="One word per line, optionally with a tab and a count; or running text."),
    ],
    atoms: WordSettings,
    preparation: Preparation,
    seed: o.Seed = 1,
    known: Annotated[
        Path | None, typer.Option("--known", metavar="FILE", help="Analysed words: rows of word, segments.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="F", help="Write the chosen grammar to a file.")
    ] = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Compose grammars of many kinds and choose the one that best predicts held-out words.

    Example: binyan morph choose words.txt --out mine.grammar
    """
    from binyan.morphology import choose as choose_grammar

    with plain_warnings(quiet):
        how: Any = {"seed": seed, "preparation": preparation, "unit": atoms.unit, "progress": False if quiet else None}
        choice = choose_grammar(words, known=known or (), **how)
    if out is not None:
        write_text(out, choice.grammar)
    print_result(choice, as_json)
