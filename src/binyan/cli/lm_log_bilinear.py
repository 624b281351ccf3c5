"""`binyan lm train lbl ... nclbl++` and `binyan lm tune`: the log-bilinear models."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from binyan.cli import options as o
from binyan.cli.option_groups import with_settings
from binyan.cli.output import plain_warnings, print_json
from binyan.errors import SettingsError
from binyan.evaluation.table import write_tables
from binyan.text import Preparation, VocabularyPolicy

if TYPE_CHECKING:
    from binyan.clustering import WordClasses
    from binyan.log_bilinear.training import Course
    from binyan.segmentation import SegmentationTable
    from binyan.text import Corpus

VARIANTS = [n + c + "lbl" + plus for n in ("", "n") for c in ("", "c") for plus in ("", "+c", "+o", "++")]

Dev = Annotated[Path, typer.Option("--dev", metavar="F", help="Development text: training stops by its perplexity.")]
Dim = Annotated[int, typer.Option("--dim", metavar="N", help="Dimensions of the vectors.")]
Diagonal = Annotated[bool, typer.Option("--diagonal", help="Diagonal position matrices instead of full ones.")]
Map = Annotated[Path | None, typer.Option("--word-map", metavar="TSV", help="Segmentations, for +c, +o and ++.")]
Morfessor = Annotated[bool, typer.Option("--morfessor", help="Learn the word map from the text (Morfessor FlatCat).")]
Classes = Annotated[Path | None, typer.Option("--classes", metavar="F", help="Word classes, a `paths` file.")]
ClassCount = Annotated[
    int | None, typer.Option("-k", "--class-count", metavar="N", help="Brown classes to make, where none are given.")
]
Epochs = Annotated[int, typer.Option("--epochs", metavar="N", help="At most this many passes.")]
WarmUp = Annotated[float, typer.Option(help="Epochs over which the step size rises; parts of one are allowed.")]
Decay = Annotated[bool, typer.Option("--decay", help="Let the step size fall to 0 over the epochs: 3 or 4 then do.")]
Batch = Annotated[int, typer.Option("--batch", metavar="N", help="Events a minibatch.")]
Device = Annotated[str, typer.Option("--device", help="cpu, cuda, mps ...")]


def _described(variant: str) -> str:
    head, _, plus = variant.partition("+")
    sides = {
        "": "word vectors",
        "c": "additive context vectors",
        "o": "additive target vectors",
        "+": "additive vectors",
    }[plus]
    classes = "with word classes" if "c" in head else "trained by noise contrast"
    return f"{sides}, {classes}{', with a sigmoid' if head.startswith('n') else ''}"


def trainer_of(variant: str) -> Callable[..., None]:
    """The command that trains `variant`."""

    @with_settings
    def command(
        *,
        text: o.TrainingText,
        dev: Dev,
        out: o.Out,
        more: o.MoreText = None,
        order: o.Order = 4,
        dim: Dim = 100,
        diagonal: Diagonal = False,
        word_map: Map = None,
        morfessor: Morfessor = False,
        classes: Classes = None,
        class_count: ClassCount = None,
        step: Annotated[float, typer.Option("--step", metavar="X", help="Step size of AdaGrad.")] = 0.06,
        l2: Annotated[float, typer.Option("--l2", metavar="X", help="Penalty lambda.")] = 8.0,
        epochs: Epochs = 20,
        decay: Decay = False,
        warm_up: WarmUp = 0.2,
        batch: Batch = 2000,
        patience: Annotated[int, typer.Option("--patience", metavar="N", help="Stop after N epochs without gain.")] = 1,
        noise: Annotated[
            int, typer.Option("--noise", metavar="N", help="Noise words an event, without classes.")
        ] = 100,
        checkpoint: Annotated[
            Path | None,
            typer.Option("--checkpoint", metavar="F", help="Kept after each epoch; gone on from if it exists."),
        ] = None,
        device: Device = "cpu",
        know: VocabularyPolicy,
        prepare: Preparation,
        seed: o.Seed = 1,
        plots: o.Plots = None,
        quiet: o.Quiet = False,
        json_: o.Json = False,
    ) -> None:
        from binyan.log_bilinear.distributed import Processes
        from binyan.log_bilinear.estimation import train
        from binyan.log_bilinear.training import TrainingSettings
        from binyan.text import Corpus

        o.check_out(out)
        preparation = prepare
        settings = TrainingSettings(step, l2, batch, epochs, patience, noise, seed, device, decay, warm_up)
        start = time.monotonic()
        with plain_warnings():
            corpus = Corpus.read([*text, *(more or [])], preparation, know, False if quiet else None)
            model = train(
                corpus,
                dev,
                variant,
                order=order,
                dim=dim,
                diagonal=diagonal,
                classes=_classes(variant, classes, class_count),
                segmentations=_segmentations(variant, word_map, morfessor, corpus, seed),
                settings=settings,
                preparation=preparation,
                checkpoint=checkpoint,
                progress=False if quiet else None,
                after_epoch=None if quiet else _say,
            )
        course = model.course
        assert course is not None
        if not Processes.join().first:
            return  # of the processes torchrun started, one writes
        model.save(out)
        if plots is not None:
            from binyan.evaluation import trace

            columns = {"training loss": course.loss, "log development perplexity": _logs(course)}
            write_tables({"training": trace(columns, str(model.signature()))}, None, plots)
        figures: dict[str, Any] = {
            "model": str(out),
            "kind": variant,
            "vocabulary": len(model.vocabulary),
            "classes": model.model.targets.classes,
            "morphemes": len(model.word_map.morphemes),
            "epochs": course.epochs,
            "loss": course.loss,
            "development_perplexity": course.perplexity,
            "seconds": time.monotonic() - start,
            "signature": str(model.signature()),
        }
        if json_:
            print_json(figures)
            return
        typer.echo(
            f"{out}: {variant} of order {order}, {len(model.vocabulary):,} words, {figures['morphemes']:,} morphemes, "
            f"development perplexity {min(course.perplexity):.2f} after {course.best} of {course.epochs} epochs, "
            f"{figures['seconds']:.1f} s\n{model.signature()}"
        )

    command.__doc__ = f"""The log-bilinear model {variant.upper()}: {_described(variant)}.

    \b
    binyan lm train {variant} --text train.txt --dev dev.txt --out model.binyan{" --word-map map.tsv" if "+" in variant else ""}
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
    study: Annotated[Path, typer.Option("--study", metavar="F", help="The study: gone on with if it exists.")],
    trials: Annotated[int, typer.Option("--trials", metavar="N", help="Trials the study is to have.")] = 10,
    order: o.Order = 4,
    dim: Dim = 100,
    diagonal: Diagonal = False,
    word_map: Map = None,
    morfessor: Morfessor = False,
    classes: Classes = None,
    class_count: ClassCount = None,
    epochs: Epochs = 4,
    decay: Decay = False,
    warm_up: WarmUp = 0.2,
    batch: Batch = 2000,
    device: Device = "cpu",
    know: VocabularyPolicy,
    prepare: Preparation,
    seed: o.Seed = 1,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Trials at a time, each in a process or worker.")] = 1,
    scheduler: o.Scheduler = None,
    quiet: o.Quiet = False,
    json_: o.Json = False,
) -> None:
    """Search step size and penalty on the development text. Stop with Ctrl-C and go on later: the study is kept in a file.

    \b
    binyan lm tune clbl++ --text train.txt --dev dev.txt --word-map map.tsv --study clbl.study --trials 20
    binyan lm tune clbl --text train.txt --dev dev.txt --study s --jobs 8 --scheduler tcp://192.0.2.7:8786
    """
    from binyan.clustering import brown
    from binyan.log_bilinear.model import Shape, Variant
    from binyan.log_bilinear.training import TrainingSettings
    from binyan.log_bilinear.training_task import TrainingTask
    from binyan.log_bilinear.tuning import tune as search
    from binyan.log_bilinear.word_map import WordMap
    from binyan.text import Corpus, read_sentences

    o.check_out(study)
    shape = Shape(Variant.parse(variant), order, dim, diagonal)
    corpus = Corpus.read(text, prepare, know)
    held_out = Corpus.encode(read_sentences(dev, prepare), corpus.vocabulary)
    given = _classes(variant, classes, class_count)
    clustering = brown(corpus, given) if given is None or isinstance(given, int) else given
    class_of = clustering.ids(corpus.vocabulary) if shape.variant.classes else None
    table = _segmentations(variant, word_map, morfessor, corpus, seed)
    outside = (*corpus.outside, *held_out.outside)
    mapped = WordMap.from_segmentations(table, corpus.vocabulary, outside) if table is not None else None

    task = TrainingTask(corpus, held_out, shape, mapped, class_of)
    settings = TrainingSettings(epochs=epochs, batch=batch, seed=seed, device=device, decay=decay, warm_up=warm_up)
    found = search(
        task,
        settings,
        trials,
        study,
        name=f"{variant}-{order}-{dim}-{corpus.digest}",
        jobs=jobs,
        scheduler=scheduler,
        progress=False if quiet else None,
    )
    if json_:
        print_json(found.to_dict())
        return
    for t in found.trials:
        reached = "given up" if t.perplexity is None else f"{t.perplexity:.2f}"
        typer.echo(f"step {t.settings['step']:.4f}  l2 {t.settings['l2']:.3f}  development perplexity {reached}")
    best = found.best
    typer.echo(f"best: --step {best['step']:.4f} --l2 {best['l2']:.3f}  development perplexity {found.perplexity:.2f}")


