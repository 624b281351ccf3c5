"""`binyan morph export` and `binyan morph import`: what was learnt for other programs, and what field linguists already have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.option_groups import with_settings
from binyan.cli.output import print_result
from binyan.errors import SettingsError
from binyan.morphology.exports import FORMATS
from binyan.morphology.transducer import TransducerSettings


def register(app: App) -> None:
    """Add the commands to `binyan morph`."""
    app.command("export")(export)
    app.command("import")(import_field_data)


@with_settings
def export(
    *,
    model: o.Model,
    format: Annotated[str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="F", help="The file to write; for cldf, the folder.")],
    words: Annotated[
        Path | None,
        typer.Option("--words", metavar="F", help="Words to analyse, one per line; by default those learnt from."),
    ] = None,
    text: Annotated[
        Path | None, typer.Option("--text", metavar="F", help="Sentences to analyse, one per line, or CoNLL-U.")
    ] = None,
    language: Annotated[str, typer.Option("--language", metavar="CODE", help="Code of the language.")] = "und",
    glosses: Annotated[
        Path | None, typer.Option("--glosses", metavar="TSV", help="Rows of morpheme (or morpheme/label) and gloss.")
    ] = None,
    generator: Annotated[
        bool, typer.Option("--generator", help="For fst: a generator, with analyses in and words out.")
    ] = False,
    settings: TransducerSettings,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Write what was learnt for other programs: a transducer (AT&T text; or by the file ending .hfst, .foma, .fst), LIFT, CLDF and more.

    \b
    Examples:
      binyan morph export turkish.model --format fst --out turkish.att
      binyan morph export turkish.model --format lift --language tur --out turkish.lift
      binyan morph export turkish.model --format igt --text story.txt --glosses glosses.tsv --out story.igt
    """
    from binyan import Morphology

    of_analyses: dict[str, Any] = {"words": words, "text": text, "language": language, "glosses": glosses}
    of_fst: dict[str, Any] = {"settings": settings, "generator": generator, "progress": False if quiet else None}
    if format == "fst" and (words or text or glosses):
        raise SettingsError("a transducer analyses any words: --words, --text and --glosses are for the other formats")
    report = Morphology.load(model).export(out, format, **(of_fst if format == "fst" else of_analyses))
    print_result(report, as_json)


def import_field_data(
    data: Annotated[Path, typer.Argument(metavar="F", help="A LIFT lexicon (.lift) or interlinear texts (.flextext).")],
    words: Annotated[
        Path | None, typer.Option("--words", metavar="F", help="Write the words here, with counts.")
    ] = None,
    known: Annotated[
        Path | None, typer.Option("--known", metavar="TSV", help="Write known analyses here: word, segments, root.")
    ] = None,
    affixes: Annotated[
        Path | None, typer.Option("--affixes", metavar="F", help="Write affixes here: w-, -hm, -um-.")
    ] = None,
    language: Annotated[
        str | None,
        typer.Option("--language", metavar="CODE", help="Read forms in this language; by default the first."),
    ] = None,
    as_json: o.Json = False,
) -> None:
    """Read words and known analyses from a lexicon or from interlinear texts of FieldWorks.

    Example: binyan morph import lexicon.lift --words words.txt --known known.tsv
    """
    from binyan.morphology.exports import read_field_data

    found = read_field_data(data, language)
    found.save(words, known, affixes)
    print_result(found, as_json)
