"""`binyan morph`: learn morphology from a word list, and use what was learnt."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from binyan.cli import morph_choose, morph_export
from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.morph_baseline import baseline
from binyan.cli.morph_paradigms import add_commands as add_paradigm_commands
from binyan.cli.option_groups import RunOptions, with_settings
from binyan.cli.output import plain_warnings, print_json, print_result
from binyan.errors import InputError
from binyan.files import write_text
from binyan.morphology.knowledge.knowledge import KnowledgeSettings
from binyan.morphology.settings import DEFAULT_GRAMMAR, MorphologySettings, WordSettings
from binyan.text import Preparation

if TYPE_CHECKING:
    from binyan.morphology.word_list import WordSource

app = App(no_args_is_help=True, help="Morphemes, roots and templates learnt from a word list.")
morph_export.register(app)
app.command("choose")(morph_choose.choose)

Words = Annotated[
    Path, typer.Argument(metavar="WORDS", help="One word per line, optionally with a tab and a count; or running text.")
]
SomeWords = Annotated[
    Path | None,
    typer.Argument(
        metavar="[WORDS]", help="Words to analyse (- for standard input); by default all that were learnt from."
    ),
]
Method = Annotated[
    str, typer.Option("--method", help="Root extraction method of the thesis: A (roots) or B (roots and templates).")
]


@app.command()
@with_settings
def learn(
    *,
    words: Words,
    out: o.Out,
    grammar: Annotated[
        str,
        typer.Option(
            "--grammar", "-g", help="A shipped grammar, a grammar file, or auto: choose one, as `choose` does."
        ),
    ] = DEFAULT_GRAMMAR,
    settings: MorphologySettings,
    atoms: WordSettings,
    known: KnowledgeSettings,
    preparation: Preparation,
    run: RunOptions,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Learn an adaptor grammar by sampling. The model is saved every minute, at the end, and on Ctrl-C.

    Without --grammar, the grammar is chosen by how well candidates predict held-out words, and the evidence is printed.

    Example: binyan morph learn words.txt --grammar tpl+t4 --out arabic.model --sweeps 200
    """
    from binyan import Morphology

    o.check_out(out)
    with plain_warnings(quiet):
        morphology = Morphology(grammar, settings=settings, atoms=atoms, preparation=preparation, given=known)
        how = {"checkpoint": out, "resume": run.resume, "scheduler": run.scheduler}
        morphology.fit(words, progress=False if quiet else None, **how)
    if run.reduced:
        morphology.save(out, reduced=True)
    if as_json:
        print_json({"model": str(out), **morphology.summary()})
    else:
        typer.echo(morphology.description)


@app.command()
def segment(
    model: o.Model,
    words: SomeWords = None,
    n_best: Annotated[int, typer.Option("--n-best", "-n", help="Segmentations per word.")] = 1,
    as_json: o.Json = False,
) -> None:
    """The most probable segmentations of words, with their posterior probabilities. Words without an analysis are listed.

    Example: echo wAlktAb | binyan morph segment arabic.model - --n-best 5
    """
    segmented = _load(model).segment_words(_source(words), n_best)
    print_result(segmented, as_json, segmented.warning)


@app.command()
def roots(
    model: o.Model,
    words: SomeWords = None,
    length: Annotated[int | None, typer.Option("--length", help="Only roots of this many radicals.")] = None,
    method: Method = "A",
    as_json: o.Json = False,
) -> None:
    """The most probable root of each word over all its analyses, or _ if it more probably has none.

    If the word does not show some radicals, there are further columns: the root with these radicals in square brackets, their
    probability, and words that show them.

    Example: binyan morph roots arabic.model
    """
    word_roots = _load(model).find_roots(_source(words), length, method)
    print_result(word_roots, as_json, word_roots.warning)


@app.command()
def lexicon(
    model: o.Model,
    category: Annotated[str, typer.Option("--category", "-c", help="A symbol of the grammar.")] = "Stem",
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="At most N entries; 0: all.")] = 0,
    as_json: o.Json = False,
) -> None:
    """The morphemes of a category with their probabilities; a middle dot joins the parts of a morpheme with gaps.

    Example: binyan morph lexicon arabic.model --category R3 --limit 20
    """
    print_result(_load(model).lexicon(category)[: limit or None], as_json)