def _classes(variant: str, path: Path | None, count: int | None) -> WordClasses | int | None:
    from binyan.clustering import WordClasses

    if "c" not in variant.split("+")[0] and (path is not None or count is not None):
        raise SettingsError(f"{variant} has no classes; leave out --classes and --class-count, or train c{variant}")
    if path is not None and count is not None:
        raise SettingsError("--classes gives the classes; --class-count would make others")
    return WordClasses.read(path) if path is not None else count


def _segmentations(
    variant: str, path: Path | None, morfessor: bool, corpus: Corpus, seed: int
) -> SegmentationTable | None:
    from binyan.segmentation import SegmentationTable

    if "+" not in variant:
        if path is not None or morfessor:
            raise SettingsError(f"{variant} has no morphemes; add +c, +o or ++ to its name, or leave out the word map")
        return None
    if (path is None) != morfessor:
        raise SettingsError(f"{variant} needs either --word-map TSV or --morfessor")
    if path is not None:
        return SegmentationTable.read(path)
    from binyan.clustering import bigrams_of
    from binyan.segmentation.morfessor import learn

    counts = zip(corpus.vocabulary.words, bigrams_of(corpus).frequency, strict=True)
    return learn({w: n for w, n in counts if n}, seed=seed)


def _say(course: Course) -> None:
    typer.echo(
        f"epoch {course.epochs}: loss {course.loss[-1]:.4f}, development perplexity {course.perplexity[-1]:.2f}",
        err=True,
    )


def _logs(course: Course) -> list[float]:
    import math

    return [math.log(p) for p in course.perplexity]
