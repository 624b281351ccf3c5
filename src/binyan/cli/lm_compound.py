"""`binyan lm train hpylm+c` and `hpylm+g`: the models that generate compounds from their components."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from binyan.cli import options as o
from binyan.cli.option_groups import SamplingOptions, TextOptions, VocabularyOptions, with_groups
from binyan.cli.output import print_json

if TYPE_CHECKING:
    from binyan.ngram.compound import CompoundHPYLM

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
    @with_groups
    def train(
        *,
        text: o.TrainingText,
        out: o.Out,
        segmentation: Segments,
        more: o.MoreText = None,
        order: o.Order = 4,
        head: HeadOption = "right",
        linking: LinkingOption = None,
        know: VocabularyOptions,
        sampling: SamplingOptions,
        prepare: TextOptions,
        seed: o.Seed = 1,
        quiet: o.Quiet = False,
        json_: o.Json = False,
    ) -> None:
        from binyan.ngram.compound import BothWaysHPYLM, CompoundHPYLM
        from binyan.segmentation import SegmentationTable

        o.check_out(out)
        start = time.monotonic()
        model = {"hpylm+c": CompoundHPYLM, "hpylm+g": BothWaysHPYLM}[kind].train(
            [*text, *(more or [])],
            order,
            sampling.schedule(seed),
            segmentation=SegmentationTable.read(segmentation),
            head=cast(Any, head),
            linking=cast(Any, linking),
            preparation=prepare.preparation,
            policy=know.policy(seed),
            checkpoint=out,
            resume=sampling.resume,
            progress=False if quiet else None,
            scheduler=sampling.scheduler,
        )
        model.save(out, reduced=sampling.reduced)
        _report(model, out, time.monotonic() - start, json_)

    train.__doc__ = _HELP[kind]
    return train


TRAINERS: dict[str, Callable[..., None]] = {kind: _trainer(kind) for kind in _HELP}


def _report(model: CompoundHPYLM, out: Path, seconds: float, json_: bool) -> None:
    coverage = model.decomposition.table.coverage(model.vocabulary.words[3:])
    if json_:
        print_json(
            {
                "model": str(out),
                "kind": model.kind,
                "order": model.order,
                "vocabulary": len(model.vocabulary),
                "components": len(model.components),
                "compounds": model.components.compounds,
                "without_segmentation": len(coverage.missing),
                "seconds": seconds,
                "log_likelihood": [float(trace[-1, 0]) for trace in model.trace],
                "hyperparameters": model.hyperparameters,
                "shortening": model.shortening,
                "signature": str(model.signature()),
            }
        )
        return
    typer.echo(
        f"{out}: {model.kind} of order {model.order}, {len(model.vocabulary):,} words of {len(model.components):,} "
        f"components, {model.components.compounds:,} compounds, {seconds:.1f} s\n"
        f"{coverage}\n{model.signature()}"
    )
