"""`binyan lm`: language models trained, evaluated, queried and exchanged."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from binyan.cli import lm_compress, lm_evaluate, lm_export, lm_log_bilinear, lm_mix, lm_open, lm_train
from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.option_groups import with_settings
from binyan.cli.output import plain_warnings, print_json
from binyan.text import Preparation

app = App(
    no_args_is_help=True,
    help="""Language models: train, evaluate, query and exchange them.

    \b
    binyan lm train mkn --text train.txt --order 4 --out model.binyan
    binyan lm perplexity model.binyan --text test.txt --by hit-length
    binyan lm export model.binyan --arpa model.arpa.gz
    """,
)
app.add_typer(lm_train.app, name="train")
app.command("tune")(lm_log_bilinear.tune)
app.command("mix")(lm_mix.mix)
app.command("extend")(lm_mix.extend)
app.command("open")(lm_open.open_)
app.command("export")(lm_export.export)
app.command("perplexity")(lm_evaluate.perplexity)
app.command("score")(lm_evaluate.score)
app.command("compare")(lm_evaluate.compare)
app.command("compress")(lm_compress.compress)


@app.command()
def sample(
    model: o.Model,
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="How many sentences.")] = 5,
    seed: o.Seed = 1,
    longest: Annotated[int, typer.Option("--longest", min=1, help="Maximum number of words.")] = 100,
    json_: o.Json = False,
) -> None:
    """Draw sentences from a model.

    \b
    binyan lm sample model.binyan -n 5 --seed 7
    """
    from binyan.language_model import load

    loaded = load(model)
    sentences = loaded.sample(number, seed, longest)
    if json_:
        print_json({"sentences": sentences, "seed": seed, "signature": str(loaded.signature())})
    else:
        typer.echo("\n".join(sentences))


@app.command("import")
@with_settings
def import_(
    *,
    arpa: Annotated[Path, typer.Argument(metavar="F", help="An ARPA file, plain, gz, xz or bz2.")],
    out: o.Out,
    preparation: Preparation,
    quiet: o.Quiet = False,
) -> None:
    """Make a model file from an ARPA file of any tool.

    The options for text say how the model's training text was prepared, so that text to score is prepared in the same way.

    \b
    binyan lm import model.arpa.gz --out model.binyan
    """
    from binyan.ngram.arpa import ArpaModel

    o.check_out(out)
    with plain_warnings():
        model = ArpaModel.read(arpa, preparation, progress=False if quiet else None)
    model.save(out)
    typer.echo(f"{out}: order {model.order}, {len(model.vocabulary):,} words\n{model.signature()}")


@app.command()
def vocabulary(
    model: o.Model,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="F", help="The file to write, one word per line.")],
) -> None:
    """Write the words that a model knows, in a file that the option --vocabulary of other models reads.

    \b
    binyan lm vocabulary hpylm.binyan --out words.txt
    """
    from binyan.language_model import load

    o.check_out(out)
    words = load(model).vocabulary
    words.write(out)
    typer.echo(f"{out}: {len(words.own_words):,} words")


@app.command()
def trace(model: o.Model, tsv: o.Tsv = None, plots: o.Plots = None, json_: o.Json = False) -> None:
    """The log-likelihood of a sampled model after every sweep, and whether its chains agree.

    \b
    binyan lm trace hpylm.binyan --plots figures
    """
    from binyan.evaluation import trace_of
    from binyan.evaluation.table import write_tables
    from binyan.language_model import load

    table = trace_of(load(model))
    write_tables({"trace": table}, tsv, plots)
    if json_:
        print_json(table.to_dict())
    else:
        typer.echo(table.terminal(), nl=False)


@app.command()
def explain(
    model: o.Model,
    text: Annotated[
        str, typer.Option("--text", "-t", metavar="TEXT", help="A sentence, as it would appear in a text.")
    ],
    json_: o.Json = False,
) -> None:
    """How the probability of each word is made up: by context length, head and modifiers, class and word.

    \b
    binyan lm explain model.binyan --text "das haus ist gross"
    """
    from binyan.language_model import load

    loaded = load(model)
    words = loaded.explain(text)
    if json_:
        print_json({"words": [asdict(w) for w in words], "signature": str(loaded.signature())})
        return
    for word in words:
        typer.echo(str(word))
    typer.echo(loaded.signature().short)
