"""`binyan morph paradigms`, `generate` and `sketch`: families of words, new words, and a report on a learnt morphology."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.output import print_json, print_result
from binyan.errors import SettingsError

Html = Annotated[Path | None, typer.Option("--html", metavar="F", help="Also write the table as a web page.")]
Stem = Annotated[str | None, typer.Option("--stem", metavar="X", help="A stem.")]
Root = Annotated[str | None, typer.Option("--root", metavar="X", help="A root: its radicals without separators.")]


def paradigms(
    model: o.Model,
    by: Annotated[str | None, typer.Option("--by", help="stem or root; by default root if words have roots.")] = None,
    stem: Stem = None,
    root: Root = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", metavar="N", help="How many stems or roots to show; with --stem or --root, how many gaps."
        ),
    ] = 20,
    cells: Annotated[
        int, typer.Option("--cells", metavar="N", help="Columns of a table of several stems or roots.")
    ] = 8,
    html: Html = None,
    as_json: o.Json = False,
) -> None:
    """Words by stem or root, laid out by affixes and templates. Forms in brackets are not in the list; they would fill gaps.

    \b
    Examples:
      binyan morph paradigms arabic.model --by root
      binyan morph paradigms arabic.model --root ktb --html ktb.html
    """
    if stem is not None and root is not None:
        raise SettingsError("give --stem or --root, not both")
    morphology = _load(model)
    if stem is None and root is None:
        result = morphology.paradigms(by, limit, cells)
    else:
        result = morphology.paradigm(root or stem or "", "stem" if root is None else "root", limit)
    if html is not None:
        result.save_html(html)
    print_result(result, as_json)


def generate(
    model: o.Model,
    stem: Stem = None,
    affixes: Annotated[
        str | None, typer.Option("--affixes", metavar="X", help="Affixes, as in 'w- Al- -hm'; 'all' for every frame.")
    ] = None,
    root: Root = None,
    template: Annotated[
        str | None, typer.Option("--template", metavar="X", help="A template, as in _i_A_ or C1iC2AC3.")
    ] = None,
    random: Annotated[int | None, typer.Option("--random", metavar="N", help="Draw N words from the model.")] = None,
    new: Annotated[bool, typer.Option("--new", help="With --random: only words that are not in the list.")] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Forms to show, the most probable first.")] = 20,
    seed: o.Seed = 1,
    as_json: o.Json = False,
) -> None:
    """Words made of a stem or root, affixes and templates, with their probabilities; what you leave out takes all values in the list.

    \b
    Examples:
      binyan morph generate arabic.model --root ktb --template _i_A_
      binyan morph generate turkish.model --stem ev --affixes "-ler -de"
      binyan morph generate turkish.model --random 20 --new
    """
    parts = {"stem": stem, "affixes": affixes, "root": root, "template": template}
    forms = _load(model).generate(**parts, random=random, new=new, limit=limit, seed=seed)
    print_result(forms, as_json, forms.warning)


def sketch(
    model: o.Model,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="F", help="Write it there, as .html or .md, instead of printing."),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="The title of the report.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Rows of each table.")] = 20,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """A grammar sketch: affixes, templates, paradigms, alternations and doubts, as a web page or Markdown.

    Example: binyan morph sketch arabic.model --out sketch.html
    """
    if out is not None:
        o.check_out(out)
    report = _load(model).sketch(title or f"Grammar sketch: {model.stem}", limit, False if quiet else None)
    if out is not None:
        report.save(out)
    if as_json:
        print_json(report.to_dict())
    elif out is None:
        typer.echo(str(report))


def add_commands(app: App) -> None:
    """Put the commands beside the others of a group."""
    for command in (paradigms, generate, sketch):
        app.command()(command)


def _load(model: Path) -> Any:
    from binyan import Morphology

    return Morphology.load(model)
