"""Options that several commands share: text, its preparation, the vocabulary, and how figures are shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from binyan.errors import SettingsError

if TYPE_CHECKING:
    from binyan.morphology.map_sources import MapLearner
    from binyan.text.reading import Source

TrainingText = Annotated[
    list[Path],
    typer.Option(
        "--text", "-t", metavar="F [F...]", help="Training text, one sentence per line; plain, gz, xz or CoNLL-U."
    ),
]
MoreText = Annotated[list[Path] | None, typer.Argument(metavar="[F...]", help="Further files of --text.", hidden=True)]
HeldOut = Annotated[
    Path,
    typer.Option("--text", "-t", metavar="F", help="Text, one sentence per line (- for standard input), or CoNLL-U."),
]
Order = Annotated[int, typer.Option("--order", "-n", help="Length of the longest n-grams.")]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="M", help="The model file to write.")]
Model = Annotated[Path, typer.Argument(metavar="M", help="A model file.")]

WordMapOption = Annotated[
    str | None,
    typer.Option(
        "--map",
        metavar="MAP",
        help="Parts or other factors of words: own (learnt from the text by an adaptor grammar; the default), morfessor, a grammar to learn with, or a file.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="S", min=0, max=(1 << 64) - 1, help="Random seed.")]

Resume = Annotated[bool, typer.Option("--resume", help="Resume from the file --out, if it exists.")]
Reduced = Annotated[bool, typer.Option("--reduced", help="Save only what queries need; the model cannot be resumed.")]

Normalise = Annotated[str, typer.Option("--normalise", help="Unicode normal form: none, nfc, nfd, nfkc or nfkd.")]
Punctuation = Annotated[
    bool, typer.Option("--punctuation", help="Replace quotes, dashes and the like by plain ones, as Moses does.")
]
Tokenise = Annotated[
    str | None, typer.Option("--tokenise", metavar="LANG", help="Tokenise as Moses does for this language, e.g. de.")
]
StripMarks = Annotated[bool, typer.Option("--strip-marks", help="Remove combining marks (vowel signs, accents).")]
Lowercase = Annotated[bool, typer.Option("--lowercase", help="Make all letters lower case.")]
Digits = Annotated[bool, typer.Option("--digits", help="Replace every digit by 0.")]

Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="Use the workers of this Dask scheduler, e.g. tcp://host:8786."
    ),
]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Tsv = Annotated[Path | None, typer.Option("--tsv", metavar="FOLDER", help="Also write each table there as TSV.")]
Plots = Annotated[
    Path | None, typer.Option("--plots", metavar="FOLDER", help="Also draw the tables there, as PNG and SVG.")
]


def check_out(out: Path) -> None:
    """Before anything long: can `out` be written?"""
    if out.is_dir():
        raise SettingsError(f"{out}: is a folder; name the file to write")
    if not out.absolute().parent.is_dir():
        raise SettingsError(f"{out.parent}: no such folder; make it first")


def map_beside(chosen: Path | str | None, out: Path, quiet: bool) -> Path | str | MapLearner | None:
    """The word map that is chosen; where it is to be learnt, by whom: it is then kept beside `out`, and the terminal is told."""
    from binyan.morphology.map_sources import MapLearner

    learner = MapLearner.named(chosen)
    if learner is None:
        return chosen
    folder = None if out.exists() and not out.is_file() else out.absolute().parent
    return replace(learner, kept_in=folder, say=None if quiet else partial(typer.echo, err=True))


def held_out(path: Path) -> Source:
    """The text of a HeldOut option."""
    return sys.stdin if str(path) == "-" else path


@contextmanager
def about(path: Path) -> Iterator[None]:
    """What a model refuses is said of its file."""
    try:
        yield
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from error
