"""`binyan lm train`: one subcommand a kind of model; TRAINERS is the table."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from binyan.cli import lm_compound, lm_log_bilinear
from binyan.cli import options as o
from binyan.cli.option_groups import SamplingOptions, TextOptions, VocabularyOptions, with_groups
from binyan.cli.output import plain_warnings, print_json

if TYPE_CHECKING:
    from binyan.ngram.backoff import BackoffLanguageModel


@with_groups
def mkn(
    *,
    text: o.TrainingText,
    out: o.Out,
    more: o.MoreText = None,
    order: o.Order = 4,
    know: VocabularyOptions,
    dev: Annotated[
        Path | None,
        typer.Option("--dev", metavar="F", help="Text that the discounts are fitted to; else they come from counts."),
    ] = None,
    prune: Annotated[
        list[int] | None,
        typer.Option(
            "--prune",
            metavar="N",
            help="Drop n-grams seen N times or less; once for each length from 1, the last for all longer: "
            "--prune 0 --prune 0 --prune 1.",
        ),
    ] = None,
    prepare: TextOptions,
    seed: o.Seed = 1,
    quiet: o.Quiet = False,
    json_: o.Json = False,
) -> None:
    """Interpolated modified Kneser-Ney, as KenLM's lmplz estimates it.

    With --dev, discounts are those with the lowest perplexity on that text: better where what the model will meet is of another
    kind than what it learns from.

    \b
    binyan lm train mkn --text train.txt --order 4 --out model.binyan
    binyan lm train mkn --text train.txt --dev dev.txt --out model.binyan
    binyan lm train mkn --text a.txt.gz b.txt.gz --lowercase --tokenise de --min-count 2 --out model.binyan
    """
    from binyan.ngram.kneser_ney import KneserNey

    o.check_out(out)
    start = time.monotonic()
    with plain_warnings():
        model = KneserNey.train(
            [*text, *(more or [])],
            order,
            prune=prune or (),
            development=dev,
            preparation=prepare.preparation,
            policy=know.policy(seed),
            progress=False if quiet else None,
        )
    model.save(out)
    discounts = [{"order": d.order, "discounts": d.amounts, "origin": d.origin} for d in model.discounts]
    _report(model, out, time.monotonic() - start, json_, discounts=discounts)


@with_groups
def hpylm(
    *,
    text: o.TrainingText,
    out: o.Out,
    more: o.MoreText = None,
    order: o.Order = 4,
    know: VocabularyOptions,
    sampling: SamplingOptions,
    prepare: TextOptions,
    seed: o.Seed = 1,
    quiet: o.Quiet = False,
    json_: o.Json = False,
) -> None:
    """The hierarchical Pitman-Yor language model, by Gibbs sampling.

    Stop with Ctrl-C and go on later with --resume: the result is the same, bit for bit.

    \b
    binyan lm train hpylm --text train.txt --order 4 --iterations 100 --samples 10 --out model.binyan
    """
    from binyan.ngram.hpylm import HPYLM

    o.check_out(out)
    start = time.monotonic()
    with plain_warnings():
        model = HPYLM.train(
            [*text, *(more or [])],
            order,
            sampling.schedule(seed),
            preparation=prepare.preparation,
            policy=know.policy(seed),
            checkpoint=out,
            resume=sampling.resume,
            progress=False if quiet else None,
            scheduler=sampling.scheduler,
        )
    model.save(out, reduced=sampling.reduced)
    log_likelihood = [float(trace[-1, 0]) for trace in model.trace]
    hyperparameters = [{"discount": a, "strength": b} for a, b in model.hyperparameters]
    seconds = time.monotonic() - start
    _report(model, out, seconds, json_, log_likelihood=log_likelihood, hyperparameters=hyperparameters)


# What `binyan lm train KIND` runs. A further kind of model is a function with its options, and a line here.
TRAINERS: dict[str, Callable[..., None]] = {
    "mkn": mkn,
    "hpylm": hpylm,
    **lm_compound.TRAINERS,
    **lm_log_bilinear.TRAINERS,
}

app = typer.Typer(help="Train a model.", no_args_is_help=True)
for _kind, _trainer in TRAINERS.items():
    app.command(_kind)(_trainer)


def _report(model: BackoffLanguageModel, out: Path, seconds: float, json_: bool, **more: Any) -> None:
    """What was trained, as a line and its signature, or as JSON."""
    arrays = model.native.arrays
    bounds = arrays["first_entry"][arrays["context_base"]]
    ngrams = [int(b - a) for a, b in pairwise(bounds)]
    if json_:
        print_json(
            {
                "model": str(out),
                "kind": model.kind,
                "order": model.order,
                "vocabulary": len(model.vocabulary),
                "ngrams": ngrams,
                "seconds": seconds,
                **more,
                "signature": str(model.signature()),
            }
        )
        return
    typer.echo(
        f"{out}: {model.kind} of order {model.order}, {len(model.vocabulary):,} words, {sum(ngrams):,} n-grams, "
        f"{seconds:.1f} s\n{model.signature()}"
    )
