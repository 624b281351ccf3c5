"""`binyan vectors`: word and morpheme vectors of a log-bilinear model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from binyan.cli import options as o
from binyan.cli.commands import App
from binyan.cli.output import print_json
from binyan.errors import SettingsError

if TYPE_CHECKING:
    from binyan.log_bilinear.vectors import Vectors

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

Side = Annotated[str, typer.Option("--side", help="both (concatenated), context or target.")]
PostHoc = Annotated[
    Path | None, typer.Option("--word-map", metavar="TSV", help="Segmentations of words outside the vocabulary.")
]
Morphemes = Annotated[bool, typer.Option("--morphemes", help="Morphemes instead of words.")]


def _vectors(path: Path, side: str, post_hoc: Path | None = None, compose: bool = True) -> Vectors:
    from binyan.language_model import load
    from binyan.log_bilinear.language_model import LogBilinearLM
    from binyan.log_bilinear.vectors import Vectors
    from binyan.segmentation import SegmentationTable

    model = load(path)
    if not isinstance(model, LogBilinearLM):
        raise SettingsError(f"{path}: a model of kind {model.kind!r} has no vectors; log-bilinear models have")
    return Vectors(model, side, SegmentationTable.read(post_hoc) if post_hoc else None, compose)  # type: ignore[arg-type]


@app.command()
def export(
    model: o.Model,
    text: Annotated[Path | None, typer.Option("--text", metavar="F", help="Write word2vec text.")] = None,
    safetensors: Annotated[Path | None, typer.Option("--safetensors", metavar="F", help="Write safetensors.")] = None,
    side: Side = "both",
    morphemes: Morphemes = False,
) -> None:
    """Write vectors for other tools.

    \b
    binyan vectors export model.binyan --text vectors.txt --safetensors vectors.safetensors
    """
    if text is None and safetensors is None:
        raise SettingsError("name a file to write: --text F or --safetensors F")
    vectors = _vectors(model, side)
    for path, write in ((text, vectors.write_text), (safetensors, vectors.write_safetensors)):
        if path is not None:
            o.check_out(path)
            write(path, morphemes)
    typer.echo(f"{len(vectors.table(morphemes)[0]):,} vectors of {vectors.dim} dimensions\n{vectors.model.signature()}")


@app.command()
def nearest(
    model: o.Model,
    word: Annotated[str, typer.Argument(help="A word, or with --morphemes a morpheme with its label: un/PRE.")],
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="How many.")] = 10,
    side: Side = "both",
    morphemes: Morphemes = False,
    word_map: PostHoc = None,
    json_: o.Json = False,
) -> None:
    """The nearest words, or morphemes, by cosine.

    \b
    binyan vectors nearest model.binyan haus
    binyan vectors nearest model.binyan un/PRE --morphemes
    """
    vectors = _vectors(model, side, word_map)
    found = vectors.nearest(word, number, morphemes)
    if json_:
        near = [{"name": name, "cosine": cosine} for name, cosine in found]
        print_json({"of": word, "nearest": near, "signature": str(vectors.model.signature())})
    else:
        typer.echo("\n".join(f"{cosine:.4f}\t{name}" for name, cosine in found))


@app.command()
def evaluate(
    model: o.Model,
    pairs: Annotated[Path, typer.Option("--pairs", metavar="F", help="word, word, score a line.")],
    side: Side = "both",
    word_map: PostHoc = None,
    no_compose: Annotated[bool, typer.Option("--no-compose", help="Words outside the vocabulary are <unk>.")] = False,
    json_: o.Json = False,
) -> None:
    """Spearman's rank correlation with people's similarity of word pairs.

    \b
    binyan vectors evaluate model.binyan --pairs de-gur350.tsv
    """
    from binyan.evaluation.similarity import evaluate_similarity, read_pairs

    vectors = _vectors(model, side, word_map, not no_compose)
    listed = read_pairs(pairs, vectors.model.preparation.lowercase)
    result = evaluate_similarity(listed, vectors.similarity, lambda w: w in vectors)
    signature = vectors.model.signature().extended(pairs=pairs.name, side=side, compose="no" if no_compose else "yes")
    if json_:
        print_json({**result.to_dict(), "signature": str(signature)})
    else:
        typer.echo(f"rho {100 * result.rho:.1f}  pairs {result.pairs}  not covered {result.uncovered}\n{signature}")


@app.command()
def plot(
    model: o.Model,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="F", help=".html for a page, or .png, .svg, .pdf.")],
    number: Annotated[int, typer.Option("-n", "--number", min=3, help="How many, the most used first.")] = 300,
    side: Side = "both",
    words: Annotated[bool, typer.Option("--words", help="Words instead of morphemes.")] = False,
    seed: o.Seed = 1,
) -> None:
    """A map of morpheme vectors in the plane (t-SNE).

    \b
    binyan vectors plot model.binyan --out map.html
    binyan vectors plot model.binyan --words -n 500 --out map.png
    """
    from binyan.log_bilinear import vector_map

    if out.suffix not in (".html", ".png", ".svg", ".pdf"):
        raise SettingsError(f"{out}: name the file .html, .png, .svg or .pdf")
    o.check_out(out)
    vectors = _vectors(model, side)
    names, matrix = vector_map.chosen(vectors, number, morphemes=not words)
    places = vector_map.plane(matrix, seed)
    if out.suffix == ".html":
        signature = vectors.model.signature().extended(tsne_seed=seed, side=side)
        vector_map.write_page(names, places, out, str(signature))
    else:
        vector_map.draw(names, places, out)
    typer.echo(f"{out}: {len(names)} vectors")
