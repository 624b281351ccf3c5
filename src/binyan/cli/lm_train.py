"""`binyan lm train`: one subcommand per kind of model; TRAINERS is the table."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from binyan.cli import lm_best, lm_log_bilinear, lm_recurrent
from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.option_groups import RunOptions, with_settings
from binyan.cli.output import plain_warnings, print_json
from binyan.errors import SettingsError
from binyan.ngram.compound import CompoundSettings
from binyan.ngram.hpylm import HPYLMSettings
from binyan.ngram.kneser_ney import KneserNeySettings
from binyan.sampling import Schedule
from binyan.text import Preparation, VocabularyPolicy

UnknownDev = Annotated[
    Path | None,
    typer.Option("--dev", metavar="F", help="With --vocabulary open: text to fit the rate of unknown words to."),
]
Segments = Annotated[
    Path | None,
    typer.Option("--segmentation", metavar="TSV", help="The same as --map TSV; +n marks a linking element."),
]
Memory = Annotated[
    str | None,
    typer.Option("--memory", metavar="SIZE", help="Use at most about this much memory (e.g. 4G); n-grams go to files."),
]
Work = Annotated[
    Path | None,
    typer.Option(
        "--work", metavar="FOLDER", help="Where to put these files while it runs; by default the folder of --out."
    ),
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", min=1, help="Threads for sweeps by blocks; by default one per core."),
]


@with_settings
def mkn(
    *,
    text: o.TrainingText,
    out: o.Out,
    more: o.MoreText = None,
    settings: KneserNeySettings,
    vocabulary: VocabularyPolicy,
    dev: Annotated[
        Path | None,
        typer.Option("--dev", metavar="F", help="Text to fit the discounts to; by default they come from counts."),
    ] = None,
    prune: Annotated[
        list[int] | None,
        typer.Option(
            "--prune",
            metavar="N",
            help="Drop n-grams seen N times or less. Give it once for each length from 1; the last value holds for all longer "
            "ones: --prune 0 --prune 0 --prune 1.",
        ),
    ] = None,
    memory: Memory = None,
    work: Work = None,
    scheduler: o.Scheduler = None,
    preparation: Preparation,
    quiet: o.Quiet = False,
    json_: o.Json = False,
) -> None:
    """Interpolated modified Kneser-Ney, as KenLM's lmplz estimates it.

    With --dev, the discounts are those with the lowest perplexity on that text, which is better if the model will be used on text
    of another kind than its training text.

    \b
    binyan lm train mkn --text train.txt --order 4 --out model.binyan
    binyan lm train mkn --text train.txt --dev dev.txt --out model.binyan
    binyan lm train mkn --text a.txt.gz b.txt.gz --lowercase --tokenise de --min-count 2 --out model.binyan
    binyan lm train mkn --text large.txt.gz --order 5 --memory 4G --out model.binyan
    """
    from binyan import KneserNey

    model = KneserNey(settings=settings, prune=prune or (), policy=vocabulary, preparation=preparation)
    past_memory: dict[str, Any] = {"memory": memory, "work": work or out.absolute().parent, "scheduler": scheduler}
    train(model, [*text, *(more or [])], out, quiet, json_, development=dev, **past_memory)


@with_settings
def hpylm(
    *,
    text: o.TrainingText,
    out: o.Out,
    more: o.MoreText = None,
    settings: HPYLMSettings,
    vocabulary: VocabularyPolicy,
    dev: UnknownDev = None,
    schedule: Schedule,
    run: RunOptions,
    memory: Memory = None,
    work: Work = None,
    threads: Threads = None,
    preparation: Preparation,
    quiet: o.Quiet = False,
    json_: o.Json = False,
) -> None:
    """The hierarchical Pitman-Yor language model, by Gibbs sampling.

    Stop with Ctrl-C and resume later with --resume: the result is the same, bit for bit. With --vocabulary open, its base distribution is a
    model of spelling.

    \b
    binyan lm train hpylm --text train.txt --order 4 --sweeps 200 --out model.binyan
    binyan lm train hpylm --text train.txt --order 4 --blocks --threads 2 --out model.binyan
    binyan lm train hpylm --text large.txt.gz --order 4 --memory 4G --out model.binyan
    binyan lm train hpylm --text train.txt --vocabulary open --dev dev.txt --out model.binyan
    """
    from binyan import HPYLM

    model = HPYLM(settings=settings, schedule=schedule, policy=vocabulary, preparation=preparation)
    past_memory: dict[str, Any] = {"memory": memory, "work": work or out.absolute().parent, "threads": threads}
    sample(model, [*text, *(more or [])], out, run, quiet, json_, dev, **past_memory)


def _compound_trainer(both_ways: bool, help_: str) -> Callable[..., None]:
    @with_settings
    def command(
        *,
        text: o.TrainingText,
        out: o.Out,
        segmentation: Segments = None,
        chosen_map: o.WordMapOption = None,
        more: o.MoreText = None,
        settings: CompoundSettings,
        vocabulary: VocabularyPolicy,
        dev: UnknownDev = None,
        schedule: Schedule,
        run: RunOptions,
        preparation: Preparation,
        quiet: o.Quiet = False,
        json_: o.Json = False,
    ) -> None:
        from binyan import CompoundHPYLM

        groups: dict[str, Any] = {"settings": settings, "schedule": schedule, "policy": vocabulary}
        parts = _parts(segmentation, chosen_map, out, quiet)
        model = CompoundHPYLM(segmentation=parts, both_ways=both_ways, preparation=preparation, **groups)
        sample(model, [*text, *(more or [])], out, run, quiet, json_, dev)

    command.__doc__ = help_
    return command


def _parts(segmentation: Path | None, chosen_map: str | None, out: Path, quiet: bool) -> Any:
    """What `--segmentation` or `--map` gives; without either, our own morphology learns it."""
    if segmentation is not None and chosen_map is not None:
        raise SettingsError("--segmentation and --map give the same thing; leave one of them out")
    return o.map_beside(segmentation or chosen_map or "own", out, quiet)


@with_settings
def inflection(
    *,
    text: o.TrainingText,
    out: o.Out,
    segmentation: Segments = None,
    chosen_map: o.WordMapOption = None,
    candidates: Annotated[
        Path | None,
        typer.Option(
            "--candidates", metavar="TSV", help="Further segmentations to choose from; a word may have several."
        ),
    ] = None,
    learn_segmentation: Annotated[
        bool,
        typer.Option(
            "--learn-segmentation",
            help="Learn the parts of words together with the model, from segmentations of the adaptor grammar, Morfessor and the frequency splitter.",
        ),
    ] = False,
    learnt: Annotated[
        Path | None, typer.Option("--learnt", metavar="TSV", help="Where to write the segmentation that was learnt.")
    ] = None,
    more: o.MoreText = None,
    settings: HPYLMSettings,
    vocabulary: VocabularyPolicy,
    schedule: Schedule,
    run: RunOptions,
    preparation: Preparation,
    quiet: o.Quiet = False,
    json_: o.Json = False,
) -> None:
    """The HPYLM for inflected words: predicted whole, stem first or ending first; the weight of each way is learnt.

    The parts of words are learnt from the text, or come from `binyan wordmap learn`, `binyan morph segment` or `binyan compounds split`.

    \b
    binyan lm train hpylm+i --text train.txt --out model.binyan
    binyan lm train hpylm+i --text train.txt --map parts.tsv --out model.binyan
    binyan lm train hpylm+i --text train.txt --learn-segmentation --learnt parts.tsv --out model.binyan
    """
    from binyan import InflectionHPYLM

    groups: dict[str, Any] = {"settings": settings, "schedule": schedule, "policy": vocabulary}
    words: dict[str, Any] = {"segmentation": _parts(segmentation, chosen_map, out, quiet), "candidates": candidates}
    model = InflectionHPYLM(**words, learn_segmentation=learn_segmentation, preparation=preparation, **groups)
    sample(model, [*text, *(more or [])], out, run, quiet, json_)
    if learnt is not None:
        model.learnt_segmentation().write(learnt, comment=str(model.signature()))


# What `binyan lm train KIND` runs. A further kind of model is a function with its options, and a line here.
TRAINERS: dict[str, Callable[..., None]] = {
    "best": lm_best.best,
    "mkn": mkn,
    "hpylm": hpylm,
    "hpylm+c": _compound_trainer(
        False,
        """The HPYLM with productive compounding: a word is made of head and modifiers before the context is shortened.

    \b
    binyan lm train hpylm+c --text train.txt --order 3 --segmentation splits.tsv --out model.binyan
    binyan lm train hpylm+c --text train.txt --segmentation splits.tsv --head left --linking delete --out model.binyan
    """,
    ),
    "hpylm+g": _compound_trainer(
        True,
        """Back-off both ways: at every context length, the model learns whether to shorten the context or to take the word
    apart.

    \b
    binyan lm train hpylm+g --text train.txt --order 4 --segmentation splits.tsv --out model.binyan
    """,
    ),
    "hpylm+i": inflection,
    **lm_log_bilinear.TRAINERS,
    **lm_recurrent.TRAINERS,
}

app = App(help="Train a model.", no_args_is_help=True)
for _kind, _trainer in TRAINERS.items():
    app.command(_kind)(_trainer)


def sample(
    model: Any,
    texts: list[Path],
    out: Path,
    run: RunOptions,
    quiet: bool,
    json_: bool,
    dev: Path | None = None,
    **fitting: Any,
) -> None:
    """Train a model by sampling, with its file as checkpoint."""
    how = {"checkpoint": out, "resume": run.resume, "scheduler": run.scheduler, **fitting}
    if dev is not None:
        if not model.policy.is_open:
            raise SettingsError(
                "--dev is for fitting the rate of unknown words, which needs --vocabulary open: give both"
            )
        how["development"] = dev
    train(model, texts, out, quiet, json_, {"reduced": run.reduced}, **how)


def train(
    model: Any,
    texts: list[Path],
    out: Path,
    quiet: bool,
    json_: bool,
    saving: dict[str, Any] | None = None,
    **fitting: Any,
) -> None:
    """Fit a model, save it, and say what it is."""
    o.check_out(out)
    start = time.monotonic()
    model = opened(model)
    with plain_warnings():
        model.fit(texts, progress=False if quiet else None, **fitting)
    save_and_report(model, out, start, json_, **(saving or {}))


def opened(model: Any) -> Any:
    """The model to train: with an open vocabulary where that is asked for."""
    from binyan import OpenVocabulary

    return OpenVocabulary(model) if model.policy.is_open else model


def save_and_report(model: Any, out: Path, start: float, json_: bool, **saving: Any) -> None:
    """Save a model whose training began at `start`, and say what it is."""
    model.save(out, **saving)
    seconds = time.monotonic() - start
    if json_:
        print_json({"model": str(out), **model.summary(), "seconds": seconds, "signature": str(model.signature())})
    else:
        typer.echo(f"{out}: {model.description}, {seconds:.1f} s\n{model.signature().short}")
