"""`binyan morph baseline`: Morfessor on a word list, to compare with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from binyan.cli import options as o
from binyan.cli.option_groups import with_settings
from binyan.cli.output import plain_warnings, print_result
from binyan.morphology.baseline import BaselineSettings
from binyan.text import Preparation


@with_settings
def baseline(
    *,
    words: Annotated[Path, typer.Argument(metavar="WORDS", help="A word list, as for `binyan morph learn`.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="F", help="The file of segmentations to write.")],
    form: Annotated[
        str, typer.Option("--format", help="binyan (word, tab, parts), morfessor (a + b), flatcat or plain (a b).")
    ] = "binyan",
    settings: BaselineSettings,
    preparation: Preparation,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Segment the words of a list with Morfessor. `binyan morph evaluate` takes the file in place of a model.

    Example: binyan morph baseline words.txt --out morfessor.tsv
    """
    from binyan.morphology.baseline import baseline
    from binyan.segmentation.segmentation_file import write_segmentations

    o.check_out(out)
    with plain_warnings(quiet):
        result = baseline(words, settings=settings, preparation=preparation, progress=False if quiet else None)
    chosen: Any = form
    write_segmentations(result.table, out, chosen, str(result.signature))
    print_result(result, as_json)
