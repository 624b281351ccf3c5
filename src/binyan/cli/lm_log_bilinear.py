"""`binyan lm train lbl ... nclbl++` and `binyan lm tune`: the log-bilinear models."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from binyan.cli import options as o
from binyan.cli.option_groups import with_settings
from binyan.cli.output import plain_warnings, print_json
from binyan.errors import SettingsError
from binyan.log_bilinear.settings import VARIANTS, SearchSettings, Shape, TrainingSettings, Variant
from binyan.settings import Settings
from binyan.text import Preparation, VocabularyPolicy

if TYPE_CHECKING:
    from binyan.log_bilinear import LogBilinear
    from binyan.log_bilinear.history import TrainingHistory
    from binyan.recurrent import Recurrent

Dev = Annotated[
    Path, typer.Option("--dev", metavar="F", help="Development text, whose perplexity decides when training stops.")
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint", metavar="F", help="File written after each epoch; training resumes from it if it exists."
    ),
]


@dataclass(frozen=True)
class WordOptions(Settings):
    """The word map and the classes of a model, given or to be learnt."""

    chosen_map: o.WordMapOption = None
    word_map: Annotated[Path | None, typer.Option("--word-map", metavar="F", help="The same as --map F.")] = None
    morfessor: Annotated[bool, typer.Option("--morfessor", help="The same as --map morfessor.")] = False
    classes: Annotated[Path | None, typer.Option("--classes", metavar="F", help="Word classes (a `paths` file).")] = (
        None
    )
    class_count: Annotated[
        int | None,
        typer.Option(
            "-k", "--class-count", metavar="N", help="Number of Brown classes to learn, if --classes is not given."
        ),
    ] = None

    def sources(self, variant: str, beside: Path, quiet: bool = False) -> dict[str, Any]:
        """The arguments `word_map` and `classes` of a model; a map that is learnt is kept beside the file `beside`."""
        maps = [m for m in (self.chosen_map, self.word_map, "morfessor" if self.morfessor else None) if m is not None]
        if len(maps) > 1:
            raise SettingsError(f"{variant} needs one word map: --map own, --map morfessor or --map F")
        if self.classes is not None and self.class_count is not None:
            raise SettingsError("--classes gives the classes; --class-count would make others")
        chosen = maps[0] if maps else "own" if "+" in variant else None
        return {
            "word_map": o.map_beside(chosen, beside, quiet),
            "classes": self.classes if self.classes is not None else self.class_count,
        }


def trainer_of(variant: str) -> Callable[..., None]:
    """The command that trains `variant`."""

    @with_settings
    def command(
        *,
        text: o.TrainingText,
        dev: Dev,
        out: o.Out,
        more: o.MoreText = None,
        shape: Shape,
        words: WordOptions,
        training: TrainingSettings,
        checkpoint: Checkpoint = None,
        know: VocabularyPolicy,
        prepare: Preparation,
        plots: o.Plots = None,
        quiet: o.Quiet = False,
        json_: o.Json = False,
    ) -> None:
        model = _model(variant, words.sources(variant, out, quiet), shape, training, know, prepare)
        train_network(model, [*text, *(more or [])], dev, out, checkpoint, plots, quiet, json_)

    command.__doc__ = f"""The log-bilinear model {variant.upper()}: {Variant.parse(variant).description}.

    \b
    binyan lm train {variant} --text train.txt --dev dev.txt --out model.binyan
    torchrun --nproc-per-node 4 --no-python binyan lm train {variant} ...   (data-parallel)
    """
    return command


TRAINERS: dict[str, Callable[..., None]] = {variant: trainer_of(variant) for variant in VARIANTS}


@with_settings
def tune(
    *,
    variant: Annotated[str, typer.Argument(metavar="KIND", help="lbl, clbl++, nclbl+o ...")],
    text: Annotated[list[Path], typer.Option("--text", "-t", metavar="F", help="Training text; may be repeated.")],
    dev: Dev,
    study: Annotated[Path, typer.Option("--study", metavar="F", help="The file of the study; resumed if it exists.")],
    tuning: SearchSettings,
    shape: Shape,
    words: WordOptions,
    training: TrainingSettings,
    know: VocabularyPolicy,
    prepare: Preparation,
    scheduler: o.Scheduler = None,
    quiet: o.Quiet = False,
    json_: o.Json = False,
) -> None:
    """Search for the step size, penalty, dimension and order that are best on the development text. Stop with Ctrl-C and resume later: the study is kept in a file.

    \b
    binyan lm tune clbl++ --text train.txt --dev dev.txt --study clbl.study --trials 20
    binyan lm tune clbl --text train.txt --dev dev.txt --study s --dim 150 --search step,l2
    binyan lm tune clbl --text train.txt --dev dev.txt --study s --jobs 8 --scheduler tcp://192.0.2.7:8786
    """
    o.check_out(study)
    model = _model(variant, words.sources(variant, study, quiet), shape, training, know, prepare)
    progress = False if quiet else None
    result = model.tune(text, dev, study=study, settings=tuning, scheduler=scheduler, progress=progress)
    if json_:
        print_json(result.to_dict())
    else:
        typer.echo(str(result))


def _model(variant: str, sources: dict[str, Any], *groups: Settings) -> LogBilinear:
    from binyan import LogBilinear

    settings: dict[str, Any] = {type(group).__name__: group for group in groups}
    return LogBilinear(variant, **sources, **settings)


def train_network(
    model: LogBilinear | Recurrent,
    texts: list[Path],
    dev: Path,
    out: Path,
    checkpoint: Path | None,
    plots: Path | None,
    quiet: bool,
    json_: bool,
) -> None:
    """Fit a model with a network, save it, and say what it is."""
    from binyan.cli.lm_train import opened, save_and_report

    o.check_out(out)
    start = time.monotonic()
    trained = opened(model)
    with plain_warnings():
        say = None if quiet else _say
        trained.fit(texts, dev, checkpoint=checkpoint, progress=False if quiet else None, after_epoch=say)
    if model.is_writer:
        _plot(model, plots)
        save_and_report(trained, out, start, json_)


def _say(history: TrainingHistory) -> None:
    loss, perplexity = history.loss[-1], history.perplexity[-1]
    share = history.step_share[-1]
    halved = "" if share == 1 else f", steps were too large and are now {share:g} times their former size"
    typer.echo(f"epoch {history.epochs}: loss {loss:.4f}, development perplexity {perplexity:.2f}{halved}", err=True)


def _plot(model: LogBilinear | Recurrent, folder: Path | None) -> None:
    if folder is not None and model.history is not None:
        from binyan.evaluation import trace
        from binyan.evaluation.table import write_tables

        logs = [math.log(p) for p in model.history.perplexity]
        columns = {"training loss": model.history.loss, "log development perplexity": logs}
        write_tables({"training": trace(columns, str(model.signature()))}, None, folder)