@app.command()
def tree(
    model: o.Model,
    word: Annotated[str, typer.Argument(metavar="WORD", help="The word to draw.")],
    n_best: Annotated[int, typer.Option("--n-best", "-n", help="Trees to show.")] = 1,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="F", help="Write the best tree as SVG.")] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="F", help="Write the trees as a web page.")] = None,
    as_json: o.Json = False,
) -> None:
    """The analysis of a word as a tree, with crossing branches where a morpheme has gaps.

    Example: binyan morph tree arabic.model wAlktAb --svg tree.svg
    """
    analyses = _load(model).analyses(word, n_best)
    if not analyses:
        raise InputError(f"the grammar of {model} cannot derive {word!r}")
    if svg is not None:
        write_text(svg, analyses[0].tree.svg())
    if html is not None:
        analyses.save_html(html)
    print_result(analyses, as_json)


@app.command()
def trace(
    model: o.Model,
    figure: Annotated[
        str,
        typer.Option(
            "--figure",
            help="agreement (of the chains), or a column of the trace: log_joint, acceptance, changed, "
            "or a, b, customers, tables of a symbol, as in 'tables Stem'.",
        ),
    ] = "log_joint",
    tsv: o.Tsv = None,
    plots: o.Plots = None,
    as_json: o.Json = False,
) -> None:
    """A figure after every sweep of every chain, and whether the chains agree.

    Example: binyan morph trace arabic.model --plots figures
    """
    from binyan.evaluation.morphology import trace_table
    from binyan.evaluation.table import write_tables

    table = trace_table(_load(model), figure)
    write_tables({"trace": table}, tsv, plots)
    if as_json:
        print_json(table.to_dict())
    else:
        typer.echo(table.terminal(), nl=False)


@app.command()
def evaluate(
    model: o.Model,
    gold: Annotated[Path, typer.Option("--gold", metavar="TSV", help="Rows of word, segments, root.")],
    task: Annotated[str, typer.Option("--task", help="segmentation, roots or lexicon.")] = "segmentation",
    coarse: Annotated[bool, typer.Option("--coarse", help="Segmentation: borders of stems only.")] = False,
    at_least: Annotated[
        int, typer.Option("--at-least", metavar="N", min=1, help="Segmentation: words of N or more morphemes.")
    ] = 1,
    length: Annotated[int, typer.Option("--length", help="Roots: number of radicals.")] = 3,
    method: Annotated[
        str | None,
        typer.Option(
            "--method", help="Roots: the thesis's measure, by extraction method A (roots) or B (roots and templates)."
        ),
    ] = None,
    short_geminates: Annotated[
        bool, typer.Option("--short-geminates", help="Roots: the gold list writes geminate roots with two letters.")
    ] = False,
    category: Annotated[
        str, typer.Option("--category", "-c", help="Lexicon: pre, stem, suf, inf, redup, circ, clitic, root3 or root4.")
    ] = "stem",
    half: Annotated[
        str, typer.Option("--half", help="Which gold words to use: all, or one half of them, development or report.")
    ] = "all",
    tsv: o.Tsv = None,
    plots: o.Plots = None,
    as_json: o.Json = False,
) -> None:
    """Compare a model's analyses with a gold standard. Words it did not learn from are analysed, too.

    In place of a model, you can give a file of segmentations: Morfessor's, or lines of parts (walk ed), or a word, a tab and its parts.

    \b
    Gold rows are tab-separated: word, segments with labels (w/pre ktAb/stem hm/suf), root or _.

    Examples:
      binyan morph evaluate arabic.model --gold BW.tsv --task segmentation
      binyan morph evaluate arabic.model --gold BW.tsv --task lexicon --category root3 --plots figures
      binyan morph evaluate morfessor.txt --gold BW.tsv
    """
    from binyan.evaluation.morphology import evaluate_morphology
    from binyan.evaluation.table import write_tables

    options: dict[str, Any] = {"coarse": coarse, "at_least": at_least, "length": length, "method": method}
    options["short_geminates"] = short_geminates
    result = evaluate_morphology(model, gold, task, **options, category=category, half=half)
    write_tables(result.tables, tsv, plots)
    print_result(result, as_json)


add_paradigm_commands(app)


def _load(model: Path) -> Any:
    from binyan import Morphology

    return Morphology.load(model)


def _source(words: Path | None) -> WordSource | None:
    """The words to analyse: of a file, or of standard input."""
    return [line.split("\t")[0] for line in sys.stdin] if str(words) == "-" else words


app.command()(baseline)
