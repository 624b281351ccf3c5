"""`binyan grammar`: the shipped grammars, and checks of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.files import write_text

app = App(no_args_is_help=True, help="Grammars of words: list, show, check, and try them on a word.")

AnyGrammar = Annotated[str, typer.Argument(metavar="GRAMMAR", help="A shipped grammar, or a grammar file.")]


@app.command("list")
def list_grammars(as_json: o.Json = False) -> None:
    """The grammars that come with Binyan.

    Example: binyan grammar list
    """
    from binyan.grammar import shipped_grammars

    grammars = shipped_grammars()
    if as_json:
        typer.echo(json.dumps([{"name": g.name, "summary": g.summary} for g in grammars], ensure_ascii=False))
        return
    width = max(len(grammar.name) for grammar in grammars)
    for grammar in grammars:
        typer.echo(f"{grammar.name:{width}}  {grammar.summary}")


@app.command()
def show(
    name: AnyGrammar,
    expanded: Annotated[
        bool, typer.Option("--expanded", help="Show every rule it expands to, with its weight.")
    ] = False,
) -> None:
    """The text of a grammar; a copy of it is a good start for your own.

    Example: binyan grammar show tpl > mine.grammar
    """
    from binyan.grammar import Grammar, grammar_text

    typer.echo(Grammar.load(name).expanded() if expanded else grammar_text(name)[1], nl=False)


@app.command()
def check(
    file: AnyGrammar,
    words: Annotated[
        Path | None,
        typer.Option("--words", metavar="F", help="Also check whether the grammar derives the words of this list."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings too.")] = False,
    as_json: o.Json = False,
) -> None:
    """Explain every problem of a grammar, each with its rule and line. Files of py-cfg, MorphAGram and py-srcag are read as well.

    \b
    Examples:
      binyan grammar check mine.grammar
      binyan grammar check mine.grammar --words words.txt
    """
    from binyan.errors import GrammarError
    from binyan.grammar import check_grammar
    from binyan.morphology import WordList

    report = check_grammar(file, () if words is None else WordList.read(words).words)
    typer.echo(json.dumps(report.to_dict(), ensure_ascii=False) if as_json else str(report))
    if report.errors or (strict and report.problems):
        raise typer.Exit(GrammarError.exit_code)


@app.command()
def parse(
    file: AnyGrammar,
    word: Annotated[str, typer.Argument(metavar="WORD", help="The word; its characters fill in <any>.")],
    n_best: Annotated[int, typer.Option("--n-best", min=1, metavar="N", help="How many analyses.")] = 1,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="F", help="Write the best analysis as a picture.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="F", help="Write all these analyses as a web page.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Show the symbols of single characters, too.")] = False,
    as_json: o.Json = False,
) -> None:
    """The analyses a grammar allows for a word, most probable first. Nothing is learnt: each rule has the mean probability of its prior.

    \b
    Examples:
      binyan grammar parse tpl kitAb --n-best 5
      binyan grammar parse infix sumulat --svg sumulat.svg
    """
    from binyan import Grammar

    result = Grammar.load(file).parse(word, n_best, full)
    if svg is not None:
        write_text(svg, result.parses[0].tree.svg())
    if html is not None:
        result.save_html(html)
    typer.echo(json.dumps(result.to_dict(), ensure_ascii=False) if as_json else str(result))
