"""`binyan vectors`: word and morpheme vectors of a log-bilinear model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.option_groups import with_settings
from binyan.cli.output import print_json
from binyan.errors import SettingsError
from binyan.log_bilinear.settings import VectorSettings

if TYPE_CHECKING:
    from binyan.log_bilinear import Vectors

app = App(
    no_args_is_help=True,
    help="""Word and morpheme vectors of a log-bilinear model.

    \b
    binyan vectors export model.binyan --text vectors.txt
    binyan vectors nearest model.binyan haus
    binyan vectors evaluate model.binyan --pairs de-gur350.tsv
    binyan vectors plot model.binyan --out map.html
    """,
)

Morphemes = Annotated[bool, typer.Option("--morphemes", help="Morphemes instead of words.")]


def _vectors(path: Path, settings: VectorSettings) -> Vectors:
    from binyan.language_model import load

    with o.about(path):
        return load(path).vectors.using(settings=settings)


@app.command()
@with_settings
def export(
    *,
    model: o.Model,
    text: Annotated[Path | None, typer.Option("--text", metavar="F", help="Write word2vec text.")] = None,
    safetensors: Annotated[Path | None, typer.Option("--safetensors", metavar="F", help="Write safetensors.")] = None,
    settings: VectorSettings,
    morphemes: Morphemes = False,
) -> None:
    """Write vectors for other tools.

    \b
    binyan vectors export model.binyan --text vectors.txt --safetensors vectors.safetensors
    """
    if text is None and safetensors is None:
        raise SettingsError("name a file to write: --text F or --safetensors F")
    vectors = _vectors(model, settings)
    for path, save in ((text, vectors.save_word2vec), (safetensors, vectors.save_safetensors)):
        if path is not None:
            o.check_out(path)
            save(path, morphemes)
    typer.echo(f"{len(vectors.table(morphemes)[0]):,} vectors of {vectors.dim} dimensions\n{vectors.model.signature()}")


@app.command()
@with_settings
def nearest(
    *,
    model: o.Model,
    word: Annotated[str, typer.Argument(help="A word, or with --morphemes a morpheme with its label: un/PRE.")],
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="How many to show.")] = 10,
    settings: VectorSettings,
    morphemes: Morphemes = False,
    json_: o.Json = False,
) -> None:
    """The nearest words, or morphemes, by cosine.

    \b
    binyan vectors nearest model.binyan haus
    binyan vectors nearest model.binyan un/PRE --morphemes
    """
    vectors = _vectors(model, settings)
    neighbours = vectors.most_similar(word, topn=number, morphemes=morphemes)
    composed = None if morphemes or word in vectors.vocabulary else vectors.morphemes_of(word)
    if json_:
        nearest = [{"name": name, "cosine": cosine} for name, cosine in neighbours]
        origin = {"morphemes": composed.morphemes, "origin": composed.origin} if composed else {}
        print_json({"of": word, "nearest": nearest, **origin, "signature": str(vectors.model.signature())})
        return
    if composed:
        typer.echo(str(composed), err=True)
    typer.echo("\n".join(f"{cosine:.4f}\t{name}" for name, cosine in neighbours))


@app.command()
@with_settings
def evaluate(
    *,
    model: o.Model,
    pairs: Annotated[Path, typer.Option("--pairs", metavar="F", help="word, word, score per line.")],
    guess: Annotated[
        bool, typer.Option("--guess", help="Guess the morphemes of words that the word map lacks.")
    ] = False,
    settings: VectorSettings,
    json_: o.Json = False,
) -> None:
    """Spearman's rank correlation with people's judgements of the similarity of word pairs.

    \b
    binyan vectors evaluate model.binyan --pairs de-gur350.tsv
    """
    result = _vectors(model, settings).evaluate(pairs, guess=guess)
    if json_:
        print_json(result.to_dict())
    else:
        typer.echo(f"{result}\n{result.signature}")


@app.command()
@with_settings
def plot(
    *,
    model: o.Model,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="F", help=".html for a page, or .png, .svg, .pdf.")],
    number: Annotated[int, typer.Option("-n", "--number", min=3, help="How many, the most used first.")] = 300,
    settings: VectorSettings,
    words: Annotated[bool, typer.Option("--words", help="Words instead of morphemes.")] = False,
    seed: o.Seed = 1,
) -> None:
    """A map of morpheme vectors in the plane (t-SNE); of words, where the model has no morphemes.

    \b
    binyan vectors plot model.binyan --out map.html
    binyan vectors plot model.binyan --words -n 500 --out map.png
    """
    o.check_out(out)
    number = _vectors(model, settings).plot(out, number, morphemes=False if words else None, seed=seed)
    typer.echo(f"{out}: {number} vectors")
