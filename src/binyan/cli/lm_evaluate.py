"""`binyan lm perplexity`, `score` and `compare`: language models on a text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, Annotated

import typer

from binyan.cli import options as o
from binyan.cli.output import print_json
from binyan.errors import SettingsError

By = Annotated[
    list[str] | None,
    typer.Option("--by", help="Break down by hit-length, frequency, pos, compound, parts; may be repeated."),
]
Segments = Annotated[
    Path | None, typer.Option("--segmentation", metavar="F", help="Parts of words, for --by compound and parts.")
]
Renormalise = Annotated[
    bool, typer.Option("--renormalise", help="For compound models: renormalise over the vocabulary.")
]
FullSignature = Annotated[
    bool,
    typer.Option(
        "--full-signature", help="Print the full signature, which says how the figures were made; JSON always has it."
    ),
]


def perplexity(
    model: o.Model,
    text: o.HeldOut,
    by: By = None,
    segmentation: Segments = None,
    renormalise: Renormalise = False,
    tsv: o.Tsv = None,
    plots: o.Plots = None,
    full_signature: FullSignature = False,
    json_: o.Json = False,
) -> None:
    """Perplexity on a text, with and without unknown words; --renormalise is for compound models.

    \b
    binyan lm perplexity model.binyan --text test.txt --by hit-length --by frequency
    binyan lm perplexity model.binyan --text test.conllu --by pos --plots figures --json
    """
    from binyan.evaluation import measure
    from binyan.evaluation.table import write_tables
    from binyan.language_model import load

    loaded = load(model)
    if renormalise and not loaded.is_open:
        raise SettingsError(f"{model}: a model of kind {loaded.kind!r} sums to one already; hpylm+c and hpylm+g do not")
    chosen = loaded.closed() if renormalise else loaded
    measured = measure(chosen, _source(text), model.stem, by=by or (), segmentation=segmentation)
    write_tables(measured.tables, tsv, plots)
    if json_:
        more = {"perplexity_renormalised": measured.perplexity} if renormalise else {}
        print_json({**measured.to_dict(), **more})
        return
    typer.echo(measured.report(full_signature))
    if chosen.is_open:
        typer.echo(
            "words outside the vocabulary have probabilities of their own; over the vocabulary alone: --renormalise"
        )


def score(
    model: o.Model,
    text: o.HeldOut,
    tokens: Annotated[bool, typer.Option("--tokens", help="One line per word, with its hit length.")] = False,
    full_signature: FullSignature = False,
    json_: o.Json = False,
) -> None:
    """The log10 probability of every sentence, or of every word; lines from standard input are scored as they arrive.

    \b
    binyan lm score model.binyan --text test.txt
    echo 'das haus ist gross' | binyan lm score model.binyan --text - --tokens
    """
    from binyan.evaluation import evaluate, score_rows
    from binyan.language_model import load

    loaded = load(model)
    if json_:
        evaluation = evaluate(loaded, o.held_out(text), model.stem)
        rows = evaluation.token_rows() if tokens else evaluation.sentence_rows()
        print_json({"scores": rows, "log10_prob": evaluation.log10_prob, "signature": str(evaluation.signature)})
        return
    signature = loaded.signature()
    typer.echo(f"# {signature if full_signature else signature.short}")
    out = typer.get_binary_stream("stdout")
    for lines in score_rows(loaded, _source(text), tokens):
        out.write(lines)
        out.flush()


def compare(
    models: Annotated[list[Path], typer.Argument(metavar="M1 M2 ...", help="Model files with the same vocabulary.")],
    text: o.HeldOut,
    top: Annotated[int, typer.Option("--top", metavar="N", min=0, help="How many n-grams to show per model.")] = 20,
    by: By = None,
    segmentation: Segments = None,
    tsv: o.Tsv = None,
    plots: o.Plots = None,
    full_signature: FullSignature = False,
    json_: o.Json = False,
) -> None:
    """Compare models on one text: perplexities, changes by subset, and the n-grams where they differ most from the first.

    \b
    binyan lm compare mkn.binyan hpylm.binyan --text test.txt --top 20 --by hit-length
    """
    from binyan.evaluation import compare as compared

    if len(models) < 2:
        raise SettingsError("name two models or more to compare")
    comparison = compared(models, o.held_out(text), by=by or (), top=top, segmentation=segmentation)
    comparison.write(tsv, plots)
    if json_:
        print_json(comparison.to_dict())
    else:
        typer.echo(comparison.report(full_signature))


def _source(text: Path) -> Path | IO[bytes]:
    """A text file, or the bytes of standard input as they come."""
    return sys.stdin.buffer if str(text) == "-" else text
