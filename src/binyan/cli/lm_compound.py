"""`binyan lm train hpylm+c` and `hpylm+g`: the models that generate compounds from their components."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from binyan.cli import options as o
from binyan.cli.output import print_json

Segments = Annotated[
    Path, typer.Option("--segmentation", metavar="TSV", help="Components of words: word, tab, parts; +n marks a link.")
]
HeadOption = Annotated[str, typer.Option("--head", help="Which end of a compound is its head: right or left.")]
LinkingOption = Annotated[
    str | None,
    typer.Option(
        "--linking", help="Merge linking elements left or right, or delete them; by default away from the head."
    ),
]


_HELP = {
    "hpylm+c": """The HPYLM with productive compounding: words from heads and modifiers before the context is shortened.

    \b
    binyan lm train hpylm+c --text train.txt --order 3 --segmentation splits.tsv --out model.binyan
    binyan lm train hpylm+c --text train.txt --segmentation splits.tsv --head left --linking delete --out model.binyan
    """,
    "hpylm+g": """Back-off both ways: at every context length a learnt choice between shortening the context and taking the
    word apart.

    \b
    binyan lm train hpylm+g --text train.txt --order 4 --segmentation splits.tsv --out model.binyan
    """,
}


def _trainer(kind: str) -> Callable[..., None]:
    def train(
        text: o.TrainingText,
        out: o.Out,
        segmentation: Segments,
        more: o.MoreText = None,
        order: o.Order = 4,
        head: HeadOption = "right",
        linking: LinkingOption = None,
        vocabulary: o.VocabularyFile = None,
        min_count: o.MinCount = 1,
        kappa: o.Kappa = 0.0,
        script: o.Script = None,
        iterations: o.Iterations = 100,
        burn_in: o.BurnIn = None,
        samples: o.Samples = 1,
        chains: o.Chains = 1,
        initialisation: o.InitialSeating = "sequential",
        scheduler: o.Scheduler = None,
        resume: o.Resume = False,
        reduced: o.Reduced = False,
        normalise: o.Normalise = "none",
        punctuation: o.Punctuation = False,
        tokenise: o.Tokenise = None,
        strip_marks: o.StripMarks = False,
        lowercase: o.Lowercase = False,
        digits: o.Digits = False,
        seed: o.Seed = 1,
        quiet: o.Quiet = False,
        json_: o.Json = False,
    ) -> None:
        _train(**{**locals(), "kind": kind})

    train.__doc__ = _HELP[kind]
    return train


TRAINERS: dict[str, Callable[..., None]] = {kind: _trainer(kind) for kind in _HELP}


def _train(kind: str, **given: Any) -> None:
    from binyan.ngram.chains import Schedule
    from binyan.ngram.compound import BothWaysHPYLM, CompoundHPYLM
    from binyan.segmentation import SegmentationTable

    out: Path = given["out"]
    o.check_out(out)
    names = ("normalise", "punctuation", "tokenise", "strip_marks", "lowercase", "digits")
    preparation = o.preparation_of(*(given[name] for name in names))
    policy = o.policy_of(*(given[name] for name in ("vocabulary", "min_count", "kappa", "script", "seed")))
    names = ("iterations", "burn_in", "samples", "chains", "seed", "initialisation")
    schedule = Schedule(*(given[name] for name in names))
    table = SegmentationTable.read(given["segmentation"])
    start = time.monotonic()
    model = {"hpylm+c": CompoundHPYLM, "hpylm+g": BothWaysHPYLM}[kind].train(
        [*given["text"], *(given["more"] or [])],
        given["order"],
        schedule,
        segmentation=table,
        head=given["head"],
        linking=given["linking"],
        preparation=preparation,
        policy=policy,
        checkpoint=out,
        resume=given["resume"],
        progress=False if given["quiet"] else None,
        scheduler=given["scheduler"],
    )
    model.save(out, reduced=given["reduced"])
    coverage = model.decomposition.table.coverage(model.vocabulary.words[3:])
    if given["json_"]:
        print_json(
            {
                "model": str(out),
                "kind": model.kind,
                "order": model.order,
                "vocabulary": len(model.vocabulary),
                "components": len(model.components),
                "compounds": model.components.compounds,
                "without_segmentation": len(coverage.missing),
                "seconds": time.monotonic() - start,
                "log_likelihood": [float(trace[-1, 0]) for trace in model.trace],
                "hyperparameters": model.hyperparameters,
                "shortening": model.shortening,
                "signature": str(model.signature()),
            }
        )
        return
    typer.echo(
        f"{out}: {model.kind} of order {model.order}, {len(model.vocabulary):,} words of {len(model.components):,} "
        f"components, {model.components.compounds:,} compounds, {time.monotonic() - start:.1f} s\n"
        f"{coverage}\n{model.signature()}"
    )
