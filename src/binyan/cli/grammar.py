"""`binyan grammar`: the shipped grammars, and checks of one's own."""

from __future__ import annotations

import json
import math
from pathlib import Path

import typer

from binyan.cli.commands import App

app = App(no_args_is_help=True, help="Grammars of words: list, show, check, and try them on a word.")


@app.command("list")
def list_grammars(as_json: bool = typer.Option(False, "--json", help="Print JSON.")) -> None:
    """The grammars that come with Binyan.

    Example: binyan grammar list
    """
    from binyan.grammar.library import shipped_grammars

    grammars = shipped_grammars()
    if as_json:
        typer.echo(json.dumps([{"name": g.name, "summary": g.summary} for g in grammars], ensure_ascii=False))
        return
    width = max(len(grammar.name) for grammar in grammars)
    for grammar in grammars:
        typer.echo(f"{grammar.name:{width}}  {grammar.summary}")


@app.command()
def show(
    name: str = typer.Argument(help="A shipped grammar, or a grammar file."),
    expanded: bool = typer.Option(False, "--expanded", help="Every rule it stands for, with its weight."),
) -> None:
    """The text of a grammar; a copy of it is a good start for one's own.

    Example: binyan grammar show tpl > mine.grammar
    """
    from binyan.grammar.notation import grammar_text, read_grammar

    source, text = grammar_text(name)
    if not expanded:
        typer.echo(text, nl=False)
        return
    grammar = read_grammar(text, source)
    for rule in grammar.rules:
        mark = "@" if rule.lhs in grammar.adapted else ""
        typer.echo(f"{rule.weight:g}\t{mark}{rule}")


@app.command()
def check(
    file: str = typer.Argument(help="A grammar file (or the name of a shipped grammar)."),
    strict: bool = typer.Option(False, "--strict", help="Fail on warnings too."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Explain every problem of a grammar, each with its rule and line. Files of py-cfg and py-srcag are read as well.

    Example: binyan grammar check mine.grammar
    """
    from binyan.errors import GrammarError
    from binyan.grammar.py_cfg import recognise
    from binyan.grammar.notation import examine_grammar, grammar_text

    source, text = grammar_text(file)
    grammar, problems = examine_grammar(text, source)
    errors = sum(problem.severity == "error" for problem in problems)
    counts = {
        "format": recognise(text),
        "rules": len(grammar.rules) if grammar else 0,
        "symbols": len({rule.lhs for rule in grammar.rules}) if grammar else 0,
        "adapted": sorted(grammar.adapted) if grammar else [],
    }
    if as_json:
        typer.echo(json.dumps({**counts, "faults": [vars(problem) for problem in problems]}, ensure_ascii=False))
    else:
        for problem in problems:
            typer.echo(str(problem))
        if not errors:
            adapted = ", ".join(sorted(grammar.adapted) if grammar else []) or "none"
            typer.echo(
                f"{source}: {counts['rules']} rules of {counts['symbols']} symbols ({counts['format']} format), "
                f"adapted: {adapted}; {len(problems)} warning{'s' if len(problems) != 1 else ''}, no errors"
            )
    if errors or (strict and problems):
        raise typer.Exit(GrammarError.exit_code)


@app.command()
def parse(
    file: str = typer.Argument(help="A grammar file, or the name of a shipped grammar."),
    word: str = typer.Argument(help="The word; its characters fill in <any>."),
    n_best: int = typer.Option(1, "--n-best", min=1, help="How many analyses."),
    svg: Path | None = typer.Option(None, "--svg", help="Write the best analysis as a picture."),
    html: Path | None = typer.Option(None, "--html", help="Write all analyses asked for as a page."),
    full: bool = typer.Option(False, "--full", help="Show the symbols of single characters, too."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """The analyses a grammar allows for a word, most probable first. Nothing is learnt: each rule has the mean of its prior.

    \b
    Examples:
      binyan grammar parse tpl kitAb --n-best 5
      binyan grammar parse infix sumulat --svg sumulat.svg
    """
    from binyan.errors import InputError
    from binyan.grammar.drawing import draw_html, draw_svg
    from binyan.grammar.notation import load_grammar
    from binyan.grammar.parser import Parser
    from binyan.grammar.tree_segments import simplified
    from binyan.grammar.text_drawing import draw_text

    if not word:
        raise InputError("the word is empty: give a word to parse")
    grammar = load_grammar(file)
    parser = Parser(grammar, [word])
    analyses = parser.best(word, n_best)
    if not analyses:
        raise InputError(f"{word!r} cannot be parsed: the grammar {file} derives no such word")
    whole = parser.log_inside(word)
    trees = [a.tree if full else simplified(a.tree, grammar) for a in analyses]
    shares = [math.exp(analysis.log_probability - whole) for analysis in analyses]
    if svg is not None:
        svg.write_text(draw_svg(trees[0]), encoding="utf-8")
    if html is not None:
        pictures = [(tree, f"{share:.2%} of the probability") for tree, share in zip(trees, shares, strict=True)]
        html.write_text(draw_html(pictures, f"{word} by {file}"), encoding="utf-8")
    if as_json:
        listed = [
            {"tree": tree.discbracket(), "log_probability": a.log_probability, "share": share}
            for a, tree, share in zip(analyses, trees, shares, strict=True)
        ]
        told = {"word": word, "derivations": parser.derivations(word), "log_probability": whole, "analyses": listed}
        typer.echo(json.dumps(told, ensure_ascii=False))
        return
    typer.echo(f"{word}: {parser.derivations(word):.0f} derivation(s), log probability {whole:.3f}")
    for tree, share in zip(trees, shares, strict=True):
        typer.echo(f"\n{share:.2%} of it:  {tree.discbracket()}\n\n{draw_text(tree)}", nl=False)
